import SegmentLog

/// How many bytes of each segment are live: the counters that space reports and compaction use.
///
/// A size is that of a stored record: header, key, value, padding. A record is live while the
/// newest committed version of its key is at its place; everything else in a segment is dead: older
/// versions, tombstones, derived operations, headers. Guarded by the writer gate.
package struct SegmentUsage: Equatable {
    /// Segments whose numbers are close to each other, as they are in a log. Those before the oldest
    /// that has live bytes are dropped as new ones are added.
    private var first: UInt32 = 1
    private var liveByteCounts: [Int64] = []
    /// Counters of segments far from those: a number that comes from damaged bytes must not take
    /// memory for all numbers before it.
    private var outliers: [UInt32: Int64] = [:]
    /// The sum over all segments.
    private(set) var liveByteCount: Int64 = 0

    /// How far apart neighbours in the array may be.
    private static let distanceMax = 1 << 16

    /// No live bytes in any segment.
    package init() {}

    /// The live bytes by segment number, ascending; segments without live bytes are left out.
    package var segments: [(number: UInt32, liveByteCount: Int64)] {
        let near = liveByteCounts.indices.lazy.filter { liveByteCounts[$0] != 0 }
            .map { (number: first + UInt32($0), liveByteCount: liveByteCounts[$0]) }
        if outliers.isEmpty { return Array(near) }
        let far = outliers.filter { $0.value != 0 }.map {
            (number: $0.key, liveByteCount: $0.value)
        }
        return (Array(near) + far).sorted { $0.number < $1.number }
    }

    /// The live bytes of one segment.
    func liveByteCount(of segment: SegmentNumber) -> Int64 {
        if let count = outliers[segment.rawValue] { return count }
        let place = Int(segment.rawValue) - Int(first)
        return liveByteCounts.indices.contains(place) ? liveByteCounts[place] : 0
    }

    /// How many counters take memory.
    package var counterCount: Int { liveByteCounts.count + outliers.count }

    package static func == (left: SegmentUsage, right: SegmentUsage) -> Bool {
        left.liveByteCount == right.liveByteCount
            && left.segments.elementsEqual(right.segments) { $0 == $1 }
    }

    /// Forgets a segment that was retired: nothing in it is live.
    mutating func clear(_ segment: SegmentNumber) {
        add(-Int(liveByteCount(of: segment)), to: segment)
        outliers[segment.rawValue] = nil
    }

    /// Counts records that became live, or, with a negative count, dead.
    package mutating func add(_ byteCount: Int, to segment: SegmentNumber) {
        if byteCount == 0 { return }
        let number = segment.rawValue
        liveByteCount &+= Int64(byteCount)
        if liveByteCounts.isEmpty { first = number }
        let place = Int(number) - Int(first)
        if liveByteCounts.indices.contains(place) {
            liveByteCounts[place] &+= Int64(byteCount)
        } else {
            addOutside(Int64(byteCount), number, place)
        }
    }

    private mutating func addOutside(_ byteCount: Int64, _ number: UInt32, _ place: Int) {
        if outliers[number] != nil || place < -Self.distanceMax
            || place >= liveByteCounts.count + Self.distanceMax
        {
            outliers[number, default: 0] &+= byteCount
        } else if place < 0 {
            liveByteCounts.insert(contentsOf: repeatElement(0, count: -place), at: 0)
            first = number
            liveByteCounts[0] = byteCount
        } else {
            let missing = place + 1 - liveByteCounts.count
            liveByteCounts.append(contentsOf: repeatElement(0, count: missing))
            liveByteCounts[place] = byteCount
            dropLeadingZeros()
        }
    }

    /// Drops the counters of old segments that have no live bytes once they are half of all, so that
    /// each counter is moved once on average.
    private mutating func dropLeadingZeros() {
        guard let count = liveByteCounts.firstIndex(where: { $0 != 0 }),
            2 * count >= liveByteCounts.count
        else { return }
        liveByteCounts.removeFirst(count)
        first += UInt32(count)
    }
}
