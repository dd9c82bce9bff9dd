import Locks
@_spi(_Unicode) import Swift

/// What 256 code points that follow one another are in a folded text: for each of them its code
/// points in lower, upper and again lower case, decomposed, with their kinds.
///
/// Each code point is folded by itself, so that the fold of a part of a text is a part of the fold
/// of the text: this is what an index of trigrams rests on. Lower case comes first, so that texts
/// that are alike in lower case (`[c]`) are alike here.
final class FoldedScalars: Sendable {
    /// One code point of a fold.
    struct Item: Sendable {
        var kind: WordSplitter.Kind
        /// The number of bytes in UTF-8.
        var byteCount: UInt8
        /// The bytes, the first one lowest.
        var bytes: UInt32
    }

    /// Where the items of each code point begin, and where those of the last one end.
    private let starts: [UInt16]
    private let items: [Item]

    private static let blocks = Locked<[UInt32: FoldedScalars]>([:])

    /// The block of a code point; the same for all with the same value above the lowest eight bits.
    static func block(of scalar: UInt32) -> FoldedScalars {
        let number = scalar >> 8
        return blocks.withLock { blocks in
            if let found = blocks[number] { return found }
            let made = FoldedScalars(number)
            blocks[number] = made
            return made
        }
    }

    private init(_ number: UInt32) {
        var starts: [UInt16] = []
        var items: [Item] = []
        for low in UInt32(0)..<256 {
            starts.append(UInt16(truncatingIfNeeded: items.count))
            guard let scalar = Unicode.Scalar(number << 8 | low) else { continue }
            let folded = String(scalar).lowercased().uppercased().lowercased()
            for scalar in folded._nfd { items.append(Item(scalar)) }
        }
        starts.append(UInt16(truncatingIfNeeded: items.count))
        self.starts = starts
        self.items = items
    }

    /// Calls `body` with each code point of the fold of one of the block.
    @inline(__always)
    func forEachItem(of scalar: UInt32, _ body: (Item) -> Void) {
        let low = Int(scalar & 255)
        for position in Int(starts[low])..<Int(starts[low + 1]) { body(items[position]) }
    }
}

extension FoldedScalars.Item {
    fileprivate init(_ scalar: Unicode.Scalar) {
        // Both apostrophes join words, and are alike in them.
        let plain: Unicode.Scalar = scalar == "\u{2019}" ? "'" : scalar
        var bytes: UInt32 = 0
        var byteCount: UInt8 = 0
        for byte in UTF8.encode(plain).unsafelyUnwrapped {
            bytes |= UInt32(byte) << (8 * UInt32(byteCount))
            byteCount += 1
        }
        self.init(kind: WordSplitter.kind(of: scalar), byteCount: byteCount, bytes: bytes)
    }
}
