import SegmentLog

<<<<<<< HEAD
/// Room on the disk: how much users' transactions leave free, and the passes of compaction that
/// make some (rule 8).
extension CheckpointKeeper {
    /// What users' transactions leave free on the disk (rule 8).
    func roomToLeave(changedByteCount: Int) -> Int {
        DiskRoom.roomToLeave(
            livePageCount: state.withLock { $0.livePageCount }, changedByteCount: changedByteCount)
    }
}

=======
>>>>>>> 899747ce2fec020da8a6fcd556370272b977df11
extension Store {
    /// The room on the disk as of now. The caller holds `stepping`.
    func diskRoom() throws(StoreError) -> DiskRoom {
        try gate.enter()
        let segmentByteCount = log.nextSegmentByteCount
        gate.leave()
        return DiskRoom(
            freeByteCount: log.freeByteCount, segmentByteCount: segmentByteCount,
            roomToLeave: checkpoints.roomToLeave(changedByteCount: index.changedByteCount),
            isHeld: !compaction.waiting.isEmpty)
    }

    /// The next pass that makes room on a full disk, whether or not the store is beyond its bound;
    /// nil when there is enough, or no pass makes any. The caller holds `stepping`.
    func nextPassForRoom(
        _ figures: CompactionFigures, _ room: DiskRoom
    ) throws(StoreError) -> CompactionPass? {
        let isWanted = compaction.shared.withLock { shared in
            defer { shared.isRoomWanted = false }
            return shared.isRoomWanted
        }
        if isWanted, room.isMissing { compaction.makingRoom = .begun }
        guard let making = compaction.makingRoom else { return nil }
        compaction.makingRoom = nil
        let missing = room.missingByteCount
        guard missing > 0, making == .begun || lastPassWasWorthwhile else { return nil }
        let candidates = figures.candidates
        let taken = candidates.reduce(0) { $0 + $1.allocatedByteCount }
        let choice = CompactionChoice(
            spaceBound: 1, floorByteCount: taken - missing - figures.liveByteCount,
            liveByteCount: figures.liveByteCount, candidates: candidates)
        guard let pass = pass(of: choice, figures, room) else {
            // A snapshot or a checkpoint that needs what was retired is given back some time.
            if room.isHeld { compaction.makingRoom = .begun }
            return nil
        }
        compaction.makingRoom = .passing
        return pass
    }

    /// The pass that a choice asks for, as far as memory and the room on the disk allow; nil for
    /// none.
    func pass(
        of choice: CompactionChoice, _ figures: CompactionFigures, _ room: DiskRoom
    ) -> CompactionPass? {
        let numbers = choice.choose(
            memoryByteCount: room.passByteCountMax(backgroundImageByteCountMax),
            onlyDead: compaction.isShortOfSpace || room.isTight && room.isHeld)
        if numbers.isEmpty { return nil }
        let chosen = figures.segments.filter { numbers.contains($0.summary.number) }
        let dead = chosen.reduce(0) { sum, segment in
            let tombstones = compaction.tombstoneByteCounts[segment.summary.number, default: 0]
            let live = segment.liveByteCount - tombstones
            return sum + segment.summary.allocatedByteCount - live
        }
        return CompactionPass(
            chosen.map(\.summary), deadByteCount: dead, mayUseReserve: room.mayUseReserve,
            now: options.environment.now())
    }
}
