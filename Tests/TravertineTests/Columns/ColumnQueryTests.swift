import Foundation
import RealmSwift
import TestSupport
import Testing

@testable import Travertine

/// What columns and summaries answer, against scans.
@Suite("Counts and aggregates from columns equal those of scans")
struct ColumnQueryTests {
    private static let numbers = [
        Int.min, .max, -129, -128, -1, 0, 1, 127, 128, 32767, 32768, -2_147_483_649, 40,
    ]
    private static let ratios: [Double?] = [nil, 0, -0.0, .nan, .infinity, -.infinity, 1.5, 0.1]

    private func open(_ directory: TemporaryDirectory, budget: Int = 64 << 20) throws -> Realm {
        var configuration = Realm.Configuration(
            fileURL: directory.url, objectTypes: [ScanGauge.self, GaugeStation.self],
            durability: .unsynced)
        configuration.queryMemoryBudget = budget
        return try Realm(configuration: configuration)
    }

    // MARK: Histories

    private static func fill(_ gauge: ScanGauge, _ random: inout SeededRandom, _ realm: Realm) {
        gauge.tag = Int(random.next() >> 2)
        gauge.number = random.chance(50) ? random.below(100) : random.pick(numbers)
        gauge.maybe = random.chance(30) ? nil : random.pick(numbers)
        gauge.small = Int8(truncatingIfNeeded: random.next())
        gauge.ratio = random.pick(ratios)
        gauge.short = random.pick([0, -1.5, .nan, 0.1, .greatestFiniteMagnitude])
        gauge.time = Date(timeIntervalSinceReferenceDate: Double(random.below(50)))
        gauge.isOn = random.chance(50)
        gauge.state = random.pick([.off, .on, .broken])
        let stations = realm.objects(GaugeStation.self)
        gauge.station =
            random.chance(30) || stations.isEmpty ? nil : stations[random.below(stations.count)]
    }

    private static func change(_ realm: Realm, _ random: inout SeededRandom, _ count: Int) {
        for _ in 0..<count { fill(realm.create(ScanGauge.self), &random, realm) }
        let gauges = Array(realm.objects(ScanGauge.self))
        for gauge in gauges where random.chance(5) {
            if random.chance(30) { realm.delete(gauge) } else { fill(gauge, &random, realm) }
        }
    }

    private func check(_ realm: Realm, _ random: inout SeededRandom, _ note: String) {
        let number = random.pick(Self.numbers)
        let ratio = random.pick(Self.ratios)
        let time = Date(timeIntervalSinceReferenceDate: Double(random.below(50)))
        let gauges = realm.objects(ScanGauge.self)
        let station = realm.objects(GaugeStation.self).first
        let conditions: [(Query<ScanGauge>) -> Query<Bool>] = [
            { $0.number == number }, { $0.number != number }, { $0.number < number },
            { $0.number >= 40 && $0.number <= number }, { $0.maybe == nil }, { $0.maybe != nil },
            { $0.maybe > number }, { !($0.maybe <= number) }, { $0.maybe.in([number, nil, 40]) },
            { $0.small > 0 }, { $0.small == 100 }, { $0.ratio == ratio }, { $0.ratio != ratio },
            { $0.ratio < 1 }, { $0.short > 0.05 }, { $0.time <= time }, { $0.isOn == true },
            { $0.isOn != true || $0.number == 40 }, { $0.state == .broken },
            { $0.station == station }, { $0.station == nil }, { $0.station != station },
            { $0.number.contains(0..<60) && !($0.isOn == true) },
        ]
        for (position, condition) in conditions.enumerated() {
            let found = gauges.where(condition)
            let scanned = QueryPlanning.$isScanOnly.withValue(true) {
                Array(gauges.where(condition).map(\.tag))
            }
            let place: Comment = "\(note), condition \(position)"
            #expect(found.count == scanned.count, place)
            #expect(Array(found.map(\.tag)) == scanned, place)
            #expect(gauges.where(condition).first?.tag == scanned.first, place)
        }
        let columns = Self.aggregates(gauges)
        let scan = QueryPlanning.$isScanOnly.withValue(true) { Self.aggregates(gauges) }
        #expect(columns == scan, "\(note): aggregates")
    }

    /// Sums, least and greatest values and means, as text: NaN is not equal to itself, and the sign
    /// that a sum of infinities gives it is the processor's.
    private static func aggregates(_ gauges: Results<ScanGauge>) -> [String] {
        [
            "\(gauges.min(of: \.number) as Int?)", "\(gauges.max(of: \.number) as Int?)",
            "\(gauges.average(of: \.number) as Double?)", "\(gauges.min(of: \.maybe) as Int?)",
            "\(gauges.max(of: \.small) as Int8?)", "\(gauges.average(of: \.small) as Double?)",
            "\(gauges.sum(of: \.ratio) as Double)", "\(gauges.average(of: \.ratio) as Double?)",
            "\(gauges.max(of: \.ratio) as Double?)", "\(gauges.min(of: \.short) as Float?)",
            "\(gauges.sum(of: \.short) as Float)", "\(gauges.min(of: \.time) as Date?)",
            "\(gauges.max(of: \.time) as Date?)",
        ].map { $0.replacing("-nan", with: "nan") }
    }

