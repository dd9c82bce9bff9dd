import CPlatform
import OrderedIndex
import SegmentLog

/// Compaction: full passes that a caller waits for (`compact`), and the passes that the background
/// makes step by step to keep the store within its bound of space (M1 to M9).
extension Store {
    /// Copies the live records of all segments together, in the order of their keys, fills the
    /// leaves of the index, and gives back everything else; returns when that is done.
    ///
    /// The store compacts by itself to stay within `StoreOptions.spaceBound`; call this when the
    /// least space, or the fastest scans, are worth copying everything once. Reads and writes go on
    /// at the same time. Segments that an open snapshot can see are removed when it is gone.
    ///
    /// - Parameters:
    ///   - progress: called after each step, on the calling thread.
    ///   - isCancelled: asked before each step, on the calling thread; once it is true, compaction
    ///     ends, and the report has `isCancelled`. What was copied stays copied, and the next pass
    ///     goes on.
    /// - Throws: `.misuse` inside a write transaction of the same thread, and in `progress` and in
    ///   event handlers, `.closed`, `.diskFull`, `.poisoned` when no file may
    ///   be removed any more (`StoreEvent.spaceReclaimStopped`), `.io`; what was done before stays
    ///   done.
    @discardableResult
    public func compact(
        progress: ((CompactionProgress) -> Void)? = nil, isCancelled: (() -> Bool)? = nil
    ) throws(StoreError) -> CompactionReport {
        try gate.checkNotInside()
        try compaction.checkNotInCallback()
        try eventCallbacks.checkNotInside()
        if let failure = checkpoints.removalFailure { throw .reclaimStopped(failure) }
        compaction.stepping.lock()
        defer { compaction.stepping.unlock() }
        var total = CompactionReport()
        let start = options.environment.now()
        if let pass = compaction.pass { try run(pass, &total, isCancelled) }
        if total.isCancelled || isCancellationRequested(isCancelled, &total) {
            total.durationNanoseconds = options.environment.now() &- start
            return total
        }
        guard try sealAndCheckpoint() else { return total }
        var rest = try compactionFigures(sealing: false).segments.map(\.summary)[...]
        let byteCount = rest.reduce(0) { $0 + $1.allocatedByteCount }
        var done = 0
        while !rest.isEmpty, !total.isCancelled {
            let room = try roomForCopies(&total)
            let pass = CompactionPass(
                takeGroup(&rest, room), mayUseReserve: room.mayUseReserve,
                now: options.environment.now())
            compaction.pass = pass
            let left = rest.reduce(0) { $0 + $1.allocatedByteCount }
            let group = byteCount - left - done
            try run(pass, &total, isCancelled) {
                progress?(
                    CompactionProgress(
                        byteCount: UInt64(done + Int(Double(group) * pass.doneShare)),
                        totalByteCount: UInt64(byteCount)))
            }
            done += group
        }
        if total.isCancelled || isCancellationRequested(isCancelled, &total) {
            total.durationNanoseconds = options.environment.now() &- start
            return total
        }
        // What users write next does not come to lie among the copies.
        _ = try compactionFigures(sealing: true)
        try consolidateIndex()
        total.durationNanoseconds = options.environment.now() &- start
        return total
    }

    /// The room on the disk, when what nobody sees any more is gone; and if there is little, also
    /// what only a checkpoint under way sees.
    private func roomForCopies(_ total: inout CompactionReport) throws(StoreError) -> DiskRoom {
        try removeUnseen(&total)
        let room = try diskRoom()
        guard room.isTight, room.isHeld else { return room }
        checkpoints.writing.lock()
        checkpoints.writing.unlock()
        try removeUnseen(&total)
        return try diskRoom()
    }

    private func removeUnseen(_ total: inout CompactionReport) throws(StoreError) {
        let count = try removeRetiredSegments()
        total.removedSegmentCount += count
        compaction.shared.withLock { $0.total.removedSegmentCount += count }
    }

    /// The bytes of segments that a pass holds in memory, and as much again for what lives there:
    /// where there is little memory, together no more than the nodes of the index may take.
    private func imageByteCountMax(_ limit: Int) -> Int {
        min(limit, max(4 << 20, indexMemoryBudget / 2))
    }

    /// The bytes of segments that a pass of the background holds in memory.
    var backgroundImageByteCountMax: Int { imageByteCountMax(32 << 20) }

