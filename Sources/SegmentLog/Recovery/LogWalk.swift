/// The walk over the log's batches in LSN order, from a place to its end.
///
/// 1. A segment that another names as its predecessor ends where that one says, whatever follows.
/// 2. The walk stops at the first LSN that is missing or bad; `stopReason` says why.
/// 3. A batch belongs to the open transaction when it names the same first LSN. Any other batch
///    makes the open transaction dead, and must begin one.
/// 4. Records reach the visitor once their transaction's last batch is verified.
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
    /// The segment in which the log ends.
    var last: SegmentScanner?
    var endOffset = 0
    /// Nothing behind this LSN is read: what another process may not have made durable yet.
    var limit = LSN(rawValue: .max)
    var open: [PendingBatch] = []

    init(
        catalog: SegmentCatalog, directory: String, fileSystem: FileSystem, nextLSN: LSN,
        durableEvidence: LSN
    ) {
        self.catalog = catalog
        self.directory = directory
        self.fileSystem = fileSystem
        self.nextLSN = nextLSN
        self.durableEvidence = durableEvidence
    }

    func path(of number: SegmentNumber) -> String { directory + "/" + number.fileName }

    func scanner(of header: SegmentHeader) throws(LogError) -> SegmentScanner {
        do throws(FileSystemError) {
            let file = try fileSystem.open(path(of: header.number), .readOnly)
            return try SegmentScanner(file: file, header: header)
        } catch {
            throw .io(error)
        }
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
            let successor = catalog.successor(of: header)
            let reachedEnd = try walkSegment(
                scanner, until: successor.map { Int(clamping: $0.predecessor.endOffset) },
                visitor: &visitor)
            report.segments.append(
                SegmentSummary(
                    number: header.number, byteCount: header.segmentByteCount,
                    endOffset: UInt64(endOffset), firstLSN: header.firstLSN,
                    lastLSN: nextLSN.previous))
            guard reachedEnd, let successor else { break }
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
        if !isContinuation, batch.transactionFirstLSN != batch.lsn {
            return "the batch continues a transaction that is not open"
        }
        return nil
    }

    private mutating func accept<Visitor: RecoveryVisitor>(
        _ batch: BatchHeader, _ contents: SegmentScanner.BatchContents, scanner: SegmentScanner,
        visitor: inout Visitor
    ) throws {
        durableEvidence = max(durableEvidence, batch.durableLSN)
        if batch.transactionFirstLSN == batch.lsn {
            report.deadBatches += open.count
            open.removeAll(keepingCapacity: true)
        }
        let pending = PendingBatch(
            number: scanner.header.number, offset: endOffset, header: batch,
            hasRollback: contents.hasRollback)
        open.append(pending)
        nextLSN = batch.lsn.next
        guard batch.isLast else { return }
        try deliver(scanner, visitor: &visitor)
        open.removeAll(keepingCapacity: true)
    }

    // MARK: Delivering

    private mutating func deliver<Visitor: RecoveryVisitor>(
        _ current: SegmentScanner, visitor: inout Visitor
    ) throws {
        guard let first = open.first, let final = open.last else { return }
        let void = open.contains(where: { $0.hasRollback }) ? try voidRanges(current) : []
        try visitor.beginTransaction(firstLSN: first.header.lsn)
        for batch in open {
            // A lone batch is still in the scanner's window, and verified.
            let isVerified = open.count == 1
            try withRecords(of: batch, current, isVerified: isVerified) { record, place in
                if record.kind == .rollback { return }
                if !void.isEmpty, void.contains(where: { $0.contains(place) }) { return }
                try visitor.record(record)
                report.replayedRecords += 1
            }
            report.replayedBytes += Int(batch.header.byteCount)
        }
        try visitor.endTransaction(lastLSN: final.header.lsn)
        report.replayedTransactions += 1
    }

    /// The parts of the open transaction that its rollback records make void.
    private mutating func voidRanges(
        _ current: SegmentScanner
    ) throws -> [Range<TransactionPlace>] {
        var ranges: [Range<TransactionPlace>] = []
        for batch in open where batch.hasRollback {
            try withRecords(of: batch, current, isVerified: false) { record, place in
                guard record.kind == .rollback, record.value.count == 16 else { return }
                let target = TransactionPlace(
                    lsn: LSN(rawValue: record.value.loadUnaligned(as: UInt64.self)),
                    offset: record.value.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
                if target < place { ranges.append(target..<place) }
            }
        }
        return ranges
    }

    private func withRecords(
        of batch: PendingBatch, _ current: SegmentScanner, isVerified: Bool,
        _ body: (RecoveredRecord, TransactionPlace) throws -> Void
    ) throws {
        var scanner = current
        if batch.number != current.header.number {
            guard let header = catalog[batch.number]?.header else {
                throw LogError.damaged(
                    LogDamage(
                        file: batch.number.fileName, offset: UInt64(batch.offset),
                        lsn: batch.header.lsn, reason: "the segment is gone"))
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
        try scanner.forEachRecord(of: batch.header, at: batch.offset) { record in
            let offset = UInt32(record.location.offset - batch.offset)
            try body(record, TransactionPlace(lsn: batch.header.lsn, offset: offset))
        }
    }
}

/// A verified batch of a transaction whose end is not seen yet.
struct PendingBatch {
    var number: SegmentNumber
    var offset: Int
    var header: BatchHeader
    var hasRollback: Bool
}

/// A place among the records of a transaction: a batch, and an offset in it.
struct TransactionPlace: Comparable {
    var lsn: LSN
    var offset: UInt32

    static func < (left: TransactionPlace, right: TransactionPlace) -> Bool {
        (left.lsn, left.offset) < (right.lsn, right.offset)
    }
}
