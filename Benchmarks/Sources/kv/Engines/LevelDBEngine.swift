import CLevelDB
import Measurement

/// LevelDB through its C interface.
///
/// 128 MB write buffer, 10-bit Bloom filter, Snappy, 16 MB files. Unsynced: the log is written and
/// not synced, one empty synced batch at the end. Durable: `sync`. Threads that commit together
/// share a sync by LevelDB's own group commit.
final class LevelDBEngine: Engine, @unchecked Sendable {
    private let database: OpaquePointer
    private let options: OpaquePointer
    private let cache: OpaquePointer
    private let filter: OpaquePointer
    private let writeOptions: OpaquePointer

    init(_ setup: EngineSetup) throws {
        try DirectoryTree.create(setup.directory)
        options = leveldb_options_create()
        cache = leveldb_cache_create_lru(setup.cacheMebibytes << 20)
        filter = leveldb_filterpolicy_create_bloom(10)
        leveldb_options_set_create_if_missing(options, 1)
        leveldb_options_set_write_buffer_size(options, setup.writeBufferMebibytes << 20)
        leveldb_options_set_max_file_size(options, 16 << 20)
        leveldb_options_set_compression(options, Int32(leveldb_snappy_compression))
        leveldb_options_set_filter_policy(options, filter)
        leveldb_options_set_cache(options, cache)
        writeOptions = leveldb_writeoptions_create()
        leveldb_writeoptions_set_sync(writeOptions, setup.promise == .durable ? 1 : 0)
        var error: UnsafeMutablePointer<CChar>?
        let opened = leveldb_open(options, setup.directory, &error)
        try check(error, "leveldb_open")
        guard let opened else { throw BenchmarkError("leveldb_open gave nothing.") }
        database = opened
    }

    func makeWriter() throws -> Writer {
        Writer(
            database: database, options: writeOptions, batch: leveldb_writebatch_create())
    }

    func makeReader() throws -> Reader {
        Reader(database: database, options: leveldb_readoptions_create())
    }

    func sync() throws {
        let options = leveldb_writeoptions_create()
        let batch = leveldb_writebatch_create()
        defer {
            leveldb_writebatch_destroy(batch)
            leveldb_writeoptions_destroy(options)
        }
        leveldb_writeoptions_set_sync(options, 1)
        var error: UnsafeMutablePointer<CChar>?
        leveldb_write(database, options, batch, &error)
        try check(error, "leveldb_write")
    }

    func checkpoint() throws { leveldb_compact_range(database, nil, 0, nil, 0) }

    func compact() throws -> Bool {
        try checkpoint()
        return true
    }

    func close() throws {
        leveldb_close(database)
        leveldb_writeoptions_destroy(writeOptions)
        leveldb_options_destroy(options)
        leveldb_filterpolicy_destroy(filter)
        leveldb_cache_destroy(cache)
    }

    struct Writer: EngineWriter {
        let database: OpaquePointer
        let options: OpaquePointer
        let batch: OpaquePointer

        mutating func begin() throws {}

        mutating func put(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws {
            leveldb_writebatch_put(
                batch, characters(key), key.count, characters(value), value.count)
        }

        mutating func commit() throws {
            var error: UnsafeMutablePointer<CChar>?
            leveldb_write(database, options, batch, &error)
            try check(error, "leveldb_write")
            leveldb_writebatch_clear(batch)
        }

        mutating func close() { leveldb_writebatch_destroy(batch) }
    }

    struct Reader: EngineReader {
        let database: OpaquePointer
        let options: OpaquePointer
        private var snapshot: OpaquePointer?
        private var iterator: OpaquePointer?

        init(database: OpaquePointer, options: OpaquePointer) {
            self.database = database
            self.options = options
        }

        mutating func beginSnapshot() throws {
            snapshot = leveldb_create_snapshot(database)
            leveldb_readoptions_set_snapshot(options, snapshot)
        }

        mutating func endSnapshot() {
            if let iterator { leveldb_iter_destroy(iterator) }
            iterator = nil
            leveldb_readoptions_set_snapshot(options, nil)
            if let snapshot { leveldb_release_snapshot(database, snapshot) }
            snapshot = nil
        }

        @inline(__always)
        mutating func get(_ key: UnsafeRawBufferPointer, _ sink: inout some ValueSink) throws
            -> Bool
        {
            var error: UnsafeMutablePointer<CChar>?
            var count = 0
            let value = leveldb_get(
                database, options, characters(key), key.count, &count, &error)
            try check(error, "leveldb_get")
            guard let value else { return false }
            sink.add(value: UnsafeRawBufferPointer(start: value, count: count))
            leveldb_free(value)
            return true
        }

        mutating func scan(
            from start: UnsafeRawBufferPointer?, limit: Int, withKeys: Bool,
            _ sink: inout some ValueSink
        ) throws -> Int {
            let iterator = self.iterator ?? leveldb_create_iterator(database, options)
            self.iterator = iterator
            if let start {
                leveldb_iter_seek(iterator, characters(start), start.count)
            } else {
                leveldb_iter_seek_to_first(iterator)
            }
            var count = 0
            var byteCount = 0
            while leveldb_iter_valid(iterator) != 0 {
                if withKeys {
                    let key = leveldb_iter_key(iterator, &byteCount)
                    sink.add(key: UnsafeRawBufferPointer(start: key, count: byteCount))
                }
                let value = leveldb_iter_value(iterator, &byteCount)
                sink.add(value: UnsafeRawBufferPointer(start: value, count: byteCount))
                count += 1
                if count == limit { break }
                leveldb_iter_next(iterator)
            }
            var error: UnsafeMutablePointer<CChar>?
            leveldb_iter_get_error(iterator, &error)
            try check(error, "leveldb_iter")
            return count
        }

        mutating func close() { leveldb_readoptions_destroy(options) }
    }
}

@inline(__always)
private func check(_ error: UnsafeMutablePointer<CChar>?, _ call: String) throws {
    guard let error else { return }
    defer { leveldb_free(error) }
    throw BenchmarkError("\(call): \(String(cString: error))")
}

@inline(__always)
private func characters(_ bytes: UnsafeRawBufferPointer) -> UnsafePointer<CChar>? {
    bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
}
