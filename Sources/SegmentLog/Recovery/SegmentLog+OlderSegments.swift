/// What must be read to know the segments before the one in which recovery began.
package struct OlderSegments: Sendable {
    fileprivate var numbers: [SegmentNumber]
    /// The end of the chain that is looked for.
    fileprivate var last: SegmentHeader.Predecessor
    fileprivate var table: RetirementTable?
    fileprivate var tableLocation: Location?
}

/// What reading them has found.
package struct FoundSegments: Sendable {
    fileprivate var summaries: [SegmentSummary]
    fileprivate var others: [SegmentNumber]
    fileprivate var table: RetirementTable
}

extension SegmentLog {
    /// What must be read; nil when all segments are known. The writing thread.
    package var olderSegments: OlderSegments? {
        guard !writer.olderNumbers.isEmpty,
            let first = summaries.withLock({ $0.values.min { $0.number < $1.number } })
        else { return nil }
        return OlderSegments(
            numbers: writer.olderNumbers, last: first.predecessor, table: writer.retirementTable,
            tableLocation: writer.retirementLocation)
    }

    /// Walks the chain backwards, from header to header and over the stretches of the retirement
    /// table, so that every segment that belongs to the log is found, and nothing else.
    ///
    /// Reads the header of each, so it costs an open and a read per segment. Any thread, while
    /// others write: nothing is appended to these segments, and none is retired before all are
    /// known. Throws `.damaged` when a segment is bad or missing.
    package func read(_ older: OlderSegments) throws(LogError) -> FoundSegments {
        let catalog = try SegmentCatalog(
            directory: directory, identity: identity, fileSystem: environment.fileSystem,
            numbers: older.numbers)
        var table = RetirementTable()
        if let known = older.table {
            table = known
        } else {
            table = try readRetirementTable(at: older.tableLocation)
        }
        let found = try chain(endingWith: older.last, catalog, table)
        let known = Set(found.map(\.number))
        return FoundSegments(
            summaries: found, others: older.numbers.filter { !known.contains($0) }, table: table)
    }

    /// Adds what was found to `segments`; retired ones whose files are still there are added to
    /// `retiredFiles`, what is left over to `unreachableSegments`. The second time does nothing.
    /// The writing thread.
    package func install(_ found: FoundSegments) {
        if writer.olderNumbers.isEmpty { return }
        writer.olderNumbers = []
        if writer.retirementTable == nil { writer.retirementTable = found.table }
        writer.unreachable += found.others.filter { !found.table.contains($0) }
        writer.retiredFiles += found.others.filter(found.table.contains)
        summaries.withLock { summaries in
            for summary in found.summaries { summaries[summary.number] = summary }
        }
    }

    /// All three steps: adds the segments before the one in which recovery began to `segments`. The
    /// writing thread. After an error it has added nothing, and may be called again.
    package func loadOlderSegments() throws(LogError) {
        guard let older = olderSegments else { return }
        install(try read(older))
    }

    /// The segments that a followed log consists of up to its end, the last one first.
    ///
    /// What the writer appends after the end does not count. Retired segments are left out, but for
    /// those from `start` on, in which a replay after a checkpoint begins. Reads the header of each
    /// segment.
    package func followedSegments(
        from start: SegmentNumber?, through end: LogPosition, lastLSN: LSN
    ) throws(LogError) -> [SegmentSummary] {
        let catalog = try SegmentCatalog(
            directory: directory, identity: identity, fileSystem: environment.fileSystem,
            first: .none)
        let last = SegmentHeader.Predecessor(
            number: end.segment, salt: catalog[end.segment]?.header?.salt ?? 0,
            endOffset: end.offset, lastLSN: lastLSN)
        return try chain(endingWith: last, catalog, retirementTable(), replayedFrom: start)
    }

    /// Follows the chain of headers backwards, over retired stretches.
    private func chain(
        endingWith last: SegmentHeader.Predecessor, _ catalog: SegmentCatalog,
        _ table: RetirementTable, replayedFrom start: SegmentNumber? = nil
    ) throws(LogError) -> [SegmentSummary] {
        func isPassed(_ number: SegmentNumber) -> Bool {
            if let start, number >= start { return false }
            return table.contains(number)
        }
        var found: [SegmentSummary] = []
        var next = last
        while next.number != .none {
            guard !isPassed(next.number), let header = catalog[next.number]?.header,
                header.salt == next.salt
            else {
                next = try goOver(next, catalog, table)
                continue
            }
            found.append(
                SegmentSummary(
                    number: header.number, byteCount: header.segmentByteCount,
                    endOffset: next.endOffset, firstLSN: header.firstLSN, lastLSN: next.lastLSN,
                    salt: header.salt, predecessor: header.predecessor))
            next = header.predecessor
        }
        return found
    }

    /// The predecessor of the retired stretch that a segment, perhaps missing, lies in.
    private func goOver(
        _ missing: SegmentHeader.Predecessor, _ catalog: SegmentCatalog, _ table: RetirementTable
    ) throws(LogError) -> SegmentHeader.Predecessor {
        guard let stretch = table.stretches.first(where: { $0.contains(missing.number) }) else {
            var reason = "the segment is missing, and no record of the log retires it"
            if case .bad(let found) = catalog[missing.number] { reason = found }
            throw .damaged(
                LogDamage(
                    file: path(of: missing.number), offset: 0, lsn: missing.lastLSN,
                    reason: reason))
        }
        return SegmentHeader.Predecessor(
            number: stretch.predecessor,
            salt: catalog[stretch.predecessor]?.header?.salt ?? 0,
            endOffset: stretch.predecessorEnd, lastLSN: stretch.firstLSN.previous)
    }
}
