import SegmentLog
import SimulatedDisk
import StoreWorkload
import TestSupport
import Testing

@testable import StoreFixtures
@testable import TravertineStore

/// Rows that a transaction changes in place and that are encoded once, at commit (P26).
@Suite struct StagedRowTests {
    private struct Stop: Error {}
    private let machine = SimulatedMachine(seed: 7)

    private func open() throws -> Store {
        try Store.open(at: SimulatedMachine.path, options: machine.options())
    }

    private func row(
        _ key: String, _ transaction: WriteTransaction
    ) throws -> UnsafeMutableRawBufferPointer? {
        try Array(key.utf8).withBytes { (key) throws(StoreError) in
            try transaction.stagedRow(forKey: key, in: KeyspaceID.default)
        }
    }

    /// Makes a new or resized row with these bytes.
    private func stage(
        _ key: String, _ bytes: [UInt8], _ transaction: WriteTransaction
    ) throws {
        let row = try Array(key.utf8).withBytes { (key) throws(StoreError) in
            try transaction.stageRow(
                forKey: key, byteCount: bytes.count, in: KeyspaceID.default)
        }
        #expect(row.allSatisfy { $0 == 0 })
        row.copyBytes(from: bytes)
    }

    /// Makes changes in a savepoint and rolls them back.
    private func savepointThatFails(
        _ transaction: WriteTransaction, _ body: () throws -> Void
    ) throws {
        do {
            try transaction.savepoint {
                try body()
                throw Stop()
            }
        } catch is Stop {
            return
        }
    }

    private func value(_ key: String, _ transaction: WriteTransaction) throws -> [UInt8]? {
        try transaction.get(key)
    }

