import SegmentLog
import TravertineStore

/// Reads the runs of a plan again, in the order of their LSNs, and hands on the records of
/// transactions that count.
///
/// A transaction counts if its last batch was found, or if the batch after the last that was found
/// is missing, so that it may have been the last; so it is at the end of a log without a manifest.
/// It does not count if another transaction follows
/// at once: then its last batch was never written (rule 4). What its rollback
/// records make void is left out.
///
/// What the newest retirement table takes out of the log does not count, also if it is found: what
/// lives on has been copied, and what else is there may have been deleted since, without a
/// tombstone that is left. The table says what became of a transaction that is open before such a
/// stretch.
struct SalvageReplay {
    /// Which part of the log is handed on.
    enum Part {
        /// What the newest retirement table leaves.
        case kept
        /// Only what it retires, up to an LSN, of transactions that are whole: for keys whose
        /// copies are missing.
        case retired(through: LSN)
    }

    private struct Pending {
        var source: Int
        var position: Int
        var context: FragmentContext
        var header: BatchHeader
    }

    private let sources: [SalvageSource]
    private let plan: SalvagePlan
    /// With `consistent`: transactions from here on don't count, but moves of what is older do.
    private let cut: LSN?
    private let retired: RetirementTable
    private let part: Part
    private let index: SalvageIndex
    private var outcome = Outcome()
    private var pending: [Pending] = []
    /// The stretches of `retired` that are still ahead.
    private var stretchesAhead: ArraySlice<RetirementTable.Stretch> = []
    /// Parts of the open transaction that records in retired segments made void.
    private var voidBefore: [Range<Place>] = []
    /// The newest LSN that is missing and not retired.
    private var lastGapLSN = LSN.zero
    /// Whether a batch of the open transaction is missing.
    private var isPartial = false

    /// Reads everything into `index`.
    static func run(
        _ sources: [SalvageSource], _ plan: SalvagePlan, retired: RetirementTable,
        part: Part = .kept, end: LogEnd, before cut: LSN?, into index: SalvageIndex,
        progress: (UInt64, UInt64) -> Void
    ) throws -> Outcome {
        var replay = SalvageReplay(
            sources: sources, plan: plan, cut: cut, retired: retired, part: part, index: index)
        try replay.run(end, progress)
        return replay.outcome
    }

    private init(
        sources: [SalvageSource], plan: SalvagePlan, cut: LSN?, retired: RetirementTable,
        part: Part, index: SalvageIndex
    ) {
        self.sources = sources
        self.plan = plan
        self.cut = cut
        self.retired = retired
        self.part = part
        self.index = index
        // A stretch of segments without any batch says nothing.
        if case .kept = part {
            stretchesAhead = retired.stretches.filter { $0.firstLSN <= $0.lastLSN }[...]
        }
    }

    private mutating func run(
        _ end: LogEnd, _ progress: (UInt64, UInt64) -> Void
    ) throws {
        let total = plan.runs.reduce(0) { $0 + UInt64($1.byteCount) }
        var done: UInt64 = 0
        var previous: (file: String, end: Int)?
        for run in plan.runs {
            let window = sources[run.source].window
            var position = run.position
            while position < run.position + run.byteCount {
                guard let batch = FragmentReader.batch(in: window, at: position) else {
                    outcome.unreadableRunCount += 1
                    break
                }
                let place = Pending(
                    source: run.source, position: position, context: run.context, header: batch)
                try take(place, after: previous)
                position += Int(batch.byteCount)
                done += UInt64(batch.byteCount)
                if batch.lsn == outcome.lastLSN { previous = (window.path, position) }
                progress(done, total)
            }
        }
        try settleEnd(end, after: previous)
    }

