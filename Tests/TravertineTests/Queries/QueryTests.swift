import Foundation
import RealmSwift
import TestSupport
import Testing

@Suite("Queries")
struct QueryTests {
    /// A condition as a query and as plain Swift.
    private struct Condition {
        var name: String
        var query: (Query<Place>) -> Query<Bool>
        var swift: (Place) -> Bool

        init(
            _ name: String, _ query: @escaping (Query<Place>) -> Query<Bool>,
            _ swift: @escaping (Place) -> Bool
        ) {
            self.name = name
            self.query = query
            self.swift = swift
        }
    }

    private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    private static var conditions: [Condition] {
        [
            Condition("==", { $0.rank == 3 }, { $0.rank == 3 }),
            Condition("!=", { $0.rank != 3 }, { $0.rank != 3 }),
            Condition("<", { $0.rank < 3 }, { $0.rank < 3 }),
            Condition("<=", { $0.rank <= 3 }, { $0.rank <= 3 }),
            Condition(">", { $0.rank > 3 }, { $0.rank > 3 }),
            Condition(">=", { $0.rank >= 3 }, { $0.rank >= 3 }),
            Condition("double <", { $0.area < 0.5 }, { $0.area < 0.5 }),
            Condition("double ==", { $0.area == 0 }, { $0.area == 0 }),
            Condition("double !=", { $0.area != 0 }, { $0.area != 0 }),
            Condition("nil", { $0.level == nil }, { $0.level == nil }),
            Condition("not nil", { $0.level != nil }, { $0.level != nil }),
            Condition("optional <", { $0.level < 2 }, { $0.level.map { $0 < 2 } ?? false }),
            Condition("optional !=", { $0.level != 2 }, { $0.level != 2 }),
            Condition("bare bool", { $0.isOpen }, { $0.isOpen }),
            Condition("not bare bool", { !$0.isOpen }, { !$0.isOpen }),
            Condition("and", { $0.rank > 2 && $0.isOpen }, { $0.rank > 2 && $0.isOpen }),
            Condition("or", { $0.rank > 5 || $0.name == "" }, { $0.rank > 5 || $0.name == "" }),
            Condition("not", { !($0.rank > 5 || $0.isOpen) }, { !($0.rank > 5 || $0.isOpen) }),
            Condition("string ==", { $0.name == "name 7" }, { $0.name == "name 7" }),
            Condition(
                "string in", { $0.name.in(["name 7", ""]) }, { ["name 7", ""].contains($0.name) }),
            Condition("indexed ==", { $0.label == "name 9" }, { $0.label == "name 9" }),
            Condition(
                "indexed long", { $0.label == String(repeating: "long ", count: 40) },
                { $0.label == String(repeating: "long ", count: 40) }),
            Condition("indexed nil", { $0.label == nil }, { $0.label == nil }),
            Condition(
                "string <", { $0.name < "name 3" },
                { bytes($0.name).lexicographicallyPrecedes(bytes("name 3")) }),
            Condition("contains", { $0.name.contains("e 1") }, { $0.name.contains("e 1") }),
            Condition(
                "starts", { $0.name.starts(with: "name 1") }, { $0.name.hasPrefix("name 1") }),
            Condition("ends", { $0.name.ends(with: "京") }, { $0.name.hasSuffix("京") }),
            Condition(
                "contains [c]", { $0.name.contains("NAME 1", options: .caseInsensitive) },
                { $0.name.lowercased().contains("name 1") }),
            Condition(
                "starts [cd]",
                {
                    $0.name.starts(
                        with: "ǢRØS", options: [.caseInsensitive, .diacriticInsensitive])
                },
                { $0.name.hasPrefix("Ærøs") }),
            Condition(
                "like", { $0.name.like("n?me *1*") },
                {
                    $0.name.hasPrefix("name ") && $0.name.dropFirst(5).contains("1")
                }),
            Condition("range", { $0.rank.contains(2..<4) }, { (2..<4).contains($0.rank) }),
            Condition("closed range", { $0.rank.contains(2...4) }, { (2...4).contains($0.rank) }),
            Condition("in", { $0.rank.in([1, 5, 77]) }, { [1, 5, 77].contains($0.rank) }),
            Condition("enum", { $0.kind == .city }, { $0.kind == .city }),
            Condition("property < property", { $0.rank < $0.other }, { $0.rank < $0.other }),
            Condition("link nil", { $0.parent == nil }, { $0.parent == nil }),
            Condition("through link", { $0.parent.rank > 3 }, { ($0.parent?.rank ?? 0) > 3 }),
            Condition(
                "through two links", { $0.parent.parent.name == "name 1" },
                { $0.parent?.parent?.name == "name 1" }),
            Condition("element", { $0.tags == "name 5" }, { $0.tags.contains("name 5") }),
            Condition(
                "contains element", { $0.tags.contains("name 6") }, { $0.tags.contains("name 6") }),
            Condition("count", { $0.tags.count > 2 }, { $0.tags.count > 2 }),
            Condition("key", { $0.id == 17 && $0.rank >= 0 }, { $0.id == 17 }),
            Condition(
                "date", { $0.seen > Date(timeIntervalSince1970: 50) },
                {
                    $0.seen > Date(timeIntervalSince1970: 50)
                }),
        ]
    }

