import CPlatform
import Locks
import Synchronization

/// Makes written batches durable, one sync for all threads that wait.
///
/// 1. One thread at a time syncs: the leader, who holds `isLed`. Sealed segments are synced in
///    order before the active one, and the directory before a segment whose entry is new counts.
/// 2. `durable` only grows, and only after a sync that covered it succeeded (rule 6).
/// 3. After a failed sync nothing is synced again, ever; everybody who waits for an LSN above
///    `durable` gets the error that the outcome is unknown (rule 7).
/// 4. A thread that finds a leader at work sleeps on `completed`, which every leader changes after
///    its work and after it gave `isLed` back: so nobody sleeps through the last change, and a
///    thread that wakes unserved can lead.
///
/// Nobody who is served takes a lock on the way out. A leader waits a moment for the threads that
/// the last sync served, because they are likely to commit again (`CommitDelay`): with eight
/// threads that makes one sync serve eight commits instead of four.
final class GroupCommit: @unchecked Sendable {
    private let now: @Sendable () -> UInt64
    private let written = Atomic<UInt64>(0)
    private let durable = Atomic<UInt64>(0)
    private let poisoned = Atomic<Bool>(false)
    private let hasWaiters = Atomic<Bool>(false)
    private let isLed = Atomic<Bool>(false)
    private let sleepers = Atomic<Int>(0)
    private let completed = FutexWord()
    private let arrivals = Atomic<UInt64>(0)

    /// A sealed segment keeps less unused space than this.
    private static let punchedByteCountMin = 64 << 10

    private let mayWrite: @Sendable () -> Bool
    private let lock = Locked<Void>()
    // The rest is guarded by `lock`.
    private var directory: OpenDirectory?
    private var active: PendingFile?
    private var sealed: [PendingFile] = []
    private var entriesSyncedThrough = SegmentNumber.none
    private var poison: FileSystemError?
    private var counts = LogStatistics()
    private var observer: (@Sendable (LSN) -> Void)?
    // Only the leader touches this.
    private var delay = CommitDelay()

    private struct PendingFile {
        var file: File
        var number: SegmentNumber
        /// The part after the last batch, once the segment is sealed.
        var unused: Range<Int>?
    }

    init(now: @escaping @Sendable () -> UInt64, mayWrite: @escaping @Sendable () -> Bool) {
        self.now = now
        self.mayWrite = mayWrite
    }

    var writtenLSN: LSN { LSN(rawValue: written.load(ordering: .acquiring)) }
    var durableLSN: LSN { LSN(rawValue: durable.load(ordering: .acquiring)) }
    var isPoisoned: Bool { poisoned.load(ordering: .acquiring) }

    var didBecomeDurable: (@Sendable (LSN) -> Void)? {
        get { lock.withLock { observer } }
        set { lock.withLock { observer = newValue } }
    }

    var statistics: LogStatistics { lock.withLock { counts } }

    /// Sealed files that wait for their sync.
    var unsyncedFileCount: Int { lock.withLock { sealed.count } }

    // MARK: The writer's side

    /// Recovery: everything up to `lsn` is durable. The directory is this object's from here on: it
    /// stays open until `closeFiles`, for without a descriptor to spare no sync could begin.
    func begin(
        at lsn: LSN, entriesSyncedThrough number: SegmentNumber, in directory: OpenDirectory
    ) {
        lock.withLock {
            self.directory = directory
            written.store(lsn.rawValue, ordering: .releasing)
            durable.store(lsn.rawValue, ordering: .releasing)
            entriesSyncedThrough = number
        }
    }

    func didActivate(_ file: File, number: SegmentNumber) {
        lock.withLock {
            assert(active == nil, "rule 3: two segments are appended to")
            active = PendingFile(file: file, number: number)
        }
    }

    func didSeal(tail: Int, byteCount: Int) {
        lock.withLock {
            guard var file = active else { return }
            if byteCount - tail >= Self.punchedByteCountMin { file.unused = tail..<byteCount }
            active = nil
            sealed.append(file)
        }
    }

    func didWrite(_ lsn: LSN) {
        assert(lsn == writtenLSN.next, "rule 1: LSN \(lsn) is written after \(writtenLSN)")
        written.store(lsn.rawValue, ordering: .releasing)
    }

