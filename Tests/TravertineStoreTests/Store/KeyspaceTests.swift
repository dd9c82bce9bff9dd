import SegmentLog
import SimulatedDisk
import Testing

@testable import StoreFixtures
@testable import TravertineStore

/// Identifiers of keyspaces.
@Suite struct KeyspaceTests {
    private let machine = SimulatedMachine(seed: 8)

    private func makeStore(isClosed: Bool) throws -> Keyspace {
        let store = try Store.open(at: SimulatedMachine.path, options: machine.options())
        let later = try store.write { transaction in
            for id in 2..<3000 { try transaction.passOverKeyspace(named: "unused.\(id)") }
            let later = try transaction.keyspace(named: "later")
            try transaction.put([1] as [UInt8], forKey: [2] as [UInt8], in: later)
            return later
        }
        #expect(later.id == 3000)
        #expect(store.keyspaces.map(\.name) == [Keyspace.default.name, "later"])
        if isClosed { try store.close() }
        return later
    }

    @Test(
        "skipped identifiers belong to no keyspace, also after reopening without a checkpoint",
        arguments: [true, false])
    func passedOver(isClosed: Bool) throws {
        let later = try makeStore(isClosed: isClosed)
        if !isClosed { machine.crashAndRestart() }
        let opened = try Store.open(at: SimulatedMachine.path, options: machine.options())
        #expect(opened.keyspaces.map(\.name) == [Keyspace.default.name, "later"])
        #expect(try opened.snapshot().get([2] as [UInt8], in: later) == [1])
        let next = try opened.write { try $0.keyspace(named: "next") }
        #expect(next.id == 3001)
    }

    @Test(
        "names mean what they meant before a savepoint that is rolled back, however often they changed"
    )
    func rolledBack() throws {
        let store = try Store.open(at: SimulatedMachine.path, options: machine.options())
        struct Stop: Error {}
        try store.write { transaction in
            let first = try transaction.keyspace(named: "a")
            #expect(throws: Stop.self) {
                try transaction.savepoint {
                    try transaction.dropKeyspace(first)
                    #expect(transaction.knownKeyspace(named: "a") == nil)
                    let second = try transaction.keyspace(named: "a")
                    #expect(second.id > first.id)
                    _ = try? transaction.savepoint {
                        try transaction.dropKeyspace(second)
                        _ = try transaction.keyspace(named: "b")
                        throw Stop()
                    }
                    #expect(transaction.knownKeyspace(named: "a") == second)
                    #expect(transaction.knownKeyspace(named: "b") == nil)
                    throw Stop()
                }
            }
            #expect(transaction.knownKeyspace(named: "a") == first)
        }
        #expect(store.keyspaces.map(\.name) == [Keyspace.default.name, "a"])
    }

    @Test(
        "a name is compared a few times when it is noted, found and forgotten, however many there are"
    )
    func comparisons() {
        let calls = CountedName.Calls()
        for count in [100, 10_000] {
            calls.count = 0
            var changes = KeyspaceChanges<CountedName>()
            for number in 0..<count {
                let keyspace = Keyspace(
                    id: KeyspaceID(treeNumber: number), name: "", kind: .records)
                changes.append((CountedName(number: number, calls: calls), keyspace))
            }
            for number in 0..<count {
                let found = changes[CountedName(number: number, calls: calls)]
                #expect(found?.keyspace?.id == UInt32(number))
            }
            changes.truncate(to: count / 2)
            #expect(changes[CountedName(number: count - 1, calls: calls)] == nil)
            // Noting hashes a name again when the table grows; each of the three compares it with
            // those whose hashes lie beside its own.
            #expect(calls.count <= 16 * count, "\(calls.count) calls for \(count) names")
        }
    }

    @Test("a transaction finds each of the many keyspaces that it made")
    func many() throws {
        let store = try Store.open(at: SimulatedMachine.path, options: machine.options())
        let count = 4_000
        try store.write { transaction in
            for number in 0..<count { _ = try transaction.keyspace(named: "keyspace \(number)") }
            for number in 0..<count {
                let known = try transaction.keyspace(named: "keyspace \(number)")
                try #require(known.id == UInt32(number + 2))
            }
        }
        #expect(store.keyspaces.count == count + 1)
    }
}

/// A name that counts how often names are compared or hashed.
private struct CountedName: Hashable {
    final class Calls {
        var count = 0
    }

    let number: Int
    let calls: Calls

    static func == (left: CountedName, right: CountedName) -> Bool {
        left.calls.count += 1
        return left.number == right.number
    }

    func hash(into hasher: inout Hasher) {
        calls.count += 1
        hasher.combine(number)
    }
}
