import CLMDB
import Measurement

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// LMDB with a map of 16 GB.
///
/// Unsynced: `WRITEMAP | NOSYNC`, and `mdb_env_sync` at the end. Durable: the defaults, where every
/// commit is synced. `NOTLS` lets a reader go from one thread to another; it costs nothing.
final class LMDBEngine: Engine, @unchecked Sendable {
    private var environment: OpaquePointer
    private var database: MDB_dbi
    private let directory: String
    private let flags: UInt32

    convenience init(_ setup: EngineSetup) throws {
        try self.init(
            setup, unsyncedFlags: UInt32(MDB_WRITEMAP) | UInt32(MDB_NOSYNC))
    }

    init(_ setup: EngineSetup, unsyncedFlags: UInt32) throws {
        directory = setup.directory
        flags = UInt32(MDB_NOTLS) | (setup.promise == .unsynced ? unsyncedFlags : 0)
        (environment, database) = try Self.open(directory, flags)
    }

    private static func open(
        _ directory: String, _ flags: UInt32
    ) throws -> (OpaquePointer, MDB_dbi) {
        try DirectoryTree.create(directory)
        var handle: OpaquePointer?
        try check(mdb_env_create(&handle), "mdb_env_create")
        guard let handle else { throw BenchmarkError("mdb_env_create gave nothing.") }
        try check(mdb_env_set_mapsize(handle, 16 << 30), "mdb_env_set_mapsize")
        try check(mdb_env_open(handle, directory, flags, 0o644), "mdb_env_open")
        var transaction: OpaquePointer?
        try check(mdb_txn_begin(handle, nil, 0, &transaction), "mdb_txn_begin")
        var opened: MDB_dbi = 0
        try check(mdb_dbi_open(transaction, nil, 0, &opened), "mdb_dbi_open")
        try check(mdb_txn_commit(transaction), "mdb_txn_commit")
        return (handle, opened)
    }

    /// What LMDB has for it: a copy without free pages, in key order, in the place of the original.
    /// There must be no writer and no reader.
    func compact() throws -> Bool {
        let copy = directory + "/compacted"
        try DirectoryTree.create(copy)
        try check(mdb_env_copy2(environment, copy, UInt32(MDB_CP_COMPACT)), "mdb_env_copy2")
        mdb_env_close(environment)
        try require(
            rename(copy + "/data.mdb", directory + "/data.mdb") == 0,
            "LMDB's compacted copy cannot take the place of the original.")
        DirectoryTree.remove(copy)
        (environment, database) = try Self.open(directory, flags)
        return true
    }

    func backup(to path: String) throws -> Bool {
        try DirectoryTree.create(path)
        try check(mdb_env_copy2(environment, path, 0), "mdb_env_copy2")
        return true
    }

    func makeWriter() throws -> Writer { Writer(environment: environment, database: database) }
    func makeReader() throws -> Reader {
        try Reader(environment: environment, database: database)
    }
    func sync() throws { try check(mdb_env_sync(environment, 1), "mdb_env_sync") }
    func checkpoint() throws { try sync() }
    func close() throws { mdb_env_close(environment) }

    struct Writer: EngineWriter {
        let environment: OpaquePointer
        let database: MDB_dbi
        private var transaction: OpaquePointer?

        init(environment: OpaquePointer, database: MDB_dbi) {
            self.environment = environment
            self.database = database
        }

        mutating func begin() throws {
            try check(mdb_txn_begin(environment, nil, 0, &transaction), "mdb_txn_begin")
        }

        mutating func put(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws {
            var key = item(key)
            var value = item(value)
            try check(mdb_put(transaction, database, &key, &value, 0), "mdb_put")
        }

        mutating func commit() throws { try check(mdb_txn_commit(transaction), "mdb_txn_commit") }
        mutating func close() {}
    }

    /// One read transaction and one cursor, renewed for every snapshot.
    struct Reader: EngineReader {
        let database: MDB_dbi
        private let transaction: OpaquePointer
        private let cursor: OpaquePointer
        private var isCursorRenewed = false

        init(environment: OpaquePointer, database: MDB_dbi) throws {
            self.database = database
            var begun: OpaquePointer?
            try check(mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &begun), "mdb_txn_begin")
            var opened: OpaquePointer?
            try check(mdb_cursor_open(begun, database, &opened), "mdb_cursor_open")
            guard let begun, let opened else { throw BenchmarkError("LMDB gave no cursor.") }
            mdb_txn_reset(begun)
            transaction = begun
            cursor = opened
        }

        @inline(__always)
        mutating func beginSnapshot() throws {
            try check(mdb_txn_renew(transaction), "mdb_txn_renew")
            isCursorRenewed = false
        }

        @inline(__always)
        mutating func endSnapshot() { mdb_txn_reset(transaction) }

        @inline(__always)
        mutating func get(_ key: UnsafeRawBufferPointer, _ sink: inout some ValueSink) throws
            -> Bool
        {
            var key = item(key)
            var value = MDB_val()
            let code = mdb_get(transaction, database, &key, &value)
            if code == MDB_NOTFOUND { return false }
            try check(code, "mdb_get")
            sink.add(value: bytes(value))
            return true
        }

        mutating func scan(
            from start: UnsafeRawBufferPointer?, limit: Int, withKeys: Bool,
            _ sink: inout some ValueSink
        ) throws -> Int {
            if !isCursorRenewed {
                try check(mdb_cursor_renew(transaction, cursor), "mdb_cursor_renew")
                isCursorRenewed = true
            }
            var key = start.map { item($0) } ?? MDB_val()
            var value = MDB_val()
            var code = mdb_cursor_get(
                cursor, &key, &value, start == nil ? MDB_FIRST : MDB_SET_RANGE)
            var count = 0
            while code == 0 {
                if withKeys { sink.add(key: bytes(key)) }
                sink.add(value: bytes(value))
                count += 1
                if count == limit { return count }
                code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)
            }
            if code != MDB_NOTFOUND { try check(code, "mdb_cursor_get") }
            return count
        }

        mutating func close() {
            mdb_cursor_close(cursor)
            mdb_txn_abort(transaction)
        }
    }
}

/// LMDB with `NOSYNC` and without `WRITEMAP` for unsynced commits; otherwise as `LMDBEngine`.
final class LMDBWithoutWriteMapEngine: Engine, @unchecked Sendable {
    private let base: LMDBEngine

    init(_ setup: EngineSetup) throws {
        base = try LMDBEngine(setup, unsyncedFlags: UInt32(MDB_NOSYNC))
    }

    func makeWriter() throws -> LMDBEngine.Writer { try base.makeWriter() }
    func makeReader() throws -> LMDBEngine.Reader { try base.makeReader() }
    func sync() throws { try base.sync() }
    func checkpoint() throws { try base.checkpoint() }
    func compact() throws -> Bool { try base.compact() }
    func backup(to path: String) throws -> Bool { try base.backup(to: path) }
    func close() throws { try base.close() }
}

@inline(__always)
private func check(_ code: Int32, _ call: String) throws {
    if code != 0 { throw BenchmarkError("\(call): \(String(cString: mdb_strerror(code)))") }
}

@inline(__always)
private func item(_ bytes: UnsafeRawBufferPointer) -> MDB_val {
    MDB_val(mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
}

@inline(__always)
private func bytes(_ item: MDB_val) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: item.mv_data, count: item.mv_size)
}
