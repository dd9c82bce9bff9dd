import Foundation
import RealmSwift
import TestSupport
import Testing

@testable import Travertine

/// Plans against scans: random conditions on values that lie at the edges of what entries hold.
@Suite("Plans find what scans find")
struct PlanHistoryTests {
    typealias Condition = (Query<PlannedTown>) -> Query<Bool>

    private static let long = String(repeating: "x", count: 127)
    /// Around the 128 bytes of an entry, and the 82 of one of three properties.
    private static let texts = [
        "", "a", "ab", "ab\u{0}", "ab\u{0}\u{0}c", "b", long, long + "y", long + "yz",
        long + "yz\u{0}", long + "yé", long + "yzz", "é", "\u{0}",
        String(repeating: "q", count: 82), String(repeating: "q", count: 90) + "1",
        String(repeating: "q", count: 90) + "2",
    ]
    private static let numbers = [Int.min, .max, -1, 0, 1, 2, 100, -100]
    private static let times: [Double] = [-5, 0, -0.0, 1, 7, .nan, .infinity, -.infinity]

    private static func date(_ random: inout SeededRandom) -> Date {
        Date(timeIntervalSinceReferenceDate: random.pick(times))
    }

    private static func mixed(_ random: inout SeededRandom) -> AnyRealmValue {
        switch random.below(7) {
        case 0: .none
        case 1: .int(random.pick(numbers))
        case 2: .double(random.pick([0, -0.0, 1.5, 1, 2]))
        case 3: .string(random.pick(texts))
        case 4: .data(Data(random.pick(texts).utf8))
        case 5: .decimal128(Decimal128(random.below(3)))
        default: .bool(random.chance(50))
        }
    }

    private static func fill(
        _ town: PlannedTown, _ random: inout SeededRandom, _ realm: Realm
    ) {
        town.name = random.pick(texts)
        town.population = random.chance(20) ? nil : random.pick(numbers)
        town.founded = random.chance(20) ? nil : date(&random)
        town.isPort = random.chance(50)
        town.token = random.chance(20) ? nil : PlanData.token(random.below(5))
        town.notes = random.chance(20) ? nil : random.pick(["red green", "Red", "blue, green", ""])
        town.street = random.pick(texts)
        town.number = random.chance(20) ? nil : random.pick(numbers)
        town.code = random.chance(50) ? nil : random.pick(texts) + "\(town.id)"
        town.hash = Data(random.pick(texts).utf8)
        town.anything = mixed(&random)
        town.plain = random.below(3)
        let countries = realm.objects(PlannedCountry.self)
        town.country =
            random.chance(20) || countries.isEmpty ? nil : countries[random.below(countries.count)]
        town.languages.removeAll()
        let languages = realm.objects(PlannedLanguage.self)
        for _ in 0..<random.below(3) { town.languages.append(languages[random.below(5)]) }
    }

    private static func change(_ realm: Realm, _ random: inout SeededRandom) {
        for _ in 0..<40 {
            let town = PlannedTown()
            town.id = random.below(300)
            realm.add(town, update: .all)
            fill(town, &random, realm)
        }
        for town in Array(realm.objects(PlannedTown.self)) where random.chance(15) {
            if random.chance(30) { realm.delete(town) } else { fill(town, &random, realm) }
        }
        if random.chance(30), let country = realm.objects(PlannedCountry.self).last {
            realm.delete(country)
        }
    }

    // MARK: Conditions

    private static func leaf(_ random: inout SeededRandom) -> Condition {
        let (text, other) = (random.pick(texts), random.pick(texts))
        let (number, second) = (random.pick(numbers), random.pick(numbers))
        let id = random.below(300)
        let (date, token) = (date(&random), PlanData.token(random.below(6)))
        let value = mixed(&random)
        let code = "c\(random.below(8))"
        let leaves: [Condition] = [
            { $0.id == id }, { $0.id < id }, { $0.id >= id }, { $0.id.in([id, id + 1, 7]) },
            { $0.name == text }, { $0.name != text }, { $0.name < text }, { $0.name >= text },
            { $0.name > text && $0.name <= other }, { $0.name.in([text, other]) },
            { $0.name.starts(with: text) }, { $0.name.like("ab*") }, { $0.name.contains(text) },
            { $0.population == number }, { $0.population == nil }, { $0.population != nil },
            { $0.population < number }, { $0.population <= number }, { $0.population > number },
            { $0.population > number && $0.population < second },
            { $0.population.in([number, nil, second]) },
            { $0.founded == date }, { $0.founded < date }, { $0.founded >= date },
            { $0.founded == nil }, { $0.isPort == true }, { $0.isPort != true },
            { $0.token == token }, { $0.token == nil }, { $0.hash == Data(text.utf8) },
            { $0.street == text }, { $0.street == text && $0.number == number },
            { $0.street == text && $0.number > number },
            { $0.street.in([text, other]) && $0.number == number && $0.plain < 2 },
            { $0.street.starts(with: "a") && $0.number == nil },
            { $0.code == text + "\(id)" }, { $0.code == nil }, { $0.code > text },
            { $0.anything == value }, { $0.plain == 1 }, { $0.notes.fullText("red") },
            { $0.notes.fullText("green BLUE") }, { $0.country.code == code },
            { $0.country.area < 40 }, { $0.country.name == "country 3" },
            { $0.country.continent.name == "continent 1" }, { $0.country == nil },
            { $0.languages.name == "language 2" },
        ]
        return random.pick(leaves)
    }

