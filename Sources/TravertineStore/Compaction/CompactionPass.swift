import OrderedIndex
import SegmentLog

/// One pass of compaction over a few segments, in steps that a caller makes when it likes.
///
///     reading ──▶ deciding ──▶ moving ──▶ syncing ──▶ retiring ──▶ removing ──▶ done
///
/// - *reading* (`readNext`): a segment per step, verified, into memory; what is live there, and the
///   tombstones of absent keys, are noted. A segment that can't be read leaves the pass and stays.
/// - *deciding* (`decideNext`): an older segment per step says which tombstones it makes necessary.
/// - *moving* (`moveSome`): a transaction per step copies some records, in key order, each only if
///   the index still has it at its place; between them users write.
/// - *syncing* (`sync`): the copies are durable.
/// - *retiring* (`retire`): a durable record says that the segments are no part of the log any
///   more.
/// - *removing* (`Store.removeRetiredSegments`): files that no snapshot can see are removed.
///
/// It may end before any step, by an error or a crash: what was moved is moved, the rest is where
/// it was, and a segment is removed only after the sync of *retiring*.
final class CompactionPass {
    private enum Phase { case reading, deciding, moving, syncing, retiring, removing, done }

    private var phase = Phase.reading
    private var segments: [SegmentSummary]
    /// The segments that were read, with what a replay without them must know.
    private var retiring: [(summary: SegmentSummary, continuation: RetirementTable.Continuation)] =
        []
    private var nextSegment = 0
    private var liveRecords = LiveRecords()
    private var values = LiveRecordValues()
    private var older: [SegmentSummary] = []
    private var nextRecord = 0
    private var lastLSN = LSN.zero
    /// Bytes of the tombstones that were copied, by the segment that they are in now.
    private var tombstoneByteCounts: [SegmentNumber: Int] = [:]
    private var droppableTombstoneCount = 0
    private let compressor = ValueCompressor()
    private let start: UInt64
    private(set) var report = CompactionReport()

    /// The bytes that are copied under the writer gate at a time.
    static let sliceByteCount = 64 << 10

    /// Whether copies may use the room that users' transactions leave.
    private let mayUseReserve: Bool

    /// What is dead in the segments, tombstones included; nil in a pass that copies whatever there
    /// is.
    private let deadByteCount: Int?
    /// Whether the pass has left its segments as they are, as they hold needed tombstones for the
    /// rest.
    private(set) var isLeft = false

    init(
        _ segments: [SegmentSummary], deadByteCount: Int? = nil, mayUseReserve: Bool = false,
        now: UInt64
    ) {
        self.segments = segments
        self.deadByteCount = deadByteCount
        self.mayUseReserve = mayUseReserve
        start = now
    }

    /// The segments that are gone through.
    var segmentNumbers: [SegmentNumber] { segments.map(\.number) }

    var isDone: Bool { phase == .done }

    /// How much of the pass is done, from 0 to 1: reading is reckoned a third of it, copying the
    /// rest.
    var doneShare: Double {
        func share(_ done: Int, of total: Int) -> Double {
            total == 0 ? 1 : Double(done) / Double(total)
        }
        return switch phase {
        case .reading: share(nextSegment, of: segments.count) / 3
        case .deciding: 1.0 / 3
        case .moving: (1 + 2 * share(nextRecord, of: liveRecords.records.count)) / 3
        case .syncing, .retiring, .removing, .done: 1
        }
    }

    /// Makes the next step.
    func step(_ store: Store) throws(StoreError) {
        switch phase {
        case .reading: try readNext(store)
        case .deciding: try decideNext(store)
        case .moving: try moveSome(store)
        case .syncing: try sync(store)
        case .retiring: try retire(store)
        case .removing:
            report.removedSegmentCount += try store.removeRetiredSegments()
            report.durationNanoseconds = store.options.environment.now() &- start
            phase = .done
        case .done: break
        }
    }

    // MARK: Steps

    private func readNext(_ store: Store) throws(StoreError) {
        guard nextSegment < segments.count else {
            // What is retired, or will be by the same record, is never replayed again.
            let gone = Set(store.compaction.waiting.map(\.number) + retiring.map(\.summary.number))
            older = store.log.segments.filter {
                !gone.contains($0.number) && liveRecords.concerns($0)
            }
            phase = .deciding
            return
        }
        let segment = segments[nextSegment]
        let pin = store.index.pin(note: 0)
        defer { store.index.unpin(pin) }
        do {
            let image = try store.log.image(of: segment)
            let continuation = try image.continuation()
            try liveRecords.add(image, access: store.readAccess(pin))
            retiring.append((segment, continuation))
            nextSegment += 1
        } catch {
            // A damaged index page says nothing about the segment, nor does a lack of memory or of
            // descriptors: the pass ends, and the next one tries again.
            let isLackOfResources = Self.failure(error)?.isLackOfResources ?? false
            let error = StoreError(anyError: error)
            if error.isDamagedPage || isLackOfResources { throw error }
            segments.remove(at: nextSegment)
            store.compaction.unreadable.insert(segment.number)
            report.unreadableSegments.append(error.description)
            store.noteCompactionFailure(error)
        }
    }

