import SegmentLog

/// How many bytes of each segment are live: the counters that space reports and compaction use.
///
/// A size is that of a stored record: header, key, value, padding. A record is live while the newest
/// committed version of its key is at its place; everything else in a segment is dead: older
/// versions, tombstones, derived operations, headers. Guarded by the writer gate.
struct SegmentUsage: Equatable {
    private var first: UInt32 = 1
    private var liveByteCounts: [Int64] = []
    /// The sum over all segments.
    private(set) var liveByteCount: Int64 = 0

    /// The live bytes by segment number, ascending; segments without live bytes are left out.
    var segments: [(number: UInt32, liveByteCount: Int64)] {
        liveByteCounts.indices.compactMap {
            liveByteCounts[$0] == 0 ? nil : (first + UInt32($0), liveByteCounts[$0])
        }
    }

    /// The live bytes of one segment.
    func liveByteCount(of segment: SegmentNumber) -> Int64 {
        let place = Int(segment.rawValue) - Int(first)
        return liveByteCounts.indices.contains(place) ? liveByteCounts[place] : 0
    }

    /// Forgets a segment that was retired: nothing in it is live.
    mutating func clear(_ segment: SegmentNumber) {
        add(-Int(liveByteCount(of: segment)), to: segment)
    }

    /// Counts records that became live, or, with a negative count, dead.
    mutating func add(_ byteCount: Int, to segment: SegmentNumber) {
        if byteCount == 0 { return }
        let number = segment.rawValue
        if liveByteCounts.isEmpty { first = number }
        if number < first {
            liveByteCounts.insert(contentsOf: repeatElement(0, count: Int(first - number)), at: 0)
            first = number
        }
        let place = Int(number - first)
        if place >= liveByteCounts.count {
            let missing = place + 1 - liveByteCounts.count
            liveByteCounts.append(contentsOf: repeatElement(0, count: missing))
        }
        liveByteCounts[place] += Int64(byteCount)
        liveByteCount += Int64(byteCount)
    }
}
