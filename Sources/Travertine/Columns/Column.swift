import OrderedIndex

/// A column of numbers, dates, bools or links, in the narrowest width that holds them.
///
/// Unsafe: `storage` has room for `countMax` values of `width` bytes, of which the first `count`
/// are set and the others zero, so that loops may run over whole vectors; it is freed with the
/// column and nobody keeps it longer.
final class Column: LeafColumn, @unchecked Sendable {
    /// What the values are compared as.
    enum Kind: Hashable, Sendable {
        case integer
        case double
    }

    let kind: Kind
    /// 1, 2, 4 or 8 bytes.
    let width: Int
    let storage: UnsafeMutableRawPointer
    /// The least and greatest value that is no null; of integers.
    let bounds: ClosedRange<Int64>?
    /// What all values amount to, for aggregates. Bounds are in the order of index keys.
    let summary: ValueSummary

    override var byteCount: Int {
        Self.countMax * (width + (nulls == nil ? 0 : 1)) + 288 + summary.extraByteCount
    }

    /// - Parameters:
    ///   - words: the values as 64-bit words, doubles as their bits; 0 for a null.
    ///   - isNull: 1 for each null.
    init(_ kind: Kind, _ words: UnsafeBufferPointer<Int64>, _ isNull: UnsafeBufferPointer<UInt8>) {
        self.kind = kind
        let nulls = Nulls(isNull)
        var summary = ValueSummary()
        switch kind {
        case .integer:
            bounds = Self.bounds(of: words, isNull, nulls.count)
            summary.sum = DoubleSum(Self.sum(of: words, within: bounds))
            if let bounds {
                summary.least = UInt64(bitPattern: bounds.lowerBound) ^ 1 << 63
                summary.greatest = UInt64(bitPattern: bounds.upperBound) ^ 1 << 63
            }
            width = Self.width(of: bounds)
        case .double:
            for position in 0..<words.count where isNull[position] == 0 {
                summary.sum.add(Double(bitPattern: UInt64(bitPattern: words[position])))
                let order = IndexKey.ordered(words[position], type: .double)
                summary.least = min(summary.least, order)
                summary.greatest = max(summary.greatest, order)
            }
            bounds = nil
            width = 8
        }
        summary.count = words.count - nulls.count
        self.summary = summary
        storage = .allocate(byteCount: Self.countMax * width, alignment: 64)
        storage.initializeMemory(as: UInt8.self, repeating: 0, count: Self.countMax * width)
        super.init(count: words.count, nulls)
        switch width {
        case 1: fill(Int8.self, words)
        case 2: fill(Int16.self, words)
        case 4: fill(Int32.self, words)
        default: fill(Int64.self, words)
        }
    }

    deinit { storage.deallocate() }

    /// The least and the greatest number that is no null.
    private static func bounds(
        of words: UnsafeBufferPointer<Int64>, _ isNull: UnsafeBufferPointer<UInt8>,
        _ nullCount: Int
    ) -> ClosedRange<Int64>? {
        var (least, greatest) = (Int64.max, Int64.min)
        if nullCount == 0 {
            for position in 0..<words.count {
                least = min(least, words[position])
                greatest = max(greatest, words[position])
            }
        } else {
            for position in 0..<words.count where isNull[position] == 0 {
                least = min(least, words[position])
                greatest = max(greatest, words[position])
            }
        }
        return least <= greatest ? least...greatest : nil
    }

    /// The sum of at most `countMax` numbers, of which nulls are zeros: in 64 bits where all are so
    /// small that these hold it.
    private static func sum(
        of words: UnsafeBufferPointer<Int64>, within bounds: ClosedRange<Int64>?
    ) -> Int128 {
        guard let bounds else { return 0 }
        if bounds.lowerBound >= -(1 << 55), bounds.upperBound <= 1 << 55 {
            var sum: Int64 = 0
            for position in 0..<words.count { sum &+= words[position] }
            return Int128(sum)
        }
        var sum: Int128 = 0
        for position in 0..<words.count { sum &+= Int128(words[position]) }
        return sum
    }

    private static func width(of bounds: ClosedRange<Int64>?) -> Int {
        guard let bounds else { return 1 }
        if Int8(exactly: bounds.lowerBound) != nil, Int8(exactly: bounds.upperBound) != nil {
            return 1
        }
        if Int16(exactly: bounds.lowerBound) != nil, Int16(exactly: bounds.upperBound) != nil {
            return 2
        }
        if Int32(exactly: bounds.lowerBound) != nil, Int32(exactly: bounds.upperBound) != nil {
            return 4
        }
        return 8
    }

    private func fill<Word: FixedWidthInteger>(
        _: Word.Type, _ words: UnsafeBufferPointer<Int64>
    ) {
        let values = storage.bindMemory(to: Word.self, capacity: Self.countMax)
        for position in 0..<words.count {
            values[position] = Word(truncatingIfNeeded: words[position])
        }
    }

    @inline(__always)
    func values<Word>(as _: Word.Type) -> UnsafePointer<Word> {
        UnsafePointer(storage.assumingMemoryBound(to: Word.self))
    }
}