    /// Whether full passes are made in parts, for lack of memory.
    private var isShortOfMemory: Bool { imageByteCountMax(.max) < 256 << 20 }

    /// Takes as many segments as a full pass may hold in memory at a time, and has room on the
    /// disk for.
    private func takeGroup(
        _ rest: inout ArraySlice<SegmentSummary>, _ room: DiskRoom
    ) -> [SegmentSummary] {
        var group: [SegmentSummary] = []
        var byteCount = 0
        // Of compressed ones the keys take memory beside what is in the file.
        let limit = room.passByteCountMax(
            imageByteCountMax(checkpoints.manifest.mayBeCompressed ? 64 << 20 : 256 << 20))
        while let next = rest.first,
            group.isEmpty || byteCount + next.allocatedByteCount <= limit
        {
            group.append(next)
            byteCount += next.allocatedByteCount
            rest.removeFirst()
        }
        return group
    }

    /// Stops background compaction before its next step; `compact()` works all the same.
    ///
    /// The space bound is not kept until `resumeCompaction()`.
    public func pauseCompaction() {
        compaction.shared.withLock { shared in
            shared.isPaused = true
            compaction.throttle.set(rate: nil, now: 0)
        }
    }

    /// Lets background compaction go on.
    public func resumeCompaction() {
        compaction.shared.withLock { $0.isPaused = false }
        scheduleCompaction()
    }

    private func run(
        _ pass: CompactionPass, _ total: inout CompactionReport, _ isCancelled: (() -> Bool)?,
        _ didStep: () -> Void = {}
    ) throws(StoreError) {
        var canGiveBack = true
        do {
            while !pass.isDone {
                if isCancellationRequested(isCancelled, &total) { break }
                if canGiveBack { canGiveBack = giveBackMemory() }
                try pass.step(self)
                compaction.call { didStep() }
            }
            // Sorting leaves several times its size with the allocator.
            if isShortOfMemory { travertine_trim_heap() }
        } catch {
            endPass(pass, error)
            throw error
        }
        if total.isCancelled {
            leavePass(pass)
        } else {
            endPass(pass, nil)
        }
        total.add(pass.report)
    }

    /// Asks the caller of a full pass; what it says goes to the report.
    private func isCancellationRequested(
        _ isCancelled: (() -> Bool)?, _ total: inout CompactionReport
    ) -> Bool {
        guard let isCancelled else { return false }
        compaction.call { total.isCancelled = isCancelled() }
        return total.isCancelled
    }

    /// What a full pass changes in the index goes to page files, and its memory back, where the
    /// nodes take more than they may: the pass would not wait for the checkpoint that its copies
    /// make due. False if that failed, which is no reason to end the pass: it makes room.
    private func giveBackMemory() -> Bool {
        guard index.changedByteCount >= changedByteCountMax, surplusLeafCount > 0
        else { return true }
        do throws(StoreError) {
            try writeCheckpoint()
            return true
        } catch {
            noteCheckpointFailure(error)
            return false
        }
    }

    /// Makes every segment so far one that may be compacted: two checkpoints after it (M1). False
    /// when nothing was ever written.
    func sealAndCheckpoint() throws(StoreError) -> Bool {
        guard try !compactionFigures(sealing: true).isEmptyLog else { return false }
        let transaction = try beginCompaction()
        do {
            let (table, location) = try log.appendRetirement()
            // Not before the commit: what fails to be written is nowhere.
            _ = try finishCompaction(transaction) { _ in log.didRetire(table, location: location) }
        } catch {
            transaction.rollback()
            throw StoreError(anyError: error)
        }
        try writeTwoCheckpoints()
        return true
    }

    // MARK: Background

    /// Looks whether the store is beyond its bound, in the background; called when a checkpoint has
    /// made more segments free to go.
    func scheduleCompaction() {
        let isNew = compaction.shared.withLock { shared in
            if shared.isPaused { return false }
            shared.isRequested = true
            defer { shared.isScheduled = true }
            return !shared.isScheduled
        }
        if isNew { submitCompactionStep() }
    }

