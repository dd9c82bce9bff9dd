import Foundation
import Testing

@testable import Travertine

/// What the closure of `where` makes, before any realm has a look at it.
@Suite("The predicates that conditions make")
struct QueryPredicateTests {
    private func expect(
        _ condition: (Query<Depot>) -> Query<Bool>, _ expected: Predicate,
        _ location: SourceLocation = #_sourceLocation
    ) {
        #expect(condition(Query<Depot>()).predicate == expected, sourceLocation: location)
    }

    private func path(_ names: String) -> PropertyPath {
        PropertyPath(names: names.split(separator: "."))
    }

    private func compare(
        _ names: String, _ operation: Comparison.Operation, _ value: AnyRealmValue,
        _ options: StringOptions = [], _ quantifier: Comparison.Quantifier = .any
    ) -> Predicate {
        compare(.path(path(names)), operation, .constant(value), options, quantifier)
    }

    private func compare(
        _ left: Operand, _ operation: Comparison.Operation, _ right: Operand,
        _ options: StringOptions = [], _ quantifier: Comparison.Quantifier = .any
    ) -> Predicate {
        .comparison(
            Comparison(left, operation, right, options: options, quantifier: quantifier))
    }

    private func columns(
        _ left: String, _ operation: Comparison.Operation, _ right: String,
        _ options: StringOptions = []
    ) -> Predicate {
        compare(.path(path(left)), operation, .path(path(right)), options)
    }

    private func aggregate(
        _ aggregate: Aggregate, _ names: String, _ operation: Comparison.Operation,
        _ value: AnyRealmValue
    ) -> Predicate {
        compare(.aggregate(aggregate, path(names)), operation, .constant(value))
    }

    @Test("values of every type become constants of that type")
    func constants() {
        let date = Date(timeIntervalSince1970: 1.5)
        let id = ObjectId()
        let uuid = UUID()
        expect({ $0.weight == 3 }, compare("weight", .equal, 3))
        expect({ $0.small > 3 }, compare("small", .greater, .int(3)))
        expect({ $0.ratio < 0.5 }, compare("ratio", .less, .float(0.5)))
        expect({ $0.area <= 0.5 }, compare("area", .lessOrEqual, .double(0.5)))
        expect({ $0.price >= 3 }, compare("price", .greaterOrEqual, .decimal128(3)))
        expect({ $0.opened != date }, compare("opened", .notEqual, .date(date)))
        expect({ $0.name < "b" }, compare("name", .less, "b"))
        expect({ $0.code > Data([1]) }, compare("code", .greater, .data(Data([1]))))
        expect({ $0.identifier < id }, compare("identifier", .less, .objectId(id)))
        expect({ $0.token == uuid }, compare("token", .equal, .uuid(uuid)))
        expect({ $0.isOpen == false }, compare("isOpen", .equal, false))
        expect({ $0.content > 3 }, compare("content", .greater, 3))
        expect({ $0.content == .none }, compare("content", .equal, .none))
        expect({ $0.grade == .second }, compare("grade", .equal, "second"))
        expect({ $0.grade < .second }, compare("grade", .less, "second"))
        expect({ $0.title == DepotTitle(text: "a") }, compare("title", .equal, "a"))
        expect({ $0.title > DepotTitle(text: "a") }, compare("title", .greater, "a"))
        let other = Depot()
        expect({ $0.next == other }, compare("next", .equal, .object(other)))
        expect(
            { $0.next.in([other]) }, compare(.path(path("next")), .isIn, .list([.object(other)])))
    }

    @Test("optional properties take values, and properties take optional values")
    func optionals() {
        let level: Int? = 3
        let nothing: Int? = nil
        expect({ $0.level == 3 }, compare("level", .equal, 3))
        expect({ $0.level == nil }, compare("level", .equal, .none))
        expect({ $0.level != level }, compare("level", .notEqual, 3))
        expect({ $0.weight == level }, compare("weight", .equal, 3))
        expect({ $0.weight == nothing }, compare("weight", .equal, .none))
        expect({ $0.weight > level }, compare("weight", .greater, 3))
        expect({ $0.level.in([1, nil]) }, compare(.path(path("level")), .isIn, .list([1, .none])))
        expect({ $0.weight.in([1, level]) }, compare(.path(path("weight")), .isIn, .list([1, 3])))
        expect({ $0.level.in(Set([1])) }, compare(.path(path("level")), .isIn, .list([1])))
        expect({ $0.oldGrade == nil }, compare("oldGrade", .equal, .none))
        expect({ $0.oldGrade == .first }, compare("oldGrade", .equal, "first"))
        // The enum's own case of this name, and no nil.
        expect({ $0.grade == .none }, compare("grade", .equal, "none"))
        expect({ $0.grade.in([.none]) }, compare(.path(path("grade")), .isIn, .list(["none"])))
    }

