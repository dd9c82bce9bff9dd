import OrderedIndex

/// A set of entries of one leaf, by their positions.
package struct LeafPositions: BitwiseCopyable, Equatable, Sendable {
    private var words: SIMD4<UInt64>

    /// The positions that fit.
    package static var countMax: Int { 256 }

    /// - Parameter words: a bit for each position, the lowest ones first.
    package init(words: SIMD4<UInt64>) { self.words = words }

    /// All positions before `end`.
    package init(before end: Int) {
        precondition(end <= Self.countMax, "a leaf has more entries than positions fit")
        words = .zero
        for number in 0..<4 {
            let bitCount = min(64, max(0, end - 64 * number))
            words[number] = bitCount == 64 ? .max : 1 << UInt64(bitCount) - 1
        }
    }

    package var isEmpty: Bool { words == .zero }

    package var count: Int {
        words[0].nonzeroBitCount + words[1].nonzeroBitCount + words[2].nonzeroBitCount
            + words[3].nonzeroBitCount
    }

    package func contains(_ position: Int) -> Bool {
        words[position >> 6] >> UInt64(position & 63) & 1 == 1
    }

    /// The position that so many others are before; there must be one.
    package func position(after rank: Int) -> Int {
        var rest = rank
        for number in 0..<4 {
            var word = words[number]
            let bitCount = word.nonzeroBitCount
            if rest < bitCount {
                for _ in 0..<rest { word &= word &- 1 }
                return 64 * number + word.trailingZeroBitCount
            }
            rest -= bitCount
        }
        preconditionFailure("a leaf was asked for a position that it does not have")
    }

    /// Calls `body` with each position, and removes it, until `body` returns false, for which the
    /// position stays.
    @inline(__always)
    package mutating func drain(_ body: (Int) -> Bool) {
        for number in 0..<4 {
            var word = words[number]
            while word != 0 {
                guard body(64 &* number &+ word.trailingZeroBitCount) else {
                    words[number] = word
                    return
                }
                word &= word &- 1
            }
            words[number] = 0
        }
    }
}
