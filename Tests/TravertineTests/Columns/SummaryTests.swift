import Foundation
import RealmSwift
import TestSupport
import Testing

@testable import Travertine

/// Trees of summaries (C-Q11 to C-Q13): counts, aggregates and positions after changes.
@Suite("Summaries of one version are made from those of another")
struct SummaryTests {
    private func open(_ directory: TemporaryDirectory, budget: Int = 64 << 20) throws -> Realm {
        var configuration = Realm.Configuration(
            fileURL: directory.url, objectTypes: [SumGauge.self, HeavySumGauge.self],
            durability: .unsynced)
        configuration.queryMemoryBudget = budget
        return try Realm(configuration: configuration)
    }

    private func check(_ realm: Realm, _ random: inout SeededRandom, _ note: Comment) {
        let gauges = realm.objects(SumGauge.self)
        let all = QueryPlanning.$isScanOnly.withValue(true) { Array(gauges) }
        #expect(gauges.where { $0.number < 50 }.count == all.count { $0.number < 50 }, note)
        #expect(gauges.sum(of: \.number) == all.reduce(0) { $0 + $1.number }, note)
        #expect(gauges.max(of: \.number) == all.map(\.number).max(), note)
        #expect(gauges.sum(of: \.ratio) == PlainSum.of(all.map(\.ratio)), note)
        let fresh = realm.objects(SumGauge.self)
        for _ in 0..<20 where !all.isEmpty {
            let position = random.below(all.count)
            #expect(fresh[position].tag == all[position].tag, note)
        }
        let start = random.below(max(1, all.count - 300))
        for position in start..<min(all.count, start + 300) {
            #expect(fresh[position].tag == all[position].tag, note)
        }
        #expect(fresh.last?.tag == all.last?.tag, note)
        let both = realm.objects(SumGauge.self, includingSubclasses: true)
        #expect(both.count == all.count + realm.objects(HeavySumGauge.self).count, note)
        if !both.isEmpty {
            let tags = QueryPlanning.$isScanOnly.withValue(true) { Array(both.map(\.tag)) }
            #expect(both[both.count - 1].tag == tags.last, note)
            let count = Array(both).count { $0.number < 50 }
            #expect(both.where { $0.number < 50 }.count == count, note)
            #expect(both.sum(of: \.ratio) == PlainSum.of(Array(both).map(\.ratio)), note)
        }
    }

    private func add(_ count: Int, _ realm: Realm, _ random: inout SeededRandom) {
        for _ in 0..<count {
            let gauge =
                random.chance(10)
                ? realm.create(HeavySumGauge.self) : realm.create(SumGauge.self)
            gauge.tag = Int(random.next() >> 2)
            gauge.number = random.below(100)
            gauge.ratio = Double(random.below(1_000_000)) / 7 * (random.chance(5) ? 1e200 : 1)
        }
    }

    @Test(
        "whatever was added, changed and deleted", arguments: [1, 2, 3] as [UInt64],
        [64 << 20, 100_000, 0])
    func histories(seed: UInt64, budget: Int) throws {
        let directory = TemporaryDirectory()
        let realm = try open(directory, budget: budget)
        var random = SeededRandom(seed: seed)
        for round in 0..<6 {
            try realm.write {
                add(round == 0 ? 1500 : random.below(400), realm, &random)
                let gauges = Array(realm.objects(SumGauge.self))
                let isMany = random.chance(40)
                let start = random.below(gauges.count)
                for (position, gauge) in gauges.enumerated() {
                    if isMany, (start..<start + 500).contains(position) {
                        realm.delete(gauge)
                    } else if random.chance(1) {
                        gauge.number = random.below(100)
                    }
                }
                if round == 3 { check(realm, &random, "seed \(seed), \(round), uncommitted") }
            }
            check(realm, &random, "seed \(seed), \(budget), round \(round)")
            if round == 2 { try realm.store.compact() }
            check(realm, &random, "seed \(seed), \(budget), round \(round), again")
        }
    }

    @Test("in a tree of three levels, in an old version and in the new one alternately")
    func heldVersions() throws {
        let directory = TemporaryDirectory()
        let realm = try open(directory)
        try realm.write {
            for number in 0..<25_000 {
                realm.create(
                    SumGauge.self, value: ["tag": number, "number": number % 100, "ratio": 0.1])
            }
        }
        #expect(realm.objects(SumGauge.self).count == 25_000)
        _ = try realm.session.access
        let held = try #require(realm.session.snapshot)
        let table = realm.session.table(of: SumGauge.self)
        let number = try #require(table.properties.firstIndex { $0.name == "number" })
        let ratio = try #require(table.properties.firstIndex { $0.name == "ratio" })
        for round in 1...4 {
            let gauges = realm.objects(SumGauge.self)
            let gauge = gauges[round * 5000]
            #expect(gauge.tag == round * 5000)
            try realm.write {
                gauge.number = 1000
                gauge.ratio = 1e100
            }
            for _ in 0..<3 {
                let numbers = try PropertySummary.of(number, table, held.access, range: nil)
                #expect(numbers?.summary.sum.integer == 1_237_500)
                let ratios = try PropertySummary.of(ratio, table, held.access, range: nil)
                #expect(ratios?.summary.sum.rounded == 2500)
                #expect(gauges.where { $0.number == 1000 }.count == round)
                #expect(gauges.max(of: \.number) == 1000)
                #expect(gauges.max(of: \.ratio) == 1e100)
                #expect(realm.objects(SumGauge.self)[round * 5000].number == 1000)
            }
        }
    }

