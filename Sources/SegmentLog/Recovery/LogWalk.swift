/// The walk over the log's batches in LSN order, from a place to its end.
///
/// 1. A segment that another names as its predecessor ends where that one says, whatever follows
///    (rule 2).
/// 2. The walk stops at the first LSN that is missing or bad; `stopReason` says why.
/// 3. A batch belongs to the open transaction when it names the same first LSN. Any other batch
///    makes the open transaction dead, and must begin one.
/// 4. Records reach the visitor once their transaction's last batch is verified.
/// 5. The walk goes over the stretches of the retirement table that it was given, also if files of
///    theirs are still there; `unprovenStretch` is one that no table of the walked log retires
///    (rule 9).
struct LogWalk {
    let catalog: SegmentCatalog
    let directory: String
    let fileSystem: FileSystem

    var report = RecoveryReport()
    var nextLSN: LSN
    /// The highest LSN that something on the disk calls durable.
    var durableEvidence: LSN
    /// Why the walk ended; nil: cleanly, with zeros or the end of the file.
    var stopReason: String?
    /// The segment that the walk could not go on with, if it is not the one where it ended.
    var missingSegment: SegmentNumber?
    /// The segment in which the log ends.
    var last: SegmentScanner?
    var endOffset = 0
    /// What shows the way over retired segments, in a walk from the log's beginning.
    let retired: RetirementTable
    /// Retired stretches that the walk went over.
    private var passedStretches: [RetirementTable.Stretch] = []
    /// The last LSN of the stretch that the walk has just gone over.
    private var passedLSN = LSN.zero
    /// Places of the open transaction that records in retired segments made void.
    private var voidBefore: [Range<TransactionPlace>] = []
    private(set) var newestTable: RetirementTable?
    /// Nothing after this LSN is read: what another process may not have made durable yet.
    var limit = LSN(rawValue: .max)
    var open: [PendingBatch] = []
    /// Where the transaction ended that was delivered last.
    private(set) var lastPlace: LogPlace?
    /// Whether the walk ended because the visitor has enough.
    private(set) var isStopped = false

    init(
        catalog: SegmentCatalog, directory: String, fileSystem: FileSystem, nextLSN: LSN,
        durableEvidence: LSN, retired: RetirementTable
    ) {
        self.catalog = catalog
        self.directory = directory
        self.fileSystem = fileSystem
        self.nextLSN = nextLSN
        self.durableEvidence = durableEvidence
        self.retired = retired
    }

    private func scanner(of header: SegmentHeader) throws(LogError) -> SegmentScanner {
        try .open(header, in: directory, fileSystem)
    }

    /// Walks from `offset` of a segment on, through its successors.
    mutating func run<Visitor: RecoveryVisitor>(
        from header: SegmentHeader, offset: Int, visitor: inout Visitor
    ) throws {
        var header = header
        var offset = offset
        while true {
            let scanner = try scanner(of: header)
            last = scanner
            endOffset = offset
            durableEvidence = max(durableEvidence, header.durableLSN)
            let stretch = retired.stretch(after: header.number)
            let successor = stretch == nil ? catalog.successor(of: header) : nil
            let until = stretch?.predecessorEnd ?? successor?.predecessor.endOffset
            let reachedEnd = try walkSegment(
                scanner, until: until.map { Int(clamping: $0) }, visitor: &visitor)
            report.segments.append(
                SegmentSummary(
                    number: header.number, byteCount: header.segmentByteCount,
                    endOffset: UInt64(endOffset), firstLSN: header.firstLSN,
                    lastLSN: nextLSN.previous, salt: header.salt, predecessor: header.predecessor))
            guard reachedEnd else { break }
            if let stretch {
                guard let next = try goOver(stretch, from: scanner, visitor: &visitor) else {
                    break
                }
                header = next
                offset = SegmentHeader.byteCount
                continue
            }
            guard let successor else { break }
            guard successor.predecessor.lastLSN == nextLSN.previous,
                successor.firstLSN == nextLSN
            else {
                stopReason = "the next segment begins with LSN \(successor.firstLSN)"
                break
            }
            header = successor
            offset = SegmentHeader.byteCount
        }
        report.deadBatches += open.count
        report.lastLSN = nextLSN.previous
        report.end = LogPosition(segment: header.number, offset: UInt64(endOffset))
    }

