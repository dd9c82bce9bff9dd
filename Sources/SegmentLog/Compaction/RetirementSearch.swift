/// Looks for the newest retirement table of a log: what a replay from the log's beginning needs before
/// it can follow the chain.
///
/// Segments that later ones name count up to the end that those give them, and only if a scan reaches
/// that end; a segment that another with a higher number supersedes counts not at all. So a table that
/// recovery once ignored is not taken for one of the log. Where a predecessor is missing nothing can
/// be said, and the segment is believed; `LogWalk` demands at the end that a table of the walked log
/// retires every stretch that it went over.
struct RetirementSearch {
    let catalog: SegmentCatalog
    let directory: String
    let fileSystem: FileSystem
    /// Nothing behind this LSN is believed.
    var limit = LSN(rawValue: .max)

    /// The newest table; empty if there is none.
    func newestTable() throws -> RetirementTable {
        var newest = RetirementTable()
        var newestLSN = LSN.zero
        // The last LSN of each segment that was read up to its end.
        var ends: [SegmentNumber: LSN] = [:]
        for header in catalog.headers(after: .none) where isReachable(header, ends) {
            let scanner = try scanner(of: header)
            let end = catalog.successor(of: header)?.predecessor.endOffset
            var lsn = header.firstLSN.previous
            var offset = SegmentHeader.byteCount
            while offset < Int(clamping: end ?? UInt64.max),
                case .batch(let batch, _) = try scanner.batch(at: offset), batch.lsn == lsn.next,
                batch.lsn <= limit
            {
                if batch.isLast {
                    try scanner.forEachRecord(of: batch, at: offset) { record, _ in
                        guard record.kind == .retireSegment, batch.lsn > newestLSN,
                            let table = RetirementTable(decoding: record.value)
                        else { return }
                        newest = table
                        newestLSN = batch.lsn
                    }
                }
                lsn = batch.lsn
                offset += Int(batch.byteCount)
            }
            if let end, UInt64(offset) == end { ends[header.number] = lsn }
        }
        return newest
    }

    private func isReachable(_ header: SegmentHeader, _ ends: [SegmentNumber: LSN]) -> Bool {
        let before = header.predecessor.number
        if before == .none { return catalog.root?.number == header.number }
        guard let predecessor = catalog[before]?.header else { return true }
        return ends[before] == header.predecessor.lastLSN
            && catalog.successor(of: predecessor)?.number == header.number
    }

    private func scanner(of header: SegmentHeader) throws(LogError) -> SegmentScanner {
        do throws(FileSystemError) {
            let path = directory + "/" + header.number.fileName
            let file = try fileSystem.open(path, .readOnly)
            return try SegmentScanner(file: file, header: header)
        } catch {
            throw .io(error)
        }
    }
}

extension SegmentCatalog {
    /// True when a segment names a predecessor that has no file, or when no segment is the first:
    /// compaction has taken segments out, or some are missing. A log without gaps is whole, whatever
    /// was retired, and is replayed as it is.
    var hasGaps: Bool {
        let headers = headers(after: .none)
        return !headers.isEmpty
            && (root == nil
                || headers.contains { header in
                    header.predecessor.number != .none && self[header.predecessor.number] == nil
                })
    }

    /// The segment that goes on behind a retired stretch: the newest that names its last segment.
    func successor(of stretch: RetirementTable.Stretch) -> SegmentHeader? {
        headers(after: stretch.number).last { header in
            header.predecessor.number == stretch.number && header.firstLSN == stretch.lastLSN.next
        }
    }
}
