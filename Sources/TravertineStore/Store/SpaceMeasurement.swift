import OrderedIndex
import SegmentLog

/// What a store takes on the disk for each byte that was given to it, and how full its page files
/// are.
public struct SpaceMeasurement: Sendable, Codable, Equatable {
    /// Bytes of keys in keyspaces of records.
    public var keyByteCount: Int
    /// Bytes of their values, uncompressed.
    public var valueByteCount: Int
    /// Bytes of segments and page files on the disk.
    public var diskByteCount: Int
    /// Pages of the files that the newest checkpoint refers to.
    public var pageCount: Int
    /// Those of them that the newest version of the index refers to.
    public var livePageCount: Int

    /// Bytes on the disk ÷ bytes of keys and values; 0 for an empty store.
    public var amplification: Double {
        let given = keyByteCount + valueByteCount
        return given == 0 ? 0 : Double(diskByteCount) / Double(given)
    }

    /// Pages ÷ live pages, which a checkpoint keeps to 2; 0 where there are none.
    public var pageAmplification: Double {
        livePageCount == 0 ? 0 : Double(pageCount) / Double(livePageCount)
    }

    private enum CodingKeys: String, CodingKey {
        case keyByteCount, valueByteCount, diskByteCount, pageCount, livePageCount
    }

    private enum RatioKeys: String, CodingKey {
        case amplification, pageAmplification
    }

    /// Encodes the ratios too, for those who read them elsewhere.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(keyByteCount, forKey: .keyByteCount)
        try container.encode(valueByteCount, forKey: .valueByteCount)
        try container.encode(diskByteCount, forKey: .diskByteCount)
        try container.encode(pageCount, forKey: .pageCount)
        try container.encode(livePageCount, forKey: .livePageCount)
        var ratios = encoder.container(keyedBy: RatioKeys.self)
        try ratios.encode(amplification, forKey: .amplification)
        try ratios.encode(pageAmplification, forKey: .pageAmplification)
    }
}

extension Store {
    /// Measures what `statistics` can't report without reading: visits every key and the head of
    /// every record, and decompresses compressed values.
    ///
    /// Takes a tenth of a second for a million keys in memory, and much longer for a store that
    /// must be read from the disk. A checkpoint waits in the meantime; reads and writes go on.
    ///
    /// - Throws: `.closed`, `.damaged`, `.misuse` inside a write transaction of the same thread,
    ///   and in an event handler.
    public func measureSpace() throws(StoreError) -> SpaceMeasurement {
        try eventCallbacks.checkNotInside()
        return try snapshot().measureSpace(beside: try statistics)
    }
}

extension StoreReader {
    /// As `Store.measureSpace()`, of what the reader sees since its last refresh.
    ///
    /// - Throws: `.closed`, `.damaged`; `.forked` in a child of `fork`.
    public func measureSpace() throws(StoreError) -> SpaceMeasurement {
        try snapshot().measureSpace(beside: try statistics)
    }
}

extension Snapshot {
    fileprivate func measureSpace(
        beside statistics: StoreStatistics
    ) throws(StoreError) -> SpaceMeasurement {
        var measured = SpaceMeasurement(
            keyByteCount: 0, valueByteCount: 0,
            diskByteCount: statistics.allocatedByteCount + statistics.pageFileByteCount,
            pageCount: 0, livePageCount: 0)
        do {
            for keyspace in store.keyspaces {
                var cursor = access.cursor(in: keyspace.identifier)
                guard try cursor.seekToFirst() else { continue }
                try cursor.forEach(verified: false) { key, value in
                    measured.keyByteCount += key.count
                    measured.valueByteCount += value.count
                    return true
                }
            }
            let pages = try store.checkpoints.pageCounts(of: store.index)
            measured.pageCount = pages.all
            measured.livePageCount = pages.live
        } catch {
            throw StoreError(anyError: error)
        }
        return measured
    }
}

extension CheckpointKeeper {
    /// Pages of the files that the newest checkpoint refers to, and those that the newest version
    /// still does.
    fileprivate func pageCounts(of index: Index) throws -> (all: Int, live: Int) {
        // Which page a node in memory equals is noted while a checkpoint is written.
        writing.lock()
        defer { writing.unlock() }
        let files = state.withLock { $0.newestFiles }
        let pin = index.pin(note: 0)
        defer { index.unpin(pin) }
        let live = try index.livePageCounts(of: pin.root)
        return files.reduce(into: (0, 0)) { counts, file in
            counts.0 += Int(file.pageCount)
            counts.1 += live[file.number] ?? 0
        }
    }
}
