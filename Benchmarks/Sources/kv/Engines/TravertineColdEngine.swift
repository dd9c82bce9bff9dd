import Measurement
import TravertineStore

/// Travertine with records in a separate keyspace, for data that is rarely changed.
final class TravertineColdEngine: Engine, @unchecked Sendable {
    private let store: Store
    private let keyspace: Keyspace

    init(_ setup: EngineSetup) throws {
        store = try Store.open(at: setup.directory)
        keyspace = try store.write { try Self.coldKeyspace($0) }
    }

    /// The one place that says how a keyspace is to be kept; compaction copies it as it is.
    private static func coldKeyspace(_ transaction: WriteTransaction) throws -> Keyspace {
        let keyspace = try transaction.keyspace(named: "cities")
        try transaction.setCompression(.cold, of: keyspace)
        return keyspace
    }

    func makeWriter() throws -> Writer { Writer(store: store, keyspace: keyspace) }
    func makeReader() throws -> Reader { Reader(store: store, keyspace: keyspace) }
    func sync() throws { try store.sync() }
    func checkpoint() throws { try store.checkpoint() }
    func close() throws { try store.close() }

    func compact() throws -> Bool {
        try store.compact()
        return true
    }

    struct Writer: EngineWriter {
        let store: Store
        let keyspace: Keyspace
        private var transaction: WriteTransaction?

        init(store: Store, keyspace: Keyspace) {
            self.store = store
            self.keyspace = keyspace
        }

        mutating func begin() throws { transaction = try store.beginWrite() }

        mutating func put(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws {
            try transaction?.put(value, forKey: key, in: keyspace)
        }

        mutating func commit() throws {
            try transaction?.commit(durability: .unsynced)
            transaction = nil
        }

        mutating func close() { transaction = nil }
    }

    struct Reader: EngineReader {
        let store: Store
        let keyspace: Keyspace
        private var snapshot: Snapshot?

        init(store: Store, keyspace: Keyspace) {
            self.store = store
            self.keyspace = keyspace
        }

        mutating func beginSnapshot() throws { snapshot = try store.snapshot() }
        mutating func endSnapshot() { snapshot = nil }

        @inline(__always)
        mutating func get(_ key: UnsafeRawBufferPointer, _ sink: inout some ValueSink) throws
            -> Bool
        {
            try snapshot?.withValue(forKey: key, in: keyspace) { value in
                value.withUnsafeBytes { sink.add(value: $0) }
            } != nil
        }

        mutating func scan(
            from start: UnsafeRawBufferPointer?, limit: Int, withKeys: Bool,
            _ sink: inout some ValueSink
        ) throws -> Int {
            guard let cursor = snapshot?.cursor(in: keyspace) else { return 0 }
            var isValid = try start.map { try cursor.seek(to: $0) } ?? cursor.seekToFirst()
            var count = 0
            while isValid {
                if withKeys { cursor.withKey { key in key.withUnsafeBytes { sink.add(key: $0) } } }
                try cursor.withValue { value in value.withUnsafeBytes { sink.add(value: $0) } }
                count += 1
                if count == limit { break }
                isValid = try cursor.next()
            }
            return count
        }

        mutating func close() { endSnapshot() }
    }
}
