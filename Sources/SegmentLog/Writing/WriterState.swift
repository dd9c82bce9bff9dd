/// What the writing thread knows beside the batch.
struct WriterState {
    var isRecovered = false
    var isClosed = false
    var active: ActiveSegment?
    /// The segment that a clean close left, to be opened again by the first append.
    var resumable: ActiveSegmentPlace?
    /// The segment that recovery ended in, when nothing may be appended to it any more.
    var abandoned: ActiveSegmentPlace?
    /// Segments before the place where recovery began.
    var olderNumbers: [SegmentNumber] = []
    /// What the next segment's header says of the log before it.
    var predecessor = SegmentHeader.Predecessor.none
    var spare: SpareSegment?
    var nextNumber: UInt64 = 1
    var nextLSN = LSN(rawValue: 1)
    var unreachable: [SegmentNumber] = []
    var liveByteCountHint: UInt64 = 0
    /// The record with the newest retirement table, and the table once it was read.
    var retirementLocation: Location?
    var retirementTable: RetirementTable?
    /// Retired segments whose files recovery found.
    var retiredFiles: [SegmentNumber] = []

    var isInTransaction = false
    /// Whether the open transaction is compaction's.
    var isCompaction = false
    var transactionFirstLSN = LSN(rawValue: 1)
    var transactionWrittenByteCount = 0
    /// Whether the newest transaction found the disk full.
    var isShortOfSpace = false
    /// What must stay free of the disk.
    var roomToLeave: @Sendable () -> Int = { 0 }
    /// Whether the newest transaction took some of that.
    var usesReserve = false
    /// Whether the open transaction may, whatever it appends.
    var mayUseReserve = false
    /// Why the open transaction can't go on.
    var transactionFailure: LogError?
}
