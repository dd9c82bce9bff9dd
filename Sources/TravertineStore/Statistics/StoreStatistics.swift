import OrderedIndex
import SegmentLog

/// What a store holds, what it costs, and what it has done; taken at one moment.
public struct StoreStatistics: Sendable, Codable {
    /// A keyspace and its number of keys.
    public struct KeyspaceStatistics: Sendable, Codable {
        /// The identifier that its records carry.
        public var id: UInt32
        /// Its name.
        public var name: String
        /// Whether its values are derived from records and live in the index.
        public var isDerived: Bool
        /// Its number of keys.
        public var keyCount: Int
        /// Whether compaction compresses its values.
        public var compression: KeyspaceCompression
    }

    /// A segment of the log.
    public struct SegmentStatistics: Sendable, Codable {
        /// Its number, as in its file name.
        public var number: UInt32
        /// Bytes that the file takes on the disk.
        public var allocatedByteCount: Int
        /// Bytes written, headers included.
        public var writtenByteCount: Int
        /// Bytes of records that are the newest version of their key.
        public var liveByteCount: Int
        /// Written bytes that are not live.
        public var deadByteCount: Int
        /// The LSN of its first batch.
        public var firstLSN: UInt64
        /// The LSN of its last batch.
        public var lastLSN: UInt64
        /// Whether it is appended to.
        public var isActive: Bool
        /// Whether compaction took it out of the log, and its file only waits to be removed.
        public var isRetired: Bool
    }

    /// A snapshot that is open.
    public struct SnapshotStatistics: Sendable, Codable {
        /// The version that it sees.
        public var version: UInt64
        /// How long it has been open.
        public var ageNanoseconds: UInt64
    }

    /// What the index takes.
    public struct IndexStatistics: Sendable, Codable {
        /// Keys in all keyspaces.
        public var keyCount: Int
        /// Bytes of index nodes in anonymous memory that the newest version needs.
        public var nodeByteCount: Int
        /// Bytes of anonymous memory taken from the system for nodes, free ones included.
        public var reservedByteCount: Int
        /// Bytes of index pages that are mapped from checkpoints.
        public var pageByteCount: Int
        /// Bytes of index nodes in anonymous memory that only open snapshots need, beside those.
        public var retiredByteCount: Int
        /// `nodeByteCount` ÷ keys.
        public var anonymousBytesPerKey: Double
    }

    /// The directory.
    public var path: String
    /// The store's UUID.
    public var uuid: String
    /// Whether it is encrypted.
    public var isEncrypted: Bool
    /// Bytes of an encrypted store that are decrypted in memory.
    public var decryptedByteCount: Int
    /// Every keyspace, by identifier.
    public var keyspaces: [KeyspaceStatistics]
    /// Every segment, by number.
    public var segments: [SegmentStatistics]
    /// What the index takes.
    public var index: IndexStatistics
    /// The snapshots that are open.
    public var snapshots: [SnapshotStatistics]
    /// The newest LSN, and the newest that is durable.
    public var lastLSN: UInt64
    /// The newest LSN known to be durable.
    public var durableLSN: UInt64
    /// LSNs of the kept checkpoints, newest first; 0 is the empty index of a new store.
    public var checkpointLSNs: [UInt64]
    /// Checkpoints written since the store was opened.
    public var checkpointCount: Int
    /// The size of the newest of them.
    public var lastCheckpointByteCount: Int
    /// Why the newest attempt failed, if it did.
    public var lastCheckpointFailure: String?
    /// Bytes of live records over all segments.
    public var liveByteCount: Int
    /// Bytes of segments on the disk.
    public var allocatedByteCount: Int
    /// Bytes of page files on the disk.
    public var pageFileByteCount: Int
    /// Bytes of segments that `StoreOptions.spaceBound` allows beyond the bound: four segments of
    /// the size that new ones get.
    public var spaceFloorByteCount: Int
    /// (segments + page files) ÷ live bytes; 0 for an empty store.
    public var spaceAmplification: Double
    /// Whether a sync failed, so that writes are refused.
    public var isPoisoned: Bool
    /// Since the store was opened: commits with the wait for their sync, and syncs.
    public var commits: LatencyHistogram
    /// Syncs since the store was opened.
    public var syncs: LatencyHistogram
    /// What compaction has done, and waits for.
    public var compaction: CompactionStatistics
    /// What was written, by purpose.
    public var writes: WriteStatistics
    /// How far the verification of sealed files has come.
    public var scrub: ScrubStatistics
    /// The feeds, by name.
    public var feeds: [FeedStatistics]
    /// What opening found.
    public var opening: OpeningReport
}

extension Store {
    /// What the store holds and costs now; takes a few microseconds for each segment.
    ///
    /// - Throws: `.closed`, `.misuse` inside a write transaction of the same thread, `.damaged`
    ///   when the header of a segment is.
    public var statistics: StoreStatistics {
        get throws(StoreError) {
            let snapshot = try snapshot()
            return statistics(snapshot, try logFigures())
        }
    }