    #if DEBUG
        @Test("after one change only its leaf is looked at, and a position reads one row")
        func visits() throws {
            let directory = TemporaryDirectory()
            let realm = try open(directory)
            try realm.write {
                for number in 0..<25_000 {
                    realm.create(SumGauge.self, value: ["tag": number, "number": number % 100])
                }
            }
            let gauges = realm.objects(SumGauge.self)
            func rowCount(_ body: () -> Void) -> Int {
                realm.session.visits.rows = 0
                body()
                return realm.session.visits.rows
            }
            for position in [0, 24_999, 12_345, 7, 20_000] {
                var tag = -1
                #expect(rowCount { tag = gauges[position].tag } == 1)
                #expect(tag == position)
            }
            var (count, sum, average) = (0, 0, 0.0 as Double?)
            func ask() {
                count = gauges.where { $0.number == 5 }.count
                sum = gauges.sum(of: \.number)
                average = gauges.average(of: \.ratio)
            }
            ask()
            ask()
            for round in 1...3 {
                let gauge = gauges[round * 5000]
                try realm.write {
                    gauge.number = 5
                    gauge.ratio = 25_000
                }
                #expect((1...3 * LeafColumn.countMax).contains(rowCount(ask)), "round \(round)")
                #expect(count == 250 + round)
                #expect(sum == 1_237_500 + 5 * round)
                #expect(average == Double(round))
                #expect(rowCount(ask) == 0)
            }
        }
    #endif

    @Test("a condition that comes once leaves nothing, and many fit in the budget")
    func oneOffConditions() throws {
        let directory = TemporaryDirectory()
        let realm = try open(directory, budget: 300_000)
        try realm.write {
            for number in 0..<2000 { realm.create(SumGauge.self, value: ["number": number]) }
        }
        let gauges = realm.objects(SumGauge.self)
        let cache = realm.session.shared.columns
        #expect(gauges.where { $0.number == 0 }.count == 1)
        #expect(cache.summaries.byteCount == 0)
        let columnsByteCount = cache.valuesByteCount
        for number in 1..<500 { #expect(gauges.where { $0.number == number }.count == 1) }
        #expect(cache.valuesByteCount == columnsByteCount)
        #expect(gauges.where { $0.number == 499 }.count == 1)
        #expect(cache.summaries.byteCount > 0)
        for number in 0..<500 {
            let text = String(repeating: "x", count: 200) + "\(number)"
            for _ in 0..<3 { #expect(gauges.where { $0.name == text }.count == 0) }
        }
        #expect(cache.byteCount <= 300_000)
    }

    @Test("a renamed property, a changed default, unknown enum values and numbers out of range")
    func schemas() throws {
        let directory = TemporaryDirectory()
        do {
            let realm = try directory.open([SumFirst.self])
            try realm.write {
                for number in 0..<400 {
                    realm.create(
                        SumFirst.self,
                        value: ["former": number, "small": number * 100, "state": number % 4])
                }
            }
            #expect(realm.objects(SumFirst.self).sum(of: \.former) == 79_800)
            #expect(realm.objects(SumFirst.self).where { $0.former < 10 }.count == 10)
        }
        let configuration = Realm.Configuration(
            fileURL: directory.url, schemaVersion: 1,
            migrationBlock: { migration, _ in
                migration.renameProperty(onType: "SummedThing", from: "former", to: "latter")
            }, objectTypes: [SumSecond.self])
        let realm = try Realm(configuration: configuration)
        let things = realm.objects(SumSecond.self)
        let scan = QueryPlanning.$isScanOnly
        for _ in 0..<3 {
            #expect(things.sum(of: \.latter) == 79_800)
            #expect(things.where { $0.latter < 10 }.count == 10)
            #expect(things.where { $0.added == "old" }.count == 400)
            #expect(things.where { $0.added.contains("l") }.count == 400)
            let sum: Int = things.sum(ofProperty: "small")
            #expect(sum == scan.withValue(true) { things.sum(ofProperty: "small") as Int })
            #expect(things.max(of: \.small) == scan.withValue(true) { things.max(of: \.small) })
            for state in [SumState.none, .one] {
                let found = things.where { $0.state == state }.count
                #expect(found == scan.withValue(true) { things.where { $0.state == state }.count })
                #expect(found == 100)
            }
            #expect(things.where { $0.state != .one }.count == 300)
        }
        try realm.write { things[5].added = "new" }
        #expect(things.where { $0.added == "old" }.count == 399)
    }
}

enum SumState: Int, PersistableEnum {
    case none = 0
    case one = 1
}

class SumGauge: Object {
    @Persisted var tag: Int
    @Persisted var number: Int
    @Persisted var ratio: Double
    @Persisted var name: String
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class HeavySumGauge: SumGauge {
    @Persisted var weight: Int
}

class SumFirst: Object {
    @Persisted var former: Int
    @Persisted var small: Int
    @Persisted var state: Int
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    override class func objectTypeName() -> String { "SummedThing" }
}

class SumSecond: Object {
    @Persisted var latter: Int
    @Persisted var small: Int8
    @Persisted var state = SumState.none
    @Persisted var added = "old"
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    override class func objectTypeName() -> String { "SummedThing" }
}
