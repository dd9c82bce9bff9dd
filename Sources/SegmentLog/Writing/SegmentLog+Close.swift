extension SegmentLog {
    /// Syncs what is written and closes the files. Reading goes on until the object goes.
    ///
    /// Closes everything even when something fails, and throws the first error then. Closing twice
    /// does nothing.
    /// - Parameter punchingTail: gives the unused part of the active segment back to the disk.
    package func close(punchingTail: Bool) throws(LogError) {
        if writer.isClosed { return }
        abortTransaction()
        writer.isClosed = true
        var failure: LogError?
        do throws(LogError) {
            try durability.waitUntilDurable(writer.nextLSN.previous)
            if punchingTail { try punchTail() }
        } catch {
            failure = error
        }
        if let active = writer.active { updateSummary(active.header, tail: active.tail) }
        durability.closeFiles()
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

    /// Removes the segments in `unreachableSegments`. Call it when the log's new tail is durable,
    /// and not after a failed sync.
    package func removeUnreachableSegments() throws(LogError) {
        try durability.checkIsHealthy()
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

    /// Removes a segment that holds nothing that anybody needs, and unmaps it. The caller has a
    /// durable record that retires it, and knows of no reader.
    package func removeSegment(_ number: SegmentNumber) throws(LogError) {
        try durability.checkIsHealthy()
        precondition(number != writer.active?.header.number, "the active segment stays")
        do throws(FileSystemError) {
            try environment.fileSystem.remove(path(of: number))
        } catch {
            throw .io(error)
        }
        mappings.remove(number)
        summaries.withLock { $0[number] = nil }
    }

    // Whole pages only: the page that the last batch ends in is not written again.
    private func punchTail() throws(LogError) {
        guard let active = writer.active else { return }
        let start = (active.tail + 4095) & ~4095
        guard start < active.byteCount else { return }
        do throws(FileSystemError) {
            try active.file.punchHole(
                from: UInt64(start), byteCount: UInt64(active.byteCount - start))
        } catch {
            throw .io(error)
        }
    }
}
