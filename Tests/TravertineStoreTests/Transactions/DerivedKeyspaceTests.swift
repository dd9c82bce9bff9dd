import SegmentLog
import SimulatedDisk
import Testing

@testable import StoreFixtures
@testable import StoreMaintenance
@testable import TravertineStore

/// Keyspaces whose values are numbers in the index: redone after a checkpoint, invalid without one.
@Suite struct DerivedKeyspaceTests {
    private let machine = SimulatedMachine(seed: 5)

    private func open() throws -> Store {
        try Store.open(at: SimulatedMachine.path, options: machine.options())
    }

    private func derived(_ store: Store, _ name: String = "derived") throws -> Keyspace {
        try store.write { try $0.keyspace(named: name, kind: .derived) }
    }

    @discardableResult
    private func put(
        _ value: UInt64, _ key: String, _ transaction: WriteTransaction, _ keyspace: Keyspace
    ) throws -> UInt64? {
        try Array(key.utf8).withBytes { (key) throws(StoreError) in
            try transaction.indexPut(key, value: value, in: keyspace.identifier)
        }
    }

    @discardableResult
    private func delete(
        _ key: String, _ transaction: WriteTransaction, _ keyspace: Keyspace
    ) throws -> UInt64? {
        try Array(key.utf8).withBytes { (key) throws(StoreError) in
            try transaction.indexDelete(key, in: keyspace.identifier)
        }
    }

    /// All keys and numbers of a derived keyspace.
    private func contents(_ store: Store, _ keyspace: Keyspace) throws -> [String: UInt64] {
        let snapshot = try store.snapshot()
        var found: [String: UInt64] = [:]
        var cursor = snapshot.access.cursor(in: keyspace.identifier)
        var isValid = try cursor.seekToFirst()
        while isValid {
            found[cursor.withKey { String(decoding: $0, as: UTF8.self) }] = cursor.indexValue
            isValid = try cursor.next()
        }
        return found
    }

    private func isInvalid(_ store: Store, _ keyspace: Keyspace) throws -> Bool {
        try store.write { $0.isInvalid(keyspace.identifier) }
    }

