import Foundation
import RealmSwift
import TestSupport
import Testing

@testable import Travertine

@Suite("Plans of queries")
struct PlanTableTests {
    typealias Condition = (Query<PlannedTown>) -> Query<Bool>

    /// A condition and the text of its plan, without numbers.
    struct Case {
        let condition: Condition
        let plan: String

        init(_ plan: String, _ condition: @escaping Condition) {
            self.condition = condition
            self.plan = plan
        }
    }

    private func open() throws -> (TemporaryDirectory, Realm) {
        let directory = TemporaryDirectory()
        let realm = try directory.open(PlanData.types)
        try realm.write { PlanData.add(2000, to: realm) }
        return (directory, realm)
    }

    /// The plan without numbers of rows, columns and what is done afterwards.
    private func plan(_ results: Results<PlannedTown>) -> String {
        results.explain().replacing(#/ \([=≈] \d+\)/#, with: "")
            .replacing(#/\n(columns of|sort by|limit) [^\n]*/#, with: "")
    }

    private func check(_ cases: [Case]) throws {
        let (directory, realm) = try open()
        defer { withExtendedLifetime(directory) {} }
        for one in cases {
            let results = realm.objects(PlannedTown.self).where(one.condition)
            #expect(plan(results) == one.plan)
            let scanned = QueryPlanning.$isScanOnly.withValue(true) {
                realm.objects(PlannedTown.self).where(one.condition).map(\.id)
            }
            #expect(results.map(\.id) == scanned, "\(one.plan)")
        }
    }

    @Test("a plan names columns that are compared, and what is done after finding")
    func afterwards() throws {
        let (directory, realm) = try open()
        defer { withExtendedLifetime(directory) {} }
        let towns = realm.objects(PlannedTown.self)
        func text(_ results: Results<PlannedTown>) -> String {
            results.explain().replacing(#/ \([=≈] \d+\)/#, with: "")
        }
        #expect(
            text(
                towns.where { $0.plain == 3 }.distinct(by: ["plain"])
                    .sorted(byKeyPath: "plain", ascending: false).limit(5).where { $0.plain > 1 })
                    == """
                    scan PlannedTown
                    test plain == 3
                    columns of plain
                    distinct plain
                    sort by plain descending
                    limit 5
                    test plain > 1
                    """)
        #expect(
            text(towns.sorted(byKeyPath: "population").limit(3))
                == """
                index PlannedTown(population) in ascending order
                limit 3
                """)
    }

    @Test("values are found by the index of their property")
    func values() throws {
        let date = Date(timeIntervalSinceReferenceDate: 5)
        try check([
            Case("primary key PlannedTown(id): id == 7") { $0.id == 7 },
            Case(
                """
                primary key PlannedTown(id): id == 7
                test plain == 2
                """
            ) { $0.id == 7 && $0.plain == 2 },
            Case("primary key PlannedTown(id): id IN {1, 2, 3, 5000, … 1 more}") {
                $0.id.in([1, 2, 3, 5000, 3])
            },
            Case(
                """
                index PlannedTown(name): name == "town 3"
                """
            ) { $0.name == "town 3" },
            Case(
                """
                index PlannedTown(name): name == "longlonglonglonglonglonglonglonglonglong…"
                test name == "longlonglonglonglonglonglonglonglonglong…"
                """
            ) { $0.name == String(repeating: "long", count: 50) },
            Case(
                """
                index PlannedTown(name): name IN {"town 3", "town 9", "nowhere"}
                """
            ) { $0.name.in(["town 3", "town 9", "nowhere"]) },
            Case("index PlannedTown(population): population == 70") { $0.population == 70 },
            Case("index PlannedTown(population): population == nil") { $0.population == nil },
            Case("index PlannedTown(population): population IN {7, nil}") {
                $0.population.in([7, nil])
            },
            Case("index PlannedTown(founded): founded == T5.0") { $0.founded == date },
            Case("index PlannedTown(isPort): isPort == true") { $0.isPort == true },
            Case(
                """
                scan PlannedTown
                test isPort == false
                """
            ) { $0.isPort == false },
            Case("index PlannedTown(token): token == 0x00000000000000000000000000000009") {
                $0.token == PlanData.token(9)
            },
            Case("index PlannedTown(hash): hash == 0x030000") { $0.hash == Data([3, 0, 0]) },
            Case(
                """
                unique index PlannedTown(code): code == "code 9"
                """
            ) { $0.code == "code 9" },
            Case(
                """
                scan PlannedTown
                test code == nil
                """
            ) { $0.code == nil },
            Case(
                """
                scan PlannedTown
                test plain == 3
                """
            ) { $0.plain == 3 },
        ])
    }

    @Test("ranges and beginnings are found by the index if they are narrow")
    func ranges() throws {
        let date = Date(timeIntervalSinceReferenceDate: 1990)
        try check([
            Case("index PlannedTown(population): population > 1900") { $0.population > 1900 },
            Case("index PlannedTown(population): population >= 100 AND population < 200") {
                $0.population >= 100 && $0.population < 200
            },
            Case("index PlannedTown(population): population >= 100 AND population <= 150") {
                $0.population.contains(100...150)
            },
            Case(
                """
                scan PlannedTown
                test population > 100
                """
            ) { $0.population > 100 },
            Case(
                """
                index PlannedTown(population): population < 50
                test plain == 1
                """
            ) { $0.population < 50 && $0.plain == 1 },
            Case(
                """
                scan PlannedTown
                test population != 5
                """
            ) { $0.population != 5 },
            Case("nothing") { $0.population > 150 && $0.population < 100 },
            Case("nothing") { $0.population > 150 && $0.population < 100 && $0.plain == 1 },
            Case("index PlannedTown(founded): founded > T1990.0") { $0.founded > date },
            Case("primary key PlannedTown(id): id < 100") { $0.id < 100 },
            Case(
                """
                primary key PlannedTown(id): id >= 1990
                test plain == 0
                """
            ) { $0.id >= 1990 && $0.plain == 0 },
            Case(
                """
                index PlannedTown(name): name BEGINSWITH "town 99"
                """
            ) { $0.name.starts(with: "town 99") },
            Case(
                """
                scan PlannedTown
                test name BEGINSWITH[c] "town 99"
                """
            ) { $0.name.starts(with: "town 99", options: .caseInsensitive) },
            Case(
                """
                scan PlannedTown
                test name BEGINSWITH "town"
                """
            ) { $0.name.starts(with: "town") },
            Case(
                """
                index PlannedTown(name): name BEGINSWITH "town 12"
                test name LIKE "town 12*"
                """
            ) { $0.name.like("town 12*") },
            Case(
                """
                scan PlannedTown
                test name LIKE "*12"
                """
            ) { $0.name.like("*12") },
            Case(
                """
                scan PlannedTown
                test name CONTAINS "99"
                """
            ) { $0.name.contains("99") },
            Case(
                """
                index PlannedTown(name): name > "town 990"
                """
            ) { $0.name > "town 990" },
        ])
    }

    @Test("an index of several properties takes values of the first ones and a range of the next")
    func compound() throws {
        try check([
            Case(
                """
                index PlannedTown(street, number, plain): street == "street 3"
                """
            ) { $0.street == "street 3" },
            Case(
                """
                index PlannedTown(street, number, plain): street == "street 3" AND number == 13
                """
            ) { $0.street == "street 3" && $0.number == 13 },
            Case(
                """
                index PlannedTown(street, number, plain): street == "street 3" \
                AND number == 13 AND plain == 3
                """
            ) { $0.number == 13 && $0.plain == 3 && $0.street == "street 3" },
            Case(
                """
                index PlannedTown(street, number, plain): street == "street 3" AND number > 80
                """
            ) { $0.street == "street 3" && $0.number > 80 },
            Case(
                """
                index PlannedTown(street, number, plain): street == "street 3" AND number == nil
                """
            ) { $0.street == "street 3" && $0.number == nil },
            Case(
                """
                index PlannedTown(street, number, plain): street IN {"street 1", "street 2"} \
                AND number IN {11, 12, 22}
                """
            ) { $0.street.in(["street 1", "street 2"]) && $0.number.in([11, 12, 22]) },
            Case(
                """
                index PlannedTown(street, number, plain): street == "street 3"
                test plain == 3
                """
            ) { $0.street == "street 3" && $0.plain == 3 },
            Case(
                """
                index PlannedTown(street, number, plain): street BEGINSWITH "street 3"
                test number == 13
                """
            ) { $0.street.starts(with: "street 3") && $0.number == 13 },
            Case(
                """
                scan PlannedTown
                test number == 13
                """
            ) { $0.number == 13 },
        ])
    }

    @Test("conditions of which one must hold are united, those that all must hold intersected")
    func logic() throws {
        try check([
            Case("index PlannedTown(population): population IN {7, 14}") {
                $0.population == 7 || $0.population == 14
            },
            Case(
                """
                union
                  index PlannedTown(population): population == 7
                  index PlannedTown(name): name == "town 3"
                """
            ) { $0.population == 7 || $0.name == "town 3" },
            Case(
                """
                scan PlannedTown
                test population == 7 OR plain == 3
                """
            ) { $0.population == 7 || $0.plain == 3 },
            Case(
                """
                union
                  index PlannedTown(population): population == 7
                  index PlannedTown(name): name == "town 3"
                test population == 7 OR (name == "town 3" AND plain == 1)
                """
            ) { $0.population == 7 || ($0.name == "town 3" && $0.plain == 1) },
            Case(
                """
                intersection
                  index PlannedTown(population): population < 200
                  index PlannedTown(name): name BEGINSWITH "town 1"
                """
            ) { $0.population < 200 && $0.name.starts(with: "town 1") },
            Case(
                """
                intersection
                  index PlannedTown(founded): founded < T150.0
                  index PlannedTown(population): population < 200
                """
            ) { $0.population < 200 && $0.founded < Date(timeIntervalSinceReferenceDate: 150) },
            Case(
                """
                scan PlannedTown
                test NOT (population == 7)
                """
            ) { !($0.population == 7) },
            Case("index PlannedTown(population): population == 7") { !(!($0.population == 7)) },
            Case(
                """
                union
                  index PlannedTown(population): population == 7
                  index PlannedTown(name): name == "town 3"
                test plain == 1
                """
            ) { ($0.population == 7 || $0.name == "town 3") && $0.plain == 1 },
        ])
    }

    @Test("words and values of any type")
    func wordsAndMixed() throws {
        try check([
            Case("words notes: rare7") { $0.notes.fullText("rare7") },
            Case("words notes: common, rare8") { $0.notes.fullText("common RARE8") },
            Case("nothing") { $0.notes.fullText("nowhere") },
            Case("words notes: common") { $0.notes.fullText("common") },
            Case(
                """
                index PlannedTown(anything): anything IN {8, 8.0, 8.0, 8}
                test anything == 8
                """
            ) { $0.anything == .int(8) },
            Case(
                """
                index PlannedTown(anything): anything == "text 5"
                test anything == "text 5"
                """
            ) { $0.anything == .string("text 5") },
        ])
    }

    @Test("links are followed back from the objects that they lead to")
    func links() throws {
        try check([
            Case(
                """
                links country
                  primary key PlannedCountry(code): code == "c3"
                """
            ) { $0.country.code == "c3" },
            Case(
                """
                scan PlannedTown
                test country.code != "c3"
                """
            ) { $0.country.code != "c3" },
            Case(
                """
                scan PlannedTown
                test country.area == nil
                """
            ) { $0.country.area == nil },
            Case(
                """
                links country
                  scan PlannedCountry: name == "country 3"
                """
            ) { $0.country.name == "country 3" },
            Case(
                """
                links country
                  index PlannedCountry(area): area > 480
                """
            ) { $0.country.area > 480 },
            Case(
                """
                intersection
                  links country
                    primary key PlannedCountry(code): code == "c3"
                  index PlannedTown(population): population < 100
                """
            ) { $0.country.code == "c3" && $0.population < 100 },
            Case(
                """
                links languages
                  index PlannedLanguage(name): name == "language 3"
                """
            ) { $0.languages.name == "language 3" },
            Case(
                """
                links twin
                  index PlannedTown(name): name == "town 3"
                """
            ) { $0.twin.name == "town 3" },
        ])
        let (directory, realm) = try open()
        defer { withExtendedLifetime(directory) {} }
        let country = realm.object(ofType: PlannedCountry.self, forPrimaryKey: "c3")
        #expect(
            plan(realm.objects(PlannedTown.self).where { $0.country == country }) == """
                links country
                  one object
                """)
    }

