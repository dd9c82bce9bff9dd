import OrderedIndex
import SegmentLog

/// What a store holds, what it costs, and what it has done; taken at one moment.
public struct StoreStatistics: Sendable, Codable {
    /// A keyspace and its number of keys.
    public struct KeyspaceStatistics: Sendable, Codable {
        public var id: UInt32
        public var name: String
        /// Whether its values are derived from records and live in the index.
        public var isDerived: Bool
        public var keyCount: Int
    }

    /// A segment of the log.
    public struct SegmentStatistics: Sendable, Codable {
        public var number: UInt32
        /// Bytes that the file takes on the disk.
        public var allocatedByteCount: Int
        /// Bytes written, headers included.
        public var writtenByteCount: Int
        /// Bytes of records that are the newest version of their key.
        public var liveByteCount: Int
        /// Written bytes that are not live.
        public var deadByteCount: Int
        public var firstLSN: UInt64
        public var lastLSN: UInt64
        /// Whether it is appended to.
        public var isActive: Bool
    }

    /// A snapshot that is open.
    public struct SnapshotStatistics: Sendable, Codable {
        public var version: UInt64
        public var ageNanoseconds: UInt64
    }

    /// What the index takes.
    public struct IndexStatistics: Sendable, Codable {
        /// Keys in all keyspaces.
        public var keyCount: Int
        /// Bytes of index nodes in anonymous memory that some version needs.
        public var nodeByteCount: Int
        /// Bytes of anonymous memory taken from the system for nodes, free ones included.
        public var reservedByteCount: Int
        /// Bytes of index pages that are mapped from checkpoints.
        public var pageByteCount: Int
        /// Bytes of index nodes that only open snapshots need.
        public var retiredByteCount: Int
        /// `nodeByteCount` ÷ keys.
        public var anonymousBytesPerKey: Double
    }

    public var path: String
    public var uuid: String
    public var keyspaces: [KeyspaceStatistics]
    public var segments: [SegmentStatistics]
    public var index: IndexStatistics
    public var snapshots: [SnapshotStatistics]
    /// The newest LSN, and the newest that is durable.
    public var lastLSN: UInt64
    public var durableLSN: UInt64
    /// LSNs of the kept checkpoints, newest first; 0 is the empty index of a new store.
    public var checkpointLSNs: [UInt64]
    public var checkpointCount: Int
    public var lastCheckpointByteCount: Int
    public var lastCheckpointFailure: String?
    /// Bytes of live records over all segments.
    public var liveByteCount: Int
    /// Bytes of segments on the disk.
    public var allocatedByteCount: Int
    /// Bytes of page files on the disk.
    public var pageFileByteCount: Int
    /// (segments + page files) ÷ live bytes; 0 for an empty store.
    public var spaceAmplification: Double
    public var isPoisoned: Bool
    /// Since the store was opened: commits with the wait for their sync, and syncs.
    public var commits: LatencyHistogram
    public var syncs: LatencyHistogram
    public var opening: OpeningReport
}

extension Store {
    /// What the store holds and costs now; takes a few microseconds for each segment.
    ///
    /// - Throws: `.closed`, `.misuse` inside a write transaction of the same thread.
    public var statistics: StoreStatistics {
        get throws(StoreError) {
            let snapshot = try snapshot()
            try gate.enter()
            let usage = usage
            gate.leave()
            let segments = segmentStatistics(usage)
            let state = checkpoints.state.withLock { $0 }
            let allocated = segments.reduce(0) { $0 + $1.allocatedByteCount }
            let pages = checkpoints.pageFileByteCount
            let live = Int(usage.liveByteCount)
            let now = options.environment.now()
            return StoreStatistics(
                path: path, uuid: state.manifest.identity.text,
                keyspaces: keyspaceStatistics(snapshot), segments: segments,
                index: indexStatistics(snapshot),
                snapshots: index.pins.compactMap { pin in
                    pin.note == 0 || pin.version == 0
                        ? nil
                        : StoreStatistics.SnapshotStatistics(
                            version: pin.version, ageNanoseconds: now &- pin.note)
                },
                lastLSN: snapshot.lsn, durableLSN: durableLSN,
                checkpointLSNs: state.manifest.checkpoints.map(\.lsn.rawValue),
                checkpointCount: state.writtenCount, lastCheckpointByteCount: state.lastByteCount,
                lastCheckpointFailure: state.lastFailure?.description, liveByteCount: live,
                allocatedByteCount: allocated, pageFileByteCount: pages,
                spaceAmplification: live == 0 ? 0 : Double(allocated + pages) / Double(live),
                isPoisoned: log.isPoisoned, commits: counters.commits,
                syncs: LatencyHistogram(microsecondBuckets: log.statistics.syncLatency),
                opening: openingReport)
        }
    }

    private func keyspaceStatistics(
        _ snapshot: Snapshot
    ) -> [StoreStatistics.KeyspaceStatistics] {
        catalog.all.map { keyspace in
            StoreStatistics.KeyspaceStatistics(
                id: keyspace.id, name: keyspace.name, isDerived: keyspace.kind == .derived,
                keyCount: snapshot.count(in: keyspace))
        }
    }

    private func segmentStatistics(
        _ usage: SegmentUsage
    ) -> [StoreStatistics.SegmentStatistics] {
        let active = log.tail.segment
        return log.segments.map { segment in
            let live = Int(usage.liveByteCount(of: segment.number))
            return StoreStatistics.SegmentStatistics(
                number: segment.number.rawValue,
                allocatedByteCount: options.environment.fileSystem.allocatedByteCount(
                    of: path + "/" + segment.number.fileName),
                writtenByteCount: Int(segment.endOffset), liveByteCount: live,
                deadByteCount: max(0, Int(segment.endOffset) - live),
                firstLSN: segment.firstLSN.rawValue, lastLSN: segment.lastLSN.rawValue,
                isActive: segment.number == active)
        }
    }

    private func indexStatistics(_ snapshot: Snapshot) -> StoreStatistics.IndexStatistics {
        let figures = index.statistics
        let keys = (0..<UInt32(snapshot.access.treeCount)).reduce(0) {
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

extension StoreIdentity {
    /// The UUID in the usual 36 characters.
    var text: String {
        func hex(_ value: UInt64, _ digits: Int) -> String {
            let text = String(value, radix: 16)
            return String(repeating: "0", count: max(0, digits - text.count)) + text
        }
        return [
            hex(uuidHigh >> 32, 8), hex(uuidHigh >> 16 & 0xffff, 4), hex(uuidHigh & 0xffff, 4),
            hex(uuidLow >> 48, 4), hex(uuidLow & 0xffff_ffff_ffff, 12),
        ].joined(separator: "-")
    }
}