    /// The log's part of the statistics.
    struct LogFigures {
        var usage: SegmentUsage
        var segments: [SegmentSummary]
        var tail: LogPosition
        var writtenLSN: LSN
        var durableLSN: LSN
        var feeds: [(name: String, record: FeedRecord)]
    }

    /// The statistics of a version, with what the writer, or the reader of a store, knows of the
    /// log.
    func statistics(_ snapshot: Snapshot, _ figures: LogFigures) -> StoreStatistics {
        let usage = figures.usage
        let segments = segmentStatistics(figures)
        let state = checkpoints.state.withLock { $0 }
        let allocated = segments.reduce(0) { $0 + $1.allocatedByteCount }
        let pages = checkpoints.pageFileByteCount
        let live = Int(usage.liveByteCount)
        let now = options.environment.now()
        return StoreStatistics(
            path: path, uuid: state.manifest.identity.text,
            isEncrypted: options.environment.fileSystem.segmentAlgorithm != nil,
            decryptedByteCount: log.decryptedByteCount,
            keyspaces: keyspaceStatistics(snapshot), segments: segments,
            index: indexStatistics(snapshot),
            snapshots: index.pins.compactMap { pin in
                pin.note == 0 || pin.version == 0
                    ? nil
                    : StoreStatistics.SnapshotStatistics(
                        version: pin.version, ageNanoseconds: now &- pin.note)
            },
            lastLSN: snapshot.lsn, durableLSN: figures.durableLSN.rawValue,
            checkpointLSNs: state.manifest.checkpoints.map(\.lsn.rawValue),
            checkpointCount: state.writtenCount, lastCheckpointByteCount: state.lastByteCount,
            lastCheckpointFailure: state.lastFailure?.description, liveByteCount: live,
            allocatedByteCount: allocated, pageFileByteCount: pages,
            spaceFloorByteCount: spaceFloor(usage),
            spaceAmplification: live == 0 ? 0 : Double(allocated + pages) / Double(live),
            isPoisoned: log.isPoisoned, commits: counters.commits,
            syncs: LatencyHistogram(microsecondBuckets: log.statistics.syncLatency),
            compaction: compactionStatistics, writes: writeStatistics,
            scrub: scrubStatistics, feeds: statistics(of: figures.feeds, figures.segments),
            opening: openingReport)
    }

    private func keyspaceStatistics(
        _ snapshot: Snapshot
    ) -> [StoreStatistics.KeyspaceStatistics] {
        catalog.all.map { keyspace in
            StoreStatistics.KeyspaceStatistics(
                id: keyspace.id, name: keyspace.name, isDerived: keyspace.kind == .derived,
                keyCount: snapshot.count(in: keyspace),
                compression: snapshot.compression(of: keyspace))
        }
    }

    /// What only the thread with the gate may look at.
    private func logFigures() throws(StoreError) -> LogFigures {
        try loadOlderSegments()
        let feeds = try feedRecords()
        try gate.enter()
        defer { gate.leave() }
        return LogFigures(
            usage: usage, segments: log.segments, tail: log.tail, writtenLSN: log.writtenLSN,
            durableLSN: log.durableLSN, feeds: feeds)
    }

    private func segmentStatistics(
        _ figures: LogFigures
    ) -> [StoreStatistics.SegmentStatistics] {
        let (usage, tail, writtenLSN) = (figures.usage, figures.tail, figures.writtenLSN)
        let retired = compaction.shared.withLock { Set($0.waiting.map(\.number)) }
        return figures.segments.map { segment in
            let live = Int(usage.liveByteCount(of: segment.number))
            // The log's own summary of the active segment is as of its last change of state.
            let isActive = segment.number == tail.segment
            let written = Int(isActive ? max(tail.offset, segment.endOffset) : segment.endOffset)
            return StoreStatistics.SegmentStatistics(
                number: segment.number.rawValue,
                allocatedByteCount: options.environment.fileSystem.allocatedByteCount(
                    of: path + "/" + segment.number.fileName),
                writtenByteCount: written, liveByteCount: live,
                deadByteCount: max(0, written - live), firstLSN: segment.firstLSN.rawValue,
                lastLSN: (isActive ? max(writtenLSN, segment.lastLSN) : segment.lastLSN).rawValue,
                isActive: isActive, isRetired: retired.contains(segment.number))
        }
    }

    private func indexStatistics(_ snapshot: Snapshot) -> StoreStatistics.IndexStatistics {
        let figures = index.statistics
        let keys = KeyspaceID.ofTrees(0..<snapshot.access.treeCount).reduce(0) {
            $0 + snapshot.access.count(in: $1)
        }
        return StoreStatistics.IndexStatistics(
            keyCount: keys, nodeByteCount: figures.liveNodeByteCount,
            reservedByteCount: figures.chunkByteCount, pageByteCount: figures.pageByteCount,
            retiredByteCount: figures.retiredNodeByteCount,
            anonymousBytesPerKey: keys == 0
                ? 0 : Double(figures.liveNodeByteCount) / Double(keys))
    }
}
