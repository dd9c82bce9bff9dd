import SegmentLog

/// What is left to do, and to say, of a transaction that has committed.
struct CommittedTransaction {
    var lsn: LSN
    /// The version of its root.
    var version: UInt64
    /// Bytes of log that it wrote.
    var byteCount: Int
    /// The LSN that must be durable before it can be seen; nil if it is seen already.
    var visibleAt: LSN?
    /// Whether so much was written since the last checkpoint that one should be made.
    var checkpointIsDue: Bool
}
