import SimulatedDisk
import TestSupport
import Testing

@testable import StoreFixtures
@testable import TravertineStore

/// Rows that a cursor takes several at a time.
@Suite struct TakenRowsTests {
    /// All rows from a cursor's place on: their numbers and copies of their values.
    private func take(
        _ cursor: inout RawCursor
    ) -> (rows: [(key: UInt64, value: [UInt8])], failure: StoreError?) {
        let memory = UnsafeMutablePointer<NumberedRow>.allocate(capacity: RawCursor.rowCountMax)
        defer { memory.deallocate() }
        var rows: [(key: UInt64, value: [UInt8])] = []
        while true {
            let taken = cursor.takeRows(into: memory)
            #expect(taken.count <= RawCursor.rowCountMax)
            for row in UnsafeBufferPointer(start: memory, count: taken.count) {
                let bytes = UnsafeRawBufferPointer(start: row.base, count: row.byteCount)
                rows.append((row.key, Array(bytes)))
            }
            if let failure = taken.failure { return (rows, failure) }
            if taken.count == 0 { return (rows, nil) }
        }
    }

    private func value(_ key: UInt64) -> [UInt8] {
        Array("value \(key)".utf8) + Array(repeating: 7, count: Int(key % 90))
    }

    private func all(_ store: Store) throws -> [UInt64] {
        let snapshot = try store.snapshot()
        var cursor = snapshot.access.cursor(in: KeyspaceID.default)
        guard try cursor.seekToFirst() else { return [] }
        let taken = take(&cursor)
        #expect(taken.failure == nil)
        for row in taken.rows { #expect(row.value == value(row.key)) }
        return withExtendedLifetime(snapshot) { taken.rows.map(\.key) }
    }

    @Test(
        "rows come in the order of their numbers, each once, however many there are",
        arguments: [0, 1, 63, 64, 65, 128, 1000, 5000])
    func order(count: Int) throws {
        let directory = TemporaryDirectory()
        let store = try Store.open(at: directory.path("store"))
        // Near numbers share four bytes of their keys, far ones less.
        for step in [1, 3, 1 << 20, 1 << 33, 1 << 50] as [UInt64] {
            let keys = (0..<UInt64(count)).map { $0 * step }
            try store.write { transaction in
                _ = try transaction.deleteAll()
                for key in keys.shuffled() { try transaction.put(value(key), forKey: key) }
            }
            #expect(try all(store) == keys)
        }
    }

    @Test("rows that compaction put together, and newer ones between them, come like others")
    func packedRows() throws {
        let directory = TemporaryDirectory()
        let store = try Store.open(at: directory.path("store"))
        try store.write { try $0.setCompression(.packed, of: .default) }
        let keys = Array(0..<3000 as Range<UInt64>)
        try store.write { for key in keys { try $0.put(value(key), forKey: key) } }
        try store.compact()
        #expect(try all(store) == keys)
        try store.write {
            for key in keys where key % 7 == 0 { try $0.put(value(key), forKey: key) }
        }
        #expect(try all(store) == keys)
    }

    @Test("values that must be decompressed come whole, each in its own call")
    func compressedRows() throws {
        let directory = TemporaryDirectory()
        let store = try Store.open(at: directory.path("store"))
        try store.write { try $0.setCompression(.cold, of: .default) }
        let keys = Array(0..<500 as Range<UInt64>)
        try store.write { for key in keys { try $0.put(value(key), forKey: key) } }
        try store.compact()
        #expect(try all(store) == keys)
    }

    @Test("in a transaction rows that are not written yet, and staged ones, are among them")
    func unwrittenRows() throws {
        let directory = TemporaryDirectory()
        let store = try Store.open(at: directory.path("store"))
        let keys = Array(0..<300 as Range<UInt64>)
        try store.write { for key in keys where key < 200 { try $0.put(value(key), forKey: key) } }
        try store.write { transaction in
            for key in keys where key >= 200 { try transaction.put(value(key), forKey: key) }
            try withBytes(of: 5) {
                let staged = try transaction.stagedRow(forKey: $0, in: KeyspaceID.default)
                try #require(staged)[0] = UInt8(ascii: "V")
            }
            var cursor = transaction.access.cursor(in: KeyspaceID.default)
            #expect(try cursor.seekToFirst())
            let taken = take(&cursor)
            #expect(taken.rows.map(\.key) == keys)
            for row in taken.rows {
                #expect(row.value.dropFirst() == value(row.key).dropFirst())
                #expect(row.value[0] == UInt8(ascii: row.key == 5 ? "V" : "v"))
            }
        }
    }

    @Test("the rows before a damaged page come, then the failure")
    func damage() throws {
        let machine = SimulatedMachine(seed: 5)
        let keys = Array(0..<2000 as Range<UInt64>)
        let store = try Store.open(at: SimulatedMachine.path, options: machine.options(.mapped))
        try store.write { for key in keys { try $0.put(value(key), forKey: key) } }
        try store.close()
        let pages = try #require(machine.disk.paths.last { $0.hasSuffix(".pages") })
        machine.disk.corrupt(pages, at: 4096 + 3 * 2048 + 100)
        let again = try Store.open(at: SimulatedMachine.path, options: machine.options(.mapped))
        let snapshot = try again.snapshot()
        var cursor = snapshot.access.cursor(in: KeyspaceID.default)
        #expect(try cursor.seekToFirst())
        let taken = take(&cursor)
        #expect(taken.failure?.isDamagedPage == true)
        #expect(!taken.rows.isEmpty)
        #expect(taken.rows.map(\.key) == Array(keys.prefix(taken.rows.count)))
        for row in taken.rows { #expect(row.value == value(row.key)) }
        withExtendedLifetime(snapshot) {}
        machine.executor.drain()
        try again.close()
    }

    private func withBytes(of key: UInt64, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        try withUnsafeBytes(of: key.bigEndian) { try body($0) }
    }
}
