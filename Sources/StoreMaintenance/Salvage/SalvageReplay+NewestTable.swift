import SegmentLog

/// Finding the retirement table that salvage goes by.
extension SalvageReplay {
    /// The newest retirement table that was found whole, and its LSN.
    static func newestTable(
        _ sources: [SalvageSource], _ plan: SalvagePlan
    ) -> (table: RetirementTable, lsn: LSN) {
        var newest = (table: RetirementTable(), lsn: LSN.zero)
        for run in plan.runs {
            let window = sources[run.source].window
            var position = run.position
            while position < run.position + run.byteCount,
                let batch = FragmentReader.batch(in: window, at: position)
            {
                let place = position
                position += Int(batch.byteCount)
                guard batch.isLast, batch.flags & BatchHeader.compactionFlag != 0,
                    batch.lsn > newest.lsn,
                    let segment = plan.segments[batch.salt], batch.lsn <= segment.limit
                else { continue }
                FragmentReader.forEachRecord(
                    of: batch, at: place, in: window, number: segment.number ?? .none
                ) { record, _ in
                    guard record.kind == .retireSegment,
                        let table = RetirementTable(decoding: record.value)
                    else { return }
                    newest = (table, batch.lsn)
                }
            }
        }
        return newest
    }
}
