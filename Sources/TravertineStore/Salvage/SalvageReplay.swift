import SegmentLog

/// Reads the runs of a plan again, in the order of their LSNs, and hands on the records of
/// transactions that count.
///
/// A transaction counts if its last batch was found, or if the batch behind the last that was found
/// is missing, so that it may have been the last. It does not count if another transaction follows
/// at once: then its last batch was never written (invariant 4 of the log). What its rollback records
/// make void is left out.
struct SalvageReplay {
    /// What became known on the way.
    struct Outcome {
        var gaps: [SalvageReport.Gap] = []
        var lastLSN = LSN.zero
        var partialTransactionCount = 0
        var deadTransactionCount = 0
        var voidBatchCount = 0
        var unreadableRunCount = 0
        /// The first LSN of the first transaction that is not whole.
        var firstPartialLSN: LSN?
        var retiredNumbers: Set<SegmentNumber> = []
        var retiredRanges: [ClosedRange<UInt64>] = []
        /// Where the newest record lies that retires a segment.
        var lastRetirementLSN = LSN.zero
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
    private let index: SalvageIndex
    private var outcome = Outcome()
    private var pending: [Pending] = []
    /// Whether a batch of the open transaction is missing.
    private var isPartial = false

    /// Reads everything into `index`.
    static func run(
        _ sources: [SalvageSource], _ plan: SalvagePlan, durableLSN: LSN, before cut: LSN?,
        into index: SalvageIndex, progress: (UInt64, UInt64) -> Void
    ) throws -> Outcome {
        var replay = SalvageReplay(sources: sources, plan: plan, cut: cut, index: index)
        try replay.run(durableLSN, progress)
        return replay.outcome
    }

    private init(
        sources: [SalvageSource], plan: SalvagePlan, cut: LSN?, index: SalvageIndex
    ) {
        self.sources = sources
        self.plan = plan
        self.cut = cut
        self.index = index
    }

    private mutating func run(
        _ durableLSN: LSN, _ progress: (UInt64, UInt64) -> Void
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
        if durableLSN > outcome.lastLSN {
            try settleOpen(isGapBehind: true)
            noteGap(outcome.lastLSN.next, durableLSN, previous)
        } else {
            try settleOpen(isGapBehind: false)
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
        let isGap = header.lsn > next
        if isGap { noteGap(next, header.lsn.previous, previous) }
        outcome.lastLSN = header.lsn
        if pending.first?.header.transactionFirstLSN == header.transactionFirstLSN {
            isPartial = isPartial || isGap
        } else {
            try settleOpen(isGapBehind: isGap)
            isPartial = header.transactionFirstLSN != header.lsn
        }
        pending.append(batch)
        guard header.isLast else { return }
        try deliver(isPartial: isPartial)
    }

    private mutating func noteGap(
        _ first: LSN, _ last: LSN, _ previous: (file: String, end: Int)?
    ) {
        outcome.gaps.append(
            SalvageReport.Gap(
                firstLSN: first.rawValue, lastLSN: last.rawValue, file: previous?.file,
                offset: previous?.end))
    }

    /// Ends a transaction whose last batch was not found.
    private mutating func settleOpen(isGapBehind: Bool) throws {
        if pending.isEmpty { return }
        if isGapBehind {
            try deliver(isPartial: true)
        } else {
            outcome.deadTransactionCount += 1
            pending.removeAll(keepingCapacity: true)
        }
    }

    private mutating func deliver(isPartial: Bool) throws {
        defer { pending.removeAll(keepingCapacity: true) }
        if isPartial {
            outcome.partialTransactionCount += 1
            if let first = pending.first?.header.transactionFirstLSN {
                outcome.firstPartialLSN = min(outcome.firstPartialLSN ?? first, first)
            }
        }
        let void =
            pending.count > 1 || pending.first?.header.recordCount ?? 0 > 1 ? voidRanges() : []
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
            if let cut, record.originalLSN >= cut || record.lsn >= cut && !record.kind.isMove {
                return
            }
            try index.offer(
                record, source: batch.source, position: position, context: batch.context)
        case .retireSegment:
            noteRetirement(record)
        case .indexPut, .indexDelete, .indexReset, .rollback:
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
                guard record.kind == .rollback, record.value.count == 16 else { return }
                let lsn = LSN(rawValue: record.value.loadUnaligned(as: UInt64.self))
                let offset = Int(record.value.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
                // The offset is that in the batch; of a batch that is not there nothing is void.
                guard let target = pending.first(where: { $0.header.lsn == lsn }) else {
                    let start = Place(lsn: lsn, offset: Int.max)
                    let end = Place(lsn: record.lsn, offset: record.location.offset)
                    if start < end { ranges.append(start..<end) }
                    return
                }
                let start = Place(lsn: lsn, offset: Int(target.header.offset) + offset)
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

    /// A place among the records of a transaction.
    private struct Place: Comparable {
        var lsn: LSN
        var offset: Int

        static func < (left: Place, right: Place) -> Bool {
            (left.lsn, left.offset) < (right.lsn, right.offset)
        }
    }
}
