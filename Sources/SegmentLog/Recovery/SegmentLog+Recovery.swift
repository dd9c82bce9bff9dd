/// Opening a log: what may not be durable is synced, then the log is read from a checkpoint or its
/// beginning, and the tail rule decides what its end means.
extension SegmentLog {
    /// Makes the log durable, reads it, and applies the tail rule.
    ///
    /// First syncs every segment that may hold what nothing calls durable, and drops it from the
    /// cache. Then verifies every batch from `start` on (nil: from the log's first segment), and
    /// hands the records of complete transactions to `visitor` in LSN order; parts that were rolled
    /// back are left out. Reads through `pread` only.
    ///
    /// Throws `.damaged` when a batch is missing or bad whose LSN is at most `durableEvidence`, or
    /// the `durableLSN` of any valid later batch or segment, or that lies before `cleanEnd`.
    /// Otherwise nothing from there on was acknowledged, and it is ignored, which the report
    /// states.
    /// - Parameters:
    ///   - otherEvidence: as `durableEvidence`; where it alone calls something durable that is
    ///     missing, the damage is marked (`LogDamage.isByOtherEvidenceAlone`).
    ///   - cleanEnd: the end that the last clean close recorded. When the log ends right there and
    ///     only zeros follow, appending goes on in that segment, unless others come after it.
    package func recover<Visitor: RecoveryVisitor>(
        from start: (position: LogPosition, nextLSN: LSN)?, durableEvidence: LSN,
        otherEvidence: LSN = .zero, cleanEnd: LogPosition?, visitor: inout Visitor
    ) throws -> RecoveryReport {
        precondition(!writer.isRecovered, "a log is recovered once")
        try prepareBatch()
        let first = start?.position.segment ?? .none
        var catalog = try readCatalog(first: first)
        let evidence = max(durableEvidence, otherEvidence)
        if try settle(catalog, durableEvidence: evidence, cleanEnd: cleanEnd) {
            // Headers too may have been in the cache only.
            catalog = try readCatalog(first: first)
        }
        let table =
            start == nil
            ? try searchRetirementTable(catalog, durableEvidence: evidence)
            : RetirementTable()
        var walk = LogWalk(
            catalog: catalog, directory: directory, fileSystem: environment.fileSystem,
            nextLSN: start?.nextLSN ?? LSN(rawValue: 1), durableEvidence: durableEvidence,
            retired: table)
        if let place = try startPlace(start, catalog: catalog, walk: &walk) {
            try walk.run(from: place.header, offset: place.tail, visitor: &visitor)
        }
        try applyTailRule(&walk, otherEvidence: otherEvidence, cleanEnd: cleanEnd)
        try demandRetirement(walk)
        try takeOver(walk, catalog: catalog, start: start, cleanEnd: cleanEnd)
        return walk.report
    }

    /// Takes the address space for the largest batch; there may be none.
    private func prepareBatch() throws(LogError) {
        do throws(FileSystemError) {
            let memory = try AnonymousMemory(byteCount: BatchBuilder.capacity, for: directory)
            batchMemory = memory
            batch.pointee = BatchBuilder(base: memory.base)
        } catch {
            throw .io(error)
        }
    }

    private func readCatalog(first: SegmentNumber) throws(LogError) -> SegmentCatalog {
        try SegmentCatalog(
            directory: directory, identity: identity, fileSystem: environment.fileSystem,
            first: first)
    }

    /// Where reading begins; nil when no segment is there to begin with.
    func startPlace(
        _ start: (position: LogPosition, nextLSN: LSN)?, catalog: SegmentCatalog,
        walk: inout LogWalk
    ) throws(LogError) -> ActiveSegmentPlace? {
        guard let start, start.position.segment != .none else {
            var first = catalog.root
            if let stretch = walk.retired.stretch(after: .none) { first = walk.goOver(stretch) }
            return first.map { ActiveSegmentPlace(header: $0, tail: SegmentHeader.byteCount) }
        }
        let offset = Int(clamping: start.position.offset)
        let number = start.position.segment
        guard let header = catalog[number]?.header else {
            var reason = "the segment is missing"
            if case .bad(let found) = catalog[number] { reason = found }
            if case .spare = catalog[number] { reason = "the segment header is empty" }
            throw .damaged(
                LogDamage(file: path(of: number), offset: 0, lsn: start.nextLSN, reason: reason))
        }
        return ActiveSegmentPlace(header: header, tail: max(offset, SegmentHeader.byteCount))
    }

    /// What shows a walk from the log's beginning the way, if segments are missing in it.
    func searchRetirementTable(
        _ catalog: SegmentCatalog, through limit: LSN = LSN(rawValue: .max),
        durableEvidence: LSN
    ) throws -> RetirementTable {
        guard catalog.hasGaps else { return RetirementTable() }
        let search = RetirementSearch(
            catalog: catalog, directory: directory, fileSystem: environment.fileSystem,
            limit: limit, durableEvidence: durableEvidence)
        return try search.newestTable()
    }

    /// Rule 9: a missing segment that no record of the log retires is damage.
    func demandRetirement(_ walk: LogWalk) throws(LogError) {
        guard let stretch = walk.unprovenStretch else { return }
        throw .damaged(
            LogDamage(
                file: path(of: stretch.number), offset: 0, lsn: stretch.lastLSN,
                reason: "the segment is missing, and no record of the log retires it"))
    }

    /// Settling (step 2 of opening): what the walk will read is on the device.
    ///
    /// A process may have died with unsynced batches, or after a failed sync, whose pages the cache
    /// still shows although the device never got them. So before anything is read, segments that
    /// are not durable as a whole are synced and leave the cache.
    ///
    /// - Returns: true when there was such a segment.
    private func settle(
        _ catalog: SegmentCatalog, durableEvidence: LSN, cleanEnd: LogPosition?
    ) throws(LogError) -> Bool {
        var hasSettled = false
        let headers = catalog.headers(after: .none)
        let durable = headers.reduce(durableEvidence) { max($0, $1.durableLSN) }
        do throws(FileSystemError) {
            for header in headers {
                if let successor = catalog.successor(of: header),
                    successor.predecessor.lastLSN <= durable
                {
                    continue
                }
                // A clean close has synced all up to its end, and a process that writes after it
                // first records that in the manifest: then there is no clean end.
                if let cleanEnd, header.number <= cleanEnd.segment { continue }
                let file = try openToSettle(header.number)
                defer { file.close() }
                try file.sync()
                try file.dropCache(from: 0, byteCount: header.segmentByteCount)
                // The device reads on while the walk replays what is there already.
                file.readAhead(from: 0, byteCount: header.segmentByteCount)
                hasSettled = true
            }
            if hasSettled { try environment.fileSystem.syncDirectory(directory) }
        } catch {
            throw .io(error)
        }
        return hasSettled
    }

    /// A segment that is to be synced: to be written if the file system allows that.
    private func openToSettle(_ number: SegmentNumber) throws(FileSystemError) -> File {
        do {
            return try environment.fileSystem.open(path(of: number), .readWrite)
        } catch {
            guard error.isReadOnlyFileSystem else { throw error }
            return try environment.fileSystem.open(path(of: number), .readOnly)
        }
    }
}
