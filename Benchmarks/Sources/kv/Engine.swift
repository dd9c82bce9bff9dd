import Measurement

/// What a commit promises, as each engine spells it.
enum CommitPromise: String, Sendable, Codable {
    /// Nothing is synced until `sync()`.
    case unsynced
    /// A commit is on the disk when it returns.
    case durable
}

/// How an engine is opened.
struct EngineSetup: Sendable {
    var directory: String
    var promise: CommitPromise
    /// Block or page cache of the peers that have one, in MiB.
    var cacheMebibytes: Int
    /// Whether nothing may shorten the log in the background, for measuring recovery.
    var keepsLog = false
    /// Whether the store has a key; only Travertine's and SQLite's can.
    var isEncrypted = false
    /// The library of SQLCipher; nil is the installed one.
    var sqlcipherPath: String?
    /// What RocksDB and LevelDB gather in memory before they write a table, in MiB.
    var writeBufferMebibytes = 128
    /// What Travertine's index nodes may take, in MiB; nil is its default.
    var indexMebibytes: Int?
}

/// A key-value engine under test.
///
/// Workloads are generic over the engine, so that every call is specialised: there is no witness
/// table and no existential inside a timed loop. An engine may be used by many threads; a writer or
/// reader belongs to one.
protocol Engine: AnyObject, Sendable {
    associatedtype Writer: EngineWriter
    associatedtype Reader: EngineReader

    init(_ setup: EngineSetup) throws
    func makeWriter() throws -> Writer
    func makeReader() throws -> Reader
    /// Makes all commits durable.
    func sync() throws
    /// Does what the engine can do so that opening has no log to replay.
    func checkpoint() throws
    /// Rewrites everything into the least space; false if the engine can't.
    func compact() throws -> Bool
    /// Copies the store to a missing directory as of one commit while others write; false if the
    /// engine can't.
    func backup(to path: String) throws -> Bool
    /// The same as the engine does it by default, with links where it can; false if it has no other
    /// way than `backup`.
    func backupByLinks(to path: String) throws -> Bool
    /// What the engine reports of itself.
    func figures() throws -> EngineFigures?
    func close() throws
}

extension Engine {
    func compact() throws -> Bool { false }
    func backup(to path: String) throws -> Bool { false }
    func backupByLinks(to path: String) throws -> Bool { false }
    func figures() throws -> EngineFigures? { nil }
}

/// What Travertine's statistics say, as far as rows need it; counts are since opening.
struct EngineFigures: Sendable {
    /// Space by the definition that its space bound has.
    var boundedSpace = 0.0
    var liveByteCount = 0
    /// Allocated bytes of segments, retired ones included.
    var segmentByteCount = 0
    /// Bytes written into segments, headers included.
    var writtenSegmentByteCount = 0
    /// Bytes of segments that the space bound allows beyond it.
    var spaceFloorByteCount = 0
    /// Allocated bytes of segments after the older of the kept checkpoints.
    var uncheckpointedByteCount = 0
    /// Of index nodes, those that only older versions need included.
    var nodeByteCount = 0
    /// All bytes of log without moves, and moves, pages and zeros.
    var logByteCount = 0
    var movedByteCount = 0
    var pageByteCount = 0
    var zeroByteCount = 0
    var passCount = 0
    /// How long commits were slowed down, in nanoseconds.
    var delayNanoseconds: UInt64 = 0
    var checkpointCount = 0
}

/// Write transactions of one thread.
protocol EngineWriter {
    mutating func begin() throws
    mutating func put(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws
    mutating func commit() throws
    mutating func close()
}

/// What an engine shows a value to, and in some scans the key before it.
protocol ValueSink {
    mutating func add(key: UnsafeRawBufferPointer)
    mutating func add(value: UnsafeRawBufferPointer)
}

/// Reads of one thread, all of them on a snapshot.
protocol EngineReader {
    mutating func beginSnapshot() throws
    mutating func endSnapshot() throws
    /// Reads one value; false if there is none.
    mutating func get(_ key: UnsafeRawBufferPointer, _ sink: inout some ValueSink) throws -> Bool
    /// Reads one value on its own snapshot, the cheapest way that the engine has.
    mutating func getInOwnSnapshot(
        _ key: UnsafeRawBufferPointer, _ sink: inout some ValueSink
    ) throws -> Bool
    /// Reads the values of several keys, in any order; returns how many there were.
    mutating func get(all keys: [UnsafeRawBufferPointer], _ sink: inout some ValueSink) throws
        -> Int
    /// Reads up to `limit` records in key order, from the first one at or after `start`; nil is the
    /// first of all. Returns how many there were.
    mutating func scan(
        from start: UnsafeRawBufferPointer?, limit: Int, withKeys: Bool,
        _ sink: inout some ValueSink
    ) throws -> Int
    mutating func close()
}

extension EngineReader {
    /// One after the other, for engines that have no call for it.
    @inline(__always)
    mutating func get(all keys: [UnsafeRawBufferPointer], _ sink: inout some ValueSink) throws
        -> Int
    {
        var count = 0
        for key in keys where try get(key, &sink) { count &+= 1 }
        return count
    }

    @inline(__always)
    mutating func getInOwnSnapshot(
        _ key: UnsafeRawBufferPointer, _ sink: inout some ValueSink
    ) throws -> Bool {
        try beginSnapshot()
        let isFound = try get(key, &sink)
        try endSnapshot()
        return isFound
    }
}

/// The engines that can be asked for by name.
enum EngineName: String, CaseIterable, Sendable, Codable {
    case travertine
    /// Travertine with a key.
    case travertineEncrypted = "travertine_encrypted"
    case lmdb
    case lmdbWithoutWriteMap = "lmdb_nosync"
    case rocksdb
    case leveldb
    case sqlite
    /// SQLite with a key.
    case sqlcipher

    /// Whether its stores have a key.
    var isEncrypted: Bool { self == .travertineEncrypted || self == .sqlcipher }

    /// What runs unless `--engines` says otherwise.
    static let standard: [EngineName] = [.travertine, .lmdb, .rocksdb, .leveldb, .sqlite]
}
