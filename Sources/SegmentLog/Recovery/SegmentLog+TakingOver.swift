/// Going on to write after the recovered end.
extension SegmentLog {
    /// Prepares the writer to go on after the recovered end.
    func takeOver(
        _ walk: LogWalk, catalog: SegmentCatalog,
        start: (position: LogPosition, nextLSN: LSN)?, cleanEnd: LogPosition?
    ) throws(LogError) {
        let end = walk.report.end
        writer.nextLSN = walk.nextLSN
        mappings.noteGrowing(from: end.segment)
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
