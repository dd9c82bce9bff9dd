import SegmentLog
import TravertineStore

/// Versions that replaying the log does not give: of single records, and of retired segments.
extension StoreSalvage {
    mutating func takeStrays(
        _ placement: StrayPlacement, into index: SalvageIndex
    ) throws {
        for placed in placement.placed(sources.flatMap(\.fragments.strays))
        where retired.stretch(holding: placed.lsn) == nil {
            let stray = placed.stray
            try FragmentReader.forEachRecord(
                at: stray.position, context: stray.context, lsn: placed.lsn, number: .none,
                in: sources[stray.source].window
            ) { record in
                switch record.kind {
                case .put, .delete, .move, .tombstoneMove:
                    try index.offer(
                        record, source: stray.source, position: stray.position,
                        context: stray.context)
                    report.strayRecordCount += 1
                case .indexPut, .indexDelete, .indexReset, .rollback, .retireSegment, .pack:
                    break
                }
            }
        }
    }

    /// Takes what compaction retired where a copy of it may be among what is missing: that has an
    /// LSN after the record, and before the table.
    mutating func takeRetired(
        _ plan: SalvagePlan, retiredAt tableLSN: LSN, into index: SalvageIndex
    ) throws {
        let last = report.gaps.filter { $0.firstLSN < tableLSN.rawValue }.map(\.lastLSN).max()
        guard let last else { return }
        let outcome = try SalvageReplay.run(
            sources, plan, retired: retired, part: .retired(through: LSN(rawValue: last)),
            end: LogEnd(), before: nil, into: index
        ) { _, _ in }
        report.retiredVersionCount = outcome.takenVersionCount
        if outcome.takenVersionCount == 0 { return }
        report.notes.append(
            "\(outcome.takenVersionCount) versions were taken from segments that compaction had "
                + "retired, because their copies may be among what is missing; some of them may "
                + "have been deleted since.")
    }
}
