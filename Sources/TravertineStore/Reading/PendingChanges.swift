import OrderedIndex
import SegmentLog

/// What a write transaction has not written yet, or not entered: records in the batch buffer,
/// staged rows, and entries of derived keyspaces that are not in their trees.
final class PendingChanges {
    let log: SegmentLog
    let staged = StagedRows()
    let entries: StagedEntries

    init(log: SegmentLog, writer: IndexWriter) {
        self.log = log
        entries = StagedEntries(writer)
    }

    /// Whether what a location names is not in a segment yet.
    @inline(__always)
    func has(_ location: Location) -> Bool {
        location.isStaged || log.pendingRecord(at: location) != nil
    }

    /// The value at a location if it is not in a segment yet.
    func value(at location: Location) -> UnsafeRawBufferPointer? {
        if location.isStaged { return UnsafeRawBufferPointer(staged.row(at: location).bytes) }
        return log.pendingRecordPointer(at: location)?.value
    }
}
