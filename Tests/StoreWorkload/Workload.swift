import TestSupport
import TravertineStore

/// A stream of transactions that follows from a seed, with a model that says what a store holds
/// after any number of them.
///
/// Every transaction writes its own number under `counterKey`. What a store holds after a crash
/// must equal the model after the transaction that the counter names: so a check finds lost,
/// partial and reordered transactions alike.
public struct Workload: Sendable {
    /// The key under which each transaction writes its number, in the default keyspace.
    public static let counterKey = Array("#".utf8)
    /// The names of the keyspaces beside the default one.
    public static let keyspaceNames = ["second", "third"]

    /// One change of a transaction.
    public enum Change: Sendable {
        case put(key: [UInt8], value: [UInt8], keyspace: Int)
        case delete(key: [UInt8], keyspace: Int)
        case deleteRange(from: [UInt8], to: [UInt8], keyspace: Int)
        /// Changes that are made in a savepoint and rolled back.
        case undone([Change])
    }

    private struct Undo: Error {}

    /// What everything follows from.
    public let seed: UInt64
    /// How many different keys there are in each keyspace.
    public let keyCount: UInt64
    /// The longest value.
    public let valueByteCountMax: Int
    /// Whether values repeat themselves, so that they can be compressed.
    public let isCompressible: Bool

    /// Creates a workload; everything follows from the seed.
    public init(
        seed: UInt64, keyCount: UInt64 = 200, valueByteCountMax: Int = 300,
        isCompressible: Bool = false
    ) {
        self.seed = seed
        self.keyCount = keyCount
        self.valueByteCountMax = valueByteCountMax
        self.isCompressible = isCompressible
    }

    /// The changes of a transaction.
    public func changes(of transaction: UInt64) -> [Change] {
        var random = SeededRandom(seed: seed &+ transaction &* 0x1_0000_0001)
        let kind = random.next() % 40
        let count = kind == 0 ? 60 : Int(random.next() % 6) + 1
        return (0..<count).map { _ in change(&random, depth: 0) }
            + [.put(key: Self.counterKey, value: bytes(of: transaction), keyspace: 0)]
    }

    private func change(_ random: inout SeededRandom, depth: Int) -> Change {
        let keyspace = Int(random.next() % 3)
        switch random.next() % 20 {
        case 0...12:
            let large = random.next() % 50 == 0
            let limit = UInt64(large ? valueByteCountMax * 40 : valueByteCountMax)
            return .put(
                key: key(&random), value: value(Int(random.next() % (limit + 1)), &random),
                keyspace: keyspace)
        case 13...17:
            return .delete(key: key(&random), keyspace: keyspace)
        case 18:
            let (first, second) = (key(&random), key(&random))
            let isAscending = first.lexicographicallyPrecedes(second)
            return .deleteRange(
                from: isAscending ? first : second, to: isAscending ? second : first,
                keyspace: keyspace == 0 ? 1 : keyspace)
        default:
            if depth > 1 { return .delete(key: key(&random), keyspace: keyspace) }
            return .undone((0...2).map { _ in change(&random, depth: depth + 1) })
        }
    }

    private func value(_ count: Int, _ random: inout SeededRandom) -> [UInt8] {
        if !isCompressible { return sixBitBytes(count, &random) }
        let pattern = sixBitBytes(9, &random)
        return (0..<count).map { pattern[$0 % 9] }
    }

