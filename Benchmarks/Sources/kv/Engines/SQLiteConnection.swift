import CSQLite
import Measurement

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Lets one thread write at a time.
final class SQLiteWriterLock: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    init() {
        mutex = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    func lock() { pthread_mutex_lock(mutex) }
    func unlock() { pthread_mutex_unlock(mutex) }
}

/// One connection, used by one thread at a time.
struct SQLiteConnection {
    private let library: SQLiteLibrary
    private let handle: OpaquePointer

    /// A connection with the settings of SQLite, without a key.
    init(library: SQLiteLibrary, path: String) throws {
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        let code = library.open(path, &opened, flags, nil)
        guard code == SQLITE_OK, let opened else {
            throw BenchmarkError("sqlite3_open_v2: \(library.text(of: code))")
        }
        self.library = library
        handle = opened
    }

    /// A connection with the settings of the workloads. A key of 32 bytes is used as it is, so that
    /// opening need not derive it from a password.
    init(library: SQLiteLibrary, path: String, setup: EngineSetup, key: [UInt8]?) throws {
        try self.init(library: library, path: path)
        do {
            _ = library.setBusyTimeout(handle, 10_000)
            if let key { try setKey(key) }
            for pragma in [
                "page_size=4096", "journal_mode=WAL",
                "synchronous=\(setup.promise == .durable ? "FULL" : "NORMAL")",
                "cache_size=-\(setup.cacheMebibytes * 1024)", "wal_autocheckpoint=16384",
                "mmap_size=0",
            ] { try execute("PRAGMA " + pragma) }
        } catch {
            close()
            throw error
        }
    }

    /// With a key the size of pages is a setting of the cipher: 1 KiB in SQLCipher 3 unless set.
    private func setKey(_ key: [UInt8]) throws {
        let digits = key.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        try execute("PRAGMA key = \"x'\(digits)'\"")
        try execute("PRAGMA cipher_page_size = 4096")
    }

    func execute(_ sql: String) throws {
        let code = library.execute(handle, sql, nil, nil, nil)
        try require(code == SQLITE_OK, "\(sql): \(library.lastError(of: handle))")
    }

    func prepare(_ sql: String) throws -> SQLiteStatement {
        var statement: OpaquePointer?
        let code =
            library.prepareForReuse?(
                handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
            ?? library.prepare(handle, sql, -1, &statement, nil)
        guard code == SQLITE_OK, let statement else {
            throw BenchmarkError("\(sql): \(library.lastError(of: handle))")
        }
        return SQLiteStatement(library: library, handle: statement)
    }

    func close() { _ = library.close(handle) }
}

/// A prepared statement.
struct SQLiteStatement {
    private let library: SQLiteLibrary
    private let handle: OpaquePointer

    fileprivate init(library: SQLiteLibrary, handle: OpaquePointer) {
        self.library = library
        self.handle = handle
    }

    /// Binds bytes that stay where they are until the statement was reset.
    @inline(__always)
    func bind(_ bytes: UnsafeRawBufferPointer, at index: Int32) {
        _ = library.bindBlob(handle, index, bytes.baseAddress, Int32(bytes.count), nil)
    }

    func bind(_ number: Int, at index: Int32) {
        _ = library.bindInt64(handle, index, Int64(min(number, Int(Int64.max))))
    }

    /// Whether there is another row.
    @inline(__always)
    func step() throws -> Bool {
        let code = library.step(handle)
        if code == SQLITE_ROW { return true }
        if code != SQLITE_DONE { try fail(code) }
        return false
    }

    @inline(__always)
    func reset() { _ = library.reset(handle) }

    func run() throws {
        _ = try step()
        reset()
    }

    @inline(__always)
    func column(_ index: Int32) -> UnsafeRawBufferPointer {
        let bytes = library.columnBlob(handle, index)
        return UnsafeRawBufferPointer(
            start: bytes, count: Int(library.columnBytes(handle, index)))
    }

    func finalize() { _ = library.finalize(handle) }

    private func fail(_ code: Int32) throws {
        throw BenchmarkError("sqlite3_step: \(library.text(of: code))")
    }
}
