/// What opening a store found and did.
public struct OpeningReport: Sendable, Codable, Equatable {
    /// Where the index came from.
    public enum Source: String, Sendable, Codable {
        /// The directory held no store before.
        case created
        /// The newest checkpoint.
        case newestCheckpoint
        /// The checkpoint before, because the newest is damaged.
        case previousCheckpoint
        /// A replay of the whole log, because no checkpoint is whole.
        case fullReplay
    }

    /// Where the index came from.
    public var source: Source
    /// The LSN of the checkpoint used, 0 for the empty index.
    public var checkpointLSN: UInt64 = 0
    /// The newest LSN of the store.
    public var lastLSN: UInt64 = 0
    /// Transactions replayed after the checkpoint.
    public var replayedTransactions = 0
    /// Bytes of log replayed after the checkpoint.
    public var replayedByteCount = 0
    /// What is after the end of the log and was ignored: never acknowledged as durable.
    public var ignoredTail: String?
    /// Damaged checkpoints that were skipped, with the reason.
    public var damagedCheckpoints: [String] = []
    /// Identifiers of derived keyspaces that must be rebuilt.
    public var invalidDerivedKeyspaces: [UInt32] = []
    /// How long opening took, in nanoseconds.
    public var durationNanoseconds: UInt64 = 0

    /// The report of an opening that has just begun.
    package init(source: Source) { self.source = source }
}
