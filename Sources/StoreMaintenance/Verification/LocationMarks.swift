import SegmentLog
import TravertineStore

/// A set of record locations: one bit for each eight bytes of a segment, 1/64 of the log's size.
///
/// Every record of the log is asked for, in no order when the set is filled: the segments are found
/// by a hash of their numbers, in a table that is at most half full.
struct LocationMarks {
    /// The bits of each segment, in the order of the numbers that the set was made with.
    private var words: [[UInt64]]
    /// Number and place in `words`; a place of -1 where nothing is.
    private var table: [(number: UInt32, place: Int32)]

    /// A set for locations in these segments; others are never members.
    init(segments: some Collection<UInt32>) {
        words = Array(repeating: [], count: segments.count)
        var size = 4
        while size < 2 * segments.count { size *= 2 }
        table = Array(repeating: (0, -1), count: size)
        for (place, number) in segments.enumerated() {
            table[slot(of: number)] = (number, Int32(place))
        }
    }

    /// Adds a location; false if its segment is not one of those that are there.
    mutating func insert(_ location: Location) -> Bool {
        guard let place = place(of: location.segment.rawValue) else { return false }
        let (word, bit) = Self.bit(of: location)
        let count = words[place].count
        if word >= count {
            // At most 2^17 words: an offset has 23 bits.
            let missing = max(word + 1, min(count * 2, 1 << 17)) - count
            words[place].append(contentsOf: repeatElement(0, count: missing))
        }
        words[place][word] |= bit
        return true
    }

    /// Whether a location was added.
    func contains(_ location: Location) -> Bool {
        guard let place = place(of: location.segment.rawValue) else { return false }
        let (word, bit) = Self.bit(of: location)
        return word < words[place].count && words[place][word] & bit != 0
    }

    private func place(of number: UInt32) -> Int? {
        let entry = table[slot(of: number)]
        return entry.place < 0 ? nil : Int(entry.place)
    }

    /// Where a number is in the table, or would be.
    private func slot(of number: UInt32) -> Int {
        let mask = table.count - 1
        var slot = Int(number &* 0x9e37_79b9 >> 8) & mask
        while table[slot].place >= 0, table[slot].number != number { slot = (slot + 1) & mask }
        return slot
    }

    private static func bit(of location: Location) -> (word: Int, bit: UInt64) {
        let slot = location.offset >> 3
        return (slot >> 6, 1 << UInt64(slot & 63))
    }
}
