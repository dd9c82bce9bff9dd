/// Integers, or the bits of doubles, among which others are looked up: a table without chains, at
/// most a quarter full.
struct WordSet: Hashable, Sendable {
    /// In ascending order, each once.
    let words: [Int64]
    private let table: [Int64]
    /// What the other places have.
    private let empty: Int64
    private let shift: UInt64

    init(_ words: some Sequence<Int64>) {
        let words = Set(words).sorted()
        self.words = words
        // The first number from zero on that is no word; they are in ascending order.
        var empty: Int64 = 0
        for word in words where word == empty { empty &+= 1 }
        self.empty = empty
        let bitCount = max(4, Int.bitWidth - (4 * words.count).leadingZeroBitCount)
        shift = UInt64(64 - bitCount)
        var table = [Int64](repeating: empty, count: 1 << bitCount)
        for word in words {
            var place = Self.place(word, shift)
            while table[place] != empty { place = (place + 1) & (table.count - 1) }
            table[place] = word
        }
        self.table = table
    }

    var byteCount: Int { 8 * (words.count + table.count) + 96 }

    @inline(__always)
    private static func place(_ word: Int64, _ shift: UInt64) -> Int {
        Int(truncatingIfNeeded: (UInt64(bitPattern: word) &* 0x9e37_79b9_7f4a_7c15) >> shift)
    }

    /// Sets `mask` to 1 for each word that is among these, else 0.
    func test<Word: FixedWidthInteger>(
        _ values: UnsafePointer<Word>, _ count: Int, _ mask: UnsafeMutablePointer<UInt8>
    ) {
        table.withUnsafeBufferPointer { table in
            for position in 0..<count {
                let word = Int64(truncatingIfNeeded: values[position])
                mask[position] = Self.contains(word, table, empty, shift) ? 1 : 0
            }
        }
    }

    /// The same of doubles; both zeros are one.
    func test(
        doubles: UnsafePointer<Double>, _ count: Int, _ mask: UnsafeMutablePointer<UInt8>
    ) {
        table.withUnsafeBufferPointer { table in
            for position in 0..<count {
                let word = Self.word(doubles[position])
                mask[position] = Self.contains(word, table, empty, shift) ? 1 : 0
            }
        }
    }

    /// The bits of a double, without the sign of a zero.
    @inline(__always)
    static func word(_ number: Double) -> Int64 { Int64(bitPattern: (number + 0).bitPattern) }

    @inline(__always)
    private static func contains(
        _ word: Int64, _ table: UnsafeBufferPointer<Int64>, _ empty: Int64, _ shift: UInt64
    ) -> Bool {
        if word == empty { return false }
        var place = place(word, shift)
        while table[place] != empty {
            if table[place] == word { return true }
            place = (place &+ 1) & (table.count &- 1)
        }
        return false
    }
}
