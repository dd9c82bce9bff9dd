import Dispatch
import Locks
import RealmSwift
import TestSupport
import Testing

@testable import Travertine

/// Sorted results of which columns have the order: no row is read before it is asked for (S-Q8).
@Suite("Results that columns sort are those of a plain sorting")
struct SortedSelectionTests {
    private static func open(_ directory: TemporaryDirectory, budget: Int = 64 << 20) throws
        -> Realm
    {
        var configuration = Realm.Configuration(
            fileURL: directory.url, objectTypes: [RankedGauge.self], durability: .unsynced)
        configuration.queryMemoryBudget = budget
        return try Realm(configuration: configuration)
    }

    /// 3000 gauges with ranks against the order of their keys.
    private static func filled(_ directory: TemporaryDirectory) throws -> Realm {
        let realm = try open(directory)
        try realm.write {
            for id in 0..<3000 {
                realm.create(RankedGauge.self, value: ["id": id, "number": 3000 - id])
            }
        }
        return realm
    }

    private static func change(_ realm: Realm, _ random: inout SeededRandom, _ count: Int) {
        for _ in 0..<count {
            realm.create(
                RankedGauge.self,
                value: [
                    "id": random.below(4000), "number": random.below(50),
                    "maybe": random.chance(30) ? nil : random.below(10),
                    "ratio": Double(random.below(1000)) / 8,
                    "name": random.pick(["ash", "Oak", "élm", "", "fir tree", "fir trees"]),
                ] as [String: Any?], update: .modified)
        }
        for gauge in Array(realm.objects(RankedGauge.self)) where random.chance(3) {
            realm.delete(gauge)
        }
    }

    /// A number that is less for an earlier value, for each property that is not a text.
    private static func order(_ left: RankedGauge, _ right: RankedGauge, _ name: String) -> Int {
        func compared<Value: Comparable>(_ first: Value, _ second: Value) -> Int {
            first < second ? -1 : first == second ? 0 : 1
        }
        switch name {
        case "id": return compared(left.id, right.id)
        case "number": return compared(left.number, right.number)
        case "maybe": return compared(left.maybe ?? -1, right.maybe ?? -1)
        case "ratio": return compared(left.ratio, right.ratio)
        default:
            let (first, second) = (left.name.utf8, right.name.utf8)
            return first.lexicographicallyPrecedes(second)
                ? -1 : first.elementsEqual(second) ? 0 : 1
        }
    }

    /// The objects in an order; equal ones as they are.
    private static func sorted(
        _ gauges: [RankedGauge], _ sorting: [SortDescriptor]
    ) -> [RankedGauge] {
        gauges.enumerated().sorted { left, right in
            for descriptor in sorting {
                let order = order(left.element, right.element, descriptor.keyPath)
                if order != 0 { return (order < 0) == descriptor.ascending }
            }
            return left.offset < right.offset
        }.map(\.element)
    }

