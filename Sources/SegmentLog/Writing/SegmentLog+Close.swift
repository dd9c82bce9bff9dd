/// Closing the log, and removing what it does not need.
extension SegmentLog {
    /// Syncs what is written and closes the files. Reading goes on as long as the object lives.
    ///
    /// Closes everything even when something fails, and throws the first error then. Closing twice
    /// does nothing.
    /// - Parameters:
    ///   - punchingTail: gives the unused part of the active segment back to the disk, and that of
    ///     sealed ones as far as no sync has done so.
    ///   - isStillRead: whether a snapshot reads on: then every segment is mapped.
    package func close(
        punchingTail: Bool, isStillRead: Bool = false
    ) throws(LogError) {
        if writer.isClosed { return }
        abortTransaction()
        writer.isClosed = true
        var failure: LogError?
        do throws(LogError) {
            try durability.waitUntilDurable(writer.nextLSN.previous)
            if punchingTail { durability.giveBackUnusedEnds() }
            if punchingTail, let active = writer.active {
                do throws(FileSystemError) {
                    try Self.punch(active.file, from: active.tail, to: active.byteCount)
                } catch {
                    throw .io(error)
                }
            }
        } catch {
            failure = error
        }
        if let active = writer.active { updateSummary(active.header, tail: active.tail) }
        durability.closeFiles()
        let known = summaries.withLock { Array($0.keys) }
        mappings.close(
            keeping: isStillRead ? known + writer.olderNumbers + writer.retiredFiles : [])
        if let spare = writer.spare {
            writer.spare = nil
            do throws(FileSystemError) {
                try environment.fileSystem.remove(path(of: spare.number))
            } catch {
                failure = failure ?? .io(error)
            }
        }
        if let failure { throw failure }
    }

    /// Removes the segments in `unreachableSegments`, and gives the unused end of the segment that
    /// recovery ended in back to the disk. Does nothing until a batch in a newer segment is
    /// durable, because only that one makes sure that nobody reads there again.
    package func removeUnreachableSegments() throws(LogError) {
        try durability.checkIsHealthy()
        guard let active = writer.active, durableLSN >= active.header.firstLSN else { return }
        try punchAbandonedTail()
        while let number = writer.unreachable.last {
            do throws(FileSystemError) {
                try environment.fileSystem.remove(path(of: number))
            } catch  where error.isNotFound {
                // Removed by an earlier attempt that failed later.
                writer.unreachable.removeLast()
                continue
            } catch {
                throw .io(error)
            }
            writer.unreachable.removeLast()
        }
    }

    private func punchAbandonedTail() throws(LogError) {
        guard let place = writer.abandoned else { return }
        do throws(FileSystemError) {
            guard try mayChange(place.header) else {
                writer.abandoned = nil
                return
            }
            let file = try environment.fileSystem.open(
                path(of: place.header.number), .readWrite)
            defer { file.close() }
            try Self.punch(file, from: place.tail, to: Int(place.header.segmentByteCount))
            writer.abandoned = nil
        } catch {
            throw .io(error)
        }
    }

    // Whole pages only: the page that the last batch ends in is not written again.
    static func punch(_ file: File, from tail: Int, to end: Int) throws(FileSystemError) {
        let start = FileBlock.roundedUp(tail)
        guard start < end else { return }
        try file.punchHole(from: UInt64(start), byteCount: UInt64(end - start))
    }
}