    /// Ends the last transaction: what is missing after it may be its last batch.
    private mutating func settleEnd(
        _ end: LogEnd, after previous: (file: String, end: Int)?
    ) throws {
        outcome.isEndKnown = end.isKnown(after: outcome.lastLSN)
        if end.durableLSN > outcome.lastLSN {
            try settleOpen(isGapAfter: true)
            noteGap(outcome.lastLSN.next, end.durableLSN, previous)
        } else {
            if !outcome.isEndKnown {
                outcome.openTailLSN = pending.first?.header.transactionFirstLSN
            }
            try settleOpen(isGapAfter: !outcome.isEndKnown)
        }
    }

    private mutating func take(
        _ batch: Pending, after previous: (file: String, end: Int)?
    ) throws {
        let (header, next) = (batch.header, outcome.lastLSN.next)
        guard header.lsn >= next else { return }
        guard let segment = plan.segments[header.salt], header.lsn <= segment.limit else {
            outcome.voidBatchCount += 1
            return
        }
        if case .kept = part, retired.stretch(holding: header.lsn) != nil { return }
        while let stretch = stretchesAhead.first, stretch.lastLSN < header.lsn {
            stretchesAhead.removeFirst()
            try goOver(stretch, after: previous)
        }
        let isGap = header.lsn > outcome.lastLSN.next
        if isGap { noteGap(outcome.lastLSN.next, header.lsn.previous, previous) }
        outcome.lastLSN = header.lsn
        if pending.first?.header.transactionFirstLSN == header.transactionFirstLSN {
            isPartial = isPartial || isGap
        } else {
            try settleOpen(isGapAfter: isGap)
            isPartial = header.transactionFirstLSN != header.lsn && isStartMissing(header)
        }
        pending.append(batch)
        guard header.isLast else { return }
        try deliver(isPartial: isPartial)
    }

    /// Whether something is missing of a transaction that began before this batch, and not because
    /// it was retired.
    private func isStartMissing(_ header: BatchHeader) -> Bool {
        guard case .kept = part else { return true }
        let first = header.transactionFirstLSN
        return lastGapLSN >= first || retired.stretch(holding: first) == nil
    }

    /// Goes over a retired stretch, as `LogWalk` does: first ends the open transaction as the
    /// stretch says. With a gap before the stretch it is not known which transaction that is.
    private mutating func goOver(
        _ stretch: RetirementTable.Stretch, after previous: (file: String, end: Int)?
    ) throws {
        let next = outcome.lastLSN.next
        guard stretch.lastLSN >= next else { return }
        outcome.lastLSN = stretch.lastLSN
        if stretch.firstLSN > next {
            noteGap(next, stretch.firstLSN.previous, previous)
            return try settleOpen(isGapAfter: true)
        }
        if pending.isEmpty { return }
        if let from = stretch.continuation.voidFrom {
            let batch = pending.first { $0.header.lsn == from.lsn }
            let offset = batch.map { Int($0.header.offset) + Int(from.offset) } ?? Int.max
            let start = Place(lsn: from.lsn, offset: offset)
            let end = Place(lsn: stretch.firstLSN, offset: 0)
            if start < end { voidBefore.append(start..<end) }
        }
        switch stretch.continuation.outcome {
        case .open: break
        case .committed: try deliver(isPartial: isPartial)
        case .ended: try settleOpen(isGapAfter: false)
        }
    }

    private mutating func noteGap(
        _ first: LSN, _ last: LSN, _ previous: (file: String, end: Int)?
    ) {
        lastGapLSN = max(lastGapLSN, last)
        outcome.gaps.append(
            SalvageReport.Gap(
                firstLSN: first.rawValue, lastLSN: last.rawValue, file: previous?.file,
                offset: previous?.end))
    }

    /// Ends a transaction whose last batch was not found.
    private mutating func settleOpen(isGapAfter: Bool) throws {
        if pending.isEmpty { return }
        if isGapAfter {
            try deliver(isPartial: true)
        } else {
            outcome.deadTransactionCount += 1
            forgetPending()
        }
    }

    private mutating func forgetPending() {
        pending.removeAll(keepingCapacity: true)
        voidBefore.removeAll(keepingCapacity: true)
    }

