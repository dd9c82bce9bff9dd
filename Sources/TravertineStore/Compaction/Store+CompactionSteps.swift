import OrderedIndex
import SegmentLog

/// What the steps of a pass do to the store.
extension Store {
    /// Begins a transaction of compaction's own.
    func beginCompaction(mayUseReserve: Bool = false) throws(StoreError) -> WriteTransaction {
        let transaction = try beginWrite()
        log.markCompaction(mayUseReserve: mayUseReserve)
        return transaction
    }

    /// Commits it without waiting for a sync, and lets those first who have waited; nil
    /// when there was nothing to commit.
    @discardableResult
    func commitCompaction(_ transaction: WriteTransaction) throws(StoreError) -> LSN? {
        try finishCompaction(transaction)?.lsn
    }

    /// As above; gives the version too, and calls `beforeEnd` with it once the batch is written.
    func finishCompaction(
        _ transaction: WriteTransaction, beforeEnd: (UInt64) -> Void = { _ in }
    ) throws(StoreError) -> CommittedTransaction? {
        let committed = try finish(transaction, mustBeDurable: false, changesKeys: false) {
            version in
            beforeEnd(version)
            gate.letWaiterBeNext()
        }
        if committed?.checkpointIsDue == true { scheduleCheckpoint() }
        return committed
    }

    /// Retires segments by a record that is durable when this returns; nil when something
    /// unreachable is in the way, and can't be removed.
    func retire(
        _ segments: [(summary: SegmentSummary, continuation: RetirementTable.Continuation)]
    ) throws(StoreError) -> [CompactionState.RetiredSegment]? {
        if let retired = try tryToRetire(segments) { return retired }
        try makeUnreachableRemovable()
        return try tryToRetire(segments)
    }

    /// Writes the table as it is, durably: what recovery left over may go once the log goes on in a
    /// newer segment, and a pass that has nothing to move would wait for somebody to write.
    private func makeUnreachableRemovable() throws(StoreError) {
        let transaction = try beginCompaction()
        var committed: CommittedTransaction?
        do {
            let (table, location) = try log.appendRetirement()
            committed = try finishCompaction(transaction) { _ in
                log.didRetire(table, location: location)
            }
        } catch {
            transaction.rollback()
            throw StoreError(anyError: error)
        }
        if let committed { try waitUntilDurable(committed.lsn) }
    }

    private func tryToRetire(
        _ segments: [(summary: SegmentSummary, continuation: RetirementTable.Continuation)]
    ) throws(StoreError) -> [CompactionState.RetiredSegment]? {
        let transaction = try beginCompaction()
        var committed: CommittedTransaction?
        var births: [UInt64] = []
        do {
            guard try removeUnreachable() else {
                transaction.rollback()
                return nil
            }
            let (table, location) = try appendRetirement(of: segments)
            committed = try finishCompaction(transaction) { _ in
                log.didRetire(table, location: location)
                for (summary, _) in segments {
                    usage.clear(summary.number)
                    births.append(self.births.remove(summary.number))
                }
            }
        } catch {
            transaction.rollback()
            throw error
        }
        guard let committed else { return nil }
        try waitUntilDurable(committed.lsn)
        return zip(segments, births).map { segment, birth in
            CompactionState.RetiredSegment(
                number: segment.summary.number, byteCount: segment.summary.allocatedByteCount,
                birth: birth, retirement: committed.version,
                firstLSN: segment.summary.firstLSN, lsn: committed.lsn)
        }
    }

    private func removeUnreachable() throws(StoreError) -> Bool {
        do {
            return try log.removeUnreachableForGood()
        } catch {
            throw StoreError(error)
        }
    }

    private func appendRetirement(
        of segments: [(summary: SegmentSummary, continuation: RetirementTable.Continuation)]
    ) throws(StoreError) -> (RetirementTable, Location) {
        do {
            return try log.appendRetirement(of: segments)
        } catch {
            throw StoreError(error)
        }
    }

    /// Removes the files of retired segments that nobody can see any more; returns how many.
    ///
    /// None after a failed sync of a checkpoint: what is on the disk of it is unknown (C2).
    func removeRetiredSegments() throws(StoreError) -> Int {
        // First, so that a thread that gives a snapshot back while this looks asks for another
        // attempt.
        noteNewestRetirement()
        compaction.shareWaiting()
        var removedCount = 0
        if let newest = compaction.waiting.map(\.lsn).max(), !checkpoints.removalIsForbidden {
            try settleReaders(newest)
            // A backup that still reads files keeps all of them until the next attempt. Pins are
            // read inside, so that none can come between the look at them and the removal.
            try checkpoints.holds.whileUnheld { () throws(StoreError) in
                let pins = outsidePins()
                let (removable, waiting) = compaction.waiting.partitioned { segment in
                    !pins.contains { $0.needs(segment) }
                        && !index.isHeld(from: segment.birth, before: segment.retirement)
                }
                if removable.isEmpty { return }
                do throws(LogError) {
                    try log.removeRetired(removable.map(\.number))
                } catch {
                    throw StoreError(error)
                }
                compaction.waiting = waiting
                removeOrphanedKeyHashes()
                removedCount = removable.count
            }
        }
        noteNewestRetirement()
        compaction.shareWaiting()
        tryAgainAfterOutsidePins()
        return removedCount
    }