    /// What the file system said, if it was that.
    private static func failure(_ error: any Error) -> FileSystemError? {
        if case .io(let failure) = error as? LogError { return failure }
        return error as? FileSystemError
    }

    private func decideNext(_ store: Store) throws(StoreError) {
        while let segment = older.popLast() {
            guard liveRecords.concerns(segment) else { continue }
            liveRecords.keepTombstones(against: segment, store.keyHashes(of: segment))
            return
        }
        if leaves(store) {
            phase = .done
            return
        }
        let needed = liveRecords.tombstones.reduce(0) { $0 + ($1.isNeeded ? 1 : 0) }
        droppableTombstoneCount = liveRecords.tombstones.count - needed
        do {
            try liveRecords.sort()
        } catch {
            throw StoreError(error)
        }
        values = LiveRecordValues(liveRecords.images)
        phase = .moving
    }

    /// Whether copying would give nothing back, for the sake of tombstones that must be copied too;
    /// then these count as live in their segments from here on.
    private func leaves(_ store: Store) -> Bool {
        guard let deadByteCount else { return false }
        var needed: [SegmentNumber: Int] = [:]
        for tombstone in liveRecords.tombstones where tombstone.isNeeded {
            let record = tombstone.liveRecord.record
            needed[tombstone.liveRecord.location.segment, default: 0] +=
                RecordLayout.paddedByteCount(key: record.key.count, value: 0, isMove: true)
        }
        let allocated = retiring.reduce(0) { $0 + $1.summary.allocatedByteCount }
        let gain = deadByteCount - needed.values.reduce(0, +)
        if needed.isEmpty || gain > allocated / 64 { return false }
        for (segment, byteCount) in needed {
            store.compaction.tombstoneByteCounts[segment] = byteCount
        }
        liveRecords = LiveRecords()
        isLeft = true
        return true
    }

    private func moveSome(_ store: Store) throws(StoreError) {
        let records = liveRecords.records
        guard nextRecord < records.count else {
            phase = .syncing
            return
        }
        let moves = try prepareMoves(store)
        let transaction = try store.beginCompaction(mayUseReserve: mayUseReserve)
        var moved = CompactionReport()
        var tombstones: [(segment: SegmentNumber, byteCount: Int)] = []
        let start = store.log.transactionByteCount
        do {
            for move in moves.moves {
                try transaction.make(move, compressor) { liveRecord, location in
                    let byteCount = liveRecord.record.storedByteCount
                    moved.movedRecordCount += 1
                    moved.movedByteCount += byteCount
                    if liveRecord.isTombstone { tombstones.append((location.segment, byteCount)) }
                }
            }
            moved.writtenByteCount = store.log.transactionByteCount - start
            if let lsn = try store.commitCompaction(transaction) { lastLSN = lsn }
        } catch {
            transaction.rollback()
            throw error
        }
        let next = moves.end
        nextRecord = next
        report.add(moved)
        for tombstone in tombstones {
            store.compaction.tombstoneByteCounts[tombstone.segment, default: 0] +=
                tombstone.byteCount
            tombstoneByteCounts[tombstone.segment, default: 0] += tombstone.byteCount
        }
    }

    /// Chooses what the next transaction copies, and compresses it, with the gate free.
    private func prepareMoves(_ store: Store) throws(StoreError) -> CompactionMoves {
        let pin = store.index.pin(note: 0)
        defer { store.index.unpin(pin) }
        let access = store.readAccess(pin)
        values.begin()
        do {
            return try CompactionMoves(
                liveRecords.records, from: nextRecord, byteCount: Self.sliceByteCount,
                values: values, builder: compressor
            ) { access.tree(of: $0).compression }
        } catch {
            throw StoreError(anyError: error)
        }
    }

    private func sync(_ store: Store) throws(StoreError) {
        try store.waitUntilDurable(lastLSN)
        liveRecords = LiveRecords()
        values = LiveRecordValues()
        phase = retiring.isEmpty ? .removing : .retiring
    }

    private func retire(_ store: Store) throws(StoreError) {
        guard let retired = try store.retire(retiring) else {
            // Something that a crash left is in the way; the next pass tries again.
            phase = .removing
            return
        }
        store.compaction.waiting += retired
        // Before a file is removed, so that verification does not take it for missing.
        store.compaction.shareWaiting()
        // One of the segments may be what an earlier pass kept a tombstone for; those of this pass
        // are needed for others.
        store.compaction.tombstoneByteCounts = tombstoneByteCounts
        report.droppedTombstoneCount += droppableTombstoneCount
        report.segmentCount += retired.count
        report.byteCount += retired.reduce(0) { $0 + $1.byteCount }
        phase = .removing
    }
}