    @Test("numbers are put, replaced, deleted and rolled back")
    func changes() throws {
        struct Stop: Error {}
        let store = try open()
        let keyspace = try derived(store)
        #expect(keyspace.kind == .derived)
        try store.write { transaction in
            try #expect(put(1, "a", transaction, keyspace) == nil)
            try #expect(put(.max, "b", transaction, keyspace) == nil)
            try #expect(put(2, "a", transaction, keyspace) == 1)
            try #expect(delete("b", transaction, keyspace) == .max)
            try #expect(delete("b", transaction, keyspace) == nil)
            try put(0, "c", transaction, keyspace)
            #expect(throws: Stop.self) {
                try transaction.savepoint {
                    try put(9, "a", transaction, keyspace)
                    try delete("c", transaction, keyspace)
                    try transaction.indexReset(keyspace.identifier)
                    throw Stop()
                }
            }
        }
        try #expect(contents(store, keyspace) == ["a": 2, "c": 0])
        #expect(throws: Stop.self) {
            try store.write { transaction in
                try transaction.indexReset(keyspace.identifier)
                throw Stop()
            }
        }
        try #expect(contents(store, keyspace) == ["a": 2, "c": 0])
    }

    @Test("calls for records and calls for derived keyspaces are not mixed up")
    func kinds() throws {
        let store = try open()
        let keyspace = try derived(store)
        try store.write { transaction in
            func isRefused(_ body: () throws -> Void) -> Bool {
                do {
                    try body()
                    return false
                } catch {
                    return (error as? StoreError)?.code == .noSuchKeyspace
                }
            }
            #expect(isRefused { try transaction.put("v", forKey: "k", in: keyspace) })
            #expect(isRefused { try transaction.delete("k", in: keyspace) })
            #expect(isRefused { try put(1, "k", transaction, .default) })
            #expect(isRefused { try transaction.indexReset(KeyspaceID.default) })
            #expect(isRefused { try transaction.indexReset(KeyspaceID(rawValue: 99)) })
            #expect(isRefused { _ = try transaction.keyspace(named: "derived") })
            #expect(isRefused { _ = try transaction.keyspace(named: "default", kind: .derived) })
        }
        try #expect(store.keyspace(named: "derived") == nil)
        #expect(store.allKeyspaces.map(\.name) == ["default", "derived"])
        #expect(store.keyspaces.map(\.name) == ["default"])
    }

    @Test("numbers come back from a checkpoint and from the log after it")
    func replay() throws {
        do {
            let store = try open()
            let keyspace = try derived(store)
            let other = try derived(store, "other")
            try store.write { transaction in
                for number in 0..<100 {
                    try put(UInt64(number), "\(number)", transaction, keyspace)
                    try put(UInt64(number), "\(number)", transaction, other)
                }
            }
            try store.checkpoint()
            try store.write { transaction in
                try put(1000, "7", transaction, keyspace)
                try put(1, "new", transaction, keyspace)
                try delete("8", transaction, keyspace)
                try transaction.indexReset(other.identifier)
                try put(5, "only", transaction, other)
            }
            machine.crashAndRestart()
        }
        for _ in 0..<2 {
            let store = try open()
            #expect(store.openingReport.source == .newestCheckpoint)
            #expect(store.openingReport.invalidDerivedKeyspaces.isEmpty)
            let keyspace = try derived(store)
            let found = try contents(store, keyspace)
            #expect(found.count == 100)
            #expect(found["7"] == 1000 && found["new"] == 1 && found["8"] == nil)
            try #expect(contents(store, derived(store, "other")) == ["only": 5])
            try #expect(!isInvalid(store, keyspace))
            try store.close()
        }
        let report = try StoreVerifier.verify(
            path: SimulatedMachine.path, environment: machine.environment)
        #expect(report.isSound, "\(report.findings)")
    }

    @Test("a new store's derived keyspaces survive a crash before its first checkpoint")
    func crashBeforeTheFirstCheckpoint() throws {
        do {
            let store = try open()
            let keyspace = try derived(store)
            try store.write { try put(1, "a", $0, keyspace) }
            machine.crashAndRestart()
        }
        let store = try open()
        // The empty index of a new store is a checkpoint: the log after it is complete.
        #expect(store.openingReport.source == .newestCheckpoint)
        #expect(store.openingReport.invalidDerivedKeyspaces.isEmpty)
        try #expect(contents(store, derived(store)) == ["a": 1])
    }

    @Test("without any checkpoint they are empty and invalid, until they are reset and rebuilt")
    func invalidAfterFullReplay() throws {
        let first = try open()
        let keyspace = try derived(first)
        let other = try derived(first, "other")
        try first.write { transaction in
            try transaction.put("row", forKey: "k")
            try put(1, "a", transaction, keyspace)
            try put(2, "b", transaction, other)
        }
        try first.checkpoint()
        try first.write { try put(3, "c", $0, keyspace) }
        try first.checkpoint()
        try first.close()
        let pageFiles = machine.disk.paths.filter { $0.hasSuffix(".pages") }
        #expect(pageFiles.count == 2)
        for path in pageFiles { machine.disk.lose(path) }

        let second = try open()
        #expect(second.openingReport.source == .fullReplay)
        #expect(second.openingReport.damagedCheckpoints.count == 2)
        #expect(second.openingReport.invalidDerivedKeyspaces == [keyspace.id, other.id])
        #expect(second.readsAsText("k") == "row")
        try #expect(contents(second, keyspace).isEmpty)
        try second.write { transaction in
            #expect(
                transaction.isInvalid(keyspace.identifier)
                    && transaction.isInvalid(other.identifier))
            try transaction.indexReset(keyspace.identifier)
            #expect(!transaction.isInvalid(keyspace.identifier))
            try put(11, "a", transaction, keyspace)
        }
        try #expect(contents(second, keyspace) == ["a": 11])
        try second.close()

        // The one that was not rebuilt is still invalid, the other is not.
        let third = try open()
        #expect(third.openingReport.source == .newestCheckpoint)
        #expect(third.openingReport.invalidDerivedKeyspaces == [other.id])
        try #expect(!isInvalid(third, keyspace))
        try #expect(isInvalid(third, other))
        try #expect(contents(third, keyspace) == ["a": 11])
        try third.write { try $0.indexReset(other.identifier) }
        try third.close()

        let fourth = try open()
        #expect(fourth.openingReport.invalidDerivedKeyspaces.isEmpty)
        try #expect(!isInvalid(fourth, other))
        try fourth.close()
    }

    @Test("a store that lost its checkpoints and then crashed finds its keyspaces invalid again")
    func crashAfterFullReplay() throws {
        let first = try open()
        let keyspace = try derived(first)
        try first.write { try put(1, "a", $0, keyspace) }
        try first.close()
        for path in machine.disk.paths where path.hasSuffix(".pages") { machine.disk.lose(path) }
        do {
            let second = try open()
            // The manifest's other checkpoint is the empty index of the new store.
            #expect([.previousCheckpoint, .fullReplay].contains(second.openingReport.source))
            try second.write { transaction in
                try transaction.indexReset(keyspace.identifier)
                try put(2, "b", transaction, keyspace)
            }
            machine.crashAndRestart()
        }
        let third = try open()
        let found = try contents(third, keyspace)
        let isLost = try isInvalid(third, keyspace)
        #expect(isLost ? found.isEmpty : found == ["b": 2])
    }

    @Test("fsck of a sound store with an invalid keyspace finds nothing wrong")
    func verification() throws {
        let first = try open()
        let keyspace = try derived(first)
        try first.write { try put(1, "a", $0, keyspace) }
        try first.checkpoint()
        try first.write { try put(2, "b", $0, keyspace) }
        try first.close()
        for path in machine.disk.paths where path.hasSuffix(".pages") { machine.disk.lose(path) }
        let second = try open()
        try second.close()
        let report = try StoreVerifier.verify(
            path: SimulatedMachine.path, environment: machine.environment)
        #expect(report.isSound, "\(report.findings)")
    }

    @Test("a dropped derived keyspace is gone, also after replay")
    func drop() throws {
        do {
            let store = try open()
            let keyspace = try derived(store)
            try store.write { try put(1, "a", $0, keyspace) }
            try store.write { try $0.dropKeyspace(keyspace) }
            let code = errorCode { _ = try store.write { try put(1, "a", $0, keyspace) } }
            #expect(code == .noSuchKeyspace)
            machine.crashAndRestart()
        }
        let store = try open()
        #expect(store.allKeyspaces.map(\.name) == ["default"])
        let again = try derived(store)
        #expect(again.id == 3)
        try #expect(contents(store, again).isEmpty)
    }
}
