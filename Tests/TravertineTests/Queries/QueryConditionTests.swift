import Foundation
import TestSupport
import Testing
import Travertine

/// Conditions of every kind against plain Swift over the same objects.
@Suite("Conditions of every kind")
struct QueryConditionTests {
    private struct Condition {
        var name: String
        var query: (Query<Bale>) -> Query<Bool>
        var swift: (Bale) -> Bool

        init(
            _ name: String, _ query: @escaping (Query<Bale>) -> Query<Bool>,
            _ swift: @escaping (Bale) -> Bool
        ) {
            self.name = name
            self.query = query
            self.swift = swift
        }
    }

    @Test("find what plain Swift finds", arguments: [1, 2, 3] as [UInt64])
    func agree(seed: UInt64) throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Bale.self, BalePlace.self])
        var random = SeededRandom(seed: seed)
        try fill(realm, &random, 150)
        let all = Array(realm.objects(Bale.self))
        let some = all[random.below(150)]
        let conditions =
            Self.values + Self.texts + Self.collections + Self.maps + Self.mixed + Self.subqueries
            + Self.objects(some)
        for condition in conditions {
            let expected = all.filter(condition.swift).map(\.id)
            let found = realm.objects(Bale.self).where(condition.query).map(\.id)
            #expect(found == expected, "\(condition.name), seed \(seed)")
        }
        withExtendedLifetime(directory) {}
    }

    private func fill(_ realm: Realm, _ random: inout SeededRandom, _ count: Int) throws {
        try realm.write {
            var bales: [Bale] = []
            for id in 0..<count {
                let bale = Bale()
                bale.id = id
                bale.weight = random.below(6)
                bale.level = random.chance(40) ? nil : random.below(6)
                bale.area = random.pick([0, 0.5, 1, 2.5, 5])
                bale.price = Decimal128(random.below(6))
                bale.packed = Date(timeIntervalSince1970: Double(random.below(5)))
                bale.sent = random.chance(40) ? nil : Date(timeIntervalSince1970: 2)
                bale.name = random.pick(["a", "A", "ab", "Ab", "ä", "", "b*"])
                bale.note = random.chance(40) ? nil : random.pick(["a", "AB", "", "b"])
                bale.code = random.pick([Data(), Data([1]), Data([1, 2]), Data([2])])
                bale.grade = random.pick(BaleGrade.allCases)
                bale.oldGrade = random.chance(40) ? nil : random.pick(BaleGrade.allCases)
                bale.isOpen = random.chance(50)
                bale.content = random.pick([
                    .none, 1, 3, 3.0, "a", "ab", true, .fromArray([1, 3]),
                ])
                if random.chance(60) {
                    bale.place = BalePlace(value: ["street": random.pick(["a", "b"])])
                }
                for _ in 0..<random.below(4) {
                    bale.counts.append(random.below(6))
                    bale.tags.append(random.pick(["a", "ab", "B"]))
                    bale.maybes.append(random.chance(40) ? nil : random.below(6))
                    bale.sizes[random.pick(["k", "l", "m"])] = random.below(6)
                    bale.places.append(BalePlace(value: ["street": random.pick(["a", "b"])]))
                    if !bales.isEmpty { bale.parts.append(random.pick(bales)) }
                }
                if random.chance(60), !bales.isEmpty { bale.next = random.pick(bales) }
                realm.add(bale)
                bales.append(bale)
            }
        }
    }

    private static var values: [Condition] {
        let optional: Int? = 3
        let nothing: Int? = nil
        let date = Date(timeIntervalSince1970: 2)
        return [
            Condition("value and optional", { $0.weight == optional }, { $0.weight == 3 }),
            Condition("value and nil", { $0.weight == nothing }, { _ in false }),
            Condition("value before nil", { $0.weight < nothing }, { _ in false }),
            Condition("optional at most nil", { $0.level <= nothing }, { $0.level == nil }),
            Condition("column and optional", { $0.weight == $0.level }, { $0.weight == $0.level }),
            Condition("column not optional", { $0.weight != $0.level }, { $0.weight != $0.level }),
            Condition(
                "optional before column", { $0.level < $0.weight },
                { bale in bale.level.map { $0 < bale.weight } ?? false }),
            Condition(
                "int and double", { $0.weight > $0.area }, { Double($0.weight) > $0.area }),
            Condition(
                "decimal and int", { $0.price == $0.weight }, { $0.price == Decimal128($0.weight) }),
            Condition("decimal", { $0.price >= 3 }, { $0.price >= 3 }),
            Condition("date", { $0.packed <= date }, { $0.packed <= date }),
            Condition(
                "dates", { $0.sent > $0.packed },
                { bale in bale.sent.map { $0 > bale.packed } ?? false }),
            Condition(
                "data", { $0.code > Data([1]) }, { [Data([1, 2]), Data([2])].contains($0.code) }),
            Condition("enum before", { $0.grade < .second }, { $0.grade < .second }),
            Condition("enums", { $0.grade == $0.oldGrade }, { $0.grade == $0.oldGrade }),
            Condition("raw value", { $0.grade.rawValue > 1 }, { $0.grade.rawValue > 1 }),
            Condition(
                "optional raw value", { $0.oldGrade.rawValue <= 1 },
                { ($0.oldGrade?.rawValue).map { $0 <= 1 } ?? false }),
            Condition("in optionals", { $0.level.in([1, nil]) }, { [1, nil].contains($0.level) }),
            Condition("in enums", { $0.oldGrade.in([.first]) }, { $0.oldGrade == .first }),
            Condition(
                "optional range", { $0.level.contains(1...3) },
                { $0.level.map { (1...3).contains($0) } ?? false }),
            Condition(
                "half open range", { $0.level.contains(1..<3) },
                { $0.level.map { (1..<3).contains($0) } ?? false }),
            Condition(
                "negation of an order", { !($0.level < 3) }, { !($0.level.map { $0 < 3 } ?? false) }
            ),
            Condition("condition is false", { ($0.weight > 3) == false }, { $0.weight <= 3 }),
        ]
    }

    private static var texts: [Condition] {
        let nothing: String? = nil
        return [
            Condition("contains nil", { $0.name.contains(nothing) }, { _ in false }),
            Condition("contains empty", { $0.note.contains("") }, { $0.note != nil }),
            Condition(
                "contains column", { $0.name.contains($0.note) },
                { bale in bale.note.map { $0.isEmpty || bale.name.contains($0) } ?? false }),
            Condition(
                "starts with column [c]",
                { $0.name.starts(with: $0.note, options: .caseInsensitive) },
                { bale in
                    bale.note.map { bale.name.lowercased().hasPrefix($0.lowercased()) } ?? false
                }),
            Condition(
                "equals [cd]",
                { $0.name.equals("A", options: [.caseInsensitive, .diacriticInsensitive]) },
                { ["a", "A", "ä"].contains($0.name) }),
            Condition(
                "not equals [c]", { $0.note.notEquals("a", options: .caseInsensitive) },
                { $0.note?.lowercased() != "a" }),
            Condition("like", { $0.name.like("?b") }, { ["ab", "Ab"].contains($0.name) }),
            Condition("like escaped", { $0.name.like("b\\*") }, { $0.name == "b*" }),
            Condition(
                "like [c]", { $0.note.like("a*", caseInsensitive: true) },
                { $0.note?.lowercased().hasPrefix("a") ?? false }),
            Condition(
                "data starts", { $0.code.starts(with: Data([1])) }, { $0.code.first == 1 }),
            Condition(
                "elements start", { $0.tags.starts(with: "a") },
                { $0.tags.contains { $0.hasPrefix("a") } }),
            Condition(
                "elements contain [c]", { $0.tags.contains("b", options: .caseInsensitive) },
                { $0.tags.contains { $0.lowercased().contains("b") } }),
        ]
    }

    private static var collections: [Condition] {
        [
            Condition("any after", { $0.counts > 3 }, { $0.counts.contains { $0 > 3 } }),
            Condition("any not", { $0.counts != 3 }, { $0.counts.contains { $0 != 3 } }),
            Condition("all after", { $0.counts.all > 1 }, { $0.counts.allSatisfy { $0 > 1 } }),
            Condition("none equal", { $0.tags.none == "a" }, { !$0.tags.contains("a") }),
            Condition("any nil", { $0.maybes == nil }, { $0.maybes.contains(nil) }),
            Condition(
                "contains any", { $0.counts.containsAny(in: [1, 5]) },
                { $0.counts.contains(1) || $0.counts.contains(5) }),
            Condition(
                "range", { $0.counts.contains(1..<4) },
                { !$0.counts.isEmpty && $0.counts.allSatisfy { (1..<4).contains($0) } }),
            Condition(
                "closed range", { $0.maybes.contains(1...4) },
                {
                    let values = $0.maybes.compactMap { $0 }
                    return !values.isEmpty && values.allSatisfy { (1...4).contains($0) }
                }),
            Condition(
                "half open range of one element", { $0.parts.weight.contains(1..<3) },
                { $0.parts.contains { (1..<3).contains($0.weight) } }),
            Condition(
                "closed range of one element", { $0.parts.level.contains(1...3) },
                { $0.parts.contains { $0.level.map { (1...3).contains($0) } ?? false } }),
            Condition(
                "half open range of no element", { $0.parts.level.none.contains(1..<3) },
                { $0.parts.allSatisfy { $0.level.map { !(1..<3).contains($0) } ?? true } }),
            Condition(
                "half open range of all elements", { $0.parts.weight.all.contains(1..<3) },
                { $0.parts.allSatisfy { (1..<3).contains($0.weight) } }),
            Condition(
                "half open range through two collections",
                { $0.parts.parts.weight.contains(1..<3) },
                { $0.parts.contains { $0.parts.contains { (1..<3).contains($0.weight) } } }),
            Condition("count", { $0.counts.count >= 2 }, { $0.counts.count >= 2 }),
            Condition("least", { $0.counts.min < 2 }, { $0.counts.contains { $0 < 2 } }),
            Condition("no greatest", { $0.counts.max == nil }, { $0.counts.isEmpty }),
            Condition(
                "sum", { $0.maybes.sum == 3 }, { $0.maybes.compactMap { $0 }.reduce(0, +) == 3 }),
            Condition(
                "mean", { $0.counts.avg > 2.5 },
                { !$0.counts.isEmpty && Double($0.counts.sum()) / Double($0.counts.count) > 2.5 }),
            Condition("objects", { $0.parts.weight > 3 }, { $0.parts.contains { $0.weight > 3 } }),
            Condition(
                "all objects", { $0.parts.level.all >= 1 },
                { $0.parts.allSatisfy { $0.level.map { $0 >= 1 } ?? false } }),
            Condition(
                "no object", { $0.parts.name.none.starts(with: "a") },
                { !$0.parts.contains { $0.name.hasPrefix("a") } }),
            Condition(
                "greatest of objects", { $0.parts.weight.max > 3 },
                { $0.parts.contains { $0.weight > 3 } }),
            Condition(
                "sum of objects", { $0.parts.level.sum > 3 },
                { $0.parts.compactMap(\.level).reduce(0, +) > 3 }),
            Condition(
                "two collections", { $0.parts.counts == 3 },
                { $0.parts.contains { $0.counts.contains(3) } }),
            Condition("linking objects", { $0.users.count > 1 }, { $0.users.count > 1 }),
            Condition(
                "of linking objects", { $0.users.weight.max > 3 },
                { $0.users.contains { $0.weight > 3 } }),
        ]
    }

    private static var maps: [Condition] {
        [
            Condition("key", { $0.sizes["k"] > 3 }, { $0.sizes["k"].map { $0 > 3 } ?? false }),
            Condition("no key", { $0.sizes["k"] == nil }, { $0.sizes["k"] == nil }),
            Condition("value", { $0.sizes == 3 }, { $0.sizes.values.contains(3) }),
            Condition("keys", { $0.sizes.keys.contains("l") }, { $0.sizes.keys.contains("l") }),
            Condition(
                "keys start", { $0.sizes.keys.all.starts(with: "k") },
                { $0.sizes.keys.allSatisfy { $0 == "k" } }),
            Condition(
                "values", { $0.sizes.values.containsAny(in: [1, 2]) },
                { $0.sizes.values.contains { [1, 2].contains($0) } }),
            Condition("greatest value", { $0.sizes.max > 4 }, { $0.sizes.values.contains(5) }),
            Condition("count", { $0.sizes.count == 2 }, { $0.sizes.count == 2 }),
        ]
    }

    private static var mixed: [Condition] {
        [
            Condition("number", { $0.content == 3 }, { [3, 3.0].contains($0.content) }),
            Condition("order of numbers", { $0.content > 2 }, { [3, 3.0].contains($0.content) }),
            Condition("order of texts", { $0.content > "a" }, { $0.content == "ab" }),
            Condition(
                "text", { $0.content.starts(with: "a") }, { ["a", "ab"].contains($0.content) }),
            Condition("element", { $0.content[1] > 2 }, { $0.content.listValue != nil }),
            Condition("any element", { $0.content.any == 1 }, { $0.content.listValue != nil }),
        ]
    }

    private static var subqueries: [Condition] {
        [
            Condition(
                "one element", { ($0.parts.weight > 2 && $0.parts.name == "a").count > 0 },
                { $0.parts.contains { $0.weight > 2 && $0.name == "a" } }),
            Condition(
                "count of elements", { (!$0.parts.isOpen || $0.parts.level == nil).count == 2 },
                { $0.parts.filter { !$0.isOpen || $0.level == nil }.count == 2 }),
            Condition(
                "after a link", { ($0.next.parts.weight > 2).count >= 1 },
                { ($0.next?.parts.filter { $0.weight > 2 }.count ?? 0) >= 1 }),
            Condition(
                "columns of elements", { ($0.parts.weight > $0.parts.level).count > 0 },
                { $0.parts.contains { part in part.level.map { part.weight > $0 } ?? false } }),
            Condition(
                "values", { ($0.counts >= 2).count == 2 },
                { $0.counts.filter { $0 >= 2 }.count == 2 }),
        ]
    }

    private static func objects(_ some: Bale) -> [Condition] {
        let place = BalePlace(value: ["street": "a"])
        return [
            Condition("object", { $0.next == some }, { $0.next == some }),
            Condition("other object", { $0.next != some }, { $0.next != some }),
            Condition("objects", { $0.next.in([some]) }, { $0.next == some }),
            Condition("element", { $0.parts.contains(some) }, { $0.parts.contains(some) }),
            Condition("embedded", { $0.place == place }, { $0.place?.street == "a" }),
            Condition("not embedded", { $0.place != place }, { $0.place?.street != "a" }),
            Condition("no embedded", { $0.place == nil }, { $0.place == nil }),
            Condition(
                "embedded element", { $0.places.contains(place) },
                { $0.places.contains { $0.street == "a" } }),
            Condition(
                "all embedded", { $0.places.all == place },
                { $0.places.allSatisfy { $0.street == "a" } }),
        ]
    }
}

enum BaleGrade: Int, PersistableEnum {
    case first = 1
    case second, third
}

class BalePlace: EmbeddedObject {
    @Persisted var street: String
    @Persisted var number: Int?
}

class Bale: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var weight: Int
    @Persisted(indexed: true) var level: Int?
    @Persisted var area: Double
    @Persisted var price: Decimal128
    @Persisted var packed: Date
    @Persisted var sent: Date?
    @Persisted(indexed: true) var name: String
    @Persisted var note: String?
    @Persisted var code: Data
    @Persisted var grade: BaleGrade
    @Persisted var oldGrade: BaleGrade?
    @Persisted var isOpen: Bool
    @Persisted var content: AnyRealmValue
    @Persisted var next: Bale?
    @Persisted var place: BalePlace?
    @Persisted var places: List<BalePlace>
    @Persisted var counts: List<Int>
    @Persisted var maybes: List<Int?>
    @Persisted var tags: List<String>
    @Persisted var parts: List<Bale>
    @Persisted var sizes: Map<String, Int>
    @Persisted(originProperty: "next") var users: LinkingObjects<Bale>
}
