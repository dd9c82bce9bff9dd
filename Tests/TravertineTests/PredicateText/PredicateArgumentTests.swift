import Foundation
import RealmSwift
import TestSupport
import Testing

@testable import Travertine

@Suite("Arguments of predicate texts")
struct PredicateArgumentTests {
    enum Kind: String, PersistableEnum {
        case big
        case small
    }

    enum Plain: Int { case two = 2 }

    struct Code: CustomPersistable {
        typealias PersistedType = Int
        var number: Int
        init(persistedValue: Int) { number = persistedValue }
        var persistableValue: Int { number }
    }

    class ArgumentOwner: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var name: String
        @Persisted var ages: List<Int>
        @Persisted var words: MutableSet<String>
        @Persisted var scores: Map<String, Int>
        @Persisted var values: AnyRealmValue
        @Persisted var friends: List<ArgumentOwner>
        @Persisted(originProperty: "friends") var fans: LinkingObjects<ArgumentOwner>
    }

    class ArgumentPart: EmbeddedObject {
        @Persisted var street: String
        @Persisted var kind: Kind
        @Persisted var owner: ArgumentOwner?
        @Persisted var inner: ArgumentInner?
    }

    class ArgumentInner: EmbeddedObject {
        @Persisted var street: String
    }

    /// A class that no realm takes.
    class ArgumentRing: EmbeddedObject {
        @Persisted var inner: ArgumentRing?

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    private func meaning(_ text: String, _ arguments: Any?...) throws -> String {
        let parsed = try PredicateParser.parse(text, arguments)
        #expect(parsed.places.count == parsed.expression.operandCount)
        return parsed.expression.description
    }

    @Test("values of all types can be arguments")
    func values() throws {
        #expect(try meaning("a == %@", 1 as Int8) == "a == 1")
        #expect(try meaning("a == %@", 1 as UInt64) == "a == 1")
        #expect(try meaning("a == %@", true) == "a == TRUE")
        #expect(try meaning("a == %@", Float(0.1)) == "a == float(0.1)")
        #expect(try meaning("a == %@", 0.1) == "a == 0.1")
        #expect(try meaning("a == %@", Decimal128("1.50")) == "a == decimal(1.50)")
        #expect(try meaning("a == %@", Date(timeIntervalSince1970: 5)) == "a == T5:0")
        #expect(try meaning("a == %@", Data([1])) == "a == B64\"AQ==\"")
        let uuid = UUID()
        #expect(try meaning("a == %@", uuid) == "a == uuid(\(uuid.uuidString.lowercased()))")
        let id = ObjectId.generate()
        #expect(try meaning("a == %@", id) == "a == oid(\(id))")
        #expect(try meaning("a == %@", "it's \"x\"") == #"a == "it's \"x\"""#)
        #expect(try meaning("a == %@", "sub".dropFirst()) == #"a == "ub""#)
        #expect(try meaning("a == %@", Optional(3) as Any) == "a == 3")
        #expect(try meaning("a == %@", Optional<Int>.none as Any) == "a == NULL")
        #expect(try meaning("a == %@", Kind.small) == #"a == "small""#)
        #expect(try meaning("a == %@", Plain.two) == "a == 2")
        #expect(try meaning("a == %@", Code(persistedValue: 7)) == "a == 7")
        #expect(try meaning("a == %@", AnyRealmValue.int(3)) == "a == 3")
        #expect(try meaning("a == %@", ["k": 1]) == #"a == {"k": 1}"#)
        #expect(try meaning("a == %@", ["k": [Kind.big]]) == #"a == {"k": {"big"}}"#)
        #expect(try meaning("a == %@", [1, 2]) == "a == {1, 2}")
    }

    @Test("Foundation's boxes are what is in them")
    func boxes() throws {
        #expect(try meaning("a == %@", NSNumber(value: true)) == "a == TRUE")
        #expect(try meaning("a == %@", NSNumber(value: 5)) == "a == 5")
        #expect(try meaning("a == %@", NSNumber(value: 1.5)) == "a == 1.5")
        #expect(try meaning("a == %d", NSNumber(value: 5)) == "a == 5")
        #expect(try meaning("a == %@", NSNull()) == "a == NULL")
        #expect(try meaning("a == %@", NSString(string: "x")) == #"a == "x""#)
        #expect(try meaning("a == %@", NSDate(timeIntervalSince1970: 5)) == "a == T5:0")
        #expect(try meaning("a IN %@", NSArray(array: [1, 2])) == "a IN {1, 2}")
        #expect(try meaning("a IN %@", NSSet(array: [1])) == "a IN {1}")
    }

    @Test("lists of all kinds can be arguments of IN")
    func lists() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([ArgumentOwner.self])
        let owner = try realm.write {
            let owner = realm.create(ArgumentOwner.self, value: ["id": 1, "name": "a"])
            owner.ages.append(objectsIn: [1, 2])
            owner.words.insert("w")
            owner.scores["k"] = 3
            owner.values = .fromArray([.int(1), .string("x")])
            owner.friends.append(owner)
            return owner
        }
        let object = #"{obj("ArgumentOwner", 1)}"#
        #expect(try meaning("a IN %@", [Kind.big, .small]) == #"a IN {"big", "small"}"#)
        #expect(try meaning("a IN %@", [1, nil, 2]) == "a IN {1, NULL, 2}")
        #expect(try meaning("a IN %@", [1, "x", [2]] as [Any]) == #"a IN {1, "x", {2}}"#)
        #expect(try meaning("a IN %@", Set([5])) == "a IN {5}")
        #expect(try meaning("a IN %@", [1, 2].lazy.map { $0 + 1 }) == "a IN {2, 3}")
        #expect(try meaning("a IN %@", owner.ages) == "a IN {1, 2}")
        #expect(try meaning("a IN %@", owner.words) == #"a IN {"w"}"#)
        #expect(try meaning("a IN %@", owner.scores) == "a IN {3}")
        #expect(try meaning("a IN %@", owner.values) == #"a IN {1, "x"}"#)
        #expect(try meaning("a IN %@", owner.friends) == "a IN \(object)")
        #expect(try meaning("a IN %@", owner.fans) == "a IN \(object)")
        #expect(try meaning("a IN %@", realm.objects(ArgumentOwner.self)) == "a IN \(object)")
        #expect(try meaning("a IN %@", [owner]) == "a IN \(object)")
        #expect(try meaning("a == %@", owner) == #"a == obj("ArgumentOwner", 1)"#)
        #expect(try meaning("a BETWEEN %@", owner.ages) == "a BETWEEN {1, 2}")
    }

    @Test("an array as the only argument is one value, or holds the arguments")
    func onlyArrays() throws {
        #expect(try meaning("a IN %@", [1, 2]) == "a IN {1, 2}")
        #expect(try meaning("a == %@ OR b == %@", [1, 2]) == "a == 1 OR b == 2")
        #expect(try meaning("a == %@ OR b IN %@", [1, [2]] as [Any]) == "a == 1 OR b IN {2}")
        #expect(try meaning("a == 1", [Any]()) == "a == 1")
        #expect(throws: PredicateTextError.self) { try meaning("a == %@ OR b == %@", [1]) }
        #expect(throws: PredicateTextError.self) { try meaning("a == 1", [1]) }
    }

    @Test("an embedded object is compared by its properties")
    func embedded() throws {
        let part = ArgumentPart(value: ["street": "Main", "inner": ["street": "Side"]])
        let equal = """
            part != NULL AND part.street == "Main" AND part.kind == "big" AND part.owner == NULL \
            AND part.inner != NULL AND part.inner.street == "Side"
            """
        #expect(try meaning("part == %@", part) == equal)
        #expect(try meaning("%@ == part", part) == equal)
        #expect(try meaning("part != %@", part) == "NOT (\(equal))")
        #expect(try meaning("NONE part == %@", part) == "NOT (\(equal))")
        let parsed = try PredicateParser.parse("a == 1 AND part == %@ AND b == 2", [part])
        #expect(parsed.places[2] == 11..<15 && parsed.places[3] == 19..<21)
        #expect(parsed.places.last == 31..<32)
        #expect(throws: PredicateTextError.self) { try meaning("part < %@", part) }
        #expect(throws: PredicateTextError.self) { try meaning("ALL part == %@", part) }
        #expect(throws: PredicateTextError.self) { try meaning("part IN %@", [part]) }
        #expect(throws: PredicateTextError.self) { try meaning("3 == %@", part) }
    }

    @Test("an embedded object that can't be compared is refused")
    func embeddedRefusals() {
        let ring = ArgumentRing()
        ring.inner = ring
        #expect(throws: Realm.Error.self) {
            try Travertine.Predicate.memberwise(PropertyPath(names: ["ring"]), equals: ring)
        }
        ring.inner = nil
        let point = CanonicalGeoPoint(latitude: 1, longitude: 2)
        let error = #expect(throws: PredicateTextError.self) {
            try PredicateParser.parse("place == %@", [point])
        }
        #expect(error?.message.contains("is a collection") == true)
    }
}
