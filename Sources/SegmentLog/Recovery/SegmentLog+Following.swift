/// Reading the log of another process that may write in the meantime, up to what is durable (R1).
extension SegmentLog {
    /// Replays the log from a place up to an LSN that is durable, while another process may write
    /// after it. Changes nothing, and prepares nothing for writing.
    ///
    /// - Parameters:
    ///   - start: where to begin; nil is the log's first segment.
    ///   - salt: that of the segment where it begins, if it is known: another segment with its
    ///     number is damage.
    /// - Returns: what was read; `end` and `lastLSN` are those of the last whole transaction, where
    ///   the next call goes on.
    /// - Throws: `.damaged` when the log is not whole from the place up to the LSN: then a newer
    ///   checkpoint may help.
    package func follow<Visitor: RecoveryVisitor>(
        from start: (position: LogPosition, nextLSN: LSN)?, through limit: LSN,
        salt: UInt64? = nil, visitor: inout Visitor
    ) throws -> RecoveryReport {
        let first = start?.position.segment ?? .none
        let catalog = try SegmentCatalog(
            directory: directory, identity: identity, fileSystem: environment.fileSystem,
            first: first)
        if let salt, let found = catalog[first]?.header?.salt, found != salt {
            throw LogError.damaged(
                LogDamage(
                    file: path(of: first), offset: 0, lsn: start?.nextLSN,
                    reason: "the segment was replaced by another one"))
        }
        var walk = LogWalk(
            catalog: catalog, directory: directory, fileSystem: environment.fileSystem,
            nextLSN: start?.nextLSN ?? LSN(rawValue: 1), durableEvidence: limit,
            retired: start == nil
                ? try searchRetirementTable(catalog, through: limit, durableEvidence: limit)
                : RetirementTable())
        walk.limit = limit
        let header =
            start == nil
            ? try startPlace(nil, catalog: catalog, walk: &walk)?.header : catalog[first]?.header
        if let header {
            let offset = start.map { Int(clamping: $0.position.offset) } ?? 0
            try walk.run(
                from: header, offset: max(offset, SegmentHeader.byteCount), visitor: &visitor)
        }
        guard walk.nextLSN > limit else {
            throw LogError.damaged(
                LogDamage(
                    file: path(of: walk.report.end.segment), offset: walk.report.end.offset,
                    lsn: walk.nextLSN,
                    reason: walk.stopReason ?? "the log ends before the LSN that is durable"))
        }
        try demandRetirement(walk)
        if let table = walk.newestTable {
            writer.retirementTable = table
            writer.retirementLocation = walk.report.retirementLocation
        }
        mappings.noteGrowing(from: walk.report.end.segment)
        var report = walk.report
        if let open = walk.open.first {
            report.end = LogPosition(segment: open.number, offset: UInt64(open.offset))
            report.lastLSN = open.header.lsn.previous
        }
        if header == nil, let start {
            (report.end, report.lastLSN) = (start.position, start.nextLSN.previous)
        }
        return report
    }
}