    private mutating func deliver(isPartial: Bool) throws {
        defer { forgetPending() }
        if isPartial {
            if case .retired = part { return }
            outcome.partialTransactionCount += 1
            if let first = pending.first?.header.transactionFirstLSN {
                outcome.firstPartialLSN = min(outcome.firstPartialLSN ?? first, first)
            }
        }
        var void = voidBefore
        if pending.count > 1 || pending.first?.header.recordCount ?? 0 > 1 {
            void += voidRanges()
        }
        for batch in pending {
            try forEachRecord(of: batch) { record, position in
                let place = Place(lsn: record.lsn, offset: record.location.offset)
                if void.contains(where: { $0.contains(place) }) { return }
                try take(record, of: batch, at: position)
            }
        }
    }

    private mutating func take(
        _ record: RecoveredRecord, of batch: Pending, at position: Int
    ) throws {
        switch record.kind {
        case .put, .delete, .move, .tombstoneMove:
            if case .retired(let last) = part,
                record.lsn > last || retired.stretch(holding: record.lsn) == nil
            {
                return
            }
            if let cut, record.originalLSN >= cut || record.lsn >= cut && !record.kind.isMove {
                return
            }
            let isTaken = try index.offer(
                record, source: batch.source, position: position, context: batch.context)
            if isTaken { outcome.takenVersionCount += 1 }
        case .retireSegment:
            noteRetirement(record)
        case .indexPut, .indexDelete, .indexReset, .rollback, .pack:
            break
        }
    }

    /// A retire record names one segment, or holds a table of stretches of 48 bytes.
    private mutating func noteRetirement(_ record: RecoveredRecord) {
        outcome.lastRetirementLSN = max(outcome.lastRetirementLSN, record.lsn)
        var reader = ByteReader(record.value)
        if record.value.count == 4, let number = reader.read(UInt32.self) {
            outcome.retiredNumbers.insert(SegmentNumber(rawValue: number))
            return
        }
        while reader.remaining >= 48, let head = reader.read(UInt64.self),
            let first = reader.read(UInt64.self), let last = reader.read(UInt64.self),
            reader.read(byteCount: 24) != nil
        {
            outcome.retiredNumbers.insert(
                SegmentNumber(rawValue: UInt32(truncatingIfNeeded: head)))
            if first <= last { outcome.retiredRanges.append(first...last) }
        }
    }

    /// The parts of the open transaction that its rollback records make void.
    private func voidRanges() -> [Range<Place>] {
        var ranges: [Range<Place>] = []
        for batch in pending {
            forEachRecord(of: batch) { record, _ in
                guard let place = TransactionPlace(rollback: record) else { return }
                // The offset is that in the batch; of a batch that is not there nothing is void.
                guard let target = pending.first(where: { $0.header.lsn == place.lsn }) else {
                    let start = Place(lsn: place.lsn, offset: Int.max)
                    let end = Place(lsn: record.lsn, offset: record.location.offset)
                    if start < end { ranges.append(start..<end) }
                    return
                }
                let start = Place(
                    lsn: place.lsn, offset: Int(target.header.offset) + Int(place.offset))
                let end = Place(lsn: record.lsn, offset: record.location.offset)
                if start < end { ranges.append(start..<end) }
            }
        }
        return ranges
    }

    private func forEachRecord(
        of batch: Pending, _ body: (RecoveredRecord, Int) throws -> Void
    ) rethrows {
        let window = sources[batch.source].window
        // Read again: the window may have moved on.
        guard FragmentReader.batch(in: window, at: batch.position) != nil else { return }
        try FragmentReader.forEachRecord(
            of: batch.header, at: batch.position, in: window,
            number: plan.segments[batch.header.salt]?.number ?? .none, body)
    }

    /// A place among the records of a transaction, by its offset in the segment.
    private struct Place: Comparable {
        var lsn: LSN
        var offset: Int

        static func < (left: Place, right: Place) -> Bool {
            (left.lsn, left.offset) < (right.lsn, right.offset)
        }
    }
}
