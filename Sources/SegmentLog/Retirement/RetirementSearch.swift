/// Looks for the newest retirement table of a log: what a replay from the log's beginning needs
/// before it can follow the chain.
///
/// Segments that later ones name count up to the end that those give them, and only if a scan
/// reaches that end; a segment that another with a higher number supersedes counts not at all. So a
/// table that recovery once ignored is not taken for one of the log.
///
/// Where a segment's predecessor is missing, two things may have happened. It was retired, by this
/// table or a later one; or a power cut took it, and the table after it was never durable and never
/// counted (unsynced segments reach the disk in any order). A table whose LSN something on the disk
/// calls durable is believed: what is missing before it is retired, or damage. A newer one is
/// believed only if the log leads to it, over the stretches that it retires (`leads`). Where it
/// does not, it never was durable, and all that it retires is still there; or the log before it is
/// damaged, which the walk finds, with whatever table. One after which another segment uses its
/// LSNs again (`isSuperseded`) was ignored by an earlier recovery.
struct RetirementSearch {
    let catalog: SegmentCatalog
    let directory: String
    let fileSystem: FileSystem
    /// Nothing after this LSN is believed.
    var limit = LSN(rawValue: .max)
    /// The highest LSN that is known to be durable; segments and batches may say more.
    var durableEvidence = LSN.zero

    /// A table that a scan found.
    private struct Candidate {
        var table: RetirementTable
        var lsn: LSN
        var segment: SegmentNumber
    }

    /// The newest table; empty if there is none.
    func newestTable() throws -> RetirementTable {
        var durable = durableEvidence
        // Newest last: a few, for the tables that are known to be durable are replaced by newer
        // ones.
        var candidates: [Candidate] = []
        // The last LSN of each segment that was read up to its end.
        var ends: [SegmentNumber: LSN] = [:]
        for header in catalog.headers(after: .none) {
            durable = max(durable, header.durableLSN)
            guard isReachable(header, ends) else { continue }
            let scanner = try SegmentScanner.open(header, in: directory, fileSystem)
            let end = catalog.successor(of: header)?.predecessor.endOffset
            var lsn = header.firstLSN.previous
            var offset = SegmentHeader.byteCount
            while offset < Int(clamping: end ?? UInt64.max),
                case .batch(let batch, _) = try scanner.batch(at: offset), batch.lsn == lsn.next,
                batch.lsn <= limit
            {
                durable = max(durable, batch.durableLSN)
                if batch.isLast {
                    try scanner.forEachRecord(of: batch, at: offset) { record, _ in
                        guard record.kind == .retireSegment,
                            !isSuperseded(header, at: batch.lsn),
                            let table = RetirementTable(decoding: record.value)
                        else { return }
                        candidates.append(
                            Candidate(table: table, lsn: batch.lsn, segment: header.number))
                    }
                }
                lsn = batch.lsn
                offset += Int(batch.byteCount)
            }
            if let end, UInt64(offset) == end { ends[header.number] = lsn }
            forgetOlder(than: durable, &candidates)
        }
        candidates.sort { $0.lsn < $1.lsn }
        let believed = candidates.last { candidate in
            candidate.lsn <= durable || leads(to: candidate, ends)
        }
        return believed?.table ?? RetirementTable()
    }

    /// Whether a later segment begins at or before an LSN of this one: then recovery once ignored
    /// this one from there on, and the LSNs were used again.
    private func isSuperseded(_ header: SegmentHeader, at lsn: LSN) -> Bool {
        catalog.headers(after: header.number).contains { $0.firstLSN <= lsn }
    }

    /// Of the tables that are known to be durable only the newest counts.
    private func forgetOlder(than durable: LSN, _ candidates: inout [Candidate]) {
        guard let newest = candidates.map(\.lsn).filter({ $0 <= durable }).max() else { return }
        candidates.removeAll { $0.lsn < newest }
    }

    private func isReachable(_ header: SegmentHeader, _ ends: [SegmentNumber: LSN]) -> Bool {
        let before = header.predecessor.number
        if before == .none { return catalog.root?.number == header.number }
        guard let predecessor = catalog[before]?.header else { return true }
        return ends[before] == header.predecessor.lastLSN
            && catalog.successor(of: predecessor)?.number == header.number
    }

    /// Whether a walk from the log's beginning, over the stretches that a table retires, comes to
    /// the segment in which the table is.
    ///
    /// What lies before a stretch was durable when its segments were retired, so that its batches
    /// need no second look; nor do those of the table's own segment, which the scan has read up to
    /// it.
    private func leads(to candidate: Candidate, _ ends: [SegmentNumber: LSN]) -> Bool {
        let table = candidate.table
        var place = catalog.root
        if let stretch = table.stretch(after: .none) { place = catalog.successor(of: stretch) }
        while let header = place, header.number < candidate.segment {
            if let stretch = table.stretch(after: header.number) {
                place = catalog.successor(of: stretch)
                continue
            }
            guard let next = catalog.successor(of: header),
                let last = ends[header.number], last == next.predecessor.lastLSN,
                next.firstLSN == last.next
            else { return false }
            place = next
        }
        return place?.number == candidate.segment
    }

}

extension SegmentCatalog {
    /// True when a segment names a predecessor that has no file, or when no segment is the first:
    /// compaction has taken segments out, or some are missing. A log without gaps is whole,
    /// whatever was retired, and is replayed as it is.
    var hasGaps: Bool {
        let headers = headers(after: .none)
        return !headers.isEmpty
            && (root == nil
                || headers.contains { header in
                    header.predecessor.number != .none && self[header.predecessor.number] == nil
                })
    }

    /// The segment that goes on after a retired stretch: the newest that names its last segment.
    func successor(of stretch: RetirementTable.Stretch) -> SegmentHeader? {
        headers(after: stretch.number).last { header in
            header.predecessor.number == stretch.number && header.firstLSN == stretch.lastLSN.next
        }
    }
}
