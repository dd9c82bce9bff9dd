import Foundation
import RealmSwift
import TestSupport
import Testing

@testable import Travertine

/// Random writes against a model that runs every query again in every version that was reported.
///
/// `TRAVERTINE_CHANGE_HISTORIES` is the number of histories, and `TRAVERTINE_CHANGE_SEED` the first
/// seed.
@Suite("Changes against a model")
struct ChangeModelTests {
    private static func number(_ name: String, _ normal: Int) -> Int {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? normal
    }

    private static var seeds: Range<Int> {
        let first = number("TRAVERTINE_CHANGE_SEED", 1)
        return first..<first + number("TRAVERTINE_CHANGE_HISTORIES", 2)
    }

    @Test("every change gives the new version of the old one, and exactly what was modified")
    func histories() throws {
        for seed in Self.seeds {
            let directory = try TemporaryDirectory()
            try ChangeHistory(directory, seed: UInt64(seed)).run()
        }
    }

    @Test("deletions and insertions of two arrays give the second of the first")
    func arrays() throws {
        var random = SeededRandom(seed: 11)
        for round in 0..<300 {
            let old = Array(0..<random.below(12)).shuffled(using: &random)
            let new = (old.filter { _ in random.chance(80) } + (20..<20 + random.below(3)))
                .shuffled(using: &random)
            var (deletions, insertions, kept) = CollectionDifference.matches(old, new)
            let moved = ResultsObservation.moved(kept) { _ in true }
            for (element, isMoved) in zip(kept, moved) where isMoved {
                deletions.append(element.old)
                insertions.append(element.new)
            }
            kept = []
            let removed = old.enumerated().filter { !deletions.contains($0.offset) }.map(\.element)
            var result = removed
            for position in insertions.sorted() { result.insert(new[position], at: position) }
            #expect(result == new, "round \(round): \(old) to \(new)")
        }
    }

    @Test("a counted list of keys is the same as an array")
    func keys() {
        var random = SeededRandom(seed: 5)
        for count in [0, 1, 511, 512, 3000] {
            var model = (0..<count).map { ResultKey(key: UInt64($0 * 4), part: 0) }
            var keys = ResultKeys(model)
            for _ in 0..<2000 {
                if random.chance(45), !model.isEmpty {
                    let position = random.below(model.count)
                    model.remove(at: position)
                    keys.remove(at: position)
                } else {
                    let key = ResultKey(key: random.next() % 20_000, part: 0)
                    let place = keys.place { $0.precedes(key) }
                    let position = model.firstIndex { !$0.precedes(key) } ?? model.count
                    #expect(keys.position(of: place) == position)
                    guard keys.key(at: place) != key else { continue }
                    keys.insert(key, at: place)
                    model.insert(key, at: position)
                }
            }
            keys.checkInvariants()
            #expect(keys.all == model)
        }
    }
}

/// One history: a realm that observes, another that writes too, and what each observation must be
/// notified.
private final class ChangeHistory {
    private let realm: Realm
    private let other: Realm
    private let seed: UInt64
    private var random: SeededRandom
    private var watched: [WatchedCollection] = []

    init(_ directory: TemporaryDirectory, seed: UInt64) throws {
        self.seed = seed
        random = SeededRandom(seed: seed)
        let types: [ObjectBase.Type] = [ChangeNode.self, ChangeLeaf.self]
        realm = try directory.open(types)
        other = try Realm(
            configuration: Realm.Configuration(
                fileURL: directory.url, objectTypes: types,
                durability: .interval(milliseconds: 500)))
    }

    func run() throws {
        try realm.write { for _ in 0..<20 { change(realm) } }
        watch()
        realm.refresh()
        for step in 0..<30 {
            for _ in 0...random.below(3) { try write() }
            if random.chance(8) { try realm.store.compact() }
            if random.chance(8) { try realm.store.checkpoint() }
            realm.refresh()
            for collection in watched { collection.check("seed \(seed), step \(step)") }
        }
        let followedCount = watched.reduce(0) { $0 + $1.followedCount }
        #expect(followedCount > 10, "seed \(seed): single changes were not followed")
    }

    // MARK: Writing

    private func write() throws {
        let writer = random.chance(50) ? realm : other
        try writer.write {
            for _ in 0...random.below(random.chance(10) ? 40 : 4) { change(writer) }
        }
    }

