import OrderedIndex
import SegmentLog

/// Commits. The changes go to the log and become the newest version for the next writer at once
/// (`finish`); other threads see them when the commit is as durable as it must be (T3, T4).
extension Store {
    /// Commits a transaction: writes its last batch, makes its version the newest, lets the next
    /// writer in, and then, at level `.commit`, waits for the sync that covers it.
    func commit(_ transaction: WriteTransaction, durability: Durability) throws(StoreError) {
        let start = options.environment.now()
        guard let committed = try encodeAndFinish(transaction, durability) else { return }
        if let lsn = committed.visibleAt { try waitUntilDurable(lsn) }
        let delay = settle(committed, durability, from: start)
        if delay > 0 { options.environment.sleep(delay) }
    }

    /// Commits a transaction without waiting for anything: calls `done` when it is durable, at
    /// level `.commit`, and has paid for what compaction can't keep up with. Then it is visible.
    ///
    /// - Throws: what is known before: nothing was committed then, and `done` is not called.
    func commitWithoutWaiting(
        _ transaction: WriteTransaction, durability: Durability,
        _ done: @escaping @Sendable (StoreError?) -> Void
    ) throws(StoreError) {
        let start = options.environment.now()
        guard let committed = try encodeAndFinish(transaction, durability) else {
            return done(nil)
        }
        let settle: @Sendable (StoreError?) -> Void = { [self] error in
            if let error { return done(error) }
            let delay = self.settle(committed, durability, from: start)
            if delay == 0 { return done(nil) }
            options.environment.syncExecutor.submit(afterNanoseconds: delay) { done(nil) }
        }
        guard let lsn = committed.visibleAt else { return settle(nil) }
        asyncDurability.wait(for: lsn, in: self, settle)
    }

    private func encodeAndFinish(
        _ transaction: WriteTransaction, _ durability: Durability
    ) throws(StoreError) -> CommittedTransaction? {
        do {
            // A transaction that was open at a fork is open in both processes; the log is one.
            try checkProcess()
            try transaction.applyEntries()
            try transaction.encodeStagedRows()
        } catch {
            transaction.rollback()
            throw error
        }
        return try finish(transaction, mustBeDurable: durability == .commit)
    }

    /// What follows a commit that is as durable as it must be. Returns how many nanoseconds it must
    /// wait if compaction can't keep up.
    private func settle(
        _ committed: CommittedTransaction, _ durability: Durability, from start: UInt64
    ) -> UInt64 {
        if committed.visibleAt == nil { pipeline.signal.didPublish() }
        if case .interval(let milliseconds) = durability {
            scheduleSync(after: milliseconds, from: start)
        }
        counters.noteCommit(
            nanoseconds: options.environment.now() &- start, byteCount: committed.byteCount)
        if committed.checkpointIsDue { scheduleCheckpoint() }
        watchForIdleTime()
        return delayToPay(byteCount: committed.byteCount)
    }

    /// Ends a transaction whose changes are all in the log and the index: writes its last batch,
    /// makes its version the newest and lets the next writer in. Nil when it changed nothing.
    ///
    /// - Parameters:
    ///   - changesKeys: whether it is more than what compaction does.
    ///   - beforeEnd: called with the version once the batch is written, in the gate.
    /// - Throws: what the log throws; the transaction was rolled back then.
    func finish(
        _ transaction: WriteTransaction, mustBeDurable: Bool, changesKeys: Bool = true,
        beforeEnd: (UInt64) -> Void = { _ in }
    ) throws(StoreError) -> CommittedTransaction? {
        let byteCount = log.transactionByteCount
        if byteCount == 0 {
            transaction.end(committed: false)
            return nil
        }
        let lsn: LSN
        do {
            lsn = try log.commitTransaction(isDeleteOnly: transaction.isDeleteOnly)
        } catch {
            transaction.rollback()
            throw StoreError(error)
        }
        appendedByteCount += UInt64(byteCount)
        let root = transaction.writer.commit(tag: lsn.rawValue)
        let version = root.version
        committedLSN = lsn
        account(for: transaction, version: version)
        let keyspaces = transaction.catalogChanges.all
        writerCatalog.apply(keyspaces)
        transaction.willBeSeen?()
        let visibleAt = pipeline.add(
            root, lsn: lsn, mustBeDurable: mustBeDurable, changesKeys: changesKeys,
            keyspaces: keyspaces, durableLSN: { log.durableLSN })
        if transaction.keepsSnapshot {
            transaction.committed = newestSnapshot(verification: transaction.verification)
        }
        beforeEnd(version)
        let checkpointIsDue = checkpoints.isDue(
            logByteCount: appendedByteCount, liveByteCount: usage.liveByteCount,
            changedByteCount: index.changedByteCount)
        transaction.end(committed: true)
        return CommittedTransaction(
            lsn: lsn, version: version, byteCount: byteCount, visibleAt: visibleAt,
            checkpointIsDue: checkpointIsDue)
    }