    private func fill(_ realm: Realm, _ random: inout SeededRandom, _ count: Int) throws {
        var places: [Place] = []
        try realm.write {
            for id in 0..<count {
                let place = Place()
                place.id = id
                place.rank = random.below(8) - 1
                place.other = random.below(8)
                place.area = random.pick([0, -0.0, .nan, 0.25, 1e300, -3])
                place.level = random.chance(40) ? nil : random.below(4)
                place.isOpen = random.chance(50)
                place.name = random.text()
                place.label = random.chance(20) ? nil : random.text()
                place.kind = random.pick(Kind.allCases)
                place.seen = Date(timeIntervalSince1970: Double(random.below(100)))
                for _ in 0..<random.below(6) { place.tags.append(random.text()) }
                if random.chance(70), !places.isEmpty { place.parent = random.pick(places) }
                realm.add(place)
                places.append(place)
            }
        }
    }

    @Test("conditions find what plain Swift finds", arguments: [1, 2, 3] as [UInt64])
    func conditionsAgree(seed: UInt64) throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Place.self])
        var random = SeededRandom(seed: seed)
        try fill(realm, &random, 300)
        try realm.write {
            for _ in 0..<60 {
                let place = realm.objects(Place.self)[random.below(300)]
                place.label = random.text()
                place.rank = random.below(8)
            }
        }
        let all = Array(realm.objects(Place.self))
        for condition in Self.conditions {
            let expected = all.filter(condition.swift).map(\.id)
            let found = realm.objects(Place.self).where(condition.query)
            #expect(found.map(\.id) == expected, "\(condition.name), seed \(seed)")
            #expect(found.count == expected.count, "\(condition.name), seed \(seed)")
            #expect(found.first?.id == expected.first, "\(condition.name), seed \(seed)")
            #expect(found.last?.id == expected.last, "\(condition.name), seed \(seed)")
        }
    }

    @Test("sorting is stable, puts nil and NaN first, and orders strings by their bytes")
    func sorting() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Place.self])
        var random = SeededRandom(seed: 5)
        try fill(realm, &random, 200)
        let all = Array(realm.objects(Place.self))
        func expect<Key: Comparable>(_ found: [Place], _ key: (Place) -> Key, _ ascending: Bool) {
            let sorted = all.enumerated().sorted { left, right in
                let (first, second) = (key(left.element), key(right.element))
                if first == second { return left.offset < right.offset }
                return (first < second) == ascending
            }
            #expect(found.map(\.id) == sorted.map(\.element.id))
        }
        for ascending in [true, false] {
            let objects = realm.objects(Place.self)
            expect(Array(objects.sorted(by: \.rank, ascending: ascending)), \.rank, ascending)
            expect(
                Array(objects.sorted(byKeyPath: "level", ascending: ascending)),
                { $0.level.map { $0 + 1 } ?? 0 }, ascending)
            expect(
                Array(objects.sorted(by: \.area, ascending: ascending)),
                { $0.area.isNaN ? -.infinity : $0.area }, ascending)
            expect(
                Array(objects.sorted(by: \.name, ascending: ascending)), { ByteOrder($0.name) },
                ascending)
        }
        let two = realm.objects(Place.self).sorted(by: [
            "rank", SortDescriptor(keyPath: "id").reversed(),
        ])
        let wanted = all.sorted { ($0.rank, -$0.id) < ($1.rank, -$1.id) }
        #expect(two.map(\.id) == wanted.map(\.id))
        #expect(two.where { $0.rank > 2 }.map(\.id) == wanted.filter { $0.rank > 2 }.map(\.id))
    }

    @Test("aggregates equal those of plain Swift")
    func aggregates() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Place.self])
        let none = realm.objects(Place.self)
        #expect(none.min(of: \.rank) == nil && none.sum(of: \.rank) == 0)
        #expect(none.average(of: \.rank) == nil && none.isEmpty && none.last == nil)
        var random = SeededRandom(seed: 6)
        try fill(realm, &random, 100)
        let all = Array(realm.objects(Place.self))
        let objects = realm.objects(Place.self)
        #expect(objects.min(of: \.rank) == all.map(\.rank).min())
        #expect(objects.max(of: \.rank) == all.map(\.rank).max())
        #expect(objects.sum(of: \.rank) == all.map(\.rank).reduce(0, +))
        let levels = all.compactMap(\.level)
        #expect(objects.max(of: \.level) == levels.max())
        #expect(objects.average(of: \.level) == Double(levels.reduce(0, +)) / Double(levels.count))
        #expect(objects.min(ofProperty: "seen") == all.map(\.seen).min())
    }

    @Test("results are live, and iterating them while they change visits what was there")
    func liveResults() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Place.self])
        var random = SeededRandom(seed: 7)
        try fill(realm, &random, 50)
        let low = realm.objects(Place.self).where { $0.rank < 100 }
        #expect(low.count == 50)
        try realm.write {
            var visited = 0
            for place in low {
                place.rank = 1000
                visited += 1
            }
            #expect(visited == 50)
            #expect(low.isEmpty)
            realm.delete(realm.objects(Place.self).where { $0.id >= 10 })
        }
        #expect(realm.objects(Place.self).count == 10)
        var sum = 0
        try realm.objects(Place.self).forEachLending { sum += $0.id }
        #expect(sum == 45)
    }

    @Test("results follow the second change in place of one object")
    func secondChangeInPlace() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Pad.self])
        try realm.write {
            let pad = Pad()
            realm.add(pad)
            let found = realm.objects(Pad.self).where { $0.size == 2 }
            pad.size = 1
            #expect(Array(found).isEmpty)
            pad.size = 2
            #expect(Array(found).count == 1)
            pad.size = 3
            #expect(Array(found).isEmpty)
        }
    }

    @Test("texts are compared folded on both sides")
    func foldedTexts() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Pad.self])
        try realm.write {
            for title in ["CAFE", "cafe", "Café", "CAFÉ", "tea"] {
                let pad = Pad()
                pad.title = title
                realm.add(pad)
            }
        }
        let all: StringOptions = [.caseInsensitive, .diacriticInsensitive]
        let found = realm.objects(Pad.self).where { $0.title.contains("café", options: all) }
        #expect(found.count == 4)
    }

    @Test("a list of a linked object is counted")
    func countBehindLink() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Pad.self])
        try realm.write {
            let target = Pad()
            target.lines.append(objectsIn: ["a", "b"])
            let source = Pad()
            source.next = target
            realm.add(source)
        }
        #expect(realm.objects(Pad.self).where { $0.next.lines.count > 1 }.count == 1)
        #expect(realm.objects(Pad.self).where { $0.next.lines.count == 2 }.count == 1)
        #expect(realm.objects(Pad.self).where { $0.lines.count == 2 }.count == 1)
    }
}

/// A text in the order of its bytes.
private struct ByteOrder: Comparable {
    let bytes: [UInt8]
    init(_ text: String) { bytes = Array(text.utf8) }
    static func < (left: ByteOrder, right: ByteOrder) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}

class Place: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var rank: Int
    @Persisted var other: Int
    @Persisted var area: Double
    @Persisted var level: Int?
    @Persisted var isOpen: Bool
    @Persisted var name: String
    @Persisted(indexed: true) var label: String?
    @Persisted var kind: Kind
    @Persisted var seen: Date
    @Persisted var tags: List<String>
    @Persisted var parent: Place?
}

class Pad: Object {
    @Persisted var title: String
    @Persisted var size: Int
    @Persisted var level: Int?
    @Persisted var lines: List<String>
    @Persisted var next: Pad?
}
