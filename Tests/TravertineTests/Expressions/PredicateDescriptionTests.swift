import RealmSwift
import TestSupport
import Testing

@testable import Travertine

@Suite("Predicates as text")
struct PredicateDescriptionTests {
    @Test("a predicate's text parses to an equal one", arguments: 0..<20 as Range<UInt64>)
    func roundTrip(seed: UInt64) throws {
        var predicates = RandomPredicates(seed: seed)
        for _ in 0..<250 {
            let expression = predicates.expression()
            let text = expression.description
            let parsed = try PredicateParser.parse(text, [])
            #expect(parsed.expression == expression, "seed \(seed): \(text)")
            #expect(parsed.places.count == expression.operandCount, "seed \(seed): \(text)")
            #expect(parsed.expression.description == text, "seed \(seed)")
        }
    }

    @Test("parts of predicates have a text")
    func parts() {
        #expect("\(PropertyPath(names: ["a", "in"]))" == "a.#in")
        #expect("\(PropertyPath())" == "SELF")
        #expect("\(Operand.aggregate(.mean, PropertyPath(names: ["a"])))" == "a.@avg")
        let comparison = Comparison(
            .path(PropertyPath([.first])), .like, .constant("a*"), options: .caseInsensitive,
            quantifier: .none)
        #expect("\(comparison)" == #"NONE SELF[FIRST] LIKE[c] "a*""#)
    }

    class PrintedDog: Object {
        @Persisted(primaryKey: true) var name: String
    }

    private struct Anywhere: GeoShape {
        func contains(_ point: GeoPoint) -> Bool { true }
    }

    @Test("objects and shapes of users have a text that is refused")
    func objects() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([PrintedDog.self])
        let rex = try realm.write { realm.create(PrintedDog.self, value: ["name": "Rex"]) }
        let path = PropertyPath(names: ["dog"])
        let managed = Travertine.Predicate.compare(path, .equal, .object(rex))
        #expect("\(managed)" == #"dog == obj("PrintedDog", "Rex")"#)
        let unmanaged = Travertine.Predicate.compare(path, .equal, .object(PrintedDog()))
        #expect("\(unmanaged)" == #"dog == obj("PrintedDog")"#)
        let shape = Travertine.Predicate.isWithin(path, ShapeConstant(Anywhere()))
        #expect("\(shape)" == #"dog GEOWITHIN shape("Anywhere")"#)
        for predicate in [managed, unmanaged, shape] {
            #expect(throws: PredicateTextError.self) {
                try PredicateParser.parse(predicate.description, [])
            }
        }
    }

    @Test("a list that holds itself has a text")
    func cycle() {
        let list = List<AnyRealmValue>()
        list.append(.list(list))
        let text = Travertine.Predicate.compare(PropertyPath(names: ["a"]), .equal, .list(list))
            .description
        #expect(text.hasPrefix("a == {{{") && text.contains("…"))
    }
}
