import SegmentLog

/// The passes of an idle time.
struct IdleCompaction {
    var series = CompactionState.Series.begun
    /// Whether everything was made free to go, by two checkpoints after it.
    var hasSealed = false
}

extension Store {
    /// The next pass of an idle time; nil when the store is within its bound, or no pass brings it
    /// there. The caller holds `stepping`.
    ///
    /// *resting* → *measured* (users are idle) → *passing* (beyond the bound) → *sealed* (what is
    /// free to go was not enough: the active segment is ended, and two checkpoints are written) →
    /// *resting*.
    func nextIdlePass(_ room: DiskRoom) throws(StoreError) -> CompactionPass? {
        if compaction.idle == nil {
            let isIdle = compaction.shared.withLock { shared in
                defer { shared.isIdle = false }
                return shared.isIdle
            }
            guard isIdle else { return nil }
            guard try idleSpace(try compactionFigures(sealing: false)).isBeyond else { return nil }
            compaction.idle = IdleCompaction()
        }
        do {
            if let pass = try nextPassOfIdleTime(room) { return pass }
        } catch {
            compaction.idle = nil
            throw error
        }
        compaction.idle = nil
        return nil
    }

    private func nextPassOfIdleTime(
        _ room: DiskRoom
    ) throws(StoreError) -> CompactionPass? {
        while let idle = compaction.idle {
            let figures = try compactionFigures(sealing: false)
            let space = try idleSpace(figures)
            guard space.isBeyondAim, idle.series == .begun || lastPassWasWorthwhile else {
                return nil
            }
            if let pass = pass(of: space.choice(of: figures.candidates), figures, room) {
                compaction.idle?.series = .passing
                return pass
            }
            if idle.hasSealed { return nil }
            compaction.idle?.hasSealed = true
            // What was written and dead after the checkpoints is free to go then.
            guard try sealAndCheckpoint() else { return nil }
        }
        return nil
    }

    /// Whether the newest pass gave back what another one may be expected to give back again: each
    /// must for a series to go on, so that it ends.
    var lastPassWasWorthwhile: Bool {
        guard let last = compaction.shared.withLock({ $0.last }) else { return false }
        // One that left its segments as they were, or could not read them, will not take them
        // again.
        return last.byteCount == 0 || last.byteCount - last.writtenByteCount > last.byteCount / 64
    }

    private func idleSpace(_ figures: CompactionFigures) throws(StoreError) -> IdleSpace {
        IdleSpace(
            byteCount: figures.byteCount, liveByteCount: figures.liveByteCount,
            spaceBound: max(1.1, options.spaceBound),
            floorByteCount: max(
                options.idleSpaceFloor,
                CompactionChoice.floorSegmentCount * (options.segmentByteCountInRange ?? 0)))
    }
}
