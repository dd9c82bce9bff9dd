import SegmentLog
import TestSupport
import Testing

@testable import StoreFixtures
@testable import TravertineStore

/// A store with a random history, and the versions of it that a test holds.
final class ChangeHistory {
    typealias Contents = [[UInt8]: [UInt8]]

    /// A snapshot, with what every keyspace of it holds, by identifier.
    struct Version {
        let snapshot: Snapshot
        let contents: [KeyspaceID: Contents]
    }

    /// What `undo` ends a savepoint with.
    private struct Undone: Error {}

    let machine: SimulatedMachine
    private var random: SeededRandom
    private let hasLittleMemory: Bool
    private(set) var store: Store
    private var contents: [KeyspaceID: Contents] = [.default: [:]]
    private var keyspaces: [Keyspace] = [.default]
    private var keyspaceCount = 0
    private(set) var versions: [Version] = []

    init(seed: UInt64) throws {
        machine = SimulatedMachine(seed: seed, fileCapacity: 8 << 20)
        random = SeededRandom(seed: seed)
        hasLittleMemory = random.chance(50)
        store = try Self.open(machine, hasLittleMemory)
        try hold()
    }

    private static func open(
        _ machine: SimulatedMachine, _ hasLittleMemory: Bool
    ) throws -> Store {
        var options = machine.options(segmentByteCount: 64 << 10)
        options.checkpointInterval = 200_000
        if hasLittleMemory { options.indexMemoryBudget = 0 }
        return try Store.open(at: SimulatedMachine.path, options: options)
    }

    private func hold() throws {
        versions.append(Version(snapshot: try store.snapshot(), contents: contents))
        if versions.count > 6 { versions.remove(at: random.below(versions.count)) }
    }

    /// One step of the history, and sometimes another version that is held.
    func step() throws {
        switch random.below(20) {
        case 0: try store.compact()
        case 1...3: try store.checkpoint()
        case 4: machine.executor.drain()
        case 5 where random.chance(30): try reopen()
        default: try write()
        }
        if random.chance(60) { try hold() }
    }

    private func reopen() throws {
        try store.close()
        store = try Self.open(machine, hasLittleMemory)
    }

    private func write() throws {
        let durability: Durability = random.chance(70) ? .unsynced : .commit
        try store.write(durability: durability) { transaction in
            for _ in 0..<(1 + random.below(4)) { try change(transaction) }
        }
    }

    private func change(_ transaction: WriteTransaction) throws {
        switch random.below(14) {
        case 0: try make(transaction)
        case 1: try drop(transaction)
        case 2: try deleteRange(transaction)
        case 3: try undo(transaction)
        default: try putAndDelete(transaction)
        }
    }

    private func make(_ transaction: WriteTransaction) throws {
        keyspaceCount += 1
        let kind: Keyspace.Kind = random.chance(30) ? .derived : .records
        let keyspace = try transaction.keyspace(named: "space \(keyspaceCount)", kind: kind)
        if kind == .records {
            try transaction.setCompression(
                random.pick([.off, .cold, .packed]), of: keyspace)
        }
        keyspaces.append(keyspace)
        contents[keyspace.identifier] = [:]
    }

    private func drop(_ transaction: WriteTransaction) throws {
        guard keyspaces.count > 3 else { return }
        let keyspace = keyspaces.remove(at: 1 + random.below(keyspaces.count - 1))
        try transaction.dropKeyspace(keyspace)
        contents[keyspace.identifier] = [:]
    }

    private func deleteRange(_ transaction: WriteTransaction) throws {
        let keyspace = random.pick(keyspaces)
        guard keyspace.kind == .records else { return }
        let bounds = [key(), key()].sorted { $0.lexicographicallyPrecedes($1) }
        try transaction.deleteRange(from: bounds[0], to: bounds[1], in: keyspace)
        contents[keyspace.identifier] = contents[keyspace.identifier]?.filter { key, _ in
            key.lexicographicallyPrecedes(bounds[0]) || !key.lexicographicallyPrecedes(bounds[1])
        }
    }

    /// Changes that a savepoint takes back.
    private func undo(_ transaction: WriteTransaction) throws {
        let before = (contents, keyspaces)
        do {
            try transaction.savepoint {
                for _ in 0..<3 { try putAndDelete(transaction) }
                throw Undone()
            }
        } catch is Undone {
            (contents, keyspaces) = before
        }
    }

    private func putAndDelete(_ transaction: WriteTransaction) throws {
        let keyspace = random.pick(keyspaces)
        for _ in 0..<(1 + random.below(random.chance(20) ? 400 : 12)) {
            let key = key()
            if random.chance(30) {
                try delete(key, in: keyspace, transaction)
            } else if random.chance(10), let value = contents[keyspace.identifier]?[key] {
                try put(value, key, in: keyspace, transaction)
            } else {
                try put(value(), key, in: keyspace, transaction)
            }
        }
    }

    private func put(
        _ value: [UInt8], _ key: [UInt8], in keyspace: Keyspace, _ transaction: WriteTransaction
    ) throws {
        if keyspace.kind == .derived {
            let number = value.reduce(UInt64(value.count)) { $0 &* 31 &+ UInt64($1) }
            try key.withBytes { (key) throws(StoreError) in
                _ = try transaction.indexPut(key, value: number, in: keyspace.identifier)
            }
            contents[keyspace.identifier]?[key] = withUnsafeBytes(of: number.bigEndian, Array.init)
        } else {
            try transaction.put(value, forKey: key, in: keyspace)
            contents[keyspace.identifier]?[key] = value
        }
    }

    private func delete(
        _ key: [UInt8], in keyspace: Keyspace, _ transaction: WriteTransaction
    ) throws {
        if keyspace.kind == .derived {
            try key.withBytes { (key) throws(StoreError) in
                _ = try transaction.indexDelete(key, in: keyspace.identifier)
            }
        } else {
            try transaction.delete(key, in: keyspace)
        }
        contents[keyspace.identifier]?[key] = nil
    }

    private func key() -> [UInt8] {
        Array("key \(random.below(600))".utf8)
    }

    /// Few different values, so that one comes back; some of them large.
    private func value() -> [UInt8] {
        let number = random.below(9)
        return [UInt8](repeating: UInt8(number), count: number == 8 ? 3000 : number * 9)
    }
}
