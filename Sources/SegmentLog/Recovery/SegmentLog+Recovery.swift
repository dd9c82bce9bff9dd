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

    // MARK: The tail rule

    /// The tail rule (step 4 of opening): damage when something says that the first missing LSN was
    /// durable.
    private func applyTailRule(
        _ walk: inout LogWalk, otherEvidence: LSN, cleanEnd: LogPosition?
    ) throws(LogError) {
        let missing = walk.nextLSN
        let end = walk.report.end
        do throws(FileSystemError) {
            try collectEvidence(&walk)
        } catch {
            throw .io(error)
        }
        let isBeforeCleanEnd = cleanEnd.map { isBefore(end, $0) } ?? false
        let isKnown = walk.durableEvidence >= missing || isBeforeCleanEnd
        guard isKnown || otherEvidence >= missing else { return }
        let culprit = culprit(in: walk)
        let why =
            isBeforeCleanEnd
            ? "the log was closed cleanly after this place"
            : "LSN \(max(walk.durableEvidence, otherEvidence)) was acknowledged as durable"
        var damage = LogDamage(
            file: path(of: culprit.position.segment), offset: culprit.position.offset,
            lsn: missing, reason: "\(culprit.reason); \(why)")
        damage.isByOtherEvidenceAlone = !isKnown
        throw .damaged(damage)
    }

    private func isBefore(_ left: LogPosition, _ right: LogPosition) -> Bool {
        (left.segment, left.offset) < (right.segment, right.offset)
    }

    /// The place to name in a damage report: where the walk stopped, or the segment that should
    /// follow there.
    private func culprit(
        in walk: LogWalk
    ) -> (position: LogPosition, reason: String) {
        if let reason = walk.stopReason {
            let missing = walk.missingSegment.map { LogPosition(segment: $0, offset: 0) }
            return (missing ?? walk.report.end, reason)
        }
        let catalog = walk.catalog
        let after = walk.report.end.segment
        for number in catalog.numbers where number > after {
            if case .bad(let reason) = catalog[number] {
                return (LogPosition(segment: number, offset: 0), reason)
            }
        }
        if after == .none {
            let first = SegmentNumber(rawValue: 1)
            return (LogPosition(segment: first, offset: 0), "the segment is missing")
        }
        return (walk.report.end, "the batch is missing")
    }

    /// Searches everything after the end for what it says of durable LSNs.
    private func collectEvidence(
        _ walk: inout LogWalk
    ) throws(FileSystemError) {
        let end = walk.report.end
        var reason = walk.stopReason
        if let scanner = walk.last {
            try collectEvidence(&walk, from: scanner, offset: Int(end.offset))
            let dataEnd = try scanner.endOfNonZero(from: Int(end.offset))
            if dataEnd > Int(end.offset) {
                walk.report.ignoredTail = IgnoredTail(
                    file: scanner.path, offset: end.offset,
                    byteCount: UInt64(dataEnd) - end.offset, lsn: walk.nextLSN,
                    reason: reason ?? "no batch begins here")
            }
        }
        for header in walk.catalog.headers(after: end.segment) {
            walk.durableEvidence = max(walk.durableEvidence, header.durableLSN)
            let file = try environment.fileSystem.open(path(of: header.number), .readOnly)
            let scanner = try SegmentScanner(file: file, header: header)
            try collectEvidence(&walk, from: scanner, offset: SegmentHeader.byteCount)
            reason = reason ?? "segment \(header.number) does not follow"
        }
        for number in walk.catalog.numbers where number > end.segment {
            if case .bad(let found) = walk.catalog[number] { reason = reason ?? found }
        }
        if let reason, walk.report.ignoredTail == nil {
            walk.report.ignoredTail = IgnoredTail(
                file: path(of: end.segment), offset: end.offset, byteCount: 0, lsn: walk.nextLSN,
                reason: reason)
        }
    }

    /// Every place after `offset` where a whole, valid batch begins may say more.
    private func collectEvidence(
        _ walk: inout LogWalk, from scanner: SegmentScanner, offset: Int
    ) throws(FileSystemError) {
        var offset = offset
        while let candidate = try scanner.nextBatchCandidate(from: offset) {
            if case .batch(let batch, _) = try scanner.batch(at: candidate) {
                walk.durableEvidence = max(walk.durableEvidence, batch.durableLSN)
                offset = candidate + Int(batch.byteCount)
            } else {
                offset = candidate + RecordLayout.alignment
            }
        }
    }

    // MARK: Taking over

    /// Prepares the writer to go on after the recovered end.
    private func takeOver(
        _ walk: LogWalk, catalog: SegmentCatalog,
        start: (position: LogPosition, nextLSN: LSN)?, cleanEnd: LogPosition?
    ) throws(LogError) {
        let end = walk.report.end
        writer.nextLSN = walk.nextLSN
        writer.olderNumbers = catalog.allNumbers.filter { number in
            catalog[number] == nil
        }
        writer.nextNumber = UInt64(catalog.allNumbers.last?.rawValue ?? 0) + 1
        writer.retirementLocation = walk.report.retirementLocation
        writer.retirementTable = walk.newestTable
        let retired = walk.newestTable ?? RetirementTable()
        writer.retiredFiles = catalog.numbers.filter(retired.contains)
        let reached = Set(walk.report.segments.map(\.number)).union(writer.retiredFiles)
        for summary in walk.report.segments where !retired.contains(summary.number) {
            summaries.withLock { $0[summary.number] = summary }
        }
        if let scanner = walk.last {
            writer.predecessor = SegmentHeader.Predecessor(
                number: end.segment, salt: scanner.header.salt, endOffset: end.offset,
                lastLSN: walk.nextLSN.previous)
            do throws(FileSystemError) {
                // A file that lost its zeros is not resumed: readers may have mapped it as it is.
                // Nor is one before segments that a power cut has cut off: a later segment must
                // begin with the LSNs that they have, to show that these were used again (rule 2).
                if try !mayChange(scanner.header) {
                    writer.abandoned = nil
                } else if cleanEnd == end, walk.stopReason == nil,
                    catalog.headers(after: end.segment).isEmpty,
                    scanner.byteCount == Int(scanner.header.segmentByteCount),
                    try scanner.firstNonZero(from: Int(end.offset)) == nil
                {
                    writer.resumable = ActiveSegmentPlace(
                        header: scanner.header, tail: Int(end.offset))
                } else {
                    writer.abandoned = ActiveSegmentPlace(
                        header: scanner.header, tail: Int(end.offset))
                }
            } catch {
                throw .io(error)
            }
        }
        try adoptSpare(catalog, after: end.segment, reached: reached)
        do throws(FileSystemError) {
            durability.begin(
                at: walk.nextLSN.previous, entriesSyncedThrough: end.segment,
                in: try environment.fileSystem.openDirectory(directory))
        } catch {
            throw .io(error)
        }
        writer.isRecovered = true
    }

    /// Keeps one unused spare, and notes every other file that holds nothing that counts.
    private func adoptSpare(
        _ catalog: SegmentCatalog, after end: SegmentNumber, reached: Set<SegmentNumber>
    ) throws(LogError) {
        for number in catalog.numbers where !reached.contains(number) {
            if case .spare = catalog[number], number > end, writer.spare == nil,
                number == catalog.allNumbers.last, let count = try spareByteCount(number)
            {
                writer.spare = SpareSegment(number: number, byteCount: count)
            } else {
                writer.unreachable.append(number)
            }
        }
    }

    /// The allocated size of a spare that is nothing but zeros; nil when it is not.
    private func spareByteCount(_ number: SegmentNumber) throws(LogError) -> Int? {
        do throws(FileSystemError) {
            let file = try environment.fileSystem.open(path(of: number), .readOnly)
            let size = min(try file.byteCount(), UInt64(SegmentHeader.segmentByteCountMax))
            guard size >= FileBlock.byteCount, try file.allocatedByteCount() >= size else {
                file.close()
                return nil
            }
            let placeholder = SegmentHeader(
                identity: identity, number: number, salt: 1, firstLSN: .zero, predecessor: .none,
                segmentByteCount: size, durableLSN: .zero)
            let scanner = try SegmentScanner(file: file, header: placeholder)
            return try scanner.firstNonZero(from: 0) == nil ? Int(size) : nil
        } catch {
            throw .io(error)
        }
    }
}

extension SegmentScanner {
    /// The first 8-byte aligned place at or after `offset` that has a batch's magic.
    func nextBatchCandidate(from start: Int) throws(FileSystemError) -> Int? {
        var offset = RecordLayout.padded(start)
        while let found = try firstNonZero(from: offset) {
            offset = found & ~(RecordLayout.alignment - 1)
            let count = min(64 << 10, byteCount - offset)
            guard let base = try bytes(at: offset, count: count) else { return nil }
            for place in stride(from: 0, through: count - 4, by: RecordLayout.alignment)
            where BatchHeader.hasMagic(base + place) {
                return offset + place
            }
            offset += RecordLayout.padded(count)
        }
        return nil
    }
}
