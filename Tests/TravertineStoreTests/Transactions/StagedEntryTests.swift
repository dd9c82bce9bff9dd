import SegmentLog
import SimulatedDisk
import StoreWorkload
import TestSupport
import Testing

@testable import StoreFixtures
@testable import TravertineStore

/// Entries of derived keyspaces that wait for each other: every read sees them.
@Suite struct StagedEntryTests {
    private struct Stop: Error {}

    private let machine = SimulatedMachine(seed: 8)

    private func open() throws -> Store {
        try Store.open(at: SimulatedMachine.path, options: machine.options())
    }

    private func derived(_ store: Store, _ name: String) throws -> Keyspace {
        try store.write { try $0.keyspace(named: name, kind: .derived) }
    }

    private func enter(
        _ key: [UInt8], _ value: UInt64, _ transaction: WriteTransaction, _ keyspace: Keyspace
    ) throws {
        try key.withBytes { (key) throws(StoreError) in
            try transaction.indexEnter(key, value: value, in: keyspace.identifier)
        }
    }

    private func contents(
        _ access: ReadAccess, _ keyspace: Keyspace
    ) throws -> [[UInt8]: UInt64] {
        var found: [[UInt8]: UInt64] = [:]
        var last: [UInt8] = []
        var cursor = access.cursor(in: keyspace.identifier)
        var isValid = try cursor.seekToFirst()
        while isValid {
            let key = cursor.withKey { Array($0) }
            #expect(found.isEmpty || last.lexicographicallyPrecedes(key))
            last = key
            found[key] = cursor.indexValue
            isValid = try cursor.next()
        }
        return found
    }

    private func contents(_ store: Store, _ keyspace: Keyspace) throws -> [[UInt8]: UInt64] {
        let snapshot = try store.snapshot()
        return try withExtendedLifetime(snapshot) { try contents(snapshot.access, keyspace) }
    }

    private func key(_ number: Int) -> [UInt8] {
        withUnsafeBytes(of: UInt64(number).bigEndian, Array.init)
    }

    @Test("entries are seen by a look-up, a count and a cursor before the commit")
    func reading() throws {
        let store = try open()
        let (one, two) = (try derived(store, "one"), try derived(store, "two"))
        try store.write { transaction in
            for number in 0..<3000 {
                let scattered = number * 7919 % 3000
                try enter(key(scattered), UInt64(number), transaction, one)
                try enter(key(number / 2), UInt64(number), transaction, two)
                if number % 500 == 70 {
                    let found = try key(scattered).withBytes { (key) throws(StoreError) in
                        try transaction.access.indexValue(forKey: key, in: one.identifier)
                    }
                    #expect(found == UInt64(number))
                    #expect(transaction.access.count(in: two.identifier) == number / 2 + 1)
                }
            }
            let found = try contents(transaction.access, two)
            #expect(found.count == 1500)
            // The later of two entries with one key counts.
            for number in 0..<1500 { #expect(found[key(number)] == UInt64(2 * number + 1)) }
        }
        let found = try contents(store, one)
        #expect(found.count == 3000)
        #expect((0..<3000).allSatisfy { found[key($0 * 7919 % 3000)] == UInt64($0) })
        try store.close()
    }

    @Test("a rollback forgets them, and so does one to a savepoint, with those inside it")
    func rollback() throws {
        let store = try open()
        let keyspace = try derived(store, "derived")
        #expect(throws: Stop.self) {
            try store.write { transaction in
                for number in 0..<500 { try enter(key(number), 1, transaction, keyspace) }
                throw Stop()
            }
        }
        #expect(try contents(store, keyspace).isEmpty)
        try store.write { try enterInSavepoints($0, keyspace) }
        var expected: [[UInt8]: UInt64] = [:]
        for number in 0..<250 { expected[key(number)] = number < 150 ? 1 : 4 }
        #expect(try contents(store, keyspace) == expected)
        try store.close()
        #expect(try contents(try open(), keyspace) == expected)
    }