    /// The keys of the records that the log holds, in their order, with what kind they are.
    private func logged() throws -> [String] {
        var visitor = KeyCollector()
        let manifest = try #require(
            try ManifestFile.read(in: SimulatedMachine.path, fileSystem: machine.fileSystem))
        let log = SegmentLog(
            directory: SimulatedMachine.path, identity: manifest.identity,
            options: SegmentLog.Options(), environment: machine.environment)
        _ = try log.recover(
            from: nil, durableEvidence: .zero, cleanEnd: nil, visitor: &visitor)
        return visitor.keys
    }

    private struct KeyCollector: RecoveryVisitor {
        var keys: [String] = []
        mutating func beginTransaction(firstLSN: LSN) {}
        mutating func endTransaction(lastLSN: LSN) {}
        mutating func record(_ record: RecoveredRecord) {
            keys.append("\(record.kind) " + String(decoding: record.key, as: UTF8.self))
        }
    }

    @Test("a row is copied at its first change, changed in place, and encoded once")
    func encodedOnce() throws {
        let store = try open()
        try store.write { transaction in
            try transaction.put([1, 2, 3], forKey: "a")
            try transaction.put([4, 5], forKey: "b")
        }
        let before = try store.snapshot()
        try store.write { transaction in
            for number in 0..<100 as Range<UInt8> {
                let bytes = try #require(try row("a", transaction))
                #expect(bytes.count == 3)
                bytes[0] = number
                try #expect(value("a", transaction) == [number, 2, 3])
            }
            try #expect(row("absent", transaction) == nil)
            // A read alone stages nothing.
            try #expect(value("b", transaction) == [4, 5])
        }
        try #expect(before.get("a") == [1, 2, 3])
        try #expect(store.get("a") == [99, 2, 3])
        try store.close()
        try #expect(logged() == ["put a", "put b", "put a"])
        let again = try open()
        try #expect(again.get("a") == [99, 2, 3])
        try again.close()
    }

    @Test("the same bytes come back within a transaction, and new ones after a savepoint")
    func identity() throws {
        let store = try open()
        try store.write { try $0.put([1], forKey: "a") }
        try store.write { transaction in
            let first = try #require(try row("a", transaction)?.baseAddress)
            try #expect(row("a", transaction)?.baseAddress == first)
            try transaction.savepoint {
                let second = try #require(try row("a", transaction))
                #expect(second.baseAddress != first)
                second[0] = 2
            }
            try #expect(value("a", transaction) == [2])
        }
        try #expect(store.get("a") == [2])
        try store.close()
        try #expect(logged() == ["put a", "put a"])
    }

    @Test("a rolled back savepoint puts the row's old bytes back, at every depth")
    func savepoints() throws {
        let store = try open()
        try store.write { try $0.put([1], forKey: "a") }
        try store.write { transaction in
            try #require(try row("a", transaction))[0] = 2
            try savepointThatFails(transaction) {
                try #require(try row("a", transaction))[0] = 3
                try stage("new", [9], transaction)
                try savepointThatFails(transaction) {
                    try #require(try row("a", transaction))[0] = 4
                    try transaction.delete("a")
                    try #expect(row("a", transaction) == nil)
                }
                try #expect(value("a", transaction) == [3])
            }
            try #expect(value("a", transaction) == [2])
            try #expect(row("new", transaction) == nil)
            try #require(try row("a", transaction))[0] = 5
        }
        try #expect(store.get("a") == [5])
        try #expect(store.snapshot().count() == 1)
        try store.close()
        try #expect(logged() == ["put a", "put a"])
    }

    @Test("rows are logged in the order of their keyspaces and keys, after the other records")
    func order() throws {
        let store = try open()
        try store.write { transaction in
            let second = try transaction.keyspace(named: "second")
            let key = Array("1".utf8)
            _ = try key.withBytes { (key) throws(StoreError) in
                try transaction.stageRow(forKey: key, byteCount: 1, in: second.identifier)
            }
            for key in ["z", "m", "b", "ab", "a", ""] { try stage(key, [1], transaction) }
            try transaction.put("v", forKey: "direct")
        }
        try store.close()
        let keys = try logged().map {
            $0.split(separator: " ", omittingEmptySubsequences: false)[1]
        }
        #expect(Array(keys.dropFirst()) == ["direct", "", "a", "ab", "b", "m", "z", "1"])
    }

    @Test("a resized row replaces the one before, and one that was deleted is not logged")
    func resizeAndDelete() throws {
        let store = try open()
        try store.write { try $0.put([1, 2, 3], forKey: "a") }
        try store.write { transaction in
            try #require(try row("a", transaction))[0] = 7
            try stage("a", Array(repeating: 8, count: 1000), transaction)
            try #expect(value("a", transaction)?.count == 1000)
            try stage("a", [], transaction)
            try #expect(value("a", transaction) == [])
            try stage("a", [5, 5], transaction)
            try stage("gone", [1], transaction)
            try transaction.delete("gone")
            // A put after a staged row counts, and not the row.
            try stage("put", [1], transaction)
            try transaction.put([2], forKey: "put")
            try #expect(transaction.count() == 2)
        }
        try #expect(store.get("a") == [5, 5])
        try #expect(store.get("put") == [2])
        try #expect(store.get("gone") == nil)
        try store.close()
        let keys = try logged()
        #expect(keys.filter { $0 == "put a" }.count == 2)
        #expect(keys.filter { $0 == "put put" }.count == 1)
        #expect(!keys.contains("put gone"))
        let again = try open()
        try #expect(again.snapshot().count() == 2)
        try #expect(again.get("a") == [5, 5])
        try again.close()
    }

    @Test("a rolled back transaction leaves nothing of its rows")
    func rollback() throws {
        let store = try open()
        try store.write { try $0.put([1], forKey: "a") }
        #expect(throws: Stop.self) {
            try store.write { transaction in
                try #require(try row("a", transaction))[0] = 2
                try stage("b", [1], transaction)
                throw Stop()
            }
        }
        try #expect(store.get("a") == [1])
        try #expect(store.get("b") == nil)
        try store.write { transaction in
            try #expect(row("b", transaction) == nil)
            try #expect(row("a", transaction)?[0] == 1)
        }
    }

    @Test("cursors and conditional puts see staged rows")
    func reading() throws {
        let store = try open()
        try store.write { transaction in
            for number in 0..<50 as Range<UInt8> {
                try stage("k\(number + 10)", [number], transaction)
            }
            let cursor = try transaction.cursor()
            var isValid = try cursor.seekToFirst()
            var seen: [UInt8] = []
            while isValid {
                try seen.append(contentsOf: cursor.value)
                isValid = try cursor.next()
            }
            #expect(seen == Array(0..<50))
            try #expect(transaction.put([99], forKey: "k10", ifCurrent: [0]))
            try #expect(!transaction.put([98], forKey: "k11", ifCurrent: [0]))
            try #expect(!transaction.putIfAbsent([98], forKey: "k12"))
        }
        try #expect(store.snapshot().count() == 50)
        try #expect(store.get("k10") == [99])
    }

    @Test("many rows, large and small, against a model")
    func model() throws {
        let seed = UInt64.random(in: 0..<1 << 32)
        var random = SeededRandom(seed: seed)
        var model: [String: [UInt8]] = [:]
        var store = try open()
        for round in 0..<30 {
            var next = model
            let rollsBack = round % 5 == 4
            do {
                try store.write(durability: Durability.unsynced) { transaction in
                    for _ in 0..<40 { try change(transaction, &next, &random) }
                    if rollsBack { throw Stop() }
                }
                model = next
            } catch is Stop {
                #expect(rollsBack)
            }
            machine.executor.drain()
            if round % 10 == 9 {
                try store.close()
                store = try open()
            }
            let snapshot = try store.snapshot()
            #expect(snapshot.count() == model.count, "round \(round), seed \(seed)")
            for (key, value) in model {
                try #expect(snapshot.get(key) == value, "round \(round), \(key), seed \(seed)")
            }
            #expect(try store.brokenInvariants() == [], "round \(round), seed \(seed)")
        }
        try store.close()
    }

    private func change(
        _ transaction: WriteTransaction, _ model: inout [String: [UInt8]],
        _ random: inout SeededRandom
    ) throws {
        let key = "key \(Int.random(in: 0..<60, using: &random))"
        switch Int.random(in: 0..<10, using: &random) {
        case 0...3:
            let isLarge = Int.random(in: 0..<40, using: &random) == 0
            let bytes = random.bytes(
                Int.random(in: 0...(isLarge ? 20_000 : 100), using: &random))
            try stage(key, bytes, transaction)
            model[key] = bytes
        case 4...6:
            let bytes = try row(key, transaction)
            #expect((bytes == nil) == (model[key] == nil))
            guard let bytes, !bytes.isEmpty else { return }
            let place = Int.random(in: 0..<bytes.count, using: &random)
            bytes[place] &+= 1
            model[key]?[place] &+= 1
        case 7:
            try transaction.put("put", forKey: key)
            model[key] = Array("put".utf8)
        case 8:
            try #expect(transaction.delete(key) == (model[key] != nil))
            model[key] = nil
        default:
            var inner = model
            let rollsBack = Bool.random(using: &random)
            do {
                try transaction.savepoint {
                    for _ in 0..<3 { try change(transaction, &inner, &random) }
                    if rollsBack { throw Stop() }
                }
                model = inner
            } catch is Stop {
                #expect(rollsBack)
            }
        }
    }
}
