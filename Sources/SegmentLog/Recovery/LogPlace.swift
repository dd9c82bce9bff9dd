/// A place in the log after a transaction, by the batch that ended it: what a reader keeps to go on
/// from there later, also in another process.
///
/// The salt of the segment and the checksum of the batch's header identify the history: a log that
/// was
/// put back to an older state and went on has other batches there.
package struct LogPlace: Hashable, Sendable {
    package var segment: SegmentNumber
    /// The segment's salt.
    package var salt: UInt64
    /// The lineage in the segment's header.
    package var lineage: UInt64
    /// The offset of the batch in the segment.
    package var offset: UInt32
    /// The checksum in the batch's header.
    package var checksum: UInt32
    /// The LSN of the batch.
    package var lsn: LSN

    package init(
        segment: SegmentNumber, salt: UInt64, lineage: UInt64, offset: UInt32, checksum: UInt32,
        lsn: LSN
    ) {
        self.segment = segment
        self.salt = salt
        self.lineage = lineage
        self.offset = offset
        self.checksum = checksum
        self.lsn = lsn
    }

    init(of batch: BatchHeader, in header: SegmentHeader) {
        self.init(
            segment: header.number, salt: header.salt, lineage: header.identity.lineage,
            offset: batch.offset, checksum: batch.checksum, lsn: batch.lsn)
    }
}