    /// Goes over a retired stretch in the middle of the log: first ends the open transaction as the
    /// stretch says.
    private mutating func goOver<Visitor: RecoveryVisitor>(
        _ stretch: RetirementTable.Stretch, from scanner: SegmentScanner, visitor: inout Visitor
    ) throws -> SegmentHeader? {
        guard let next = goOver(stretch) else { return nil }
        let continuation = stretch.continuation
        if !open.isEmpty, continuation.outcome != .ended {
            if let start = continuation.voidFrom {
                let end = TransactionPlace(lsn: stretch.firstLSN, offset: 0)
                voidBefore.append(min(start, end)..<end)
            }
            if continuation.outcome == .open { return next }
            try deliver(scanner, visitor: &visitor)
        } else {
            report.deadBatches += open.count
        }
        forgetOpen()
        return next
    }

    private mutating func forgetOpen() {
        open.removeAll(keepingCapacity: true)
        voidBefore.removeAll(keepingCapacity: true)
    }

    /// Goes on after a retired stretch: the segment that follows it, if it is there.
    mutating func goOver(_ stretch: RetirementTable.Stretch) -> SegmentHeader? {
        guard nextLSN == stretch.firstLSN else {
            stopReason = "the retired segments that follow begin with LSN \(stretch.firstLSN)"
            return nil
        }
        guard let next = catalog.successor(of: stretch) else {
            missingSegment = catalog.firstAbsent(after: stretch.number)
            let last = stretch.number.fileName
            stopReason = "no segment follows the retired ones, of which \(last) is the last"
            return nil
        }
        passedStretches.append(stretch)
        passedLSN = stretch.lastLSN
        report.retiredStretchCount += 1
        nextLSN = stretch.lastLSN.next
        return next
    }

    /// A stretch that the walk went over and that no table of the walked log retires.
    var unprovenStretch: RetirementTable.Stretch? {
        passedStretches.first { !(newestTable?.covers($0) ?? false) }
    }

    /// Walks one segment. True when it reached `until`, the end that a later segment names.
    private mutating func walkSegment<Visitor: RecoveryVisitor>(
        _ scanner: SegmentScanner, until: Int?, visitor: inout Visitor
    ) throws -> Bool {
        while true {
            if let until, endOffset >= until {
                if endOffset == until { return true }
                stopReason = "the next segment begins inside a batch"
                return false
            }
            switch try scanned(scanner, at: endOffset) {
            case .nothing:
                if until != nil { stopReason = "the batch is missing" }
                return false
            case .bad(let reason):
                stopReason = reason
                return false
            case .batch(let batch, _) where batch.lsn > limit:
                return false
            case .batch(let batch, let contents):
                if let reason = misplacement(of: batch) {
                    stopReason = reason
                    return false
                }
                try accept(batch, contents, scanner: scanner, visitor: &visitor)
                endOffset += Int(batch.byteCount)
                if open.isEmpty, visitor.isFull {
                    isStopped = true
                    return false
                }
            }
        }
    }

    private func scanned(
        _ scanner: SegmentScanner, at offset: Int
    ) throws(LogError) -> SegmentScanner.Found {
        do throws(FileSystemError) {
            return try scanner.batch(at: offset)
        } catch {
            throw .io(error)
        }
    }

    /// Why a valid batch can't be the next one.
    private func misplacement(of batch: BatchHeader) -> String? {
        if batch.lsn != nextLSN { return "the batch here has LSN \(batch.lsn)" }
        let isContinuation = open.first?.header.transactionFirstLSN == batch.transactionFirstLSN
        // The first part may have been retired.
        let isRest = open.isEmpty && batch.transactionFirstLSN <= passedLSN
        if !isContinuation, !isRest, batch.transactionFirstLSN != batch.lsn {
            return "the batch continues a transaction that is not open"
        }
        return nil
    }

