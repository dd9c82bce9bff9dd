import OrderedIndex
import SegmentLog
import Synchronization

/// An embedded, ordered key-value store in its own directory.
///
/// Changes go through `write`, one transaction at a time; reads go through `snapshot()`, any number
/// at once, on any thread, never waiting for a writer. Every live key is in memory, in order;
/// values are read in place from the log's segments.
///
/// ```swift
/// let store = try Store.open(at: "places")
/// try store.write { transaction in
///     try transaction.put("Lisbon", forKey: "PT")
/// }
/// let capital = try store.snapshot().get("PT")
/// ```
///
/// One `Store` object may be open on a directory at a time, in one process. It is closed by
/// `close()`, or when the last reference goes.
///
/// States: *open* → *closed* (`close`). *Open* has a substate *poisoned* (a sync failed): reads go
/// on, writes throw `.poisoned`, and only opening the directory again leaves it.
public final class Store: @unchecked Sendable {
    /// The longest key, in bytes.
    public static let keyByteCountMax = 512
    /// The longest value, in bytes.
    public static let valueByteCountMax = 32 << 20

    /// The directory.
    public let path: String
    let options: StoreOptions
    /// The log that the values are in.
    package let log: SegmentLog
    let index: Index
    /// What lets one writer in at a time.
    package let gate: WriterGate
    let pipeline: CommitPipeline
    /// The keyspaces of the newest commit that may be seen, and those of the newest of all, on
    /// which the next transaction builds.
    let catalog: KeyspaceCatalog
    let writerCatalog: KeyspaceCatalog
    let checkpoints: CheckpointKeeper
    let counters = CommitCounters()
    /// Threads that are in the event handler, and those that report the progress of a backup.
    let eventCallbacks = CallbackGuard()
    let progressCallbacks = CallbackGuard()
    /// What opening found.
    package let openingReport: OpeningReport
    /// The hold on the directory; nil in a store that only reads for a `StoreReader`.
    private let lock: StoreLock?
    /// Readers in other processes.
    let readers: ReaderTable?
    /// Notified of bad index pages.
    let damage: PageDamage
    /// Live bytes per segment; guarded by the gate.
    @exclusivity(unchecked)
    package var usage: SegmentUsage
    /// The versions that segments written since opening were first seen in; guarded by the gate.
    var births: SegmentBirths
    let compaction = CompactionState()
    let scrubbing = ScrubState()
    /// Bytes of log written since opening; guarded by the gate.
    var appendedByteCount: UInt64
    /// The LSN of the newest commit; guarded by the gate.
    var committedLSN: LSN
    let closing = Atomic<Bool>(false)
    let intervalSync = IntervalSync()
    let asyncDurability = AsyncDurability()
    let idleWatch = IdleWatch()
    private let forkCount = ForkDetector.count
    /// The environment's clock for snapshots, at hand: reading it there copies the environment.
    let coarseNow: @Sendable () -> UInt64
    /// What work in the background finds the store by.
    let handle = StoreHandle()

    init(
        path: String, options: StoreOptions, opened: consuming OpenedStore, lock: StoreLock?,
        readers: ReaderTable?
    ) {
        self.path = path
        self.options = options
        coarseNow = options.environment.coarseNow
        gate = WriterGate(now: options.environment.now)
        self.lock = lock
        self.readers = readers
        log = opened.log
        index = opened.index
        catalog = KeyspaceCatalog(opened.keyspaces)
        writerCatalog = KeyspaceCatalog(opened.keyspaces)
        pipeline = CommitPipeline(index: opened.index, catalog: catalog)
        checkpoints = opened.checkpoints
        damage = opened.damage
        usage = opened.usage
        births = SegmentBirths(openedWith: opened.log.segments.last?.number ?? .none)
        committedLSN = LSN(rawValue: opened.report.lastLSN)
        // What was replayed counts towards the next checkpoint, or a process that is killed again
        // and again would replay more each time.
        appendedByteCount = UInt64(opened.report.replayedByteCount)
        openingReport = opened.report
        log.didBecomeDurable = { [pipeline] lsn in
            pipeline.publish(upTo: lsn)
            readers?.durable.publish(lsn)
        }
        handle.set(self)
        watchForDamage()
        watchDecryptedMemory()
        let executor = options.environment.executor
        checkpoints.removalObserver.withLock { observer in
            observer = { [handle] error in
                executor.submit { handle.target?.notify(.spaceReclaimStopped(error)) }
            }
        }
        log.liveByteCountHint = UInt64(max(0, usage.liveByteCount))
        log.roomToLeave = { [index, checkpoints] in
            checkpoints.roomToLeave(changedByteCount: index.changedByteCount)
        }
        // What an earlier process left may be beyond the bound.
        if lock != nil { watchForIdleTime() }
    }

    deinit {
        handle.clear()
        do {
            // Nothing in the background holds the store any more, or this would not run; and this
            // may be the background's own thread, which can't wait for itself.
            try close(waitsForBackground: false)
        } catch {
            notify(.closedWithError(error))
        }
    }

    /// Where the index came from when the store was opened.
    public var openingSource: OpeningReport.Source { openingReport.source }

    // MARK: Writing

    /// Runs `body` in a write transaction and commits it; a throw rolls it back and is thrown on.
    ///
    /// Waits for the transaction before it. The level of durability is the store's.
    ///
    /// - Throws: what `body` throws, and what `WriteTransaction.commit` throws.
    @discardableResult
    public func write<Result>(_ body: (WriteTransaction) throws -> Result) throws -> Result {
        try write(durability: options.durability, body)
    }

