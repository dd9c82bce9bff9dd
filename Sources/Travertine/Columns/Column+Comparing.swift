/// Comparisons of a whole column with a constant.
///
/// Nulls, and the places after the last value, are zeros: loops run over all places of a column, so
/// that they are vectors without a rest, and what zeros add is taken off afterwards.
extension Column {
    // MARK: Masks

    /// Sets `mask` to 1 where a comparison holds, else 0; it has `countMax` places, of which those
    /// after the last value are undefined.
    func compare(
        _ operation: Comparison.Operation, _ constant: Int64, _ mask: UnsafeMutablePointer<UInt8>
    ) {
        if let known = knownAnswer(operation, constant) {
            mask.update(repeating: known ? 1 : 0, count: Self.countMax)
        } else {
            switch width {
            case 1: compare(operation, Int8(truncatingIfNeeded: constant), values: mask)
            case 2: compare(operation, Int16(truncatingIfNeeded: constant), values: mask)
            case 4: compare(operation, Int32(truncatingIfNeeded: constant), values: mask)
            default: compare(operation, constant, values: mask)
            }
        }
        setNulls(operation == .notEqual, mask)
    }

    /// The same of doubles; NaN compares with nothing, and is not equal to anything.
    func compare(
        _ operation: Comparison.Operation, _ constant: Double, _ mask: UnsafeMutablePointer<UInt8>
    ) {
        compare(operation, constant, values: mask)
        setNulls(operation == .notEqual, mask)
    }

    /// The same for a value that is one of several.
    func compare(_ wanted: WordSet, hasNull: Bool, _ mask: UnsafeMutablePointer<UInt8>) {
        switch (kind, width) {
        case (.double, _): wanted.test(doubles: values(as: Double.self), count, mask)
        case (.integer, 1): wanted.test(values(as: Int8.self), count, mask)
        case (.integer, 2): wanted.test(values(as: Int16.self), count, mask)
        case (.integer, 4): wanted.test(values(as: Int32.self), count, mask)
        case (.integer, _): wanted.test(values(as: Int64.self), count, mask)
        }
        setNulls(hasNull, mask)
    }

    @inline(__always)
    private func compare<Word: Comparable>(
        _ operation: Comparison.Operation, _ constant: Word,
        values mask: UnsafeMutablePointer<UInt8>
    ) {
        let values = values(as: Word.self)
        @inline(__always) func fill(_ holds: (Word) -> Bool) {
            Self.forEachPlace { mask[$0] = holds(values[$0]) ? 1 : 0 }
        }
        switch operation {
        case .equal, .isIn: fill { $0 == constant }
        case .notEqual: fill { $0 != constant }
        case .less: fill { $0 < constant }
        case .lessOrEqual: fill { $0 <= constant }
        case .greater: fill { $0 > constant }
        case .greaterOrEqual: fill { $0 >= constant }
        case .isBetween, .contains, .beginsWith, .endsWith, .like: fill { _ in false }
        }
    }

    /// The answer where the least and the greatest value decide it for all; they do for a constant
    /// that the column's width does not hold.
    private func knownAnswer(_ operation: Comparison.Operation, _ constant: Int64) -> Bool? {
        guard let bounds else { return false }
        let (least, greatest) = (bounds.lowerBound, bounds.upperBound)
        if least == greatest { return operation.holds(least, constant) }
        if constant < least || constant > greatest { return operation.holds(least, constant) }
        switch operation {
        case .less where constant == least: return false
        case .greaterOrEqual where constant == least: return true
        case .lessOrEqual where constant == greatest: return true
        case .greater where constant == greatest: return false
        default: return nil
        }
    }

    // MARK: Counts

    /// The number of rows for which a comparison holds; of nulls only `!=` does.
    func matchCount(_ operation: Comparison.Operation, _ constant: Int64) -> Int {
        let ofNulls = operation == .notEqual ? nullCount : 0
        if let known = knownAnswer(operation, constant) {
            return ofNulls + (known ? count - nullCount : 0)
        }
        let matches =
            switch width {
            case 1: Int(UInt8(bitPattern: matches(operation, Int8(truncatingIfNeeded: constant))))
            case 2: Int(matches(operation, Int16(truncatingIfNeeded: constant)) as Int16)
            case 4: Int(matches(operation, Int32(truncatingIfNeeded: constant)) as Int32)
            default: Int(matches(operation, constant) as Int64)
            }
        return ofNulls + matches - (operation.holds(0, constant) ? zeroCount : 0)
    }

    /// The same of doubles.
    func matchCount(_ operation: Comparison.Operation, _ constant: Double) -> Int {
        let ofNulls = operation == .notEqual ? nullCount : 0
        let matches: Int64 = matches(operation, constant)
        return ofNulls + Int(matches) - (operation.holds(0, constant) ? zeroCount : 0)
    }

    /// The places that have a zero without a value.
    private var zeroCount: Int { Self.countMax - count + nullCount }

    /// How many places a comparison holds of, added in words as wide as the values: of 208 the
    /// narrowest have the bits, though not the sign.
    @inline(__always)
    private func matches<Word: Comparable, Sum: FixedWidthInteger>(
        _ operation: Comparison.Operation, _ constant: Word
    ) -> Sum {
        let values = values(as: Word.self)
        @inline(__always) func count(_ holds: (Word) -> Bool) -> Sum {
            var sum: Sum = 0
            Self.forEachPlace { sum &+= holds(values[$0]) ? 1 : 0 }
            return sum
        }
        return switch operation {
        case .equal, .isIn: count { $0 == constant }
        case .notEqual: count { $0 != constant }
        case .less: count { $0 < constant }
        case .lessOrEqual: count { $0 <= constant }
        case .greater: count { $0 > constant }
        case .greaterOrEqual: count { $0 >= constant }
        case .isBetween, .contains, .beginsWith, .endsWith, .like: 0
        }
    }
}
