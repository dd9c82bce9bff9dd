import OrderedIndex
import SegmentLog

/// Checkpoints: when they are written, also to make room on a full disk, and the one at closing.
///
/// The writer is held up while an image of the newest commit is taken, not while its pages are
/// written (C10, C11).
extension Store {
    /// Writes a checkpoint of the newest commit; waits for one that is being written.
    ///
    /// The writer is held up only while the root is pinned and the counters are copied.
    func writeCheckpoint() throws(StoreError) {
        // Who waits for `writing` inside a transaction would hold up the checkpoint that has it.
        try gate.checkNotInside()
        checkpoints.writing.lock()
        defer { checkpoints.writing.unlock() }
        do {
            try writeNewestCheckpoint(twice: isShortOfRoom)
        } catch {
            // The unused end of the active segment is room too, and worth more as a checkpoint:
            // only after one can compaction give back what is dead (rule 8).
            guard error.code == .diskFull, try giveBackUnusedEnd() else { throw error }
            try writeNewestCheckpoint(twice: true)
        }
        checkpoints.removeUnneededFiles()
        scheduleCompaction()
    }

    /// Seals the active segment, and gives back what nothing was written to; false if that is
    /// nothing.
    private func giveBackUnusedEnd() throws(StoreError) -> Bool {
        try gate.enter()
        log.seal()
        gate.leave()
        let before = log.statistics.punchedByteCount
        try reportingPoison { () throws(LogError) in try log.syncSealedSegments() }
        return log.statistics.punchedByteCount > before
    }

    /// Writes two checkpoints after all that was committed, so that what lies before may go (M1).
    func writeTwoCheckpoints() throws(StoreError) {
        let lsn = log.writtenLSN
        for _ in 0..<2 where checkpoints.hasOlder(than: lsn) { try writeCheckpoint() }
    }

    /// Whether the disk has no more room than users' transactions leave, or will have after a
    /// checkpoint.
    private var isShortOfRoom: Bool {
        let room = checkpoints.roomToLeave(changedByteCount: index.changedByteCount)
        return log.freeByteCount.map { $0 < UInt64(2 * room) } ?? false
    }

    /// Writes a checkpoint of the newest commit; or two of it, of which the second shares all
    /// pages of the first.
    ///
    /// On a disk without room for the pages of three, those of the older of the two that are kept
    /// go at once so, and not when the next one is written.
    private func writeNewestCheckpoint(twice: Bool) throws(StoreError) {
        // Most of the log is synced before anything is pinned.
        try waitUntilDurable(log.writtenLSN)
        try gate.enter()
        var images: [CheckpointImage] = []
        do {
            for _ in 0..<(twice ? 2 : 1) { images.append(try takeImage()) }
        } catch {
            gate.leave()
            throw error
        }
        gate.leave()
        for image in images { try adoptPages(of: try write(image)) }
    }

    /// Makes dead segments free to go, because a write was refused for lack of room, or used the
    /// reserve: two checkpoints after them (M1), which the size of the log alone would not ask for
    /// any more, and passes of compaction.
    ///
    /// - Parameter waits: writes the checkpoints here, and not in the background: a writer that
    ///   deletes on a full disk would use up the room for them else.
    func reclaimSpace(waits: Bool) {
        compaction.shared.withLock { $0.isRoomWanted = true }
        // Where checkpoints find no room, compacting what is free to go already may make some.
        guard hasLogAfterCheckpoints, !checkpoints.hasJustFailed(at: options.environment.now())
        else { return scheduleCompaction() }
        guard checkpoints.beginScheduled() else { return }
        let mayWait = capture { () throws(StoreError) in try eventCallbacks.checkNotInside() }
        if waits, case .success = mayWait {
            return writeScheduledCheckpoints()
        }
        options.environment.executor.submit { [handle] in
            guard let store = handle.target, !store.closing.load(ordering: .relaxed) else { return }
            store.writeScheduledCheckpoints()
        }
    }

    private func writeScheduledCheckpoints() {
        do throws(StoreError) {
            try writeTwoCheckpoints()
            checkpoints.endScheduled()
        } catch {
            noteCheckpointFailure(error)
            if error.code == .diskFull { scheduleCompaction() }
        }
    }

    private var hasLogAfterCheckpoints: Bool { checkpoints.hasOlder(than: log.writtenLSN) }

    /// Remembers and reports why a checkpoint in the background was not written.
    func noteCheckpointFailure(_ error: StoreError) {
        // Also when it could not begin: the next commit that finds it due tries again.
        checkpoints.noteFailure(error, at: options.environment.now())
        if error.code != .closed { notify(.checkpointFailed(error)) }
    }

    /// Takes the image; the caller holds the gate, or nobody else can write any more.
    private func takeImage() throws(StoreError) -> CheckpointImage {
        // The newest root must be the published one, for the counters to belong to it. It is,
        // unless a `.commit` transaction is waiting for its sync.
        var pin = index.pin(note: options.environment.now())
        if pin.root.pointee.tag < committedLSN.rawValue {
            index.unpin(pin)
            try waitUntilDurable(committedLSN)
            pin = index.pin(note: options.environment.now())
        }
        index.beginImage()
        return CheckpointImage(
            index: index, pin: pin, usage: usage, lsn: log.nextLSN.previous, end: log.end,
            logByteCount: appendedByteCount, retirement: log.retirementLocation)
    }

    /// Writes the checkpoint of an image: first the log up to it is synced (C1), with the gate
    /// free.
    private func write(_ image: CheckpointImage) throws(StoreError) -> WrittenCheckpoint {
        try waitUntilDurable(image.lsn)
        let written = try checkpoints.write(image, of: index, durableLSN: log.durableLSN)
        notify(.checkpointWritten(lsn: image.lsn.rawValue, byteCount: written.byteCount))
        return written
    }

    /// The last steps of closing, with the gate closed: checkpoint, sync, manifest.
    ///
    /// Everything is tried; the first error is thrown at the end.
    func finish() throws(StoreError) {
        var failure: StoreError?
        func attempt(_ step: () throws(StoreError) -> Void) {
            do {
                try step()
            } catch {
                if failure == nil { failure = error }
            }
        }
        if !log.isPoisoned {
            attempt { () throws(StoreError) in
                try waitUntilDurable(committedLSN)
                let newest = checkpoints.manifest.checkpoints.first?.lsn
                let isRepaired = !openingReport.damagedCheckpoints.isEmpty
                if newest == nil || isRepaired || committedLSN > newest ?? .zero {
                    _ = try write(takeImage())
                }
            }
        }
        let isWhole = failure == nil && !log.isPoisoned
        if isWhole {
            // Segments that a crash left and that hold nothing. What can't be removed stays an
            // orphan that the next closing tries again.
            _ = capture { () throws(LogError) in try log.removeUnreachableSegments() }
            // Retired segments that a snapshot kept until now; the others are left to the next
            // opening.
            _ = capture { () throws(StoreError) in try removeRetiredSegments() }
        }
        attempt { () throws(StoreError) in
            do throws(LogError) {
                try log.close(punchingTail: isWhole, isStillRead: !index.pins.isEmpty)
            } catch {
                throw StoreError(error)
            }
        }
        if isWhole && failure == nil {
            attempt { () throws(StoreError) in
                try checkpoints.markClean(durableLSN: log.durableLSN, end: log.end)
            }
            checkpoints.removeUnneededFiles(includingThoseInMemory: true)
        }
        if let failure { throw failure }
    }
}