    @Test("properties compare with properties of the same kind")
    func columnsCompare() {
        expect({ $0.weight == $0.level }, columns("weight", .equal, "level"))
        expect({ $0.level < $0.weight }, columns("level", .less, "weight"))
        expect({ $0.weight >= $0.area }, columns("weight", .greaterOrEqual, "area"))
        expect({ $0.price != $0.small }, columns("price", .notEqual, "small"))
        expect({ $0.name == $0.note }, columns("name", .equal, "note"))
        expect({ $0.note <= $0.next.name }, columns("note", .lessOrEqual, "next.name"))
        expect({ $0.grade == $0.oldGrade }, columns("grade", .equal, "oldGrade"))
        expect({ $0.next == $0.next.next }, columns("next", .equal, "next.next"))
        expect(
            { $0.name.contains($0.note, options: .caseInsensitive) },
            columns("name", .contains, "note", .caseInsensitive))
        expect({ $0.note.like($0.name) }, columns("note", .like, "name"))
    }

    @Test("conditions are joined, negated, and compared with truth values")
    func logic() {
        let open = compare("isOpen", .equal, true)
        let heavy = compare("weight", .greater, 3)
        expect({ $0.isOpen }, open)
        expect({ !$0.isOpen }, .not(open))
        expect({ $0.isOpen && $0.weight > 3 && $0.isOpen }, .and([open, heavy, open]))
        expect({ $0.isOpen || $0.weight > 3 }, .or([open, heavy]))
        expect({ ($0.weight > 3) == true }, heavy)
        expect({ ($0.weight > 3) == false }, .not(heavy))
        expect({ ($0.weight > 3) != true }, .not(heavy))
    }

    @Test("ranges have both bounds, or leave the upper one out")
    func ranges() {
        expect(
            { $0.weight.contains(1...3) },
            compare(.path(path("weight")), .isBetween, .list([1, 3])))
        expect(
            { $0.level.contains(1...3) }, compare(.path(path("level")), .isBetween, .list([1, 3])))
        expect(
            { $0.level.contains(1..<3) },
            .and([compare("level", .greaterOrEqual, 1), compare("level", .less, 3)]))
        expect(
            { $0.counts.contains(1..<3) },
            .and([
                aggregate(.least, "counts", .greaterOrEqual, 1),
                aggregate(.greatest, "counts", .less, 3),
            ]))
        expect(
            { $0.counts.contains(1...3) },
            .and([
                aggregate(.least, "counts", .greaterOrEqual, 1),
                aggregate(.greatest, "counts", .lessOrEqual, 3),
            ]))
    }

    @Test("a half-open range is of one element where a path goes through a collection")
    func rangesOfElements() {
        func inside(_ names: String) -> Predicate {
            .and([compare(names, .greaterOrEqual, 1), compare(names, .less, 3)])
        }
        func some(_ names: String, _ condition: Predicate) -> Predicate {
            compare(.subqueryCount(path(names), condition), .greater, .constant(0))
        }
        let weight = some("parts", inside("weight"))
        expect({ $0.parts.weight.contains(1..<3) }, weight)
        expect({ $0.parts.level.contains(1..<3) }, some("parts", inside("level")))
        expect({ $0.parts.weight.none.contains(1..<3) }, .not(weight))
        expect({ $0.weight.none.contains(1..<3) }, .not(inside("weight")))
        expect({ $0.parts.next.weight.contains(1..<3) }, some("parts", inside("next.weight")))
        expect({ $0.parts.parts.weight.contains(1..<3) }, some("parts.parts", inside("weight")))
        expect(
            { ($0.parts.weight.contains(1..<3) && $0.parts.name == "a").count == 2 },
            compare(
                .subqueryCount(
                    path("parts"), .all([inside("weight"), compare("name", .equal, "a")])),
                .equal, .constant(2)))
        expect(
            { ($0.parts.parts.weight.contains(1..<3)).count == 2 },
            compare(.subqueryCount(path("parts"), weight), .equal, .constant(2)))
        expect(
            { $0.parts.weight.max.contains(1..<3) },
            .and([
                aggregate(.greatest, "parts.weight", .greaterOrEqual, 1),
                aggregate(.greatest, "parts.weight", .less, 3),
            ]))
    }

