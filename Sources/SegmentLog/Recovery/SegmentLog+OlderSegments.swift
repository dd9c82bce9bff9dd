extension SegmentLog {
    /// Adds the segments before the one in which recovery began to `segments`.
    ///
    /// Walks the chain backwards, from header to header and over the stretches of the retirement
    /// table, so that every segment that belongs to the log is found, and nothing else. Retired ones
    /// whose files are still there go to `retiredFiles`, what is left over to `unreachableSegments`.
    ///
    /// Reads the header of each, so it costs an open and a read per segment, once. Call it from
    /// the writing thread. Throws `.damaged` when a segment is bad or missing; then it has added
    /// nothing, and tries again when it is called again.
    package func loadOlderSegments() throws(LogError) {
        guard let newest = writer.olderNumbers.last else { return }
        let catalog = try SegmentCatalog(
            directory: directory, identity: identity, fileSystem: environment.fileSystem,
            first: .none)
        let table = try retirementTable()
        guard let start = summaries.withLock({ $0.values.map(\.number).min() }),
            let first = catalog[start]?.header
        else { return }
        let found = try chain(endingWith: first.predecessor, catalog, table)
        let known = Set(found.map(\.number))
        let others = writer.olderNumbers.filter { $0 <= newest && !known.contains($0) }
        writer.olderNumbers = []
        writer.unreachable += others.filter { !table.contains($0) }
        writer.retiredFiles += others.filter(table.contains)
        summaries.withLock { summaries in
            for summary in found { summaries[summary.number] = summary }
        }
    }

    /// The segments that a followed log consists of up to its end, the last one first.
    ///
    /// What the writer appends behind the end does not count. Reads the header of each segment.
    package func followedSegments(
        through end: LogPosition, lastLSN: LSN
    ) throws(LogError) -> [SegmentSummary] {
        let catalog = try SegmentCatalog(
            directory: directory, identity: identity, fileSystem: environment.fileSystem,
            first: .none)
        let last = SegmentHeader.Predecessor(
            number: end.segment, salt: catalog[end.segment]?.header?.salt ?? 0,
            endOffset: end.offset, lastLSN: lastLSN)
        return try chain(endingWith: last, catalog, retirementTable())
    }

    /// Follows the chain of headers backwards, over retired stretches.
    private func chain(
        endingWith last: SegmentHeader.Predecessor, _ catalog: SegmentCatalog,
        _ table: RetirementTable
    ) throws(LogError) -> [SegmentSummary] {
        var found: [SegmentSummary] = []
        var next = last
        while next.number != .none {
            guard !table.contains(next.number), let header = catalog[next.number]?.header,
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