    private func enter(
        _ numbers: Range<Int>, _ value: UInt64, _ transaction: WriteTransaction,
        _ keyspace: Keyspace
    ) throws {
        for number in numbers { try enter(key(number), value, transaction, keyspace) }
    }

    private func enterInSavepoints(
        _ transaction: WriteTransaction, _ keyspace: Keyspace
    ) throws {
        try enter(0..<200, 1, transaction, keyspace)
        do {
            try transaction.savepoint {
                try enter(100..<400, 2, transaction, keyspace)
                try transaction.savepoint { try enter(400..<600, 3, transaction, keyspace) }
                throw Stop()
            }
        } catch is Stop {
            // As it was before the outer one.
        }
        try transaction.savepoint { try enter(150..<250, 4, transaction, keyspace) }
    }

    @Test("random changes of several keyspaces equal a model", arguments: [1, 2, 3] as [UInt64])
    func randomChanges(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var store = try open()
        let keyspaces = try ["a", "b", "c"].map { try derived(store, $0) }
        var model = [[[UInt8]: UInt64]](repeating: [:], count: 3)
        for round in 0..<25 {
            let before = model
            do {
                try store.write { transaction in
                    for _ in 0..<(Int.random(in: 0..<3, using: &random) == 0 ? 40 : 900) {
                        try change(transaction, keyspaces, &model, &random)
                    }
                    for (number, keyspace) in keyspaces.enumerated()
                    where Int.random(in: 0..<2, using: &random) == 0 {
                        let found = try contents(transaction.access, keyspace)
                        #expect(found == model[number], "seed \(seed), round \(round)")
                    }
                    if Int.random(in: 0..<5, using: &random) == 0 { throw Stop() }
                }
            } catch is Stop {
                model = before
            }
            if Int.random(in: 0..<6, using: &random) == 0 {
                try store.close()
                store = try open()
            }
            for (number, keyspace) in keyspaces.enumerated() {
                let found = try contents(store, keyspace)
                #expect(found == model[number], "seed \(seed), round \(round)")
            }
            #expect(try store.brokenInvariants() == [], "seed \(seed), round \(round)")
        }
        try store.close()
    }

    private func change(
        _ transaction: WriteTransaction, _ keyspaces: [Keyspace],
        _ model: inout [[[UInt8]: UInt64]], _ random: inout SeededRandom
    ) throws {
        let number = Int.random(in: 0..<3, using: &random)
        let keyspace = keyspaces[number]
        // Some keys are longer, so that leaves of both forms are reached.
        let bytes =
            key(Int.random(in: 0..<4000, using: &random))
            + (Int.random(in: 0..<9, using: &random) == 0 ? [1, 2, 3] : [])
        let value = random.next() >> 8
        switch Int.random(in: 0..<60, using: &random) {
        case 0:
            let old = try bytes.withBytes { (bytes) throws(StoreError) in
                try transaction.indexPut(bytes, value: value, in: keyspace.identifier)
            }
            #expect(old == model[number].updateValue(value, forKey: bytes))
        case 1, 2:
            let old = try bytes.withBytes { (bytes) throws(StoreError) in
                try transaction.indexDelete(bytes, in: keyspace.identifier)
            }
            #expect(old == model[number].removeValue(forKey: bytes))
        case 3:
            try bytes.withBytes { (bytes) throws(StoreError) in
                try transaction.indexAdd(3, toNumberOf: bytes, in: keyspace.identifier)
            }
            model[number][bytes, default: 0] += 3
        case 4 where Int.random(in: 0..<20, using: &random) == 0:
            try transaction.indexReset(keyspace.identifier)
            model[number] = [:]
        case 5 where Int.random(in: 0..<3, using: &random) == 0:
            let before = model
            do {
                try transaction.savepoint {
                    for _ in 0..<Int.random(in: 0..<100, using: &random) {
                        try change(transaction, keyspaces, &model, &random)
                    }
                    if Int.random(in: 0..<2, using: &random) == 0 { throw Stop() }
                }
            } catch is Stop {
                model = before
            }
        default:
            try enter(bytes, value, transaction, keyspace)
            model[number][bytes] = value
        }
    }
}