    private func change(_ realm: Realm) {
        let nodes = realm.objects(ChangeNode.self)
        let leaves = realm.objects(ChangeLeaf.self)
        switch random.below(12) {
        case 0, 1:
            _ = realm.create(
                ChangeNode.self,
                value: ["id": random.below(60), "rank": random.below(9), "name": name()],
                update: .modified)
        case 2:
            _ = realm.create(ChangeLeaf.self, value: ["size": random.below(9)])
        case 3 where !nodes.isEmpty: realm.delete(nodes[random.below(nodes.count)])
        case 4 where !leaves.isEmpty && random.chance(50):
            realm.delete(leaves[random.below(leaves.count)])
        case 5 where !leaves.isEmpty: leaves[random.below(leaves.count)].size = random.below(9)
        default:
            guard !nodes.isEmpty else { return }
            change(nodes[random.below(nodes.count)], nodes, leaves)
        }
    }

    private func change(
        _ node: ChangeNode, _ nodes: Results<ChangeNode>, _ leaves: Results<ChangeLeaf>
    ) {
        switch random.below(8) {
        case 0: node.rank = random.below(9)
        case 1: node.name = name()
        case 2: node.leaf = leaves.isEmpty ? nil : leaves[random.below(leaves.count)]
        case 3: node.next = nodes[random.below(nodes.count)]
        case 4:
            if leaves.isEmpty || node.leaves.count > 6 { return node.leaves.removeAll() }
            node.leaves.insert(
                leaves[random.below(leaves.count)], at: random.below(node.leaves.count + 1))
        case 5:
            if node.leaves.count > 1 { node.leaves.move(from: 0, to: node.leaves.count - 1) }
        case 6:
            node.numbers.insert(random.below(5), at: random.below(node.numbers.count + 1))
        default:
            if !node.numbers.isEmpty { node.numbers[random.below(node.numbers.count)] = 7 }
        }
    }

    private func name() -> String { ["a", "b", "c", "d"][random.below(4)] }

    // MARK: Watching

    private func watch() {
        let nodes = realm.objects(ChangeNode.self)
        let leaves = realm.objects(ChangeLeaf.self)
        let everything: (ChangeNode) -> String = { $0.text(depth: 4) }
        add(nodes, nil, everything)
        add(nodes.where { $0.rank > 4 }, nil, everything)
        add(nodes.where { $0.rank > 4 }.sorted(byKeyPath: "name"), ["rank"]) { "\($0.rank)" }
        add(nodes.sorted(byKeyPath: "leaf.size", ascending: false), ["leaf.size"]) {
            "\($0.leaf?.identity ?? 0) \($0.leaf?.size ?? -1)"
        }
        add(nodes.where { $0.leaf.size > 3 }, ["next.name"]) {
            "\($0.next?.id ?? -1) \($0.next?.name ?? "")"
        }
        add(nodes.where { $0.leaves.size > 5 }, []) { _ in "" }
        add(nodes.sorted(byKeyPath: "rank").distinct(by: ["rank"]), nil, everything)
        add(nodes.sorted(byKeyPath: "rank").limit(5), ["name"]) { $0.name }
        add(nodes.where { ($0.leaves.size > 4).count > 1 }, ["leaves"]) {
            "\($0.leaves.map(\.identity))"
        }
        add(leaves, ["owners.name"]) { leaf in
            leaf.owners.map { "\($0.id) \($0.name)" }.joined(separator: ",")
        }
        add(leaves.where { $0.owners.rank == 3 }, ["owners"]) { leaf in
            "\(leaf.owners.map(\.id))"
        }
        if let node = nodes.first {
            add(node.leaves, ["size"]) { "\($0.size)" }
            add(node.leaves.where { $0.size > 3 }, nil) { $0.text(depth: 4) }
        }
        if let leaf = leaves.first { add(leaf.owners, ["rank"]) { "\($0.rank)" } }
    }

    private func add<Base: RealmCollection>(
        _ collection: Base, _ keyPaths: [String]?, _ contents: @escaping (Base.Element) -> String
    ) where Base.Element: ObjectBase {
        watched.append(WatchedCollection(collection, keyPaths, contents))
    }
}

/// An observed collection, with what it had in the version that was reported last.
private final class WatchedCollection {
    private var items: [(identity: UInt64, contents: String)]?
    private var token: NotificationToken?
    private let current: () -> [(identity: UInt64, contents: String)]
    private let name: String
    private var problem: String?
    /// What another observation was notified of, which always compares whole results.
    private var comparingToken: NotificationToken?
    private var told: [String] = []
    private var compared: [String] = []

