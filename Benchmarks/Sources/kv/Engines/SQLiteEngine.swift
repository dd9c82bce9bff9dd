import Measurement

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// SQLite's C interface: write-ahead log, 4 KiB pages, `WITHOUT ROWID` table with a BLOB key,
/// prepared statements, checkpoint each 64 MB, no mmap.
///
/// Unsynced: `synchronous=NORMAL`, one fdatasync of the log file at the end (SQLite also syncs at
/// each checkpoint, which the other peers need not). Durable: `FULL`. Writers share one connection
/// with a mutex; every reader has its own connection.
///
/// Encrypted it is SQLCipher, with the cipher that it uses by default, and settings otherwise the
/// same.
final class SQLiteEngine: Engine, @unchecked Sendable {
    private let library: SQLiteLibrary
    private let path: String
    private let setup: EngineSetup
    private let key: [UInt8]?
    private let writing: SQLiteConnection
    private let lock = SQLiteWriterLock()

    /// The key of encrypted databases.
    static let key = Array(0..<32 as Range<UInt8>)

    static func path(in directory: String) -> String { directory + "/kv.sqlite" }

    init(_ setup: EngineSetup) throws {
        try DirectoryTree.create(setup.directory)
        self.setup = setup
        library =
            setup.isEncrypted ? try .cipher(path: setup.sqlcipherPath) : try .plain()
        key = setup.isEncrypted ? Self.key : nil
        path = Self.path(in: setup.directory)
        writing = try SQLiteConnection(library: library, path: path, setup: setup, key: key)
        try writing.execute(
            "CREATE TABLE IF NOT EXISTS kv(k BLOB PRIMARY KEY, v BLOB NOT NULL) WITHOUT ROWID")
    }

    /// The connection is not for several threads at once, so preparing needs the lock too.
    func makeWriter() throws -> Writer {
        lock.lock()
        defer { lock.unlock() }
        return try Writer(connection: writing, lock: lock)
    }

    func makeReader() throws -> Reader {
        try Reader(
            connection: SQLiteConnection(library: library, path: path, setup: setup, key: key))
    }

    func sync() throws {
        let descriptor = open(path + "-wal", O_RDWR | O_CLOEXEC)
        try require(descriptor >= 0, "SQLite's log cannot be opened for a sync.")
        defer { _ = Self.close(descriptor) }
        #if canImport(Glibc)
            let code = fdatasync(descriptor)
        #else
            let code = fcntl(descriptor, F_FULLFSYNC)
        #endif
        try require(code == 0, "SQLite's log cannot be synced.")
    }

    func checkpoint() throws { try writing.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
    func compact() throws -> Bool {
        try writing.execute("VACUUM")
        try checkpoint()
        return true
    }

    func close() throws { writing.close() }

    private static func close(_ descriptor: Int32) -> Int32 {
        #if canImport(Glibc)
            Glibc.close(descriptor)
        #else
            Darwin.close(descriptor)
        #endif
    }

    struct Writer: EngineWriter {
        private let lock: SQLiteWriterLock
        private let beginStatement: SQLiteStatement
        private let insertStatement: SQLiteStatement
        private let endStatement: SQLiteStatement

        init(connection: SQLiteConnection, lock: SQLiteWriterLock) throws {
            self.lock = lock
            beginStatement = try connection.prepare("BEGIN IMMEDIATE")
            insertStatement = try connection.prepare("INSERT OR REPLACE INTO kv(k, v) VALUES(?, ?)")
            endStatement = try connection.prepare("COMMIT")
        }

        mutating func begin() throws {
            lock.lock()
            try beginStatement.run()
        }

        mutating func put(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws {
            insertStatement.bind(key, at: 1)
            insertStatement.bind(value, at: 2)
            try insertStatement.run()
        }

        mutating func commit() throws {
            try endStatement.run()
            lock.unlock()
        }

        mutating func close() {
            lock.lock()
            defer { lock.unlock() }
            for statement in [beginStatement, insertStatement, endStatement] {
                statement.finalize()
            }
        }
    }

    struct Reader: EngineReader {
        private let connection: SQLiteConnection
        private let beginStatement: SQLiteStatement
        private let endStatement: SQLiteStatement
        private let select: SQLiteStatement
        private let scanAll: SQLiteStatement
        private let scanFrom: SQLiteStatement

        init(connection: SQLiteConnection) throws {
            self.connection = connection
            beginStatement = try connection.prepare("BEGIN")
            endStatement = try connection.prepare("COMMIT")
            select = try connection.prepare("SELECT v FROM kv WHERE k = ?")
            scanAll = try connection.prepare("SELECT v, k FROM kv ORDER BY k LIMIT ?")
            scanFrom = try connection.prepare(
                "SELECT v, k FROM kv WHERE k >= ? ORDER BY k LIMIT ?")
        }

        mutating func beginSnapshot() throws { try beginStatement.run() }
        mutating func endSnapshot() throws { try endStatement.run() }

        @inline(__always)
        mutating func get(_ key: UnsafeRawBufferPointer, _ sink: inout some ValueSink) throws
            -> Bool
        {
            select.bind(key, at: 1)
            let isFound = try select.step()
            if isFound { sink.add(value: select.column(0)) }
            select.reset()
            return isFound
        }

        /// A statement outside a transaction is a separate read transaction.
        mutating func getInOwnSnapshot(
            _ key: UnsafeRawBufferPointer, _ sink: inout some ValueSink
        ) throws -> Bool {
            try get(key, &sink)
        }

        mutating func scan(
            from start: UnsafeRawBufferPointer?, limit: Int, withKeys: Bool,
            _ sink: inout some ValueSink
        ) throws -> Int {
            let statement = start == nil ? scanAll : scanFrom
            if let start { statement.bind(start, at: 1) }
            statement.bind(limit, at: start == nil ? 1 : 2)
            var count = 0
            while try statement.step() {
                if withKeys { sink.add(key: statement.column(1)) }
                sink.add(value: statement.column(0))
                count += 1
            }
            statement.reset()
            return count
        }

        mutating func close() {
            for statement in [beginStatement, endStatement, select, scanAll, scanFrom] {
                statement.finalize()
            }
            connection.close()
        }
    }
}