    /// Runs `body` in a write transaction and commits it at a given level of durability.
    ///
    /// Not an optional with a default: `.none` would be understood as the optional's.
    @discardableResult
    public func write<Result>(
        durability: Durability, _ body: (WriteTransaction) throws -> Result
    ) throws -> Result {
        let transaction = try beginWrite()
        do {
            let result = try body(transaction)
            if transaction.isActive { try transaction.commit(durability: durability) }
            return result
        } catch {
            transaction.rollback()
            throw error
        }
    }

    /// Begins a write transaction, to be ended by its `commit` or `rollback`; waits for the one
    /// before it.
    public func beginWrite() throws(StoreError) -> WriteTransaction { try beginWrite(as: .current) }

    /// As above, for a task, a thread, a queue or an actor.
    package func beginWrite(as identity: WriterIdentity) throws(StoreError) -> WriteTransaction {
        try checkProcess()
        try gate.enter(as: identity)
        return try beginInside()
    }

    /// Begins a write transaction for a guest; nil if others write: it is called then.
    package func beginWrite(_ guest: Guest) throws(StoreError) -> WriteTransaction? {
        try checkProcess()
        return try gate.enter(guest) ? beginInside() : nil
    }

    /// Begins a write transaction, with the gate taken.
    private func beginInside() throws(StoreError) -> WriteTransaction {
        do {
            try checkNotPoisoned()
            try checkpoints.markInUse()
        } catch {
            gate.leave()
            // Also where the sync failed in the background: code that waits for a commit looks
            // again.
            if error.code == .poisoned { commitSignal.callAll() }
            throw error
        }
        log.beginTransaction()
        return WriteTransaction(store: self, writer: index.beginWrite())
    }

    // MARK: Durability

    /// Makes every commit so far durable.
    ///
    /// - Throws: `.commitOutcomeUnknown` or `.poisoned` when the sync fails.
    public func sync() throws(StoreError) {
        try checkUsable()
        try waitUntilDurable(log.writtenLSN)
    }

    /// Waits until the commit with this LSN, and all before it, are durable.
    ///
    /// - Throws: `.misuse` for an LSN that was never written, `.commitOutcomeUnknown`, `.poisoned`.
    public func waitUntilDurable(_ lsn: UInt64) throws(StoreError) {
        try checkUsable()
        guard lsn <= log.writtenLSN.rawValue else {
            throw StoreError(
                .misuse, "No commit has this LSN yet; the newest is \(log.writtenLSN).", lsn: lsn)
        }
        try waitUntilDurable(LSN(rawValue: lsn))
    }

    /// The LSN up to which everything is known to be durable.
    public var durableLSN: UInt64 { log.durableLSN.rawValue }

    /// Writes a checkpoint now, so that the next opening has nothing to replay.
    ///
    /// - Throws: `.misuse` inside a write transaction of the same thread, and in an event handler;
    ///   `.closed`, `.diskFull`, `.io`, and what syncing the log throws.
    public func checkpoint() throws(StoreError) {
        try checkUsable()
        try eventCallbacks.checkNotInside()
        try writeCheckpoint()
    }

    // MARK: Closing

    /// Calls its subscribers after commits.
    package var commitSignal: CommitSignal { pipeline.signal }

    /// Waits for the write transaction in progress, writes a checkpoint if anything changed, and
    /// gives up the directory. Later calls of the store throw `.closed`; snapshots that are open
    /// stay readable. Does nothing the second time.
    ///
    /// - Throws: `.misuse` inside a write transaction of the same thread, in an event handler, and
    ///   in the callback of a compaction's or a backup's progress; otherwise what went wrong on
    ///   the way. The store is closed all the same, and opening it again recovers.
    public func close() throws(StoreError) {
        try compaction.checkNotInCallback()
        // It would wait for the job, or the backup, that has called this thread.
        try eventCallbacks.checkNotInside()
        try progressCallbacks.checkNotInside()
        try close(waitsForBackground: true)
    }

    private func close(waitsForBackground: Bool) throws(StoreError) {
        if forkCount != ForkDetector.count { return }
        guard try gate.close() else { return }
        closing.store(true, ordering: .sequentiallyConsistent)
        pipeline.signal.callAll()
        intervalSync.end()
        idleWatch.end()
        endScrub()
        defer {
            readers?.close()
            lock?.release()
        }
        // A backup still reads files.
        checkpoints.holds.waitUntilUnheld()
        if waitsForBackground {
            options.environment.syncExecutor.drain()
            options.environment.executor.drain()
            options.environment.compactionExecutor.drain()
        }
        compaction.stepping.lock()
        defer { compaction.stepping.unlock() }
        scrubbing.stepping.lock()
        defer { scrubbing.stepping.unlock() }
        // A checkpoint that a thread is writing ends before the directory is given up.
        checkpoints.writing.lock()
        defer { checkpoints.writing.unlock() }
        try finish()
    }

    // MARK: Checks

    /// Whether the calling code is a part of the store's own work, which `close` waits for, or is
    /// called by it.
    package var isAtOwnWork: Bool {
        let environment = options.environment
        if environment.executor.isCurrent || environment.syncExecutor.isCurrent
            || environment.compactionExecutor.isCurrent
        {
            return true
        }
        do throws(StoreError) {
            try compaction.checkNotInCallback()
            try eventCallbacks.checkNotInside()
            try progressCallbacks.checkNotInside()
            return false
        } catch {
            return true
        }
    }

    /// Whether `close` was called.
    package var isClosed: Bool { closing.load(ordering: .sequentiallyConsistent) }

    func checkUsable() throws(StoreError) {
        if closing.load(ordering: .relaxed) { throw .closedStore }
        try checkProcess()
    }

    /// Throws in a child of the process that opened the store.
    func checkProcess() throws(StoreError) {
        if forkCount != ForkDetector.count {
            throw .forked(file: path)
        }
    }
}
