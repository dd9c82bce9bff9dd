extension SegmentLog {
    /// Adds the segments before the one in which recovery began to `segments`.
    ///
    /// Reads the header of each, so it costs an open and a read per segment, once. Call it from
    /// the writing thread. Throws `.damaged` when a header is bad, and goes on there when called
    /// again.
    package func loadOlderSegments() throws(LogError) {
        guard let newest = writer.olderNumbers.last else { return }
        let catalog = try SegmentCatalog(
            directory: directory, identity: identity, fileSystem: environment.fileSystem,
            first: .none)
        for number in writer.olderNumbers where number <= newest {
            switch catalog[number] {
            case .header(let header): summarize(header, catalog)
            case .spare, nil: continue
            case .bad(let reason):
                throw .damaged(
                    LogDamage(file: path(of: number), offset: 0, lsn: nil, reason: reason))
            }
        }
        writer.olderNumbers = []
    }

    // A segment that no other follows is left over from a crash, and holds nothing.
    private func summarize(_ header: SegmentHeader, _ catalog: SegmentCatalog) {
        guard let successor = catalog.successor(of: header) else {
            writer.unreachable.append(header.number)
            return
        }
        let summary = SegmentSummary(
            number: header.number, byteCount: header.segmentByteCount,
            endOffset: successor.predecessor.endOffset, firstLSN: header.firstLSN,
            lastLSN: successor.predecessor.lastLSN)
        summaries.withLock { $0[header.number] = summary }
    }
}
