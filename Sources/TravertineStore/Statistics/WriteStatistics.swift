import SegmentLog

extension StoreStatistics {
    /// What was written since the store was opened, by purpose.
    public struct WriteStatistics: Sendable, Codable {
        /// Bytes of log that users' transactions committed, headers included.
        public var committedByteCount: UInt64
        /// All bytes of log, moves and parts of transactions that were rolled back included.
        public var logByteCount: UInt64
        /// Bytes of moved records.
        public var movedByteCount: UInt64
        /// Bytes of page files.
        public var pageByteCount: UInt64
        /// Zeros written ahead of the log's tail.
        public var zeroByteCount: UInt64

        /// All bytes written ÷ bytes committed; 0 before the first commit.
        public var amplification: Double {
            committedByteCount == 0
                ? 0
                : Double(logByteCount + pageByteCount + zeroByteCount)
                    / Double(committedByteCount)
        }
    }
}

extension Store {
    var writeStatistics: StoreStatistics.WriteStatistics {
        let log = log.statistics
        let moved = compaction.shared.withLock { $0.total.writtenByteCount }
        return StoreStatistics.WriteStatistics(
            committedByteCount: counters.byteCount, logByteCount: log.bytesWritten,
            movedByteCount: UInt64(moved),
            pageByteCount: checkpoints.state.withLock { $0.totalByteCount },
            zeroByteCount: log.zeroBytesWritten)
    }
}