    /// Makes sure that readers in other processes learn of a retirement, also after a power cut.
    private func settleReaders(_ lsn: LSN) throws(StoreError) {
        guard let readers else { return }
        do {
            try readers.durable.settle(lsn, durableLSN: log.durableLSN)
        } catch {
            if readers.durable.hasFailedSync { checkpoints.forbidRemoval(error) }
            throw error
        }
    }

    /// How long after a look at the pins of other processes the next one comes, if they hold up a
    /// removal: no event reports that such a reader has gone.
    private static let pinPauseNanoseconds: UInt64 = 5_000_000_000

    private func tryAgainAfterOutsidePins() {
        if compaction.waiting.isEmpty { return }
        let pins = outsidePins()
        guard compaction.waiting.contains(where: { segment in pins.contains { $0.needs(segment) } })
        else { return }
        let isNew = compaction.shared.withLock { shared in
            defer { shared.isRetryScheduled = true }
            return !shared.isRetryScheduled
        }
        guard isNew else { return }
        options.environment.compactionExecutor.submit(
            afterNanoseconds: Self.pinPauseNanoseconds
        ) { [handle] in
            guard let store = handle.target else { return }
            store.compaction.shared.withLock { $0.isRetryScheduled = false }
            if !store.closing.load(ordering: .relaxed) { store.scheduleCompaction() }
        }
    }

    private func noteNewestRetirement() {
        let newest = compaction.waiting.map(\.retirement).max() ?? 0
        compaction.newestRetirement.store(newest, ordering: .sequentiallyConsistent)
    }

    /// Remembers why a segment, or a pass, could not be compacted.
    func noteCompactionFailure(_ error: StoreError) {
        if error.code == .closed { return }
        compaction.shared.withLock { $0.lastFailure = error }
        compaction.call { notify(.compactionFailed(error)) }
    }
}

extension WriteTransaction {
    /// Whether the index still has a liveRecord at its place; for a tombstone, whether the key is
    /// still absent.
    func isCurrent(_ liveRecord: LiveRecords.LiveRecord) throws(StoreError) -> Bool {
        let current = try location(forKey: liveRecord.record.key, in: liveRecord.record.keyspace)
        return current == (liveRecord.isTombstone ? nil : liveRecord.location.rawValue)
    }

    /// Copies a record, if it is current, with its value or another form of it. Nil if there is
    /// nothing to copy any more.
    func move(
        _ liveRecord: LiveRecords.LiveRecord, value: UnsafeRawBufferPointer? = nil,
        isCompressed: Bool? = nil
    ) throws(StoreError) -> Location? {
        let record = liveRecord.record
        if liveRecord.isTombstone {
            guard try isCurrent(liveRecord) else { return nil }
            return try appendMove(of: liveRecord, kind: .tombstoneMove)
        }
        let place: IndexWriter.KeyPlace?
        do {
            place = try writer.place(
                of: record.key, withValue: liveRecord.location.rawValue,
                in: record.keyspace.treeNumber)
        } catch {
            throw StoreError(error)
        }
        guard let place else { return nil }
        let location = try appendMove(
            of: liveRecord, kind: .move, value: value, isCompressed: isCompressed)
        let byteCount = RecordLayout.paddedByteCount(
            key: record.key.count, value: (value ?? record.value).count, isMove: true)
        appended.add(location, byteCount: byteCount)
        isDeleteOnly = false
        writer.replaceValue(location.rawValue, at: place)
        noteDead(liveRecord.location.rawValue)
        return location
    }

    private func appendMove(
        of liveRecord: LiveRecords.LiveRecord, kind: RecordKind,
        value: UnsafeRawBufferPointer? = nil, isCompressed: Bool? = nil
    ) throws(StoreError) -> Location {
        do {
            return try log.appendMove(
                of: liveRecord.record, kind: kind, originalLSN: liveRecord.originalLSN,
                sourceLocation: liveRecord.location, value: value, isCompressed: isCompressed)
        } catch {
            throw StoreError(error)
        }
    }
}

extension SegmentSummary {
    /// The bytes that a sealed segment takes: its unused end is given back if it is worth it.
    var allocatedByteCount: Int {
        let written = (Int(clamping: endOffset) + 4095) & ~4095
        let whole = Int(clamping: byteCount)
        return whole - written >= 64 << 10 ? written : whole
    }
}

extension Array {
    /// The elements that pass a test, and the others, in order.
    func partitioned(_ test: (Element) -> Bool) -> (passed: [Element], others: [Element]) {
        (filter(test), filter { !test($0) })
    }
}
