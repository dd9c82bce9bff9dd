import Foundation
import TestSupport
import Testing

@testable import StoreFixtures
@testable import TravertineStore

@Suite struct StoreTests {
    @Test("what was put is read back, also after closing and opening")
    func putAndReopen() throws {
        let directory = TemporaryDirectory()
        let path = directory.path("store")
        let store = try Store.open(at: path)
        try store.write { transaction in
            try transaction.put("Lisbon", forKey: "PT")
            try transaction.put("Madrid", forKey: "ES")
        }
        try #expect(try store.snapshot().get("PT") == Array("Lisbon".utf8))
        try store.close()
        let reopened = try Store.open(at: path)
        #expect(reopened.openingReport.source == .newestCheckpoint)
        #expect(reopened.openingReport.replayedTransactions == 0)
        let snapshot = try reopened.snapshot()
        try #expect(try snapshot.get("PT") == Array("Lisbon".utf8))
        try #expect(try snapshot.get("ES") == Array("Madrid".utf8))
        try #expect(try snapshot.get("FR") == nil)
        #expect(snapshot.count() == 2)
        try reopened.close()
    }

    @Test("a store that was not closed is recovered from its log")
    func recoverWithoutClose() throws {
        let directory = TemporaryDirectory()
        let path = directory.path("store")
        let copy = directory.path("copy")
        let store = try Store.open(at: path)
        for number in 0..<100 as Range<UInt64> {
            try store.write { try $0.put([UInt8(number)], forKey: number) }
        }
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        try store.close()
        let recovered = try Store.open(at: copy)
        #expect(recovered.openingReport.replayedTransactions == 100)
        let snapshot = try recovered.snapshot()
        for number in 0..<100 as Range<UInt64> {
            try #expect(try snapshot.get(number) == [UInt8(number)])
        }
    }

    @Test("an empty key and an empty value are stored and read back")
    func emptyKeyAndValue() throws {
        let directory = TemporaryDirectory()
        let path = directory.path("store")
        let nothing: [UInt8] = []
        for round in 0..<2 {
            let store = try Store.open(at: path)
            if round == 0 {
                try store.write { transaction in
                    try transaction.put(nothing, forKey: "empty value")
                    try transaction.put("empty key", forKey: nothing)
                }
            }
            let snapshot = try store.snapshot()
            try #expect(try snapshot.get("empty value") == nothing)
            try #expect(try snapshot.get(nothing) == Array("empty key".utf8))
            try store.close()
        }
    }