    private static func condition(_ random: inout SeededRandom, depth: Int) -> Condition {
        if depth == 0 || random.chance(30) { return leaf(&random) }
        let (left, right) = (
            condition(&random, depth: depth - 1), condition(&random, depth: depth - 1)
        )
        return switch random.below(7) {
        case 0: { !left($0) }
        case 1, 2: { left($0) || right($0) }
        default: { left($0) && right($0) }
        }
    }

    private func check(_ realm: Realm, _ random: inout SeededRandom, _ note: String) throws {
        for round in 0..<40 {
            let condition = Self.condition(&random, depth: random.below(4))
            func results() -> Results<PlannedTown> {
                realm.objects(PlannedTown.self).where(condition)
            }
            let matches = QueryPlanning.$isScanOnly.withValue(true) { results().map(\.id) }
            for prefersIndexes in [true, false] {
                try QueryPlanning.$prefersIndexes.withValue(prefersIndexes) {
                    let plan = try results().state.queryPlan()
                    let note: Comment = "\(note), \(round): \(plan.text())"
                    #expect(results().map(\.id) == matches, note)
                    guard let keys = try plan.keys() else { return }
                    #expect(zip(keys, keys.dropFirst()).allSatisfy { $0 < $1 }, note)
                    if plan.isExact, plan.path?.findsRowsOnly ?? true {
                        #expect(keys.count == matches.count, note)
                    }
                    if plan.candidateCount.isExact {
                        #expect(keys.count == plan.candidateCount.count, note)
                    }
                }
            }
        }
    }

    private func checkOrder(_ realm: Realm, _ note: String) throws {
        let names = [
            ["id"], ["name"], ["population"], ["founded"], ["isPort"], ["token"], ["hash"],
            ["street", "number", "plain"],
        ]
        for (names, ascending) in names.flatMap({ [($0, true), ($0, false)] }) {
            let descriptors = names.map { SortDescriptor(keyPath: $0, ascending: ascending) }
            let sorted = realm.objects(PlannedTown.self).sorted(by: descriptors)
            let rows = QueryPlanning.$isScanOnly.withValue(true) { sorted.map(\.id) }
            try QueryPlanning.$prefersIndexes.withValue(true) {
                let plan = try sorted.state.queryPlan()
                let order = try #require(plan.order, "\(names)")
                var keys: [UInt64] = []
                try order.forEachRow(in: plan.table, { 16 }) { key, _ in
                    keys.append(key)
                    return true
                }
                let expected = rows.map { StoredObjectType.objectKey(ofPrimaryKey: Int64($0)) }
                #expect(keys == expected, "\(note): \(names), \(ascending)")
            }
        }
    }

    @Test(
        "in random histories, with uncommitted changes, and after opening again",
        arguments: [21, 22, 23] as [UInt64])
    func histories(seed: UInt64) throws {
        let directory = TemporaryDirectory()
        var random = SeededRandom(seed: seed)
        do {
            let realm = try directory.open(PlanData.types)
            try realm.write { PlanData.add(0, to: realm) }
            for round in 0..<4 {
                try realm.write {
                    Self.change(realm, &random)
                    try check(realm, &random, "seed \(seed), in transaction \(round)")
                    try checkOrder(realm, "seed \(seed), in transaction \(round)")
                }
                try check(realm, &random, "seed \(seed), after \(round)")
                try checkOrder(realm, "seed \(seed), after \(round)")
            }
        }
        let realm = try directory.open(PlanData.types)
        try check(realm, &random, "seed \(seed), reopened")
        try checkOrder(realm, "seed \(seed), reopened")
    }

    @Test("a thousand values are looked up one after the other")
    func manyValues() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open(PlanData.types)
        try realm.write { PlanData.add(3000, to: realm) }
        let names = (0..<1000).map { "town \($0 * 3)" }
        let found = realm.objects(PlannedTown.self).where { $0.name.in(names) }
        try QueryPlanning.$prefersIndexes.withValue(true) {
            let plan = try found.state.queryPlan()
            #expect(plan.isExact)
            #expect(try plan.keys()?.count == 1000)
        }
        #expect(found.count == 1000)
    }

    @Test("what is planned in a running says what it found")
    func running() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open(PlanData.types)
        try realm.write { PlanData.add(500, to: realm) }
        let towns = realm.objects(PlannedTown.self).where { $0.name == "town 3" && $0.plain == 1 }
        let text = towns.explain(running: true)
        #expect(
            text.hasPrefix("index PlannedTown(name): name == \"town 3\" (= 2)\ntest plain == 1"))
        #expect(text.contains("found 1 among 2 in "))
        let town = try #require(realm.objects(PlannedTown.self).first)
        #expect(town.languages.explain() == "each element of the collection")
    }
}
