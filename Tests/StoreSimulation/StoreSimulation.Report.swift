extension StoreSimulation {
    /// What a life went through, to see that the faults happen at all.
    public struct Report: Sendable, Codable {
        /// Transactions committed.
        public var transactionCount: UInt64 = 0
        /// Machines stopped.
        public var crashCount = 0
        /// Rounds whose disk was set to fail.
        public var faultCount = 0
        /// Transactions that were attempted, not durable, and gone.
        public var lostTransactionCount: UInt64 = 0
        /// Checkpoints written.
        public var checkpointCount = 0
        /// Openings that could not use the newest checkpoint.
        public var fallbackCount = 0
        /// Openings that had to replay what is left of the log, without any checkpoint.
        public var replayCount = 0
        /// Passes of compaction, and the segments that they removed.
        public var passCount = 0
        /// Segments that compaction removed.
        public var removedSegmentCount = 0
        /// Bytes that were verified in the background.
        public var scrubbedByteCount: UInt64 = 0
        /// Values that were found compressed at openings.
        public var packedValueCount = 0
        /// States that a power cut or the end of a process left, and that were called sound.
        public var verifiedCutCount = 0
        /// Backups that became whole.
        public var backupCount = 0
        /// Backups that found an earlier one in their directory.
        public var renewedBackupCount = 0
        /// Backups that were restored and compared with the model.
        public var restoredCount = 0
        /// Readers that another process opened.
        public var readerOpeningCount = 0
        /// Refreshes of readers in another process.
        public var readerRefreshCount = 0
        /// Snapshots in another process that were looked at again.
        public var readerSnapshotCount = 0
        /// Backups that another process made, restored and compared.
        public var readerBackupCount = 0
        /// Times that a process beside the store's was ended in the middle.
        public var readerKillCount = 0
        /// Changes that consumers of feeds were shown.
        public var feedChangeCount = 0
        /// Snapshots that they were shown.
        public var feedSnapshotCount = 0
        /// Differences that they were shown in place of transactions that were gone.
        public var feedDifferenceCount = 0
        /// Times that a consumer went on where it, or a process before it, had been.
        public var feedResumptionCount = 0

        /// Nothing yet.
        public init() {}

        /// Adds the counts of another life.
        public mutating func add(_ other: Report) {
            transactionCount += other.transactionCount
            crashCount += other.crashCount
            faultCount += other.faultCount
            lostTransactionCount += other.lostTransactionCount
            checkpointCount += other.checkpointCount
            fallbackCount += other.fallbackCount
            replayCount += other.replayCount
            passCount += other.passCount
            removedSegmentCount += other.removedSegmentCount
            scrubbedByteCount += other.scrubbedByteCount
            packedValueCount += other.packedValueCount
            verifiedCutCount += other.verifiedCutCount
            backupCount += other.backupCount
            renewedBackupCount += other.renewedBackupCount
            restoredCount += other.restoredCount
            readerOpeningCount += other.readerOpeningCount
            readerRefreshCount += other.readerRefreshCount
            readerSnapshotCount += other.readerSnapshotCount
            readerBackupCount += other.readerBackupCount
            readerKillCount += other.readerKillCount
            feedChangeCount += other.feedChangeCount
            feedSnapshotCount += other.feedSnapshotCount
            feedDifferenceCount += other.feedDifferenceCount
            feedResumptionCount += other.feedResumptionCount
        }
    }
}
