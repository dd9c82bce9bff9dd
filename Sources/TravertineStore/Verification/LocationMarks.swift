import SegmentLog

/// A set of record locations: one bit for each eight bytes of a segment, 1/64 of the log's size.
struct LocationMarks {
    private var words: [UInt32: [UInt64]] = [:]

    /// A set for locations in these segments; others are never members.
    init(segments: some Sequence<UInt32>) {
        for number in segments { words[number] = [] }
    }

    /// Adds a location; false if its segment is not one of those that are there.
    mutating func insert(_ location: Location) -> Bool {
        let (word, bit) = Self.place(of: location)
        guard let count = words[location.segment.rawValue]?.count else { return false }
        if word >= count {
            // At most 2^17 words: an offset has 23 bits.
            let missing = max(word + 1, min(count * 2, 1 << 17)) - count
            words[location.segment.rawValue]?.append(contentsOf: repeatElement(0, count: missing))
        }
        words[location.segment.rawValue]?[word] |= bit
        return true
    }

    /// Whether a location was added.
    func contains(_ location: Location) -> Bool {
        guard let words = words[location.segment.rawValue] else { return false }
        let (word, bit) = Self.place(of: location)
        return word < words.count && words[word] & bit != 0
    }

    private static func place(of location: Location) -> (word: Int, bit: UInt64) {
        let slot = location.offset >> 3
        return (slot >> 6, 1 << UInt64(slot & 63))
    }
}
