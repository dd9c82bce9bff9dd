import CRocksDB
import Measurement

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// RocksDB through its C interface.
///
/// 128 MB write buffer, 10-bit Bloom filter, LZ4, 2 background jobs, dynamic level bytes. Unsynced:
/// the log is written and not synced, one `rocksdb_flush_wal(sync)` at the end. Durable: `sync`.
/// Threads that commit together share a sync by RocksDB's own group commit.
final class RocksDBEngine: Engine, @unchecked Sendable {
    private let database: OpaquePointer
    private let options: OpaquePointer
    private let cache: OpaquePointer
    private let writeOptions: OpaquePointer

    init(_ setup: EngineSetup) throws {
        try DirectoryTree.create(setup.directory)
        options = rocksdb_options_create()
        cache = rocksdb_cache_create_lru(setup.cacheMebibytes << 20)
        rocksdb_options_set_create_if_missing(options, 1)
        rocksdb_options_set_write_buffer_size(options, setup.writeBufferMebibytes << 20)
        rocksdb_options_set_compression(options, Int32(rocksdb_lz4_compression))
        rocksdb_options_set_max_background_jobs(options, 2)
        rocksdb_options_set_level_compaction_dynamic_level_bytes(options, 1)
        let tableOptions = rocksdb_block_based_options_create()
        rocksdb_block_based_options_set_filter_policy(
            tableOptions, rocksdb_filterpolicy_create_bloom_full(10))
        rocksdb_block_based_options_set_block_cache(tableOptions, cache)
        rocksdb_options_set_block_based_table_factory(options, tableOptions)
        rocksdb_block_based_options_destroy(tableOptions)
        writeOptions = rocksdb_writeoptions_create()
        rocksdb_writeoptions_set_sync(writeOptions, setup.promise == .durable ? 1 : 0)
        var error: UnsafeMutablePointer<CChar>?
        let opened = rocksdb_open(options, setup.directory, &error)
        try check(error, "rocksdb_open")
        guard let opened else { throw BenchmarkError("rocksdb_open gave nothing.") }
        database = opened
    }

    func makeWriter() throws -> Writer {
        Writer(
            database: database, options: writeOptions, batch: rocksdb_writebatch_create())
    }

    func makeReader() throws -> Reader {
        Reader(database: database, options: rocksdb_readoptions_create())
    }

    func sync() throws {
        var error: UnsafeMutablePointer<CChar>?
        rocksdb_flush_wal(database, 1, &error)
        try check(error, "rocksdb_flush_wal")
    }

    func checkpoint() throws {
        let flushOptions = rocksdb_flushoptions_create()
        defer { rocksdb_flushoptions_destroy(flushOptions) }
        var error: UnsafeMutablePointer<CChar>?
        rocksdb_flush(database, flushOptions, &error)
        try check(error, "rocksdb_flush")
    }

    /// All levels, the last one too.
    func compact() throws -> Bool {
        let compactOptions = rocksdb_compactoptions_create()
        defer { rocksdb_compactoptions_destroy(compactOptions) }
        // kForce of RocksDB's BottommostLevelCompaction.
        rocksdb_compactoptions_set_bottommost_level_compaction(compactOptions, 2)
        try checkpoint()
        rocksdb_compact_range_opt(database, compactOptions, nil, 0, nil, 0)
        return true
    }

    func close() throws {
        rocksdb_close(database)
        rocksdb_writeoptions_destroy(writeOptions)
        rocksdb_options_destroy(options)
        rocksdb_cache_destroy(cache)
    }

    struct Writer: EngineWriter {
        let database: OpaquePointer
        let options: OpaquePointer
        let batch: OpaquePointer

        mutating func begin() throws {}

        mutating func put(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws {
            rocksdb_writebatch_put(
                batch, characters(key), key.count, characters(value), value.count)
        }

        mutating func commit() throws {
            var error: UnsafeMutablePointer<CChar>?
            rocksdb_write(database, options, batch, &error)
            try check(error, "rocksdb_write")
            rocksdb_writebatch_clear(batch)
        }

        mutating func close() { rocksdb_writebatch_destroy(batch) }
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
            snapshot = rocksdb_create_snapshot(database)
            rocksdb_readoptions_set_snapshot(options, snapshot)
        }

        mutating func endSnapshot() {
            if let iterator { rocksdb_iter_destroy(iterator) }
            iterator = nil
            rocksdb_readoptions_set_snapshot(options, nil)
            rocksdb_release_snapshot(database, snapshot)
            snapshot = nil
        }

        @inline(__always)
        mutating func get(_ key: UnsafeRawBufferPointer, _ sink: inout some ValueSink) throws
            -> Bool
        {
            var error: UnsafeMutablePointer<CChar>?
            let slice = rocksdb_get_pinned(
                database, options, characters(key), key.count, &error)
            try check(error, "rocksdb_get_pinned")
            guard let slice else { return false }
            var count = 0
            let value = rocksdb_pinnableslice_value(slice, &count)
            sink.add(value: UnsafeRawBufferPointer(start: value, count: count))
            rocksdb_pinnableslice_destroy(slice)
            return true
        }

        /// `rocksdb_multi_get`, which copies every value; the pinning form needs column families.
        mutating func get(all keys: [UnsafeRawBufferPointer], _ sink: inout some ValueSink) throws
            -> Int
        {
            let starts = keys.map { characters($0) }
            let lengths = keys.map(\.count)
            var values = [UnsafeMutablePointer<CChar>?](repeating: nil, count: keys.count)
            var valueLengths = [Int](repeating: 0, count: keys.count)
            var errors = [UnsafeMutablePointer<CChar>?](repeating: nil, count: keys.count)
            rocksdb_multi_get(
                database, options, keys.count, starts, lengths, &values, &valueLengths, &errors)
            var count = 0
            for index in keys.indices {
                try check(errors[index], "rocksdb_multi_get")
                guard let value = values[index] else { continue }
                sink.add(value: UnsafeRawBufferPointer(start: value, count: valueLengths[index]))
                free(value)
                count += 1
            }
            return count
        }

        mutating func scan(
            from start: UnsafeRawBufferPointer?, limit: Int, withKeys: Bool,
            _ sink: inout some ValueSink
        ) throws -> Int {
            let iterator = self.iterator ?? rocksdb_create_iterator(database, options)
            self.iterator = iterator
            if let start {
                rocksdb_iter_seek(iterator, characters(start), start.count)
            } else {
                rocksdb_iter_seek_to_first(iterator)
            }
            var count = 0
            var byteCount = 0
            while rocksdb_iter_valid(iterator) != 0 {
                if withKeys {
                    let key = rocksdb_iter_key(iterator, &byteCount)
                    sink.add(key: UnsafeRawBufferPointer(start: key, count: byteCount))
                }
                let value = rocksdb_iter_value(iterator, &byteCount)
                sink.add(value: UnsafeRawBufferPointer(start: value, count: byteCount))
                count += 1
                if count == limit { break }
                rocksdb_iter_next(iterator)
            }
            var error: UnsafeMutablePointer<CChar>?
            rocksdb_iter_get_error(iterator, &error)
            try check(error, "rocksdb_iter")
            return count
        }

        mutating func close() { rocksdb_readoptions_destroy(options) }
    }
}

@inline(__always)
private func check(_ error: UnsafeMutablePointer<CChar>?, _ call: String) throws {
    guard let error else { return }
    defer { free(error) }
    throw BenchmarkError("\(call): \(String(cString: error))")
}

@inline(__always)
private func characters(_ bytes: UnsafeRawBufferPointer) -> UnsafePointer<CChar>? {
    bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
}
