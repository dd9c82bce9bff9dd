import Foundation
import Locks
import RealmSwift
import TestSupport
import Testing

@testable import Travertine

/// What columns find without reading rows (S-Q1 to S-Q7), against plain filters.
@Suite("Results that columns select are those of a plain filter")
struct SelectionTests {
    private static func open(_ directory: TemporaryDirectory, budget: Int = 64 << 20) throws
        -> Realm
    {
        var configuration = Realm.Configuration(
            fileURL: directory.url,
            objectTypes: [PickedGauge.self, HeavyPickedGauge.self], durability: .unsynced)
        configuration.queryMemoryBudget = budget
        return try Realm(configuration: configuration)
    }

    /// 3000 gauges, of which every third has the number 1.
    static func filled(_ directory: TemporaryDirectory) throws -> Realm {
        let realm = try open(directory)
        try realm.write {
            for tag in 0..<3000 {
                realm.create(PickedGauge.self, value: ["tag": tag, "number": tag % 3])
            }
        }
        return realm
    }

    // MARK: Histories

    private static func fill(_ gauge: PickedGauge, _ random: inout SeededRandom) {
        gauge.tag = Int(random.next() >> 2)
        gauge.number = random.below(100)
        gauge.maybe = random.chance(30) ? nil : random.below(10)
        gauge.ratio = Double(random.below(1000)) / 8
        gauge.name = random.pick(["ash", "Oak", "élm", "", "fir tree"])
    }

    private static func change(_ realm: Realm, _ random: inout SeededRandom, _ count: Int) {
        for _ in 0..<count {
            fill(
                random.chance(20)
                    ? realm.create(HeavyPickedGauge.self) : realm.create(PickedGauge.self), &random)
        }
        for gauge in Array(realm.objects(PickedGauge.self)) where random.chance(4) {
            if random.chance(40) { realm.delete(gauge) } else { fill(gauge, &random) }
        }
    }

    private typealias Case = (
        condition: (Query<PickedGauge>) -> Query<Bool>, plain: (PickedGauge) -> Bool
    )

    /// A random condition, and the same in Swift.
    private static func condition(_ random: inout SeededRandom, depth: Int = 0) -> Case {
        let number = random.below(100)
        let maybe = random.below(10)
        switch random.below(depth < 2 ? 9 : 6) {
        case 0: return ({ $0.number > number }, { $0.number > number })
        case 1: return ({ $0.number == number }, { $0.number == number })
        case 2: return ({ $0.maybe == nil }, { $0.maybe == nil })
        case 3: return ({ $0.maybe <= maybe }, { $0.maybe.map { $0 <= maybe } ?? false })
        case 4: return ({ $0.name.contains("a") }, { $0.name.contains("a") })
        case 5: return ({ $0.ratio < Double(number) }, { $0.ratio < Double(number) })
        case 6:
            let (first, second) = (condition(&random, depth: 2), condition(&random, depth: 2))
            return (
                { first.condition($0) && second.condition($0) },
                { first.plain($0) && second.plain($0) }
            )
        case 7:
            let (first, second) = (condition(&random, depth: 2), condition(&random, depth: 2))
            return (
                { first.condition($0) || second.condition($0) },
                { first.plain($0) || second.plain($0) }
            )
        default:
            let inner = condition(&random, depth: 2)
            return ({ !inner.condition($0) }, { !inner.plain($0) })
        }
    }

    private static func facts(_ gauge: PickedGauge) -> String {
        "\(gauge.number) \(gauge.maybe ?? -1) \(gauge.ratio) \(gauge.name) \(gauge.tag)"
    }

