import Foundation
import Testing

@testable import TravertineStore

/// Replay in the order of keys gives what replay in the order of time would.
@Suite struct SortedReplayTests {
    private let machine = SimulatedMachine(seed: 23)

    @Test("changes of one key, of keyspaces and of derived numbers are replayed in their order")
    func order() throws {
        var expected: [String: String] = [:]
        do {
            let store = try Store.open(at: SimulatedMachine.path, options: machine.options())
            let derived = try store.write { transaction in
                try transaction.keyspace(named: "derived", kind: .derived)
            }
            func put(_ key: String, _ value: UInt64) throws {
                try store.write { transaction in
                    try Array(key.utf8).withBytes { (key) throws(StoreError) in
                        _ = try transaction.indexPut(key, value: value, in: derived.id)
                    }
                }
            }
            // Keys that share their first eight bytes, and one that is the start of others.
            let keys = ["", "k", "k\0", "same start", "same start a", "same start b", "z"]
            for round in 0..<5 {
                for key in keys.reversed() {
                    let value = "\(key) \(round)"
                    try store.write { try $0.put(value, forKey: key) }
                    expected[key] = value
                }
                try store.write { try $0.delete(keys[round]) }
                expected[keys[round]] = nil
                try put("gone", 1)
                if round == 3 { try store.write { try $0.indexReset(derived.id) } }
            }
            try put("a", 7)
            try store.write { transaction in
                let dropped = try transaction.keyspace(named: "dropped")
                try transaction.put("x", forKey: "y", in: dropped)
            }
            try store.write { transaction in
                try transaction.dropKeyspace(transaction.keyspace(named: "dropped"))
                let again = try transaction.keyspace(named: "dropped")
                try transaction.put("new", forKey: "y", in: again)
            }
            try store.sync()
            machine.crashAndRestart()
        }
        let store = try Store.open(at: SimulatedMachine.path, options: machine.options())
        #expect(store.openingReport.replayedTransactions > 40)
        let snapshot = try store.snapshot()
        #expect(snapshot.count() == expected.count)
        for (key, value) in expected { #expect(store.readsAsText(key) == value) }
        let id = try #require(store.allKeyspaces.first { $0.name == "derived" }).id
        #expect(snapshot.access.count(in: id) == 2)
        let dropped = try #require(try store.keyspace(named: "dropped"))
        #expect(store.readsAsText("y", in: dropped) == "new")
        #expect(snapshot.count(in: dropped) == 1)
        try store.close()
    }

    @Test("more records than are sorted at once are replayed in parts")
    func manyRecords() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("store")
        let copy = directory.path("copy")
        let count: UInt64 = 140_000
        let store = try Store.open(at: path)
        try store.write(durability: Durability.none) { transaction in
            for number in 0..<count {
                try transaction.put("\(number)", forKey: number &* 0x9e37_79b9_7f4a_7c15)
            }
            // Behind the first part: these replace and remove what it had.
            for number in 0..<1000 as Range<UInt64> {
                let key = number &* 0x9e37_79b9_7f4a_7c15
                if number % 2 == 0 {
                    try transaction.delete(key)
                } else {
                    try transaction.put("new", forKey: key)
                }
            }
        }
        try store.sync()
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        try store.close()
        let crashed = try Store.open(at: copy)
        #expect(crashed.openingReport.replayedTransactions == 1)
        let snapshot = try crashed.snapshot()
        #expect(snapshot.count() == Int(count) - 500)
        #expect(try snapshot.get(0 as UInt64) == nil)
        #expect(try snapshot.get(0x9e37_79b9_7f4a_7c15 as UInt64) == Array("new".utf8))
        let last = (count - 1) &* 0x9e37_79b9_7f4a_7c15
        #expect(try snapshot.get(last) == Array("\(count - 1)".utf8))
        try crashed.close()
    }
}