    private func submitCompactionStep() {
        options.environment.compactionExecutor.submit { [handle] in
            guard let store = handle.target else { return }
            store.compaction.shared.withLock { $0.isRequested = false }
            let hasMore = store.makeCompactionStep()
            let goesOn = store.compaction.shared.withLock { shared in
                // Who asked since the step looked found it scheduled, and relies on it.
                shared.isScheduled = hasMore || shared.isRequested
                return shared.isScheduled
            }
            if goesOn { store.submitCompactionStep() }
        }
    }

    /// One step of the pass in progress, or of the next one; false when there is nothing to do.
    private func makeCompactionStep() -> Bool {
        compaction.stepping.lock()
        defer { compaction.stepping.unlock() }
        let isPaused = compaction.shared.withLock { $0.isPaused }
        if isPaused || closing.load(ordering: .relaxed) || log.isPoisoned { return false }
        if checkpoints.removalIsForbidden {
            // Copies alone would only take more space, and writers would wait for nothing.
            slowWriters(to: nil)
            return false
        }
        do throws(StoreError) {
            if compaction.pass == nil { compaction.pass = try nextPass() }
            guard let pass = compaction.pass else { return false }
            do throws(StoreError) {
                try pass.step(self)
            } catch {
                endPass(pass, error)
                throw error
            }
            guard pass.isDone else { return true }
            endPass(pass, nil)
            let hasChanged =
                pass.isLeft || pass.report.segmentCount > 0
                || !pass.report.unreadableSegments.isEmpty
            if hasChanged { return true }
            // Where something is in the way of every retirement, the next pass would take the same
            // segments again; a checkpoint asks for another attempt, and nobody waits until then.
            compaction.giveUp()
            slowWriters(to: nil)
            return false
        } catch {
            // Writers are not slowed down for what can't be done.
            compaction.giveUp()
            slowWriters(to: nil)
            noteCompactionFailure(error)
            return false
        }
    }

    /// Sets the rate of the throttle, unless compaction was paused in the meantime.
    private func slowWriters(to rate: Double?) {
        let now = options.environment.now()
        compaction.shared.withLock { shared in
            compaction.throttle.set(rate: shared.isPaused ? nil : rate, now: now)
        }
    }

    private func endPass(_ pass: CompactionPass, _ error: StoreError?) {
        compaction.pass = nil
        compaction.isShortOfSpace = error?.code == .diskFull
        if error == nil {
            noteRate(pass.report)
        } else {
            slowWriters(to: nil)
        }
        compaction.shared.withLock { shared in
            shared.total.add(pass.report)
            shared.last = pass.report
            shared.passCount += 1
            if error == nil, pass.report.unreadableSegments.isEmpty { shared.lastFailure = nil }
        }
        if error == nil {
            compaction.call { notify(.compacted(pass.report)) }
        }
    }

    /// Ends a pass before it is done, as its caller wants no more of it.
    private func leavePass(_ pass: CompactionPass) {
        compaction.pass = nil
        compaction.shared.withLock { $0.total.add(pass.report) }
    }

    private func noteRate(_ report: CompactionReport) {
        guard report.durationNanoseconds > 0, report.byteCount > 0 else { return }
        let rate = Double(report.byteCount) / Double(report.durationNanoseconds)
        compaction.passRate = compaction.passRate.map { $0 * 0.75 + rate * 0.25 } ?? rate
    }

    /// The pass that brings the store nearer to its bound; nil when it is within.
    private func nextPass() throws(StoreError) -> CompactionPass? {
        _ = try removeRetiredSegments()
        let room = try diskRoom()
        // Users' commits are worth more than a feed's place; and once there is no room, checkpoints
        // and copies have none either.
        let figures = try compactionFigures(
            sealing: false, ignoresFeeds: room.missingByteCount > 0)
        if let pass = try nextPassForRoom(figures, room) {
            slowWriters(to: nil)
            return pass
        }
        let choice = figures.choice(spaceBound: max(1.1, options.spaceBound))
        guard let pass = pass(of: choice, figures, room) else {
            // What came free in the meantime may be enough for copies: the next checkpoint's pass
            // tries.
            compaction.isShortOfSpace = false
            slowWriters(to: nil)
            return try nextIdlePass(room)
        }
        slowWriters(
            to: WriteThrottle.rate(
                excess: choice.excessAhead, room: figures.byteCountUntilCheckpoint,
                gainRate: (compaction.passRate ?? CompactionState.passRateAtFirst)
                    * choice.gainShare(of: pass.segmentNumbers)))
        return pass
    }
}