    private static func check(_ realm: Realm, _ random: inout SeededRandom, _ note: Comment) {
        for includesHeavy in [false, true] {
            let all = realm.objects(PickedGauge.self, includingSubclasses: includesHeavy)
            for _ in 0..<4 {
                let (condition, plain) = condition(&random)
                let expected = Array(all).filter(plain).map(\.tag)
                // What is asked first finds all; the rest is from what it found.
                let found = all.where(condition)
                let positions =
                    expected.isEmpty ? [] : (0..<8).map { _ in random.below(expected.count) }
                if random.chance(50) {
                    #expect(positions.map { found[$0].tag } == positions.map { expected[$0] }, note)
                }
                #expect(found.map(\.tag) == expected, note)
                #expect(found.count == expected.count, note)
                #expect(found.isEmpty == expected.isEmpty, note)
                #expect(found.first?.tag == expected.first, note)
                #expect(found.last?.tag == expected.last, note)
                #expect(found.indices.map { found[$0].tag } == expected, note)
                #expect(positions.map { found[$0].tag } == positions.map { expected[$0] }, note)
                var lent: [Int] = []
                #expect(throws: Never.self, note) {
                    try all.where(condition).forEachLending { lent.append($0.tag) }
                }
                #expect(lent == expected, note)
                var iterated: [String] = []
                for gauge in all.where(condition) { iterated.append(facts(gauge)) }
                #expect(iterated == Array(all).filter(plain).map(facts), note)
                if let object = found.last {
                    #expect(found.index(of: object) == expected.count - 1, note)
                    #expect(found.count == expected.count && found.first != nil, note)
                }
            }
        }
    }

    @Test(
        "after random changes, in transactions, rolled back, moved, opened again",
        arguments: SampledNumbers.some(1, of: UInt64(41)...43))
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

    // MARK: Changes

    @Test("results that were found once show each later version, and each state in a transaction")
    func laterVersions() throws {
        let directory = TemporaryDirectory()
        let realm = try Self.filled(directory)
        let found = realm.objects(PickedGauge.self).where { $0.number == 1 }
        #expect(found[0].tag == 1 && found[999].tag == 2998 && found.count == 1000)
        let first = found[0]
        try realm.write {
            #expect(found[0].tag == 1 && found.count == 1000)
            first.number = 2
            #expect(found[0].tag == 4 && found.count == 999)
            realm.delete(found[0])
            #expect(found[0].tag == 7 && found.count == 998)
        }
        #expect(found[0].tag == 7 && found.count == 998 && found.last?.tag == 2998)
        realm.beginWrite()
        realm.delete(found[1])
        #expect(found[1].tag == 13 && found.count == 997)
        realm.cancelWrite()
        #expect(found[1].tag == 10 && found.count == 998)
        let other = try Self.open(directory)
        try other.write { other.objects(PickedGauge.self)[0].number = 1 }
        realm.refresh()
        #expect(found[0].tag == 0 && found.count == 999)
    }

    @Test("an iteration has the objects of its start, as they are when they come")
    func iterationOverChanges() throws {
        let directory = TemporaryDirectory()
        let realm = try Self.filled(directory)
        let found = realm.objects(PickedGauge.self).where { $0.number == 1 }
        var tags: [Int] = []
        var invalidCount = 0
        for gauge in found {
            if gauge.isInvalidated {
                invalidCount += 1
                continue
            }
            tags.append(gauge.tag)
            if tags.count == 100 {
                try realm.write {
                    // Those of the next leaves too.
                    for (position, gauge) in Array(found).enumerated() where position >= 500 {
                        if position.isMultiple(of: 2) {
                            gauge.tag = -1
                        } else {
                            realm.delete(gauge)
                        }
                    }
                }
            }
        }
        #expect(tags.count == 750 && invalidCount == 250)
        #expect(tags.prefix(500).elementsEqual(stride(from: 1, to: 1500, by: 3)))
        #expect(tags.suffix(250).allSatisfy { $0 == -1 })
    }

    @Test("a copy of an iterator goes on on its own from where it was made")
    func iteratorCopies() throws {
        let directory = TemporaryDirectory()
        let realm = try Self.filled(directory)
        var iterator = realm.objects(PickedGauge.self).where { $0.number == 1 }.makeIterator()
        for _ in 0..<333 { _ = iterator.next() }
        var copy = iterator
        #expect(iterator.next()?.tag == 1000)
        #expect(copy.next()?.tag == 1000 && copy.next()?.tag == 1003)
        #expect(iterator.next()?.tag == 1003)
        var rest = 0
        while copy.next() != nil { rest += 1 }
        #expect(rest == 665)
    }

    @Test("a handle that the loop keeps stays that of its object")
    func keptHandles() throws {
        let directory = TemporaryDirectory()
        let realm = try Self.filled(directory)
        var kept: [PickedGauge] = []
        for gauge in realm.objects(PickedGauge.self).where({ $0.number == 1 })
        where gauge.tag % 5 == 0 { kept.append(gauge) }
        #expect(kept.map(\.tag) == Array(stride(from: 10, to: 3000, by: 15)))
    }

    @Test("frozen results are read on several threads at once, and keep their version")
    func frozenResults() throws {
        let directory = TemporaryDirectory()
        let realm = try Self.filled(directory)
        nonisolated(unsafe) let frozen = realm.objects(PickedGauge.self).where { $0.number == 1 }
            .freeze()
        #expect(frozen[3].tag == 10)
        try realm.write { realm.deleteAll() }
        try realm.store.compact()
        let expected = Array(stride(from: 1, to: 3000, by: 3))
        let rightCount = Locked(0)
        DispatchQueue.concurrentPerform(iterations: 8) { number in
            let position = number * 100
            let isRight =
                frozen.count == 1000 && frozen[position].tag == expected[position]
                && frozen.map(\.tag) == expected && frozen.last?.tag == 2998
            rightCount.withLock { $0 += isRight ? 1 : 0 }
        }
        #expect(rightCount.withLock { $0 } == 8)
    }

    @Test("what was found stays there while nodes and rows are moved and others write")
    func movedNodes() throws {
        let directory = TemporaryDirectory()
        let realm = try Self.filled(directory)
        let found = realm.objects(PickedGauge.self).where { $0.number == 1 }
        #expect(found[0].tag == 1)
        let iterated = realm.objects(PickedGauge.self).where { $0.number == 1 }
        var tags: [Int] = []
        for gauge in iterated {
            tags.append(gauge.tag)
            guard tags.count % 100 == 50 else { continue }
            try realm.store.checkpoint()
            try realm.store.write { transaction in
                try transaction.put([1], forKey: UInt64(tags.count))
            }
            try realm.store.compact()
            let position = tags.count
            #expect(found.count == 1000 && found[position].tag == 3 * position + 1)
        }
        #expect(tags == Array(stride(from: 1, to: 3000, by: 3)))
        #expect(found.map(\.tag) == tags)
    }

    // MARK: What is read

    #if DEBUG
        @Test("finding reads no row once the columns are there, and a position reads one")
        func visits() throws {
            let directory = TemporaryDirectory()
            let realm = try Self.filled(directory)
            let gauges = realm.objects(PickedGauge.self)
            func rowCount(_ body: () -> Void) -> Int {
                realm.session.visits.rows = 0
                body()
                return realm.session.visits.rows
            }
            #expect(rowCount { _ = gauges.where { $0.number == 0 }.count } == 3000)
            let found = gauges.where { $0.number == 1 }
            #expect(rowCount { _ = found[500] } == 1)
            #expect(rowCount { _ = (found.count, found.isEmpty) } == 0)
            #expect(rowCount { _ = (found.first, found.last) } == 2)
            #expect(rowCount { for position in 100..<110 { _ = found[position] } } == 10)
        }
    #endif

    @Test("a position beyond the end stops with the number of results")
    func positionsBeyondTheEnd() async {
        await #expect(processExitsWith: .failure) {
            let directory = TemporaryDirectory()
            var configuration = Realm.Configuration(
                fileURL: directory.url, objectTypes: [PickedGauge.self], durability: .unsynced)
            configuration.queryMemoryBudget = 64 << 20
            let realm = try Realm(configuration: configuration)
            try realm.write { realm.create(PickedGauge.self, value: ["number": 1]) }
            let found = realm.objects(PickedGauge.self).where { $0.number == 1 }
            _ = found[0]
            _ = found[1]
        }
    }
}

class PickedGauge: Object {
    @Persisted var tag: Int
    @Persisted var number: Int
    @Persisted var maybe: Int?
    @Persisted var ratio: Double
    @Persisted var name: String
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class HeavyPickedGauge: PickedGauge {
    @Persisted var weight: Int
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