    @Test("texts and data are searched")
    func texts() {
        let both: StringOptions = [.caseInsensitive, .diacriticInsensitive]
        let nothing: String? = nil
        expect({ $0.name.contains("a") }, compare("name", .contains, "a"))
        expect({ $0.note.contains(nothing) }, compare("note", .contains, .none))
        expect(
            { $0.name.starts(with: "a", options: both) }, compare("name", .beginsWith, "a", both))
        expect({ $0.note.ends(with: "a") }, compare("note", .endsWith, "a"))
        expect({ $0.name.equals("a", options: both) }, compare("name", .equal, "a", both))
        expect({ $0.name.notEquals("a", options: both) }, compare("name", .notEqual, "a", both))
        expect({ $0.name.like("a*") }, compare("name", .like, "a*"))
        expect(
            { $0.name.like("a*", caseInsensitive: true) },
            compare("name", .like, "a*", .caseInsensitive))
        expect({ $0.code.starts(with: Data([1])) }, compare("code", .beginsWith, .data(Data([1]))))
        expect({ $0.content.contains("a") }, compare("content", .contains, "a"))
        expect({ $0.grade.starts(with: "f") }, compare("grade", .beginsWith, "f"))
        expect({ $0.grade.rawValue.ends(with: "d") }, compare("grade", .endsWith, "d"))
        expect({ $0.title.contains("f") }, compare("title", .contains, "f"))
        expect({ $0.title.persistableValue == "f" }, compare("title", .equal, "f"))
        expect({ $0.tags.starts(with: "f") }, compare("tags", .beginsWith, "f"))
        expect(
            { $0.tags.contains("f", options: .caseInsensitive) },
            compare("tags", .contains, "f", .caseInsensitive))
        expect({ $0.note.fullText("two words") }, .words(path("note"), "two words"))
    }

    @Test("collections are compared by their elements")
    func collections() {
        expect({ $0.counts > 3 }, compare("counts", .greater, 3))
        expect({ $0.tags.contains("a") }, compare("tags", .equal, "a"))
        expect(
            { $0.tags.containsAny(in: ["a"]) }, compare(.path(path("tags")), .isIn, .list(["a"])))
        expect({ $0.counts.all > 3 }, compare("counts", .greater, 3, [], .all))
        expect({ $0.tags.none.like("a*") }, compare("tags", .like, "a*", [], .none))
        expect({ $0.parts.weight.all > 3 }, compare("parts.weight", .greater, 3, [], .all))
        expect({ $0.parts.all.weight > 3 }, compare("parts.weight", .greater, 3, [], .all))
        expect({ $0.parts.tags == "a" }, compare("parts.tags", .equal, "a"))
        expect({ $0.tags.count > 3 }, aggregate(.count, "tags", .greater, 3))
        expect({ $0.counts.min == nil }, aggregate(.least, "counts", .equal, .none))
        expect({ $0.counts.max < 3 }, aggregate(.greatest, "counts", .less, 3))
        expect({ $0.counts.sum == 3 }, aggregate(.sum, "counts", .equal, 3))
        expect({ $0.counts.avg > 2.5 }, aggregate(.mean, "counts", .greater, .double(2.5)))
        expect({ $0.parts.weight.avg > 2 }, aggregate(.mean, "parts.weight", .greater, .double(2)))
        expect({ $0.parts.level.max > 2 }, aggregate(.greatest, "parts.level", .greater, 2))
        expect({ $0.users.count == 1 }, aggregate(.count, "users", .equal, 1))
        expect({ $0.users.weight > 1 }, compare("users.weight", .greater, 1))
    }