    @Test(
        "after random changes, in transactions, rolled back, compacted, opened again",
        arguments: [31, 32, 33] as [UInt64])
    func histories(seed: UInt64) throws {
        let directory = TemporaryDirectory()
        var random = SeededRandom(seed: seed)
        for opening in 0..<3 {
            // The smallest budget makes room all the time.
            let realm = try open(directory, budget: opening == 1 ? 40_000 : 64 << 20)
            if opening == 0 {
                try realm.write { for _ in 0..<5 { realm.create(GaugeStation.self) } }
            }
            check(realm, &random, "seed \(seed), opened \(opening)")
            for round in 0..<4 {
                let note = "seed \(seed), \(opening), \(round)"
                try realm.write {
                    Self.change(realm, &random, round == 0 ? 400 : 20)
                    check(realm, &random, note + ", uncommitted")
                }
                check(realm, &random, note)
                realm.beginWrite()
                Self.change(realm, &random, 10)
                realm.cancelWrite()
                check(realm, &random, note + ", rolled back")
                if round == 1 { try realm.store.checkpoint() }
                if round == 2 { try realm.store.compact() }
                check(realm, &random, note + ", moved")
            }
            #expect(try realm.brokenInvariants() == [])
        }
    }

    // MARK: What is read

    #if DEBUG
        @Test("a second count reads no row, and after a change only rows of the changed leaf")
        func visits() throws {
            let directory = TemporaryDirectory()
            let realm = try open(directory)
            try realm.write { for _ in 0..<3000 { realm.create(ScanGauge.self) } }
            let gauges = realm.objects(ScanGauge.self)
            func rowCount(_ body: () -> Void) -> Int {
                realm.session.visits.rows = 0
                body()
                return realm.session.visits.rows
            }
            #expect(rowCount { _ = gauges.where { $0.number > 5 }.count } == 3000)
            #expect(rowCount { _ = gauges.where { $0.number > 6 }.count } == 0)
            #expect(rowCount { _ = gauges.sum(of: \.number) as Int } == 0)
            #expect(rowCount { _ = gauges.average(of: \.ratio) as Double? } == 3000)
            #expect(rowCount { _ = gauges.max(of: \.ratio) as Double? } == 0)
            let gauge = gauges[1500]
            try realm.write { gauge.number = 7 }
            var found = 0
            let changed = rowCount { found = gauges.where { $0.number > 6 }.count }
            #expect(found == 1 && (1...Column.countMax).contains(changed))
            #expect(rowCount { found = gauges.where { $0.number > 8 }.count } == 0)
            #expect(found == 0)
            // Only matches are read.
            #expect(rowCount { found = Array(gauges.where { $0.number == 7 }).count } == 1)
            #expect(found == 1)
        }
    #endif

    @Test("a default that changes, and a name, are read from columns made after")
    func schemaChanges() throws {
        let directory = TemporaryDirectory()
        do {
            let realm = try directory.open([GaugeOne.self])
            try realm.write {
                for number in 0..<500 { realm.create(GaugeOne.self, value: ["number": number]) }
            }
            #expect(realm.objects(GaugeOne.self).where { $0.number < 100 }.count == 100)
        }
        do {
            let realm = try directory.open([GaugeTwo.self], version: 1)
            let gauges = realm.objects(GaugeTwo.self)
            #expect(gauges.where { $0.added == 7 }.count == 500)
            #expect(gauges.sum(of: \.added) == 3500)
            #expect(gauges.where { $0.number < 100 }.count == 100)
            try realm.write {
                gauges[20].added = 8
                gauges[30].number = nil
            }
            #expect(gauges.where { $0.added == 7 }.count == 499)
            #expect(gauges.where { $0.number == nil }.count == 1)
            #expect(gauges.sum(of: \.added) == 3501)
        }
    }
}

enum GaugeState: Int, PersistableEnum {
    case off = 1
    case on = 2
    case broken = 77
}

class GaugeStation: Object {
    @Persisted var name: String
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class ScanGauge: Object {
    @Persisted var tag: Int
    @Persisted var number: Int
    @Persisted var maybe: Int?
    @Persisted var small: Int8
    @Persisted var ratio: Double?
    @Persisted var short: Float
    @Persisted var time: Date
    @Persisted var isOn: Bool
    @Persisted var state = GaugeState.off
    @Persisted var station: GaugeStation?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class GaugeOne: Object {
    @Persisted var number: Int
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    override class func objectTypeName() -> String { "ChangedGauge" }
}

class GaugeTwo: Object {
    @Persisted var number: Int?
    @Persisted var added = 7
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    override class func objectTypeName() -> String { "ChangedGauge" }
}