    /// True when somebody waited since the last call.
    func takeWaiterHint() -> Bool {
        hasWaiters.exchange(false, ordering: .relaxed)
    }

    /// Throws when a sync has failed, and in a child of the process that opened the log: what it
    /// wrote would overwrite what the parent writes at the same place, even a spilled part of a
    /// transaction that was open at the fork (Engine 2, Writing).
    func checkIsHealthy() throws(LogError) {
        guard mayWrite() else { throw .forked }
        guard isPoisoned else { return }
        throw .poisoned(reason: lock.withLock { poison?.description ?? "unknown" })
    }

    /// Refuses writes from now on.
    func poison(_ error: FileSystemError) {
        lock.withLock {
            if poison == nil { poison = error }
            poisoned.store(true, ordering: .releasing)
        }
        completed.changeAndWakeAll()
    }

    /// Syncs all that is written, also if another thread does so too; the error when it failed.
    func syncNow() -> FileSystemError? {
        withLeadership {
            if !isPoisoned { sync() }
        }
        return lock.withLock { poison }
    }

    /// Syncs the segments that were sealed since the last sync, if there are any, so that their
    /// unused ends are given back.
    func syncSealed() throws(LogError) {
        guard unsyncedFileCount > 0 else { return }
        if syncNow() != nil { throw .commitOutcomeUnknown(writtenLSN) }
    }

    /// Syncs the directory; an error poisons.
    func syncDirectory() throws(LogError) {
        guard let directory = lock.withLock({ directory }) else { throw .closed }
        do throws(FileSystemError) {
            try directory.sync()
        } catch {
            poison(error)
            throw .poisoned(reason: error.description)
        }
    }

    /// Closes the files. Nothing may be written or waited for afterwards.
    func closeFiles() {
        withLeadership {
            lock.withLock {
                active?.file.close()
                for pending in sealed { pending.file.close() }
                active = nil
                sealed = []
                // Closed with its last reference: a prepared file may be on its way.
                directory = nil
            }
        }
    }

    /// Syncs a prepared file, whose handle the caller has opened for this, and the directory. One
    /// after `closeFiles` does nothing.
    func syncPrepared(_ file: File, number: SegmentNumber) {
        guard !isPoisoned, let directory = lock.withLock({ directory }) else { return }
        do throws(FileSystemError) {
            try file.sync()
            try directory.sync()
        } catch {
            poison(error)
            return
        }
        lock.withLock { entriesSyncedThrough = max(entriesSyncedThrough, number) }
    }

    // MARK: Waiting

    /// Returns when everything up to `lsn` is durable; syncs, if nobody else does.
    func waitUntilDurable(_ lsn: LSN) throws(LogError) {
        precondition(lsn <= writtenLSN, "LSN \(lsn) is not written yet")
        if durable.load(ordering: .acquiring) >= lsn.rawValue { return }
        hasWaiters.store(true, ordering: .relaxed)
        arrivals.wrappingAdd(1, ordering: .acquiringAndReleasing)
        while true {
            let seen = completed.value
            if durable.load(ordering: .acquiring) >= lsn.rawValue { return }
            if isPoisoned { throw .commitOutcomeUnknown(lsn) }
            if takeLeadership() {
                if durable.load(ordering: .acquiring) < lsn.rawValue, !isPoisoned {
                    awaitArrivals()
                    sync()
                }
                releaseLeadership()
            } else {
                sleep(unlessChangedFrom: seen)
            }
        }
    }

    private func takeLeadership() -> Bool {
        isLed.compareExchange(
            expected: false, desired: true, ordering: .acquiringAndReleasing
        ).exchanged
    }

    private func releaseLeadership() {
        isLed.store(false, ordering: .sequentiallyConsistent)
        completed.change()
        if sleepers.load(ordering: .sequentiallyConsistent) > 0 { completed.wakeAll() }
    }

    private func withLeadership(_ body: () -> Void) {
        while true {
            let seen = completed.value
            if takeLeadership() { break }
            sleep(unlessChangedFrom: seen)
        }
        body()
        releaseLeadership()
    }

    // `sleepers` grows before the word is compared with `seen`, and the leader changes the word
    // before it looks at `sleepers`: one of the two sees the other.
    private func sleep(unlessChangedFrom seen: UInt32) {
        sleepers.wrappingAdd(1, ordering: .sequentiallyConsistent)
        completed.wait(whileEqualTo: seen)
        sleepers.wrappingSubtract(1, ordering: .sequentiallyConsistent)
    }

