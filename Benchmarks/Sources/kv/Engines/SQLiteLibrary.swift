import CSQLite
import Measurement

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What the engine calls of SQLite's C interface, in a library that was loaded.
///
/// libsqlcipher exports the same names as libsqlite3, so neither is linked: a process loads the
/// library of its engine, and calls both through the same pointers.
struct SQLiteLibrary {
    /// The name or path by which it was found.
    let name: String
    let open: sqlite3_open_v2_function
    let close: sqlite3_close_function
    private let errorText: sqlite3_errstr_function
    private let errorMessage: sqlite3_errmsg_function
    let setBusyTimeout: sqlite3_busy_timeout_function
    let execute: sqlite3_exec_function
    let prepare: sqlite3_prepare_v2_function
    /// Nil before SQLite 3.20.
    let prepareForReuse: sqlite3_prepare_v3_function?
    let bindBlob: sqlite3_bind_blob_function
    let bindInt64: sqlite3_bind_int64_function
    let step: sqlite3_step_function
    let reset: sqlite3_reset_function
    let columnBlob: sqlite3_column_blob_function
    let columnBytes: sqlite3_column_bytes_function
    let finalize: sqlite3_finalize_function
    private let libraryVersion: sqlite3_libversion_function

    #if canImport(Glibc)
        private static let plainNames = ["libsqlite3.so.0", "libsqlite3.so"]
        // Debian's package for developers, and what SQLCipher 4 and 3 are called without it.
        private static let cipherNames = [
            "libsqlcipher.so", "libsqlcipher.so.1", "libsqlcipher.so.0",
        ]
    #else
        private static let plainNames = ["libsqlite3.dylib"]
        private static let cipherNames = [
            "libsqlcipher.dylib", "/opt/homebrew/lib/libsqlcipher.dylib",
            "/usr/local/lib/libsqlcipher.dylib",
        ]
    #endif

    /// SQLite.
    static func plain() throws -> Self {
        guard let library = try Self(names: plainNames) else {
            throw BenchmarkError(
                "sqlite: libsqlite3 is not installed. Benchmarks/install-peers installs it.")
        }
        return library
    }

    /// SQLCipher: the file at `path`, or the installed library.
    static func cipher(path: String?) throws -> Self {
        guard let library = try Self(names: path.map { [$0] } ?? cipherNames) else {
            throw BenchmarkError(
                path.map { "sqlcipher: \($0) cannot be loaded: \(Self.string(dlerror()))" }
                    ?? """
                    sqlcipher: libsqlcipher is not installed. Benchmarks/install-peers installs \
                    it (Debian: libsqlcipher-dev, Homebrew: sqlcipher); --sqlcipher FILE loads \
                    another build of it.
                    """)
        }
        // SQLite without a cipher ignores a key, and would be measured as if it had one.
        try require(
            try library.cipherVersion != nil, "sqlcipher: \(library.name) is not SQLCipher.")
        return library
    }

    /// Loads the first library that there is; nil if there is none.
    private init?(names: [String]) throws {
        let loaded = names.lazy.compactMap { name in
            dlopen(name, RTLD_NOW | RTLD_LOCAL).map { (name, $0) }
        }.first
        guard let (name, handle) = loaded else { return nil }
        func find<Function>(_ symbol: String) -> Function? {
            dlsym(handle, symbol).map { unsafeBitCast($0, to: Function.self) }
        }
        func function<Function>(_ symbol: String) throws -> Function {
            guard let function: Function = find(symbol) else {
                throw BenchmarkError("\(name) has no function \(symbol).")
            }
            return function
        }
        self.name = name
        open = try function("sqlite3_open_v2")
        close = try function("sqlite3_close")
        errorText = try function("sqlite3_errstr")
        errorMessage = try function("sqlite3_errmsg")
        setBusyTimeout = try function("sqlite3_busy_timeout")
        execute = try function("sqlite3_exec")
        prepare = try function("sqlite3_prepare_v2")
        prepareForReuse = find("sqlite3_prepare_v3")
        bindBlob = try function("sqlite3_bind_blob")
        bindInt64 = try function("sqlite3_bind_int64")
        step = try function("sqlite3_step")
        reset = try function("sqlite3_reset")
        columnBlob = try function("sqlite3_column_blob")
        columnBytes = try function("sqlite3_column_bytes")
        finalize = try function("sqlite3_finalize")
        libraryVersion = try function("sqlite3_libversion")
    }

    /// One line that says what was loaded.
    var summary: String {
        get throws {
            let plain = "SQLite \(Self.string(libraryVersion()))"
            guard let version = try cipherVersion else { return "sqlite: \(plain), \(name)." }
            return "sqlcipher: SQLCipher \(version) on \(plain), \(name)."
        }
    }

    /// What a result code means.
    func text(of code: Int32) -> String { Self.string(errorText(code)) }

    /// What the last call on a connection failed with.
    func lastError(of connection: OpaquePointer) -> String { Self.string(errorMessage(connection)) }

    private static func string(_ text: UnsafePointer<CChar>?) -> String {
        text.map { String(cString: $0) } ?? "unknown"
    }

    /// The version of SQLCipher; nil if it is not SQLCipher.
    private var cipherVersion: String? {
        get throws {
            let connection = try SQLiteConnection(library: self, path: ":memory:")
            defer { connection.close() }
            let statement = try connection.prepare("PRAGMA cipher_version")
            defer { statement.finalize() }
            return try statement.step() ? String(decoding: statement.column(0), as: UTF8.self) : nil
        }
    }
}
