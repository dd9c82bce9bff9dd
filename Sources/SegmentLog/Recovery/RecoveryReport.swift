/// What recovery found.
package struct RecoveryReport: Sendable {
    /// The last LSN that is taken; dead parts of transactions count too.
    package var lastLSN = LSN.zero
    /// Where the log ends.
    package var end = LogPosition.start
    /// Everything that was read and verified, whether it counts or not.
    package var batchCount = 0
    package var recordCount = 0
    package var byteCount: UInt64 = 0
    package var replayedRecords = 0
    package var replayedBytes = 0
    package var replayedTransactions = 0
    /// Batches of transactions whose last batch is missing.
    package var deadBatches = 0
    /// What lies after the end and was not acknowledged as durable; nil when there is nothing.
    package var ignoredTail: IgnoredTail?
    /// The segments that were read.
    package var segments: [SegmentSummary] = []
    /// The newest retirement table among the replayed records; nil if there is none.
    package var retirementLocation: Location?
    /// Stretches of retired segments that the walk went over: then what was in them is missing from
    /// the replay, except for what compaction had moved.
    package var retiredStretchCount = 0

    package init() {}
}

/// A part of a file that recovery leaves out.
package struct IgnoredTail: Hashable, Sendable, CustomStringConvertible {
    package var file: String
    package var offset: UInt64
    /// From `offset` to the last byte of the file that is not zero.
    package var byteCount: UInt64
    /// The first LSN that is not there.
    package var lsn: LSN
    package var reason: String

    package var description: String {
        "ignored \(byteCount) bytes of \(file) from offset \(offset) on (LSN \(lsn)): \(reason)"
    }
}
