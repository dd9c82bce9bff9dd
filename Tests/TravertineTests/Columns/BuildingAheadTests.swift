import Foundation
import OrderedIndex
import RealmSwift
import TestSupport
import Testing
import TravertineStore

@testable import Travertine

/// Columns that several threads build before a scan (C-Q18).
@Suite("Columns that several threads build")
struct BuildingAheadTests {
    private let directory = TemporaryDirectory()

    private func open(
        threadCountMax: Int? = 4, budget: Int = 64 << 20,
        verification: Realm.Verification = .onFirstRead, readOnly: Bool = false,
        durability: Durability = .unsynced
    ) throws -> Realm {
        var configuration = Realm.Configuration(
            fileURL: directory.url, readOnly: readOnly,
            objectTypes: [PickedGauge.self, HeavyPickedGauge.self], durability: durability)
        configuration.queryThreadCountMax = threadCountMax
        configuration.queryMemoryBudget = budget
        configuration.verification = verification
        return try Realm(configuration: configuration)
    }

    private static func fill(_ realm: Realm, _ count: Int) throws {
        try realm.write {
            for tag in 0..<count {
                let maybe: Int? = tag % 4 == 0 ? nil : tag % 10
                realm.create(
                    PickedGauge.self,
                    value: [
                        "tag": tag, "number": tag % 997, "maybe": maybe as Any,
                        "ratio": Double(tag % 100) / 8, "name": "gauge number \(tag).",
                    ])
            }
        }
    }

    private static func columns(_ realm: Realm, _ names: String...) throws -> LeafColumns {
        let table = realm.objects(PickedGauge.self).state.table
        return try LeafColumns(
            table, try realm.session.access, realm.session.columns,
            try names.map { ColumnSource(slot: try #require(table.slot(named: $0))) })
    }

    /// How many leaves there are, and how many have all columns.
    private struct Presence: NodeVisitor {
        let columns: LeafColumns
        var leafCount = 0
        var wholeCount = 0
        private var loaded: [LeafColumn] = []

        init(_ columns: LeafColumns) { self.columns = columns }

        mutating func enter(_ node: NodeIdentity) -> Bool { true }

        mutating func leave(_ node: NodeIdentity) {}

        mutating func visit(_ leaf: LeafEntries) {
            leafCount += 1
            if columns.find(leaf, into: &loaded) == true { wholeCount += 1 }
        }

        static func of(_ columns: LeafColumns) throws -> Presence {
            var presence = Presence(columns)
            try columns.access.visitNodes(of: columns.table.rows, &presence)
            return presence
        }
    }

    @Test("all leaves of a large type get them, of a smaller one none", arguments: [true, false])
    func all(isLarge: Bool) throws {
        let realm = try open()
        try Self.fill(realm, 6000)
        let columns = try Self.columns(realm, "number", "maybe", "ratio", "name")
        QueryPlanning.$rowCountMinForThreads.withValue(isLarge ? 6000 : 6001) {
            columns.buildAhead()
        }
        let presence = try Presence.of(columns)
        #expect(presence.leafCount > 20)
        #expect(presence.wholeCount == (isLarge ? presence.leafCount : 0))
    }

    @Test("with one thread none is built before the scan")
    func oneThread() throws {
        let realm = try open(threadCountMax: 1)
        try Self.fill(realm, 3000)
        let columns = try Self.columns(realm, "number")
        QueryPlanning.$rowCountMinForThreads.withValue(1) { columns.buildAhead() }
        #expect(try Presence.of(columns).wholeCount == 0)
        #expect(
            realm.objects(PickedGauge.self).where { $0.number < 500 }.count
                == (0..<3000).count { $0 % 997 < 500 })
    }

    @Test(
        "the budget holds, and answers are right with any",
        arguments: [1, 4096, 60_000, 300_000, 64 << 20])
    func budgets(budget: Int) throws {
        let realm = try open(budget: budget)
        try Self.fill(realm, 6000)
        let gauges = realm.objects(PickedGauge.self)
        QueryPlanning.$rowCountMinForThreads.withValue(1) {
            for constant in [0, 500, 996, 2000] {
                #expect(
                    gauges.where { $0.number < constant }.count
                        == (0..<6000).count { $0 % 997 < constant })
                let text = "\(constant)."
                #expect(
                    gauges.where { $0.name.contains(text) }.count
                        == (0..<6000).count { "\($0).".hasSuffix(text) })
                #expect(realm.session.columns.byteCount <= budget)
            }
        }
    }

    @Test("answers are those of a scan of rows, after every change", arguments: 0..<4)
    func histories(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let realm = try open()
        try Self.fill(realm, 2000)
        let gauges = realm.objects(PickedGauge.self)
        func answers(_ number: Int, _ letter: String) -> [String] {
            let found = gauges.where { $0.number < number }
            let named = gauges.where { $0.name.contains(letter, options: .caseInsensitive) }
            return [
                "\(found.count)", "\(named.count)", "\(found.map(\.tag))",
                "\(named.sum(of: \.number) as Int)", "\(gauges.max(of: \.ratio) ?? -1)",
                "\(gauges.sum(of: \.maybe) as Int)",
                "\(gauges.sorted(byKeyPath: "name").map(\.tag))",
                "\(found.sorted(byKeyPath: "ratio").prefix(20).map(\.tag))",
            ]
        }
        for round in 0..<6 {
            let (number, letter) = (random.below(1000), random.pick(["3.", "GAUGE", "77", "é"]))
            let expected = QueryPlanning.$isScanOnly.withValue(true) { answers(number, letter) }
            let built = QueryPlanning.$rowCountMinForThreads.withValue(1) {
                answers(number, letter)
            }
            #expect(built == expected, "seed \(seed), round \(round)")
            try realm.write {
                for gauge in Array(gauges) where random.chance(30) {
                    gauge.number = random.below(1000)
                    gauge.name = random.pick(["élan 3.", "", "Gauge \(gauge.tag)"])
                    if random.chance(10) { realm.delete(gauge) }
                }
            }
            if random.chance(40) { try realm.store.compact() }
        }
    }

