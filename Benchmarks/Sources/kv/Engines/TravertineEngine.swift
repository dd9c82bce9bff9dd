import Measurement
import TravertineStore

/// Travertine's key-value engine through its public interface, with default options.
///
/// Unsynced: durability `.unsynced`, one `sync()` at the end. Durable: `.commit`, where threads
/// that commit together share a sync. Values are read in place.
final class TravertineEngine: Engine, @unchecked Sendable {
    private let store: Store
    private let durability: Durability

    init(_ setup: EngineSetup) throws {
        var options = StoreOptions()
        if setup.keepsLog { options.checkpointInterval = .max }
        if setup.isEncrypted { options.encryptionKey = try EncryptionKey(0..<64 as Range<UInt8>) }
        options.indexMemoryBudget = setup.indexMebibytes.map { $0 << 20 }
        durability = setup.promise == .durable ? .commit : .unsynced
        options.durability = durability
        store = try Store.open(at: setup.directory, options: options)
    }

    func makeWriter() throws -> Writer { Writer(store: store, durability: durability) }
    func makeReader() throws -> Reader { Reader(store: store) }
    func sync() throws { try store.sync() }
    func checkpoint() throws { try store.checkpoint() }
    func close() throws { try store.close() }

    func compact() throws -> Bool {
        try store.compact()
        return true
    }

    /// Copies, not links: a link costs nothing, and would not be compared with `cp`.
    func backup(to path: String) throws -> Bool {
        try store.backup(to: path, options: BackupOptions(method: .copy))
        return true
    }

    func backupByLinks(to path: String) throws -> Bool {
        try store.backup(to: path)
        return true
    }

    func figures() throws -> EngineFigures? { EngineFigures(try store.statistics) }

    struct Writer: EngineWriter {
        private let store: Store
        private let durability: Durability
        private var transaction: WriteTransaction?

        init(store: Store, durability: Durability) {
            self.store = store
            self.durability = durability
        }

        mutating func begin() throws { transaction = try store.beginWrite() }

        @inline(__always)
        mutating func put(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws {
            try transaction?.put(value, forKey: key)
        }

        mutating func commit() throws {
            try transaction?.commit(durability: durability)
            transaction = nil
        }

        mutating func close() { transaction = nil }
    }

    struct Reader: EngineReader {
        private let store: Store
        private var snapshot: Snapshot?
        private var cursor: Cursor?

        init(store: Store) { self.store = store }

        @inline(__always)
        mutating func beginSnapshot() throws { snapshot = try store.snapshot() }

        @inline(__always)
        mutating func endSnapshot() {
            cursor = nil
            snapshot = nil
        }

        @inline(__always)
        mutating func get(_ key: UnsafeRawBufferPointer, _ sink: inout some ValueSink) throws
            -> Bool
        {
            try snapshot?.withValue(forKey: key) { value in
                value.withUnsafeBytes { sink.add(value: $0) }
            } != nil
        }

        /// The newest commit's value: what a separate snapshot would give, without making one.
        @inline(__always)
        mutating func getInOwnSnapshot(
            _ key: UnsafeRawBufferPointer, _ sink: inout some ValueSink
        ) throws -> Bool {
            try store.withValue(forKey: key) { value in
                value.withUnsafeBytes { sink.add(value: $0) }
            } != nil
        }

        @inline(__always)
        mutating func get(all keys: [UnsafeRawBufferPointer], _ sink: inout some ValueSink) throws
            -> Int
        {
            var count = 0
            try snapshot?.withValues(forKeys: keys) { _, value in
                guard let value else { return }
                value.withUnsafeBytes { sink.add(value: $0) }
                count &+= 1
            }
            return count
        }

        mutating func scan(
            from start: UnsafeRawBufferPointer?, limit: Int, withKeys: Bool,
            _ sink: inout some ValueSink
        ) throws -> Int {
            guard let start else { return try scanAll(limit: limit, withKeys: withKeys, &sink) }
            guard let snapshot else { return 0 }
            let cursor = self.cursor ?? snapshot.cursor()
            self.cursor = cursor
            var isValid = try cursor.seek(to: start)
            var count = 0
            while isValid {
                if withKeys {
                    cursor.withKey { key in key.withUnsafeBytes { sink.add(key: $0) } }
                }
                try cursor.withValue { value in
                    value.withUnsafeBytes { sink.add(value: $0) }
                }
                count += 1
                if count == limit { break }
                isValid = try cursor.next()
            }
            return count
        }

        private func scanAll(
            limit: Int, withKeys: Bool, _ sink: inout some ValueSink
        ) throws -> Int {
            var count = 0
            // swift-format-ignore: ReplaceForEachWithForLoop
            try snapshot?.forEach { key, value in
                if withKeys { key.withUnsafeBytes { sink.add(key: $0) } }
                value.withUnsafeBytes { sink.add(value: $0) }
                count += 1
                return count < limit
            }
            return count
        }

        mutating func close() { endSnapshot() }
    }
}

extension EngineFigures {
    init(_ statistics: StoreStatistics) {
        let older = statistics.checkpointLSNs.min() ?? 0
        let segments = statistics.segments
        boundedSpace = statistics.boundedSpaceAmplification
        liveByteCount = statistics.liveByteCount
        segmentByteCount = segments.reduce(0) { $0 + $1.allocatedByteCount }
        writtenSegmentByteCount = segments.reduce(0) { $0 + $1.writtenByteCount }
        spaceFloorByteCount = statistics.spaceFloorByteCount
        uncheckpointedByteCount = segments.filter { $0.lastLSN >= older }
            .reduce(0) { $0 + $1.allocatedByteCount }
        nodeByteCount = statistics.index.nodeByteCount + statistics.index.retiredByteCount
        let writes = statistics.writes
        logByteCount = Int(writes.logByteCount) - Int(writes.movedByteCount)
        movedByteCount = Int(writes.movedByteCount)
        pageByteCount = Int(writes.pageByteCount)
        zeroByteCount = Int(writes.zeroByteCount)
        passCount = statistics.compaction.passCount
        delayNanoseconds = statistics.compaction.delayNanoseconds
        checkpointCount = statistics.checkpointCount
    }
}