    // MARK: Leading

    private func awaitArrivals() {
        delay.wait(now: now) { arrivals.load(ordering: .acquiring) }
    }

    /// One sync, by the leader.
    private func sync() {
        let arrived = arrivals.load(ordering: .acquiring)
        lock.lock()
        let target = written.load(ordering: .acquiring)
        let older = sealed
        let current = active
        let newest = current?.number ?? older.last?.number ?? .none
        let needsDirectory = newest > entriesSyncedThrough
        let directory = directory
        lock.unlock()

        let start = now()
        var failure: FileSystemError?
        do throws(FileSystemError) {
            for pending in older { try pending.file.sync() }
            if needsDirectory { try directory?.sync() }
            if let current { try current.file.sync() }
        } catch {
            failure = error
        }
        let duration = now() &- start

        if failure == nil { older.forEach(giveBackUnused) }

        lock.lock()
        defer { lock.unlock() }
        if let failure {
            poison = poison ?? failure
            poisoned.store(true, ordering: .releasing)
        }
        guard poison == nil else { return }
        if needsDirectory { entriesSyncedThrough = max(entriesSyncedThrough, newest) }
        for pending in older { pending.file.close() }
        sealed.removeFirst(older.count)
        let served = delay.didSync(
            arrivedBefore: arrived, arrivedNow: arrivals.load(ordering: .acquiring),
            nanoseconds: duration)
        count(duration, served: served)
        if target > durable.load(ordering: .relaxed) {
            // First: a thread that sees that a commit is durable may ask for it in another process.
            observer?(LSN(rawValue: target))
            durable.store(target, ordering: .releasing)
        }
    }

    /// Gives back the unused ends of sealed segments that no sync was needed for since they were
    /// sealed. Nobody else may sync at the same time, or later.
    func giveBackUnusedEnds() {
        let files = lock.withLock {
            poison == nil && durable.load(ordering: .relaxed) == written.load(ordering: .relaxed)
                ? sealed : []
        }
        files.forEach(giveBackUnused)
    }

    private func giveBackUnused(_ pending: PendingFile) {
        guard let unused = pending.unused else { return }
        do throws(FileSystemError) {
            // A backup has linked it in the meantime: then its bytes are the backup's too (4.7).
            guard try pending.file.linkCount() <= 1 else { return }
            try SegmentLog.punch(pending.file, from: unused.lowerBound, to: unused.upperBound)
            lock.withLock { counts.punchedByteCount += UInt64(unused.count) }
        } catch {
            // The segment is whole and durable, it only takes more space than it needs.
            lock.withLock { counts.failedPunchCount += 1 }
        }
    }

    private func count(_ nanoseconds: UInt64, served: UInt64) {
        counts.syncCount += 1
        counts.sharedSyncCount += served > 0 ? served - 1 : 0
        let microseconds = nanoseconds / 1000
        let bucket = microseconds < 2 ? 0 : 63 - microseconds.leadingZeroBitCount
        counts.syncLatency[min(bucket, LogStatistics.bucketCount - 1)] += 1
    }
}

extension SegmentLog {
    /// Returns when everything up to `lsn` is durable. Any thread; calls share their syncs.
    ///
    /// Throws `commitOutcomeUnknown` when a sync failed before that.
    package func waitUntilDurable(_ lsn: LSN) throws(LogError) {
        try durability.waitUntilDurable(lsn)
    }

    /// Called with the new durable LSN after each successful sync, before any waiter wakes, in the
    /// syncing thread and under a lock of the group commit: be short, call no method of the log.
    package var didBecomeDurable: (@Sendable (LSN) -> Void)? {
        get { durability.didBecomeDurable }
        set { durability.didBecomeDurable = newValue }
    }

    /// Syncs what was sealed, and gives the unused ends back to the disk: before a backup gives the
    /// files another name, after which their bytes are no longer this store's alone (4.7). Any
    /// thread.
    package func syncSealedSegments() throws(LogError) {
        try durability.syncSealed()
    }

    /// True after a failed sync: reads go on, writes are refused until the store is reopened.
    package var isPoisoned: Bool { durability.isPoisoned }
}
