import SegmentLog

/// The version in which each segment's first record was seen, for segments written since opening.
///
/// A snapshot of an earlier version can't refer to the segment, so that it does not keep it (M4).
struct SegmentBirths {
    private var versions: [SegmentNumber: UInt64] = [:]
    private var newest: SegmentNumber

    /// Everything up to `newest` is older than the opening, also if it is appended to afterwards.
    init(openedWith newest: SegmentNumber) { self.newest = newest }

    /// A commit that became `version` has a live record in the segment.
    @inline(__always)
    mutating func note(_ segment: SegmentNumber, version: UInt64) {
        if segment > newest { add(segment, version: version) }
    }

    // A transaction's segments ascend, and so do those of successive transactions.
    @inline(never)
    private mutating func add(_ segment: SegmentNumber, version: UInt64) {
        newest = segment
        versions[segment] = version
    }

    /// The version of a segment, 0 when it is older than the opening; forgets it.
    mutating func remove(_ segment: SegmentNumber) -> UInt64 {
        versions.removeValue(forKey: segment) ?? 0
    }
}
