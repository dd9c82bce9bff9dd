import OrderedIndex
import SegmentLog

extension StoreStatistics {
    /// What compaction has done since the store was opened, and what it waits for.
    public struct CompactionStatistics: Sendable, Codable {
        /// Passes that ended, those that ended early included.
        public var passCount: Int
        /// The sums over all passes.
        public var total: CompactionReport
        /// The newest pass.
        public var last: CompactionReport?
        /// Why the newest pass ended early or left a segment out, if it did.
        public var lastFailure: String?
        /// Whether `pauseCompaction()` was called.
        public var isPaused: Bool
        /// Bytes of retired segments whose files stay because an open snapshot can see them.
        public var waitingByteCount: Int
    }
}

extension Store {
    var compactionStatistics: StoreStatistics.CompactionStatistics {
        compaction.shared.withLock { shared in
            StoreStatistics.CompactionStatistics(
                passCount: shared.passCount, total: shared.total, last: shared.last,
                lastFailure: shared.lastFailure?.description, isPaused: shared.isPaused,
                waitingByteCount: shared.waitingByteCount)
        }
    }
}