    init<Base: RealmCollection>(
        _ collection: Base, _ keyPaths: [String]?, _ contents: @escaping (Base.Element) -> String
    ) where Base.Element: ObjectBase {
        name = "\(type(of: collection)) \(keyPaths ?? ["*"])"
        current = {
            collection.isInvalidated
                ? []
                : collection.map {
                    ($0.key << 8 | UInt64($0.table.stored.number), contents($0))
                }
        }
        token = collection.observe(keyPaths: keyPaths) { [unowned self] change in
            switch change {
            case .initial: break
            case .update(_, let deletions, let insertions, let modifications):
                take(deletions, insertions, modifications)
            case .error(let error): problem = "\(error)"
            }
            items = current()
        }
        comparingToken = collection.observe(keyPaths: keyPaths) { [unowned self] change in
            if case .update(_, let deletions, let insertions, let modifications) = change {
                compared.append("-\(deletions) +\(insertions) ~\(modifications)")
            }
        }
        (comparingToken?.observation as? ResultsObservation)?.comparesAlways = true
    }

    /// How often changes were followed without a query.
    var followedCount: Int { (token?.observation as? ResultsObservation)?.followedCount ?? 0 }

    private func take(_ deletions: [Int], _ insertions: [Int], _ modifications: [Int]) {
        guard let old = items else { return }
        let new = current()
        let told = "-\(deletions) +\(insertions) ~\(modifications)"
        self.told.append(told)
        for positions in [deletions, insertions, modifications]
        where zip(positions, positions.dropFirst()).contains(where: { $0 >= $1 }) {
            problem = "not ascending: \(told)"
        }
        var result = old.enumerated().filter { !deletions.contains($0.offset) }.map(\.element)
        let modified = old.enumerated().filter { !deletions.contains($0.offset) }.map {
            modifications.contains($0.offset)
        }
        var flags = modified
        for position in insertions {
            guard position <= result.count, position < new.count else {
                problem = "no such position: \(told)"
                return
            }
            result.insert(new[position], at: position)
            flags.insert(false, at: position)
        }
        guard result.map(\.identity) == new.map(\.identity) else {
            problem = "\(told) gives \(result.map(\.identity)), not \(new.map(\.identity))"
            return
        }
        for (position, (before, after)) in zip(result, new).enumerated()
        where !insertions.contains(position)
            && (before.contents != after.contents) != flags[position]
        {
            problem = "\(told): \(position) was '\(before.contents)', is '\(after.contents)'"
        }
    }

    func check(_ place: String) {
        let new = current()
        #expect(problem == nil, "\(name), \(place): \(problem ?? "")")
        problem = nil
        #expect(told == compared, "\(name), \(place): both ways find the same")
        (told, compared) = ([], [])
        let isSame =
            items.map {
                $0.map(\.identity) == new.map(\.identity)
                    && $0.map(\.contents) == new.map(\.contents)
            } ?? false
        #expect(isSame, "\(name), \(place): a change was not reported")
        items = new
    }
}

class ChangeNode: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var rank: Int
    @Persisted var name: String
    @Persisted var leaf: ChangeLeaf?
    @Persisted var next: ChangeNode?
    @Persisted var leaves: List<ChangeLeaf>
    @Persisted var numbers: List<Int>

    /// All that is reached by so many links.
    func text(depth: Int) -> String {
        let own = "\(id) \(rank) \(name) \(Array(numbers))"
        let leafText = depth > 0 ? leaf?.text(depth: depth - 1) : leaf.map { "\($0.identity)" }
        let nextText = depth > 0 ? next?.text(depth: depth - 1) : next.map { "\($0.id)" }
        let all = leaves.map { depth > 0 ? $0.text(depth: depth - 1) : "\($0.identity)" }
        return "\(own) (\(leafText ?? "")) (\(nextText ?? "")) \(all)"
    }
}

class ChangeLeaf: Object {
    @Persisted var size: Int
    @Persisted(originProperty: "leaves") var owners: LinkingObjects<ChangeNode>

    func text(depth: Int) -> String { "\(identity) \(size)" }
}

extension ObjectBase {
    fileprivate var identity: UInt64 { key }
}