    @Test("maps have values, keys, and a value under a key")
    func maps() {
        func map(_ step: PropertyPath.Step) -> Operand { .path(path("sizes").adding(step)) }
        expect({ $0.sizes == 3 }, compare("sizes", .equal, 3))
        expect({ $0.sizes["k"] == nil }, compare(map(.key("k")), .equal, .constant(.none)))
        expect({ $0.sizes["k"] > 3 }, compare(map(.key("k")), .greater, .constant(3)))
        expect({ $0.sizes.keys == "k" }, compare(map(.keys), .equal, .constant("k")))
        expect(
            { $0.sizes.keys.starts(with: "k") }, compare(map(.keys), .beginsWith, .constant("k")))
        expect({ $0.sizes.values.contains(3) }, compare(map(.values), .equal, .constant(3)))
        expect(
            { $0.sizes.values.max > 3 },
            compare(.aggregate(.greatest, path("sizes").adding(.values)), .greater, .constant(3)))
        expect({ $0.sizes.max > 3 }, aggregate(.greatest, "sizes", .greater, 3))
        expect(
            { $0.named["k"].weight > 3 },
            compare(
                .path(path("named").adding(.key("k")).adding(.property("weight"))), .greater,
                .constant(3)))
        expect({ $0.named.weight > 3 }, compare("named.weight", .greater, 3))
    }

    @Test("values of any type have elements")
    func mixed() {
        func content(_ steps: PropertyPath.Step...) -> Operand {
            .path(PropertyPath([.property("content")] + steps))
        }
        expect({ $0.content[0] == 1 }, compare(content(.position(0)), .equal, .constant(1)))
        expect(
            { $0.content["k"][1] > 1 },
            compare(content(.key("k"), .position(1)), .greater, .constant(1)))
        expect(
            { $0.content.any["k"].starts(with: "a") },
            compare(content(.each, .key("k")), .beginsWith, .constant("a")))
    }

    @Test("conditions on the elements of one collection are counted")
    func subqueries() {
        let heavy = compare("weight", .greater, 3)
        let named = compare("name", .equal, "a")
        func count(_ names: String, _ condition: Predicate) -> Predicate {
            compare(.subqueryCount(path(names), condition), .greater, .constant(1))
        }
        expect(
            { ($0.parts.weight > 3 && $0.parts.name == "a").count > 1 },
            count("parts", .and([heavy, named])))
        expect(
            { (!($0.next.parts.weight > 3) || $0.next.parts.name == "a").count > 1 },
            count("next.parts", .or([.not(heavy), named])))
        expect({ ($0.counts > 3).count > 1 }, count("counts", compare("", .greater, 3)))
        expect({ $0.parts.isOpen.count > 1 }, count("parts", compare("isOpen", .equal, true)))
        expect(
            { ($0.parts.weight > $0.parts.level).count > 1 },
            count("parts", columns("weight", .greater, "level")))
        expect(
            { ($0.parts.counts.max > 3).count > 1 },
            count("parts", aggregate(.greatest, "counts", .greater, 3)))
        let values = path("sizes").adding(.values)
        expect(
            { ($0.sizes.values > 3).count > 1 },
            compare(
                .subqueryCount(values, compare("", .greater, 3)), .greater, .constant(1)))
    }

    @Test("embedded objects are compared by their properties")
    func embedded() throws {
        let place = DepotPlace(value: ["street": "a", "number": 3])
        let inPath = try Predicate.memberwise(path("place"), equals: place)
        let ofElement = try Predicate.memberwise(PropertyPath(), equals: place)
        func some(_ condition: Predicate) -> Predicate {
            compare(.subqueryCount(path("places"), condition), .greater, .constant(0))
        }
        expect({ $0.place == place }, inPath)
        expect({ $0.place != place }, .not(inPath))
        expect({ $0.place == nil }, compare("place", .equal, .none))
        expect({ $0.places.contains(place) }, some(ofElement))
        expect({ $0.places != place }, some(.not(ofElement)))
        expect({ $0.places.none == place }, .not(some(ofElement)))
        expect({ $0.places.all == place }, .not(some(.not(ofElement))))
        expect(
            { ($0.places == place && $0.places.number > 1).count == 1 },
            compare(
                .subqueryCount(
                    path("places"), .all([ofElement, compare("number", .greater, 1)])),
                .equal, .constant(1)))
    }

