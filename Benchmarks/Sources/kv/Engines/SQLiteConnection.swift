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
    private let handle: OpaquePointer

    init(path: String, setup: EngineSetup) throws {
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        let code = sqlite3_open_v2(path, &opened, flags, nil)
        guard code == SQLITE_OK, let opened else {
            throw BenchmarkError("sqlite3_open_v2: \(String(cString: sqlite3_errstr(code)))")
        }
        handle = opened
        sqlite3_busy_timeout(handle, 10_000)
        for pragma in [
            "page_size=4096", "journal_mode=WAL",
            "synchronous=\(setup.promise == .durable ? "FULL" : "NORMAL")",
            "cache_size=-\(setup.cacheMebibytes * 1024)", "wal_autocheckpoint=16384",
            "mmap_size=0",
        ] { try execute("PRAGMA " + pragma) }
    }

    func execute(_ sql: String) throws {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        try require(code == SQLITE_OK, "\(sql): \(String(cString: sqlite3_errmsg(handle)))")
    }

    func prepare(_ sql: String) throws -> SQLiteStatement {
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v3(
            handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard code == SQLITE_OK, let statement else {
            throw BenchmarkError("\(sql): \(String(cString: sqlite3_errmsg(handle)))")
        }
        return SQLiteStatement(handle: statement)
    }

    func close() { sqlite3_close(handle) }
}

/// A prepared statement.
struct SQLiteStatement {
    let handle: OpaquePointer

    /// Binds bytes that stay where they are until the statement was reset.
    @inline(__always)
    func bind(_ bytes: UnsafeRawBufferPointer, at index: Int32) {
        sqlite3_bind_blob(handle, index, bytes.baseAddress, Int32(bytes.count), nil)
    }

    func bind(_ number: Int, at index: Int32) {
        sqlite3_bind_int64(handle, index, Int64(min(number, Int(Int64.max))))
    }

    /// Whether there is another row.
    @inline(__always)
    func step() throws -> Bool {
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        if code != SQLITE_DONE { try fail(code) }
        return false
    }

    @inline(__always)
    func reset() { sqlite3_reset(handle) }

    func run() throws {
        _ = try step()
        reset()
    }

    @inline(__always)
    func column(_ index: Int32) -> UnsafeRawBufferPointer {
        let bytes = sqlite3_column_blob(handle, index)
        return UnsafeRawBufferPointer(
            start: bytes, count: Int(sqlite3_column_bytes(handle, index)))
    }

    func finalize() { sqlite3_finalize(handle) }

    private func fail(_ code: Int32) throws {
        throw BenchmarkError("sqlite3_step: \(String(cString: sqlite3_errstr(code)))")
    }
}
