import SegmentLog

/// The room on the disk, for what compaction may copy: arithmetic only.
///
/// Invariant 8 of the log: what is not for the reserve leaves one segment, the spare, and the
/// pages of the next checkpoint, half as much again for tombstones (`roomToLeave`). So deleting
/// goes on on a full disk, a checkpoint after it finds room for its pages, and after that a pass
/// may copy a segment into the spare. A pass that uses the reserve gives back more than it took,
/// unless somebody still sees what it retired: then none does.
struct DiskRoom {
    /// Free bytes of the disk; nil if they are not known.
    var freeByteCount: UInt64?
    /// The size of new segments.
    var segmentByteCount: Int
    /// What users' transactions leave free beside the spare.
    var roomToLeave: Int
    /// Whether retired segments wait for somebody who sees them.
    var isHeld: Bool

    /// What must be free for the next put to be taken, whatever became of the spare.
    var wantedByteCount: Int { 2 * segmentByteCount + roomToLeave }

    /// Whether that much is not free.
    var isMissing: Bool { freeByteCount.map { Int(clamping: $0) < wantedByteCount } ?? false }

    /// The bytes that passes give back once they have begun: some segments more, for the puts after
    /// that one.
    var missingByteCount: Int {
        let aim = wantedByteCount + CompactionChoice.floorSegmentCount * segmentByteCount
        return freeByteCount.map { max(0, aim - Int(clamping: $0)) } ?? 0
    }

    /// Whether copies would need the reserve.
    var isTight: Bool {
        freeByteCount.map { Int(clamping: $0) < roomToLeave + segmentByteCount } ?? false
    }

    /// Whether passes may copy what has no room elsewhere into the reserve.
    var mayUseReserve: Bool { !isHeld }

    /// The bytes of segments that a pass goes through at a time, of so many that memory allows.
    func passByteCountMax(_ limit: Int) -> Int {
        guard let freeByteCount else { return limit }
        let beyond = Int(clamping: freeByteCount) - roomToLeave
        return min(limit, max(segmentByteCount, beyond))
    }

    /// What a checkpoint's pages and the tombstones of a third of the keys take, about.
    static func roomToLeave(livePageCount: Int, changedByteCount: Int) -> Int {
        // What changed takes the place of other pages, mostly.
        max(livePageCount * PageFileHeader.pageByteCount, changedByteCount) / 2 * 3
    }
}

extension CheckpointKeeper {
    /// What users' transactions leave free on the disk (invariant 8 of the log).
    func roomToLeave(changedByteCount: Int) -> Int {
        DiskRoom.roomToLeave(
            livePageCount: state.withLock { $0.livePageCount }, changedByteCount: changedByteCount)
    }
}
