import SegmentLog

/// What statistics say of compaction and of the bytes that were written.
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
        /// Why no space is reclaimed until the store is opened again: the sync of a checkpoint or
        /// of a manifest that failed. Nil as long as none did.
        public var stopReason: String?
        /// Bytes of retired segments whose files stay because an open snapshot can see them.
        public var waitingByteCount: Int
        /// The version of the oldest open snapshot, if there is one that has an age.
        public var oldestSnapshotVersion: UInt64?
        /// How long it has been open, in nanoseconds.
        public var oldestSnapshotAgeNanoseconds: UInt64?
        /// Bytes of retired segments that would go with it.
        public var oldestSnapshotByteCount: Int
        /// Commits that were slowed down, and for how long together.
        public var delayCount: UInt64
        /// The sum of these delays, in nanoseconds.
        public var delayNanoseconds: UInt64
    }

    /// Space by the definition that `StoreOptions.spaceBound` bounds: bytes of segments, without
    /// `spaceFloorByteCount` and without the log after the older checkpoint, ÷ live bytes.
    public var boundedSpaceAmplification: Double {
        let older = checkpointLSNs.count < 2 ? 0 : checkpointLSNs.min() ?? 0
        let sealed = segments.filter { $0.lastLSN < older && !$0.isActive && !$0.isRetired }
        let allocated = sealed.reduce(0) { $0 + $1.allocatedByteCount }
        return Double(max(0, allocated - spaceFloorByteCount)) / Double(max(1, liveByteCount))
    }
}

extension Store {
    var compactionStatistics: StoreStatistics.CompactionStatistics {
        let pins = index.pins.filter { $0.note != 0 && $0.version != 0 }
        let oldest = pins.min { $0.version < $1.version }
        let versions = Set(pins.map(\.version))
        let now = options.environment.now()
        let stopReason = checkpoints.removalFailure
        return compaction.shared.withLock { shared in
            let held = shared.waiting.filter { segment in
                let holders = versions.filter {
                    $0 >= segment.birth && $0 < segment.retirement
                }
                return holders.count == 1 && holders.first == oldest?.version
            }
            return StoreStatistics.CompactionStatistics(
                passCount: shared.passCount, total: shared.total, last: shared.last,
                lastFailure: shared.lastFailure?.description, isPaused: shared.isPaused,
                stopReason: stopReason?.description,
                waitingByteCount: shared.waiting.reduce(0) { $0 + $1.byteCount },
                oldestSnapshotVersion: oldest?.version,
                oldestSnapshotAgeNanoseconds: oldest.map { now &- $0.note },
                oldestSnapshotByteCount: held.reduce(0) { $0 + $1.byteCount },
                delayCount: shared.delayCount, delayNanoseconds: shared.delayNanoseconds)
        }
    }
}