    private static func check(_ realm: Realm, _ random: inout SeededRandom, _ note: Comment) {
        for _ in 0..<6 {
            var sorting = [
                SortDescriptor(
                    keyPath: random.pick(["number", "maybe", "ratio", "name", "id"]),
                    ascending: random.chance(50))
            ]
            if random.chance(50) {
                sorting.append(
                    SortDescriptor(
                        keyPath: random.pick(["id", "id", "number", "name"]),
                        ascending: random.chance(50)))
            }
            let all = realm.objects(RankedGauge.self)
            let bound = random.below(60)
            let isPart = random.chance(40)
            func results() -> Results<RankedGauge> {
                (isPart ? all.where { $0.number < bound } : all).sorted(by: sorting)
            }
            let plain = Array(all).filter { !isPart || $0.number < bound }
            let expected = sorted(plain, sorting).map(\.id)
            // What is asked first finds all; the rest is from what it found.
            let found = results()
            let positions =
                expected.isEmpty ? [] : (0..<8).map { _ in random.below(expected.count) }
            if random.chance(50) {
                #expect(positions.map { found[$0].id } == positions.map { expected[$0] }, note)
            }
            if random.chance(50) {
                #expect(found.map(\.id) == expected, note)
            }
            #expect(found.count == expected.count && found.isEmpty == expected.isEmpty, note)
            #expect(found.first?.id == expected.first && found.last?.id == expected.last, note)
            #expect(found.indices.map { found[$0].id } == expected, note)
            var lent: [Int] = []
            #expect(throws: Never.self, note) {
                try results().forEachLending { lent.append($0.id) }
            }
            #expect(lent == expected, note)
            #expect(found.map(\.id) == expected, note)
            #expect(positions.map { found[$0].id } == positions.map { expected[$0] }, note)
            if let object = found.last {
                #expect(found.index(of: object) == expected.count - 1, note)
            }
            let limited = results().offset(3).limit(40)
            #expect(limited.map(\.id) == Array(expected.dropFirst(3).prefix(40)), note)
        }
    }

    @Test(
        "after random changes, in transactions, rolled back, moved, opened again",
        arguments: SampledNumbers.some(1, of: UInt64(51)...53))
    func histories(seed: UInt64) throws {
        let directory = TemporaryDirectory()
        var random = SeededRandom(seed: seed)
        for opening in 0..<3 {
            // The smallest budget makes room all the time.
            let realm = try Self.open(directory, budget: [64 << 20, 40_000, 0][opening])
            for round in 0..<3 {
                let note: Comment = "seed \(seed), \(opening), \(round)"
                try realm.write {
                    Self.change(realm, &random, round == 0 ? 500 : 30)
                    Self.check(realm, &random, note)
                }
                Self.check(realm, &random, note)
                realm.beginWrite()
                Self.change(realm, &random, 10)
                realm.cancelWrite()
                Self.check(realm, &random, note)
                if round == 1 { try realm.store.checkpoint() }
                if round == 2 { try realm.store.compact() }
                Self.check(realm, &random, note)
            }
        }
    }

    @Test("results that were found once show each later version, and each state in a transaction")
    func laterVersions() throws {
        let directory = TemporaryDirectory()
        let realm = try Self.filled(directory)
        let found = realm.objects(RankedGauge.self).sorted(by: \.number)
        #expect(found[0].id == 2999 && found[2999].id == 0)
        let last = found[2999]
        try realm.write {
            #expect(found[1].id == 2998)
            last.number = 0
            #expect(found[0].id == 0 && found[2999].id == 1)
            realm.delete(found[1])
            #expect(found[1].id == 2998 && found.count == 2999)
        }
        #expect(found[0].id == 0 && found[2998].id == 1)
        let other = try Self.open(directory)
        try other.write { other.objects(RankedGauge.self)[1].number = -1 }
        realm.refresh()
        #expect(found[0].id == 1 && found.count == 2999)
    }

    @Test("what was found stays there while nodes and rows are moved")
    func movedNodes() throws {
        let directory = TemporaryDirectory()
        let realm = try Self.filled(directory)
        let found = realm.objects(RankedGauge.self).sorted(by: \.number, ascending: false)
        for position in stride(from: 0, to: 3000, by: 250) {
            #expect(found[position].id == position)
            try realm.store.checkpoint()
            try realm.store.write { try $0.put([1], forKey: UInt64(position)) }
            try realm.store.compact()
        }
        #expect(found.map(\.id) == Array(0..<3000))
    }

    @Test("frozen results are read on several threads at once, and keep their version")
    func frozenResults() throws {
        let directory = TemporaryDirectory()
        let realm = try Self.filled(directory)
        nonisolated(unsafe) let frozen = realm.objects(RankedGauge.self).sorted(by: \.number)
            .freeze()
        #expect(frozen[3].id == 2996)
        try realm.write { realm.deleteAll() }
        try realm.store.compact()
        let rightCount = Locked(0)
        DispatchQueue.concurrentPerform(iterations: 8) { number in
            let isRight =
                frozen.count == 3000 && frozen[number * 100].id == 2999 - number * 100
                && frozen.map(\.id) == (0..<3000).reversed() && frozen.last?.id == 0
            rightCount.withLock { $0 += isRight ? 1 : 0 }
        }
        #expect(rightCount.withLock { $0 } == 8)
    }

    #if DEBUG
        @Test("sorting reads no row once the columns are there, and a position reads one")
        func visits() throws {
            let directory = TemporaryDirectory()
            let realm = try Self.filled(directory)
            let gauges = realm.objects(RankedGauge.self)
            func rowCount(_ body: () -> Void) -> Int {
                realm.session.visits.rows = 0
                body()
                return realm.session.visits.rows
            }
            #expect(rowCount { _ = gauges.where { $0.number == 0 }.count } == 3000)
            let found = gauges.sorted(by: \.number)
            #expect(rowCount { _ = found[500] } == 1)
            #expect(rowCount { _ = (found.count, found.isEmpty) } == 0)
            #expect(rowCount { _ = (found.first, found.last) } == 2)
            #expect(rowCount { for position in 100..<110 { _ = found[position] } } == 10)
        }
    #endif
}

class RankedGauge: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var number: Int
    @Persisted var maybe: Int?
    @Persisted var ratio: Double
    @Persisted var name: String
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
