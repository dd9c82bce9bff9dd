/// Reading the transactions of the log from a place on, while they are appended to and old segments
/// are removed.
extension SegmentLog {
    /// How far a reading has come.
    package enum Reading: Sendable {
        /// All transactions up to the limit were shown.
        case reached
        /// The visitor has enough.
        case stopped
        /// The log does not have what follows any more.
        case missing
        /// The log has something else at the place: it is not the one that the place is of.
        case otherHistory
    }

    /// Shows all transactions after a place, up to an LSN that is durable, in order. Changes
    /// nothing but the place, which moves with each transaction that was shown.
    ///
    /// Reads the headers of the segments from the place on, and then the batches, all verified. Any
    /// thread.
    /// - Parameters:
    ///   - place: where to begin; nil is the beginning of the log.
    ///   - limit: the last LSN.
    ///   - isCertain: whether the place is known to be one of this log: else it is looked at though
    ///     nothing follows.
    /// - Throws: `.damaged` where a batch or a segment's header is, `.io`, and what the visitor
    ///   throws.
    package func read<Visitor: RecoveryVisitor>(
        after place: inout LogPlace?, through limit: LSN, isCertain: Bool = false,
        visitor: inout Visitor
    ) throws -> Reading {
        let lsn = place?.lsn ?? .zero
        if limit == lsn, isCertain || limit == .zero { return .reached }
        do {
            let catalog = try SegmentCatalog(
                directory: directory, identity: identity, fileSystem: environment.fileSystem,
                first: place?.segment ?? .none)
            let start: (header: SegmentHeader, offset: Int)
            switch try self.start(after: place, catalog, limit) {
            case .found(let header, let offset): start = (header, offset)
            case .none(let reading): return reading
            }
            if limit <= lsn { return .reached }
            guard Self.isWhole(catalog, from: start.header, through: limit) else {
                for number in catalog.numbers where number > start.header.number {
                    guard case .bad(let reason) = catalog[number] else { continue }
                    throw LogError.damaged(
                        LogDamage(file: path(of: number), offset: 0, lsn: nil, reason: reason))
                }
                return .missing
            }
            var walk = LogWalk(
                catalog: catalog, directory: directory, fileSystem: environment.fileSystem,
                nextLSN: lsn.next, durableEvidence: limit,
                retired: RetirementTable())
            walk.limit = limit
            defer { place = walk.lastPlace ?? place }
            try walk.run(from: start.header, offset: start.offset, visitor: &visitor)
            if walk.isStopped { return .stopped }
            if walk.nextLSN > limit { return .reached }
            guard let reason = walk.stopReason else { return .missing }
            throw LogError.damaged(
                LogDamage(
                    file: path(of: walk.report.end.segment), offset: walk.report.end.offset,
                    lsn: walk.nextLSN, reason: reason))
        } catch LogError.io(let error) where error.isNotFound {
            // The file was removed since the directory was listed.
            return .missing
        }
    }

    /// Whether the segments follow one another from one up to that which holds an LSN, by their
    /// headers: so nothing is shown before a gap.
    private static func isWhole(
        _ catalog: SegmentCatalog, from first: SegmentHeader, through limit: LSN
    ) -> Bool {
        var last = first
        while let next = catalog.successor(of: last) { last = next }
        return !catalog.headers(after: last.number).contains { $0.firstLSN <= limit }
    }

    /// Where the transactions after a place begin.
    private enum Start {
        case found(SegmentHeader, offset: Int)
        case none(Reading)
    }

    private func start(
        after place: LogPlace?, _ catalog: SegmentCatalog, _ newest: LSN
    ) throws(LogError) -> Start {
        guard let place else {
            guard let root = catalog.root, root.firstLSN == LSN(rawValue: 1) else {
                return .none(.missing)
            }
            return .found(root, offset: SegmentHeader.byteCount)
        }
        if case .bad(let reason) = catalog[place.segment] {
            throw LogError.damaged(
                LogDamage(
                    file: path(of: place.segment), offset: 0, lsn: place.lsn, reason: reason))
        }
        guard let header = catalog[place.segment]?.header else {
            // It may have ended with the place, and compaction has removed it.
            let next = catalog.headers(after: place.segment).last {
                $0.firstLSN == place.lsn.next && $0.predecessor.number == place.segment
                    && $0.predecessor.salt == place.salt && $0.predecessor.lastLSN == place.lsn
            }
            guard let next else {
                // Numbers and LSNs only grow in one history.
                let isBeyond = catalog.numbers.allSatisfy { $0 < place.segment }
                return .none(isBeyond || place.lsn > newest ? .otherHistory : .missing)
            }
            return .found(next, offset: SegmentHeader.byteCount)
        }
        let scanner = try SegmentScanner.open(header, in: directory, environment.fileSystem)
        guard header.salt == place.salt,
            case .batch(let batch, _) = try batch(at: Int(place.offset), scanner),
            batch.lsn == place.lsn, batch.checksum == place.checksum, batch.isLast
        else { return .none(.otherHistory) }
        return .found(header, offset: Int(place.offset) + Int(batch.byteCount))
    }

    /// The place of the last transaction that ended up to an LSN: after it there may be batches of
    /// one that never ended. Nil if the log does not have it.
    ///
    /// Reads the segment that holds it, up to the LSN. Any thread.
    package func place(of lsn: LSN) throws(LogError) -> LogPlace? {
        let catalog = try SegmentCatalog(
            directory: directory, identity: identity, fileSystem: environment.fileSystem,
            first: .none)
        for header in catalog.headers(after: .none).reversed() where header.firstLSN <= lsn {
            let scanner = try SegmentScanner.open(header, in: directory, environment.fileSystem)
            var offset = SegmentHeader.byteCount
            var last: BatchHeader?
            while case .batch(let batch, _) = try batch(at: offset, scanner), batch.lsn <= lsn {
                if batch.isLast { last = batch }
                offset += Int(batch.byteCount)
            }
            if let last { return LogPlace(of: last, in: header) }
        }
        return nil
    }

    /// The place of the batch with an LSN and a checksum that ends a transaction; nil if the log
    /// does not have it. Compaction may have removed its segment, and nothing after it.
    package func place(of lsn: LSN, checksum: UInt32) throws(LogError) -> LogPlace? {
        if let place = try place(of: lsn), place.lsn == lsn {
            return place.checksum == checksum ? place : nil
        }
        let catalog = try SegmentCatalog(
            directory: directory, identity: identity, fileSystem: environment.fileSystem,
            first: .none)
        let next = catalog.headers(after: .none).last {
            $0.firstLSN == lsn.next && $0.predecessor.lastLSN == lsn
        }
        return next.map { next in
            LogPlace(
                segment: next.predecessor.number, salt: next.predecessor.salt,
                lineage: next.identity.lineage, offset: 0, checksum: checksum, lsn: lsn)
        }
    }

    private func batch(
        at offset: Int, _ scanner: SegmentScanner
    ) throws(LogError) -> SegmentScanner.Found {
        do throws(FileSystemError) {
            return try scanner.batch(at: offset)
        } catch {
            throw .io(error)
        }
    }
}