    @Test("several keys are read at once, in their order, whatever is there", arguments: [0, 1, 2])
    func severalKeys(round: Int) throws {
        let directory = TemporaryDirectory()
        let path = directory.path("store")
        var store = try Store.open(at: path)
        #expect(try store.snapshot().values(forKeys: ["a", "b"]) == [nil, nil])
        for number in 0..<500 as Range<UInt64> {
            try store.write { try $0.put("value \(number)", forKey: "key \(number)") }
        }
        if round > 0 { try store.checkpoint() }
        if round > 1 {
            try store.close()
            store = try Store.open(at: path)
        }
        let snapshot = try store.snapshot()
        let tooLong = String(repeating: "k", count: Store.keyByteCountMax + 50)
        for count in [0, 1, 15, 16, 17, 100] {
            var keys = (0..<count).map { "key \($0 * 7)" }
            keys.append(tooLong)
            keys.append("")
            let expected = try keys.map { try snapshot.get($0) }
            #expect(expected.contains { $0 != nil } == (count > 0))
            #expect(try snapshot.values(forKeys: keys) == expected)
            var seen: [[UInt8]?] = []
            try snapshot.withValues(forKeys: keys) { index, value in
                #expect(index == seen.count)
                guard let value else { return seen.append(nil) }
                seen.append(value.withUnsafeBytes { [UInt8]($0) })
            }
            #expect(seen == expected)
        }
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            try snapshot.withValues(forKeys: ["key 1", "key 2"]) { _, _ in throw Stop() }
        }
        try store.close()
    }

    @Test("a store shows the newest commit's values in place, and holds on to nothing")
    func valuesOfTheNewestCommit() throws {
        let directory = TemporaryDirectory()
        let store = try Store.open(at: directory.path("store"))
        func value(_ key: String, _ options: ReadOptions = .unverified) throws -> [UInt8]? {
            try store.withValue(forKey: key, options: options) { value in
                // The version stays while it is read.
                #expect(store.index.pins.count == 1)
                return value.withUnsafeBytes { [UInt8]($0) }
            }
        }
        #expect(try value("k") == nil)
        for number in 0..<50 {
            try store.write { try $0.put("value \(number)", forKey: "k") }
            #expect(try value("k") == Array("value \(number)".utf8))
            #expect(try value("k", .verified) == Array("value \(number)".utf8))
            #expect(try value("other") == nil)
        }
        struct Stop: Error {}
        #expect(throws: Stop.self) { try store.withValue(forKey: "k") { _ in throw Stop() } }
        #expect(store.index.pins.isEmpty)
        try store.close()
        #expect { try store.withValue(forKey: "k") { _ in } } throws: {
            ($0 as? StoreError)?.code == .closed
        }
    }

    @Test("what finds the store for work in the background does not keep it")
    func handleOfAStore() throws {
        let directory = TemporaryDirectory()
        var store: Store? = try Store.open(at: directory.path("store"))
        let handle = try #require(store?.handle)
        #expect(handle.target === store)
        store = nil
        #expect(handle.target == nil)
        // It was closed by that, and can be opened again.
        try Store.open(at: directory.path("store")).close()
    }

    @Test("keys and values at the limits are stored; longer ones are refused and nothing changes")
    func limits() throws {
        let directory = TemporaryDirectory()
        let path = directory.path("store")
        let longKey = [UInt8](repeating: 7, count: Store.keyByteCountMax)
        let longValue = [UInt8](repeating: 9, count: Store.valueByteCountMax)
        let store = try Store.open(at: path)
        try store.write { transaction in
            try transaction.put(longValue, forKey: longKey)
            #expect(throws: StoreError.self) { try transaction.put("x", forKey: longKey + [0]) }
            #expect(throws: StoreError.self) { try transaction.put(longValue + [0], forKey: "x") }
            try #expect(try transaction.get(longKey) == longValue)
            try #expect(try transaction.get("x") == nil)
        }
        try store.close()
        let reopened = try Store.open(at: path)
        try #expect(try reopened.snapshot().get(longKey) == longValue)
        try #expect(try reopened.snapshot().count() == 1)
    }

    @Test("a throw rolls the transaction back")
    func rollbackByThrowing() throws {
        struct Stop: Error {}
        let directory = TemporaryDirectory()
        let store = try Store.open(at: directory.path("store"))
        try store.write { try $0.put("1", forKey: "a") }
        #expect(throws: Stop.self) {
            try store.write { transaction in
                try transaction.put("2", forKey: "a")
                try transaction.put("2", forKey: "b")
                try transaction.delete("a")
                throw Stop()
            }
        }
        let snapshot = try store.snapshot()
        try #expect(try snapshot.get("a") == Array("1".utf8))
        try #expect(try snapshot.get("b") == nil)
    }

    @Test("savepoints nest and roll back by throwing")
    func savepoints() throws {
        struct Stop: Error {}
        let directory = TemporaryDirectory()
        let path = directory.path("store")
        let store = try Store.open(at: path)
        try store.write { transaction in
            try transaction.put("0", forKey: "a")
            try transaction.savepoint {
                try transaction.put("1", forKey: "a")
                #expect(throws: Stop.self) {
                    try transaction.savepoint {
                        try transaction.put("2", forKey: "a")
                        try transaction.put("2", forKey: "b")
                        throw Stop()
                    }
                }
                try #expect(try transaction.get("a") == Array("1".utf8))
                try #expect(try transaction.get("b") == nil)
            }
            #expect(throws: Stop.self) {
                try transaction.savepoint {
                    try transaction.delete("a")
                    throw Stop()
                }
            }
            try #expect(try transaction.get("a") == Array("1".utf8))
        }
        try store.close()
        let reopened = try Store.open(at: path)
        try #expect(try reopened.snapshot().get("a") == Array("1".utf8))
        try #expect(try reopened.snapshot().get("b") == nil)
    }

    @Test("a snapshot sees its commit for ever, whatever is written later")
    func snapshotIsolation() throws {
        let directory = TemporaryDirectory()
        let store = try Store.open(at: directory.path("store"))
        try store.write { try $0.put("old", forKey: "k") }
        let before = try store.snapshot()
        for number in 0..<1000 as Range<UInt64> {
            try store.write(durability: Durability.unsynced) { transaction in
                try transaction.put("new", forKey: "k")
                try transaction.put("x", forKey: number)
            }
        }
        try #expect(try before.get("k") == Array("old".utf8))
        #expect(before.count() == 1)
        try #expect(try store.snapshot().get("k") == Array("new".utf8))
        try store.close()
        try #expect(try before.get("k") == Array("old".utf8))
    }

    @Test("conditional puts")
    func conditionalPuts() throws {
        let directory = TemporaryDirectory()
        let store = try Store.open(at: directory.path("store"))
        try store.write { transaction in
            try #expect(try transaction.putIfAbsent("1", forKey: "a"))
            try #expect(try !transaction.putIfAbsent("2", forKey: "a"))
            try #expect(try !transaction.put("3", forKey: "a", ifCurrent: "2"))
            try #expect(try transaction.put("3", forKey: "a", ifCurrent: "1"))
            try #expect(try !transaction.put("3", forKey: "b", ifCurrent: "1"))
            try #expect(try transaction.get("a") == Array("3".utf8))
            try #expect(try transaction.get("b") == nil)
        }
    }

    @Test("keyspaces are separate, and their names outlive the process")
    func keyspaces() throws {
        let directory = TemporaryDirectory()
        let path = directory.path("store")
        let store = try Store.open(at: path)
        try #expect(try store.keyspace(named: "cities") == nil)
        let cities = try store.write { transaction in
            let cities = try transaction.keyspace(named: "cities")
            try transaction.put("c", forKey: "k", in: cities)
            try transaction.put("d", forKey: "k")
            return cities
        }
        try store.close()
        let reopened = try Store.open(at: path)
        try #expect(try reopened.keyspace(named: "cities") == cities)
        try #expect(try reopened.snapshot().get("k", in: cities) == Array("c".utf8))
        try #expect(try reopened.snapshot().get("k") == Array("d".utf8))
    }

    @Test("a keyspace created in a transaction that rolls back does not exist")
    func keyspaceRollback() throws {
        struct Stop: Error {}
        let directory = TemporaryDirectory()
        let store = try Store.open(at: directory.path("store"))
        #expect(throws: Stop.self) {
            try store.write { transaction in
                _ = try transaction.keyspace(named: "gone")
                throw Stop()
            }
        }
        try #expect(try store.keyspace(named: "gone") == nil)
        let kept = try store.write { try $0.keyspace(named: "kept") }
        #expect(kept.id == 2)
    }

    @Test("a dropped keyspace's identifier is never used again")
    func dropKeyspace() throws {
        let directory = TemporaryDirectory()
        let path = directory.path("store")
        let store = try Store.open(at: path)
        let first = try store.write { transaction in
            let keyspace = try transaction.keyspace(named: "a")
            try transaction.put("v", forKey: "k", in: keyspace)
            return keyspace
        }
        try store.write { try $0.dropKeyspace(first) }
        #expect(throws: StoreError.self) {
            try store.write { try $0.put("v", forKey: "k", in: first) }
        }
        try store.close()
        let reopened = try Store.open(at: path)
        let second = try reopened.write { try $0.keyspace(named: "a") }
        #expect(second.id > first.id)
        try #expect(try reopened.snapshot().get("k", in: second) == nil)
    }

    @Test("range deletes take the keys from start up to end")
    func deleteRange() throws {
        let directory = TemporaryDirectory()
        let store = try Store.open(at: directory.path("store"))
        try store.write { transaction in
            for number in 0..<1000 as Range<UInt64> { try transaction.put("v", forKey: number) }
            try #expect(
                try transaction.deleteRange(from: 100 as UInt64, to: 200 as UInt64) == 100)
        }
        let snapshot = try store.snapshot()
        #expect(snapshot.count() == 900)
        try #expect(try snapshot.contains(99 as UInt64))
        try #expect(try !snapshot.contains(100 as UInt64))
        try #expect(try !snapshot.contains(199 as UInt64))
        try #expect(try snapshot.contains(200 as UInt64))
        try store.write { try #expect(try $0.deleteAll() == 900) }
        try #expect(try store.snapshot().count() == 0)
    }

    @Test("a transaction used after its end, and a store used after close, throw typed errors")
    func useAfterEnd() throws {
        let directory = TemporaryDirectory()
        let store = try Store.open(at: directory.path("store"))
        let transaction = try store.beginWrite()
        try transaction.put("v", forKey: "k")
        try transaction.commit()
        #expect { try transaction.put("v", forKey: "k") } throws: {
            ($0 as? StoreError)?.code == .transactionEnded
        }
        #expect { try transaction.get("k") } throws: {
            ($0 as? StoreError)?.code == .transactionEnded
        }
        #expect { try transaction.commit() } throws: {
            ($0 as? StoreError)?.code == .transactionEnded
        }
        try store.close()
        try store.close()
        #expect { try store.snapshot() } throws: { ($0 as? StoreError)?.code == .closed }
        #expect { try store.write { _ in } } throws: { ($0 as? StoreError)?.code == .closed }
        #expect { try store.get("k") } throws: { ($0 as? StoreError)?.code == .closed }
    }

    @Test("a write inside a write of the same thread is refused instead of waiting for itself")
    func nestedWrite() throws {
        let directory = TemporaryDirectory()
        let store = try Store.open(at: directory.path("store"))
        try store.write { transaction in
            try transaction.put("v", forKey: "k")
            #expect { try store.write { _ in } } throws: {
                ($0 as? StoreError)?.code == .misuse
            }
        }
        try #expect(try store.get("k") == Array("v".utf8))
    }

    @Test("a transaction that is dropped without a commit rolls back and lets the next one in")
    func droppedTransaction() throws {
        let directory = TemporaryDirectory()
        let store = try Store.open(at: directory.path("store"))
        do {
            let transaction = try store.beginWrite()
            try transaction.put("v", forKey: "k")
        }
        try store.write { try #expect(try $0.get("k") == nil) }
    }
}