    @Test("sorted results come in the order of an index where that is cheaper")
    func order() throws {
        let (directory, realm) = try open()
        defer { withExtendedLifetime(directory) {} }
        let all = realm.objects(PlannedTown.self)
        #expect(
            plan(all.sorted(byKeyPath: "population"))
                == "index PlannedTown(population) in ascending order")
        #expect(
            plan(all.sorted(byKeyPath: "id", ascending: false))
                == "primary key PlannedTown(id) in descending order")
        #expect(plan(all.sorted(byKeyPath: "plain")) == "scan PlannedTown")
        let twice = all.sorted(byKeyPath: "population").sorted(byKeyPath: "id", ascending: false)
        #expect(twice.first?.id == 1999)
        let few = all.where { $0.population < 20 }.sorted(byKeyPath: "name")
        #expect(plan(few) == "index PlannedTown(population): population < 20")
        let some = all.where { $0.plain == 3 }.sorted(byKeyPath: "founded", ascending: false)
        let first = try some.state.queryPlan(limit: 1).text(withCounts: false)
        #expect(first == "index PlannedTown(founded) in descending order\ntest plain == 3")
        #expect(some.first?.id == 1998)
        #expect(some.map(\.id) == (0..<2000).filter { $0 % 5 == 3 }.reversed())
        #expect(
            all.sorted(byKeyPath: "population").map(\.population).prefix(200).allSatisfy {
                $0 == nil
            })
    }
}
