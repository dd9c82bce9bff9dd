/// What the segments of a store take while nobody writes, and what they may take: arithmetic only.
///
/// While writing goes on the log after the older checkpoint, and some segments, are allowed beyond
/// the bound (`CompactionChoice`). Once users are idle nothing is, but for 16 MiB: all segments
/// count, the one that is appended to and the spare too, but those that are retired and only wait
/// for readers.
struct IdleSpace {
    /// The bytes of all segments that count.
    var byteCount: Int
    /// What is live in them, needed tombstones included.
    var liveByteCount: Int
    /// Bytes of segments ÷ live bytes that the store keeps to.
    var spaceBound: Double
    /// Stores up to this size are left alone.
    var floorByteCount: Int

    /// What the segments may take.
    var allowedByteCount: Int {
        max(floorByteCount, Int(min(Double(liveByteCount) * spaceBound, 1e18)))
    }

    /// Where passes that have begun end, below what is allowed: or the next commits would make the
    /// next pass necessary.
    var aimByteCount: Int { allowedByteCount - max(0, allowedByteCount - liveByteCount) / 4 }

    /// Whether passes must begin.
    var isBeyond: Bool { byteCount > allowedByteCount }

    /// Whether passes that have begun go on.
    var isBeyondAim: Bool { byteCount > aimByteCount }

    /// The choice of segments that brings the store to its aim.
    func choice(of candidates: [CompactionChoice.Candidate]) -> CompactionChoice {
        let free = candidates.reduce(0) { $0 + $1.allocatedByteCount }
        return CompactionChoice(
            spaceBound: 1, floorByteCount: aimByteCount - (byteCount - free) - liveByteCount,
            liveByteCount: liveByteCount, candidates: candidates)
    }
}
