/// Batches: begun with room for a record, written to the active segment as a whole; one whose write
/// failed is made invalid before the failure is reported (rule 3).
extension SegmentLog {
    /// Begins a batch with room for at least one record of `recordByteCount`.
    func beginBatch(recordByteCount: Int, mayUseReserve: Bool) throws(LogError) {
        let content = BatchHeader.byteCount + recordByteCount
        let isSealing = environment.fileSystem.segmentAlgorithm != nil
        let needed = isSealing ? BatchSeal.sealedByteCount(content) : content
        try resumeIfPossible(mayUseReserve: mayUseReserve)
        if writer.active.map({ $0.tail + needed > $0.byteCount }) ?? true {
            try roll(toFit: needed, mayUseReserve: mayUseReserve)
        }
        guard let active = writer.active else { preconditionFailure("no segment after roll") }
        let room = active.byteCount - active.tail
        let state = batch
        state.pointee.segment = active.header.number.rawValue
        state.pointee.segmentOffset = active.tail
        state.pointee.saltChecksum = active.header.saltChecksum
        state.pointee.headersChecksum = 0
        state.pointee.recordCount = 0
        state.pointee.count = BatchHeader.byteCount
        let limit = min(room, max(options.maximumBufferedByteCount, needed))
        state.pointee.limit = isSealing ? BatchSeal.plainByteCount(fittingInto: limit) : limit
        BatchHeader.begin(at: state.pointee.base, lsn: writer.nextLSN)
    }

    /// Completes the batch's header and writes the batch.
    ///
    /// When the write fails, the segment ends before the batch, for ever.
    @discardableResult
    func writeBatch(isLast: Bool, mayUseReserve: Bool) throws(LogError) -> LSN {
        if !mayUseReserve { try ensureSpare() }
        guard let active = writer.active else { preconditionFailure("a batch has a segment") }
        let state = batch.pointee
        let lsn = writer.nextLSN
        let byteCount = makeRoomForTags(of: state, active)
        var header = BatchHeader(
            lsn: lsn, salt: active.header.salt, offset: UInt32(active.tail),
            byteCount: UInt32(byteCount), transactionFirstLSN: writer.transactionFirstLSN,
            durableLSN: durability.durableLSN, recordCount: state.recordCount,
            flags: (isLast ? BatchHeader.lastFlag : 0)
                | (writer.isCompaction ? BatchHeader.compactionFlag : 0),
            activation: active.activation)
        header.encode(into: state.base, recordHeadersChecksum: state.headersChecksum)
        let bytes = UnsafeRawBufferPointer(start: state.base, count: byteCount)
        precondition(
            header.impossibility == nil && active.tail + byteCount <= active.byteCount,
            "batch \(lsn) is not one that can be read")
        assert(isWhole(header, bytes), "batch \(lsn) does not match its checksums")
        do throws(FileSystemError) {
            try active.file.write(bytes, at: UInt64(active.tail))
        } catch {
            throw discardFailedBatch(lsn, byteCount: byteCount, after: error)
        }
        didWrite(bytes, lsn: lsn)
        return lsn
    }

    /// The bytes of the batch that is written: with zeros for the tags, which only the file has, if
    /// it is sealed.
    private func makeRoomForTags(of batch: BatchBuilder, _ active: ActiveSegment) -> Int {
        guard active.activation != 0 else { return batch.count }
        let byteCount = BatchSeal.sealedByteCount(batch.count)
        UnsafeMutableRawBufferPointer(
            start: batch.base + batch.count, count: byteCount - batch.count
        ).initializeMemory(as: UInt8.self, repeating: 0)
        return byteCount
    }

    /// Whether a batch is as recovery wants it.
    private func isWhole(_ header: BatchHeader, _ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let base = bytes.baseAddress, let active = writer.active else { return false }
        var contents = BatchCheck.Contents()
        return BatchCheck.damage(
            of: header, base: base, saltChecksum: active.header.saltChecksum, contents: &contents)
            == nil
    }

    private func didWrite(_ bytes: UnsafeRawBufferPointer, lsn: LSN) {
        guard let active = writer.active else { preconditionFailure("a batch has a segment") }
        let number = active.header.number
        mappings.didWrite(bytes, segment: number, at: active.tail)
        let end = active.tail + bytes.count
        writer.active?.tail = end
        writer.nextLSN = lsn.next
        writer.transactionWrittenByteCount += bytes.count
        batch.pointee.drop()
        counters.didWrite(byteCount: bytes.count)
        durability.didWrite(lsn)
        writeZerosAhead(batchByteCount: bytes.count)
    }

    /// Keeps written zeros ahead of the tail while somebody waits for small commits: overwriting
    /// written blocks needs no journal commit, filling unwritten ones does.
    private func writeZerosAhead(batchByteCount: Int) {
        let stretch = options.zeroAheadByteCount
        guard stretch > 0, batchByteCount < stretch / 4, let active = writer.active,
            active.tail + stretch / 4 > active.zeroedEnd, active.zeroedEnd < active.byteCount,
            durability.takeWaiterHint()
        else { return }
        let start = max(active.tail, active.zeroedEnd)
        let end = min(FileBlock.roundedUp(active.tail + stretch), active.byteCount)
        guard end > start else { return }
        let zeros = UnsafeRawBufferPointer(
            rebasing: Self.zeros[0..<min(end - start, stretch, Self.zeros.count)])
        do throws(FileSystemError) {
            try active.file.write(zeros, at: UInt64(start))
            writer.active?.zeroedEnd = start + zeros.count
            counters.didWriteZeros(byteCount: zeros.count)
        } catch {
            // Zeros over zeros: a failure here changes nothing, so the commit is valid. A disk that
            // fails reports it when data is written or synced. No more zeros in this segment.
            writer.active?.zeroedEnd = active.byteCount
        }
    }

    /// One stretch of zeros, shared by all logs of the process; never written again.
    nonisolated(unsafe) private static let zeros: UnsafeRawBufferPointer = {
        let bytes = UnsafeMutableRawBufferPointer.allocate(
            byteCount: 256 << 10, alignment: FileBlock.byteCount)
        bytes.initializeMemory(as: UInt8.self, repeating: 0)
        return UnsafeRawBufferPointer(bytes)
    }()

    /// Makes sure that a batch whose write failed can never count, and ends its segment.
    ///
    /// The bytes that did reach the file could form a whole batch, if only zeros were missing.
    /// So its header is wiped, and the wipe synced, before the caller hears that the commit
    /// failed. When that fails too, the outcome is unknown and the log is poisoned.
    private func discardFailedBatch(
        _ lsn: LSN, byteCount: Int, after error: FileSystemError
    ) -> LogError {
        guard let active = writer.active else { preconditionFailure("a batch has a segment") }
        batch.pointee.drop()
        let wiped = UnsafeRawBufferPointer(rebasing: Self.zeros[0..<BatchHeader.byteCount])
        do throws(FileSystemError) {
            try active.file.write(wiped, at: UInt64(active.tail))
        } catch {
            durability.poison(error)
            return .commitOutcomeUnknown(lsn)
        }
        if durability.syncNow() != nil { return .commitOutcomeUnknown(lsn) }
        endActiveSegment()
        if error.isNoSpace {
            return .diskFull(path: active.file.path, neededBytes: UInt64(byteCount))
        }
        return .io(error)
    }
}