    @Test(
        "a damaged row is reported by the scan",
        arguments: [Realm.Verification.onFirstRead, .always])
    func damage(verification: Realm.Verification) throws {
        try Self.fill(try open(verification: verification), 6000)
        try directory.damage("gauge number 3100.")
        let realm = try open(verification: verification)
        for round in 0..<2 {
            QueryPlanning.$rowCountMinForThreads.withValue(1) {
                _ = realm.objects(PickedGauge.self).where { $0.number > 3 }.count
            }
            #expect(throws: Realm.Error.self, "\(round)") { try realm.write {} }
            let presence = try Presence.of(try Self.columns(realm, "number"))
            #expect(presence.wholeCount < presence.leafCount)
        }
    }

    /// What is asked of realms and frozen ones, with the answers.
    private static func check(_ gauges: Results<PickedGauge>, _ count: Int) {
        #expect(gauges.where { $0.number < 500 }.count == (0..<count).count { $0 % 997 < 500 })
        #expect(
            gauges.where { $0.name.contains("77.") }.count
                == (0..<count).count { "\($0).".hasSuffix("77.") })
        #expect(
            gauges.sorted(byKeyPath: "ratio", ascending: false).first?.tag
                == (0..<count).first { $0 % 100 == 99 })
    }

    /// Asks on two threads at once; each opens what it asks.
    private static func checkTwice(
        _ count: Int, _ gauges: @escaping @Sendable () throws -> Results<PickedGauge>
    ) {
        let readers = Thread.reading(2) { _ in
            QueryPlanning.$rowCountMinForThreads.withValue(1) {
                do { check(try gauges(), count) } catch { Issue.record(error) }
            }
        }
        readers.wait()
    }

    /// Whether all leaves have a column, so that a scan builds none.
    private static func isBuilt(_ realm: Realm, _ name: String) throws -> Bool {
        let presence = try Presence.of(try columns(realm, name))
        return presence.leafCount > 20 && presence.wholeCount == presence.leafCount
    }

    @Test("two threads that scan a type at once find the same, and all columns are there then")
    func twoCallers() throws {
        let realm = try open()
        try Self.fill(realm, 6000)
        let configuration = realm.configuration
        for _ in 0..<4 {
            Self.checkTwice(6000) {
                try Realm(configuration: configuration).objects(PickedGauge.self)
            }
            #expect(try Self.isBuilt(realm, "number") && Self.isBuilt(realm, "name"))
            try realm.store.compact()
            try realm.write { for gauge in realm.objects(PickedGauge.self) { gauge.maybe = 1 } }
        }
    }

    @Test("a frozen realm gets its own, on two threads, beside later versions")
    func frozen() throws {
        let realm = try open()
        try Self.fill(realm, 6000)
        let gauges = Frozen(realm.objects(PickedGauge.self))
        let frozen = realm.freeze()
        try realm.write {
            for gauge in realm.objects(PickedGauge.self) {
                (gauge.number, gauge.ratio, gauge.name) = (2000, -1, "")
            }
        }
        Self.checkTwice(6000) { gauges.value }
        #expect(try Self.isBuilt(frozen, "number") && Self.isBuilt(frozen, "name"))
        #expect(realm.objects(PickedGauge.self).where { $0.number < 500 }.isEmpty)
    }

    @Test("a realm that is only read builds them, and again after what another one committed")
    func readOnly() throws {
        let realm = try open(durability: .commit)
        try Self.fill(realm, 6000)
        let reader = try open(readOnly: true)
        for count in [6000, 6500] {
            reader.refresh()
            QueryPlanning.$rowCountMinForThreads.withValue(1) {
                Self.check(reader.objects(PickedGauge.self), count)
            }
            #expect(try Self.isBuilt(reader, "number") && Self.isBuilt(reader, "name"))
            try realm.write {
                for tag in 6000..<6500 {
                    realm.create(
                        PickedGauge.self,
                        value: [
                            "tag": tag, "number": tag % 997, "ratio": Double(tag % 100) / 8,
                            "name": "gauge number \(tag).",
                        ])
                }
            }
        }
    }

    #if DEBUG
        @Test("each row is read once, by whichever thread")
        func visits() throws {
            let realm = try open()
            try Self.fill(realm, 6000)
            let formerCount = realm.session.visits.rows
            let count = QueryPlanning.$rowCountMinForThreads.withValue(1) {
                realm.objects(PickedGauge.self).where { $0.number < 500 }.count
            }
            #expect(count == (0..<6000).count { $0 % 997 < 500 })
            #expect(realm.session.visits.rows - formerCount == 6000)
        }
    #endif
}
