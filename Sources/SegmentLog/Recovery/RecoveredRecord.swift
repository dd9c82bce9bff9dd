/// One record of the log, as replay sees it.
package struct RecoveredRecord: BitwiseCopyable {
    package var kind: RecordKind
    package var keyspace: KeyspaceID
    package var key: UnsafeRawBufferPointer
    /// The value as stored: an LZ4 block when `isCompressed`.
    package var value: UnsafeRawBufferPointer
    package var isCompressed: Bool
    package var location: Location
    /// The LSN of its batch.
    package var lsn: LSN
    /// For moves the LSN that the record had first, else `lsn`.
    package var originalLSN: LSN
    /// Where compaction copied a move from.
    package var sourceLocation: Location?
    /// The bytes of the log that count for it.
    package var storedByteCount: Int
}

extension RecoveredRecord {
    /// The record at a pointer, as part of a batch.
    init(_ record: RecordPointer, kind: RecordKind, lsn: LSN, segment: SegmentNumber) {
        self.kind = kind
        keyspace = record.keyspace
        key = record.key
        value = record.value
        isCompressed = record.isCompressed
        location = record.location(in: segment)
        self.lsn = lsn
        originalLSN = record.originalLSN ?? lsn
        sourceLocation = record.sourceLocation
        storedByteCount = record.storedByteCount
    }

    /// An entry of a pack.
    package init(
        _ entries: PackExpansion, _ ordinal: Int, of pack: RecordPointer, lsn: LSN,
        segment: SegmentNumber
    ) {
        self.init(entries[ordinal], kind: .move, lsn: lsn, segment: segment)
        location = Location(
            compressedIn: segment, recordOffset: pack.offset, ordinal: ordinal)
        storedByteCount = Pack.share(
            ofByteCount: pack.storedByteCount, ordinal: ordinal, count: entries.count)
    }
}
