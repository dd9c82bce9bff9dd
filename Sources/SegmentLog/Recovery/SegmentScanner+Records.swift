extension SegmentScanner {
    /// The records of a batch that `batch(at:)` has just verified.
    func forEachRecord(
        of batch: BatchHeader, at offset: Int, _ body: (RecoveredRecord) throws -> Void
    ) throws {
        func damage(_ reason: String) -> LogError {
            .damaged(LogDamage(file: path, offset: UInt64(offset), lsn: batch.lsn, reason: reason))
        }
        guard let base = try bytes(at: offset, count: Int(batch.byteCount)) else {
            throw damage("the batch can't be read a second time")
        }
        var place = BatchHeader.byteCount
        for _ in 0..<batch.recordCount {
            let record = RecordPointer(unsafeBase: base + place, offset: offset + place)
            guard let kind = record.kind else { throw damage("a record has an unknown kind") }
            try body(
                RecoveredRecord(
                    record, kind: kind, lsn: batch.lsn, segment: header.number))
            place += record.storedByteCount
        }
    }
}

extension RecoveredRecord {
    /// The record at a pointer, as part of a batch.
    init(_ record: RecordPointer, kind: RecordKind, lsn: LSN, segment: SegmentNumber) {
        self.kind = kind
        keyspace = record.keyspace
        key = record.key
        value = record.value
        isCompressed = record.isCompressed
        location = Location(
            segment: segment, offset: record.offset, byteCount: record.storedByteCount)
        self.lsn = lsn
        originalLSN = record.originalLSN ?? lsn
        sourceLocation = record.sourceLocation
    }
}