    /// Moves the live bytes from the records that became dead to the new ones.
    func account(for transaction: WriteTransaction, version: UInt64) {
        for sum in transaction.appended.sums {
            usage.add(sum.byteCount, to: sum.segment)
            births.note(sum.segment, version: version)
        }
        // Mostly many in a row are of one segment.
        var segment = SegmentNumber.none
        var byteCount = 0
        for overwritten in transaction.overwritten {
            let location = Location(rawValue: overwritten)
            if location.segment != segment {
                usage.add(-byteCount, to: segment)
                segment = location.segment
                byteCount = 0
            }
            byteCount &+= log.storedByteCount(at: location)
        }
        usage.add(-byteCount, to: segment)
        log.liveByteCountHint = UInt64(max(0, usage.liveByteCount))
    }

    /// Waits for the sync that covers an LSN; what it made visible is published when this returns.
    func waitUntilDurable(_ lsn: LSN) throws(StoreError) {
        try reportingPoison { () throws(LogError) in try log.waitUntilDurable(lsn) }
        // The sync's own call may have come before a root that needs it was added.
        pipeline.publish(upTo: log.durableLSN)
        pipeline.signal.callPending()
    }

    /// Calls what syncs the log; reports the failure that poisons it, once.
    func reportingPoison(_ body: () throws(LogError) -> Void) throws(StoreError) {
        do {
            try body()
        } catch {
            let failure = StoreError(error)
            if counters.notePoisoned() {
                notify(.poisoned(failure))
                // Nothing is published any more: waits end with an error.
                pipeline.signal.callAll()
            }
            throw failure
        }
    }

    func scheduleCheckpoint() {
        guard checkpoints.beginScheduled() else { return }
        options.environment.executor.submit { [handle] in
            guard let store = handle.target, !store.closing.load(ordering: .relaxed) else { return }
            do throws(StoreError) {
                try store.writeCheckpoint()
            } catch {
                store.noteCheckpointFailure(error)
            }
        }
    }
}

extension SegmentLog {
    /// Where the next batch goes; nil when nothing was ever written.
    var end: LogPosition? { tail == .start ? nil : tail }

    /// What a record that can't be read is counted as, the least that it can be: the counter errs
    /// towards keeping its segment. An entry's share of its pack is a few bytes.
    static func leastStoredByteCount(at location: Location) -> Int {
        location.sizeHint ?? (location.isCompressed ? 8 : 511 * 8)
    }

    /// The size of a committed record: from its location, or from its header if it is large.
    func storedByteCount(at location: Location) -> Int {
        Self.storedByteCount(at: location) { (location) throws(LogError) in
            try reader.verifiedRecord(at: location)
        }
    }

    /// The same, with the record from somewhere.
    static func storedByteCount(
        at location: Location, record: (Location) throws(LogError) -> RecordPointer
    ) -> Int {
        if let byteCount = location.sizeHint { return byteCount }
        // A read that fails for a passing reason succeeds the second time.
        for _ in 0..<2 {
            let read = capture { () throws(LogError) in try record(location) }
            if case .success(let record) = read {
                return record.storedByteCount(ofEntryAt: location)
            }
        }
        return leastStoredByteCount(at: location)
    }
}
