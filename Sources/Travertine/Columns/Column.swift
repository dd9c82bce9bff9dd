import OrderedIndex

/// The values of one property of the rows of one leaf, laid out densely: numbers, dates, bools and
/// links, in the narrowest width that holds them. Immutable.
///
/// Unsafe: `storage` has room for `countMax` values of `width` bytes, of which the first `count` are
/// set and the others zero, so that loops may run over whole vectors; it is freed with the column
/// and nobody keeps it longer.
final class Column: @unchecked Sendable {
    /// What the values are compared as.
    enum Kind: Hashable, Sendable {
        case integer
        case double
    }

    static var countMax: Int { LeafEntries.countMax }
    let kind: Kind
    let count: Int
    /// 1, 2, 4 or 8 bytes.
    let width: Int
    /// 1 for each null, else 0; nil where there is none.
    let nulls: UnsafeMutablePointer<UInt8>?
    let nullCount: Int
    let storage: UnsafeMutableRawPointer
    /// The least and greatest value that is no null; of integers.
    let bounds: ClosedRange<Int64>?
    /// The same of doubles, without NaN; and whether there is one.
    let doubleBounds: ClosedRange<Double>?
    let hasNaN: Bool

    /// What the column takes, the object included.
    var byteCount: Int {
        Self.countMax * (width + (nulls == nil ? 0 : 1)) + 160
    }

    /// - Parameters:
    ///   - words: the values as 64-bit words, doubles as their bits; 0 for a null.
    ///   - isNull: 1 for each null.
    init(_ kind: Kind, _ words: UnsafeBufferPointer<Int64>, _ isNull: UnsafeBufferPointer<UInt8>) {
        self.kind = kind
        count = words.count
        nullCount = isNull.reduce(0) { $0 + Int($1) }
        if nullCount > 0 {
            let nulls = UnsafeMutablePointer<UInt8>.allocate(capacity: Self.countMax)
            nulls.initialize(repeating: 0, count: Self.countMax)
            for position in 0..<isNull.count { nulls[position] = isNull[position] }
            self.nulls = nulls
        } else {
            nulls = nil
        }
        switch kind {
        case .integer:
            var least = Int64.max
            var greatest = Int64.min
            for position in 0..<words.count where isNull[position] == 0 {
                least = min(least, words[position])
                greatest = max(greatest, words[position])
            }
            bounds = least <= greatest ? least...greatest : nil
            doubleBounds = nil
            hasNaN = false
            width = Self.width(of: bounds)
        case .double:
            var least = Double.infinity
            var greatest = -Double.infinity
            var hasNaN = false
            for position in 0..<words.count where isNull[position] == 0 {
                let number = Double(bitPattern: UInt64(bitPattern: words[position]))
                if number.isNaN { hasNaN = true }
                least = number < least ? number : least
                greatest = number > greatest ? number : greatest
            }
            bounds = nil
            doubleBounds = least <= greatest ? least...greatest : nil
            self.hasNaN = hasNaN
            width = 8
        }
        storage = .allocate(byteCount: Self.countMax * width, alignment: 64)
        storage.initializeMemory(as: UInt8.self, repeating: 0, count: Self.countMax * width)
        switch width {
        case 1: fill(Int8.self, words)
        case 2: fill(Int16.self, words)
        case 4: fill(Int32.self, words)
        default: fill(Int64.self, words)
        }
    }

    deinit {
        storage.deallocate()
        nulls?.deallocate()
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

    /// The value at a position; meaningless for a null.
    func integer(_ position: Int) -> Int64 {
        switch width {
        case 1: Int64(values(as: Int8.self)[position])
        case 2: Int64(values(as: Int16.self)[position])
        case 4: Int64(values(as: Int32.self)[position])
        default: values(as: Int64.self)[position]
        }
    }

    /// The sum of all integers; exact, since there are at most 208.
    var integerSum: Int128 {
        switch width {
        case 1: Int128(sum(Int8.self))
        case 2: Int128(sum(Int16.self))
        case 4: Int128(sum(Int32.self))
        default: (0..<count).reduce(Int128(0)) { $0 + Int128(values(as: Int64.self)[$1]) }
        }
    }

    private func sum<Word: FixedWidthInteger>(_: Word.Type) -> Int64 {
        let values = values(as: Word.self)
        var sum: Int64 = 0
        for position in 0..<Self.countMax { sum &+= Int64(values[position]) }
        return sum
    }
}