    /// Random bytes of six bits each.
    private func sixBitBytes(_ count: Int, _ random: inout SeededRandom) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next() & 0x3f) }
    }

    private func key(_ random: inout SeededRandom) -> [UInt8] {
        let number = random.next() % keyCount
        let prefix: [UInt8] = number % 3 == 0 ? [] : Array("a common prefix/".utf8)
        return prefix + Array("\(number)".utf8)
    }

    private func bytes(of number: UInt64) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian, Array.init)
    }

    // MARK: The store

    /// Makes the changes of a transaction.
    public func apply(_ number: UInt64, to transaction: WriteTransaction) throws {
        for change in changes(of: number) { try apply(change, to: transaction) }
    }

    private func apply(_ change: Change, to transaction: WriteTransaction) throws {
        switch change {
        case .put(let key, let value, let keyspace):
            try transaction.put(value, forKey: key, in: try self.keyspace(keyspace, transaction))
        case .delete(let key, let keyspace):
            try transaction.delete(key, in: try self.keyspace(keyspace, transaction))
        case .deleteRange(let start, let end, let keyspace):
            try transaction.deleteRange(
                from: start, to: end, in: try self.keyspace(keyspace, transaction))
        case .undone(let changes):
            do {
                try transaction.savepoint {
                    for change in changes { try apply(change, to: transaction) }
                    throw Undo()
                }
            } catch is Undo {
                return
            }
        }
    }

    private func keyspace(_ place: Int, _ transaction: WriteTransaction) throws -> Keyspace {
        try place == 0 ? .default : transaction.keyspace(named: Self.keyspaceNames[place - 1])
    }

    /// The number of the newest transaction in a snapshot, 0 if there is none.
    public static func counter(in snapshot: Snapshot) throws -> UInt64 {
        number(try snapshot.get(counterKey))
    }

    /// The number that the value of `counterKey` is, 0 if there is none.
    public static func number(_ value: [UInt8]?) -> UInt64 {
        (value ?? []).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// How a snapshot differs from the model, or nil if it does not.
    public static func difference(
        of snapshot: Snapshot, in store: Store, from model: WorkloadModel
    ) throws -> String? {
        try difference(of: snapshot, from: model) { try store.keyspace(named: $0) }
    }

    /// The same for a snapshot whose keyspaces are found by a function.
    public static func difference(
        of snapshot: Snapshot, from model: WorkloadModel,
        keyspaceNamed find: (String) throws -> Keyspace?
    ) throws -> String? {
        for place in 0...2 {
            let expected = model.keyspaces[place]
            let keyspace =
                place == 0 ? Keyspace.default : try find(keyspaceNames[place - 1])
            guard let keyspace else {
                if expected.isEmpty { continue }
                return "keyspace \(place) is missing; it should hold \(expected.count) keys"
            }
            if snapshot.count(in: keyspace) != expected.count {
                return "keyspace \(place) holds \(snapshot.count(in: keyspace)) keys, "
                    + "not \(expected.count)"
            }
            var previous: [UInt8]?
            let cursor = snapshot.cursor(in: keyspace)
            var isValid = try cursor.seekToFirst()
            while isValid {
                let key = cursor.key
                if let previous, !previous.lexicographicallyPrecedes(key) {
                    return "keyspace \(place): the keys are out of order"
                }
                guard expected[key] == (try cursor.value) else {
                    return "keyspace \(place), key \(key): another value"
                }
                previous = key
                isValid = try cursor.next()
            }
        }
        return nil
    }
}

/// What a store must hold after a number of transactions of a workload.
public struct WorkloadModel: Sendable {
    private let workload: Workload
    /// Key to value, for the default keyspace and the two others.
    public private(set) var keyspaces: [[[UInt8]: [UInt8]]] = [[:], [:], [:]]
    /// The number of transactions applied.
    public private(set) var count: UInt64 = 0

    /// The model of a store that holds nothing.
    public init(_ workload: Workload) { self.workload = workload }

    /// Applies transactions until this many have been.
    public mutating func advance(to target: UInt64) {
        precondition(target >= count, "a model can't go back")
        while count < target {
            count += 1
            for change in workload.changes(of: count) { apply(change) }
        }
    }

    private mutating func apply(_ change: Workload.Change) {
        switch change {
        case .put(let key, let value, let keyspace): keyspaces[keyspace][key] = value
        case .delete(let key, let keyspace): keyspaces[keyspace][key] = nil
        case .deleteRange(let start, let end, let keyspace):
            keyspaces[keyspace] = keyspaces[keyspace].filter { key, _ in
                key.lexicographicallyPrecedes(start) || !key.lexicographicallyPrecedes(end)
            }
        case .undone: break
        }
    }
}