    private mutating func accept<Visitor: RecoveryVisitor>(
        _ batch: BatchHeader, _ contents: BatchCheck.Contents, scanner: SegmentScanner,
        visitor: inout Visitor
    ) throws {
        assert(batch.lsn == nextLSN, "rule 1: batch \(batch.lsn) is accepted as \(nextLSN)")
        durableEvidence = max(durableEvidence, batch.durableLSN)
        report.batchCount += 1
        report.recordCount += Int(batch.recordCount)
        report.byteCount += UInt64(batch.byteCount)
        if batch.transactionFirstLSN == batch.lsn {
            report.deadBatches += open.count
            forgetOpen()
        }
        let pending = PendingBatch(
            number: scanner.header.number, offset: endOffset, header: batch,
            hasRollback: contents.hasRollback)
        open.append(pending)
        nextLSN = batch.lsn.next
        guard batch.isLast else { return }
        try deliver(scanner, visitor: &visitor)
        forgetOpen()
    }

    // MARK: Delivering

    private mutating func deliver<Visitor: RecoveryVisitor>(
        _ current: SegmentScanner, visitor: inout Visitor
    ) throws {
        guard let first = open.first, let final = open.last else { return }
        var void = voidBefore
        if open.contains(where: { $0.hasRollback }) { void += try voidRanges(current) }
        try visitor.beginTransaction(firstLSN: first.header.lsn)
        for batch in open {
            // A lone batch is still in the scanner's window, and verified.
            let isVerified = open.count == 1 && batch.number == current.header.number
            try withRecords(of: batch, current, isVerified: isVerified) { record, place, expected in
                if !expected.isEmpty { visitor.expect(expected) }
                if record.kind == .rollback { return }
                if record.kind == .retireSegment { note(record) }
                if !void.isEmpty, void.contains(where: { $0.contains(place) }) { return }
                try visitor.record(record)
                report.replayedRecords += 1
            }
            report.replayedBytes += Int(batch.header.byteCount)
        }
        let place =
            final.number == current.header.number
            ? LogPlace(of: final.header, in: current.header) : nil
        if let place { visitor.willEnd(at: place) }
        try visitor.endTransaction(lastLSN: final.header.lsn)
        if let place { lastPlace = place }
        report.replayedTransactions += 1
    }

    private mutating func note(_ record: RecoveredRecord) {
        guard let table = RetirementTable(decoding: record.value) else { return }
        newestTable = table
        report.retirementLocation = record.location
    }

    /// The parts of the open transaction that its rollback records make void.
    private mutating func voidRanges(
        _ current: SegmentScanner
    ) throws -> [Range<TransactionPlace>] {
        var ranges: [Range<TransactionPlace>] = []
        for batch in open where batch.hasRollback {
            try withRecords(of: batch, current, isVerified: false) { record, place, _ in
                guard let target = TransactionPlace(rollback: record) else { return }
                if target < place { ranges.append(target..<place) }
            }
        }
        return ranges
    }

    private func withRecords(
        of batch: PendingBatch, _ current: SegmentScanner, isVerified: Bool,
        _ body: (
            RecoveredRecord, TransactionPlace, _ expected: UnsafeBufferPointer<RecordPointer>
        ) throws -> Void
    ) throws {
        var scanner = current
        if batch.number != current.header.number {
            guard let header = catalog[batch.number]?.header else {
                throw LogError.damaged(
                    LogDamage(
                        file: batch.number.path(in: directory), offset: UInt64(batch.offset),
                        lsn: batch.header.lsn, reason: "the segment is missing"))
            }
            scanner = try self.scanner(of: header)
        }
        if !isVerified {
            // Read again, perhaps from the device: so check again.
            guard case .batch = try scanned(scanner, at: batch.offset) else {
                throw LogError.damaged(
                    LogDamage(
                        file: scanner.path, offset: UInt64(batch.offset), lsn: batch.header.lsn,
                        reason: "the batch reads differently the second time"))
            }
        }
        try scanner.forEachRecord(of: batch.header, at: batch.offset) { record, expected in
            let offset = UInt32(record.location.offset - batch.offset)
            try body(record, TransactionPlace(lsn: batch.header.lsn, offset: offset), expected)
        }
    }
}
