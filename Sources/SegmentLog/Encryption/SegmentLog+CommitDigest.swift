extension SegmentLog {
    /// The header of the batch with an LSN, for a digest of the commit that it ends: no other state
    /// of the store has the same header there. Nil if no segment of the log has it any more.
    ///
    /// Reads the batches of one segment up to it. The caller keeps segments from being removed.
    package func batchHeaderBytes(of lsn: LSN) throws(LogError) -> [UInt8]? {
        let segments = segments
        // What is known of the active segment is as of its beginning.
        guard let segment = segments.last(where: { $0.firstLSN <= lsn }),
            lsn <= segment.lastLSN || segment.number == segments.last?.number
        else { return nil }
        let scanner = try scanner(of: segment)
        do throws(FileSystemError) {
            var offset = SegmentHeader.byteCount
            while case .batch(let batch, _) = try scanner.batch(at: offset), batch.lsn <= lsn {
                if batch.lsn == lsn {
                    guard let start = try scanner.bytes(at: offset, count: BatchHeader.byteCount)
                    else { return nil }
                    return Array(
                        UnsafeRawBufferPointer(start: start, count: BatchHeader.byteCount))
                }
                offset += Int(batch.byteCount)
            }
        } catch {
            throw LogError(damageOrIO: error)
        }
        throw .damaged(
            LogDamage(
                file: path(of: segment.number), offset: 0, lsn: lsn,
                reason: "the segment has no batch with LSN \(lsn)"))
    }
}