    @Test("shapes are looked for in links and collections")
    func shapes() throws {
        let box = try #require(GeoBox(bottomLeft: (0, 0), topRight: (1, 1)))
        expect({ $0.point.geoWithin(box) }, .isWithin(path("point"), .box(box)))
        expect({ $0.points.geoWithin(box) }, .isWithin(path("points"), .box(box)))
    }

    @Test("properties may have the names of what conditions have")
    func names() {
        func predicate(_ condition: (Query<DepotWords>) -> Query<Bool>) -> Predicate {
            condition(Query<DepotWords>()).predicate
        }
        #expect(predicate { $0.count == 3 } == compare("count", .equal, 3))
        #expect(predicate { $0.all == "a" } == compare("all", .equal, "a"))
        #expect(predicate { $0.none } == compare("none", .equal, true))
        #expect(predicate { $0.other.count == 3 } == compare("other.count", .equal, 3))
        #expect(predicate { $0.other.all == "a" } == compare("other.all", .equal, "a"))
        #expect(predicate { $0.other.none } == compare("other.none", .equal, true))
        #expect(predicate { $0.keys.min < 3 } == aggregate(.least, "keys", .less, 3))
    }

    @Test("generic code compares")
    func generic() {
        #expect(above(\Depot.weight, 3) == compare("weight", .greater, 3))
        #expect(above(\Depot.note, "a") == compare("note", .greater, "a"))
        #expect(same(\Depot.grade, .first) == compare("grade", .equal, "first"))
        #expect(Query<Depot>().weight.isAbove(3).predicate == compare("weight", .greater, 3))
        #expect(
            Query<Depot>().grade.isAbove(.first).predicate == compare("grade", .greater, "first"))
    }

    private func above<Model: Object, Value: _QueryNumeric>(
        _ keyPath: KeyPath<Model, Value>, _ value: Value
    ) -> Predicate {
        let property = Query<Model>()[dynamicMember: keyPath]
        return (property > value).predicate
    }

    private func same<Model: Object, Value: PersistableEnum>(
        _ keyPath: KeyPath<Model, Value>, _ value: Value
    ) -> Predicate {
        (Query<Model>()[dynamicMember: keyPath] == value).predicate
    }
}

extension Query where T: _HasPersistedType, T.PersistedType: _QueryNumeric {
    fileprivate func isAbove(_ value: T) -> Query<Bool> { self > value }
}

enum DepotGrade: String, PersistableEnum { case first, second, none }

struct DepotTitle: CustomPersistable, Hashable {
    typealias PersistedType = String
    var text: String
    init(text: String) { self.text = text }
    init(persistedValue: String) { text = persistedValue }
    var persistableValue: String { text }
}

class DepotPlace: EmbeddedObject {
    @Persisted var street: String
    @Persisted var number: Int
}

class DepotPoint: EmbeddedObject {
    @Persisted var type: String = "Point"
    @Persisted var coordinates: List<Double>
}

class Depot: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var weight: Int
    @Persisted var small: Int8
    @Persisted var level: Int?
    @Persisted var ratio: Float
    @Persisted var area: Double
    @Persisted var price: Decimal128
    @Persisted var opened: Date
    @Persisted var name: String
    @Persisted var note: String?
    @Persisted var code: Data
    @Persisted var identifier: ObjectId
    @Persisted var token: UUID
    @Persisted var isOpen: Bool
    @Persisted var content: AnyRealmValue
    @Persisted var grade: DepotGrade
    @Persisted var oldGrade: DepotGrade?
    @Persisted var title: DepotTitle
    @Persisted var next: Depot?
    @Persisted var place: DepotPlace?
    @Persisted var places: List<DepotPlace>
    @Persisted var point: DepotPoint?
    @Persisted var points: Map<String, DepotPoint?>
    @Persisted var tags: List<String>
    @Persisted var counts: List<Int>
    @Persisted var parts: List<Depot>
    @Persisted var sizes: Map<String, Int>
    @Persisted var named: Map<String, Depot?>
    @Persisted(originProperty: "next") var users: LinkingObjects<Depot>
}

class DepotWords: Object {
    @Persisted var count: Int
    @Persisted var all: String
    @Persisted var none: Bool
    @Persisted var keys: List<Int>
    @Persisted var other: DepotWords?
}
