import Foundation
import TestSupport
import Testing

@testable import Travertine

/// Sets and embedded objects have no place in a value of any type, by whatever way they come.
@Suite("What a value of any type refuses")
struct MixedRefusalTests {
    private let directory = TemporaryDirectory()

    private func open() throws -> Realm { try directory.open([MixedShelf.self, MixedSpot.self]) }

    private func made(_ realm: Realm) throws -> MixedShelf {
        try realm.write {
            realm.create(
                MixedShelf.self, value: ["id": 1, "spot": ["x": 3], "spots": [["x": 4], ["x": 5]]])
        }
    }

    private static func embedded() -> [(String, Any)] {
        [
            ("an embedded object", MixedSpot()), ("a list of them", [MixedSpot()]),
            ("one in a dictionary", ["a": MixedSpot()]),
            ("deeper", ["a": [1, ["b": MixedSpot()]]] as Any),
            ("a set", Set([1])), ("a managed kind of set", MutableSet<Int>()),
            ("a set in a list", [Set(["a"])]), ("a set of mixed", MutableSet<AnyRealmValue>()),
        ]
    }

    private func expectRefused(_ name: String, _ realm: Realm, _ body: () throws -> Void) {
        let error = #expect(throws: Realm.Error.self, "\(name)") { try realm.write(body) }
        #expect(error?.code == .invalidInput, "\(name): \(String(describing: error))")
        #expect(
            error?.message.contains("no set and no embedded object") == true,
            "\(name): \(error?.message ?? "")")
    }

    @Test("making an object of values")
    func create() throws {
        let realm = try open()
        for (name, value) in Self.embedded() {
            for values in [
                ["id": 1, "value": value], ["id": 1, "values": [value]],
                ["id": 1, "named": ["k": value]], ["id": 1, "different": [value]],
            ] {
                expectRefused(name, realm) { realm.create(MixedShelf.self, value: values) }
                expectRefused(name, realm) { try realm.dynamicInsert("MixedShelf", value: values) }
                expectRefused(name, realm) { realm.dynamicCreate("MixedShelf", value: values) }
            }
        }
        #expect(realm.objects(MixedShelf.self).isEmpty)
    }

    @Test("setting a property by name")
    func byName() throws {
        let realm = try open()
        let shelf = try made(realm)
        let dynamic = try #require(realm.dynamicObject(ofType: "MixedShelf", forPrimaryKey: 1))
        for (name, value) in Self.embedded() {
            expectRefused(name, realm) { shelf["value"] = value }
            expectRefused(name, realm) { shelf.setValue(value, forKey: "value") }
            expectRefused(name, realm) { shelf["values"] = [value] }
            expectRefused(name, realm) { dynamic["value"] = value }
            expectRefused(name, realm) { dynamic["values"] = [value] }
            expectRefused(name, realm) { dynamic["named"] = ["k": value] }
        }
    }

    @Test("embedded objects that are stored: as themselves, and as dynamic objects")
    func stored() throws {
        let realm = try open()
        let shelf = try made(realm)
        let dynamic = try #require(realm.dynamicObject(ofType: "MixedShelf", forPrimaryKey: 1))
        let spot = try #require(dynamic["spot"] as? DynamicObject)
        let spots = try #require(dynamic["spots"] as? List<DynamicObject>)
        for value in [spot, spots[1]] {
            expectRefused("dynamic", realm) { dynamic["value"] = value }
            expectRefused("dynamic in class", realm) { shelf["value"] = value }
            expectRefused("as a value", realm) { shelf.value = .object(value) }
            expectRefused("at once", realm) { try shelf.set(.object(value), for: \.value) }
            expectRefused("in an array", realm) { shelf.value = .fromArray([.object(value)]) }
            expectRefused("in a list", realm) { shelf.values.append(.object(value)) }
            expectRefused("in a set", realm) { shelf.different.insert(.object(value)) }
            expectRefused("in a map", realm) { shelf.named["k"] = .object(value) }
            expectRefused("in a new one", realm) {
                realm.create(MixedShelf.self, value: ["id": 2, "value": value])
            }
            expectRefused("in a copy", realm) {
                let copy = MixedShelf()
                copy.id = 2
                copy.value = .object(value)
                realm.add(copy)
            }
        }
        expectRefused("itself", realm) { shelf["value"] = shelf.spot }
        expectRefused("all of them", realm) { shelf["value"] = shelf.spots }
        #expect(shelf.spot?.x == 3 && shelf.spots.map(\.x) == [4, 5] && shelf.value == .none)
    }

    @Test("a projection writes through to the same refusal")
    func projection() throws {
        let realm = try open()
        _ = try made(realm)
        let projected = try #require(realm.objects(MixedShelfView.self).first)
        let spot = try #require(
            realm.dynamicObject(ofType: "MixedShelf", forPrimaryKey: 1)?["spot"] as? DynamicObject)
        expectRefused("projected", realm) { projected.value = .object(spot) }
        expectRefused("list", realm) { projected.values.append(.object(spot)) }
        try realm.write { projected.value = .fromArray([1]) }
        #expect(projected.value.listValue?.first == .int(1))
        expectRefused("deeper", realm) { projected.value.listValue?.append(.object(spot)) }
    }

    @Test("a struct in a struct's property of any type is a dictionary, and a set a list")
    func structs() throws {
        let realm = try open()
        struct Place: Codable, Equatable { var x: Int }
        struct Row: PersistedStruct, Equatable {
            var id: Int
            var value: Place
            static func objectTypeName() -> String { "MixedShelf" }
        }
        try realm.write { try realm.insert(Row(id: 1, value: Place(x: 3))) }
        let shelf = try #require(realm.objects(MixedShelf.self).first)
        #expect(shelf.value.dictionaryValue?["x"] == .int(3))
        #expect(try realm.values(Row.self) == [Row(id: 1, value: Place(x: 3))])
    }
}

private final class MixedSpot: EmbeddedObject {
    @Persisted var x: Int

    override static func shouldIncludeInDefaultSchema() -> Bool { false }
}

private final class MixedShelf: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var value: AnyRealmValue
    @Persisted var values: List<AnyRealmValue>
    @Persisted var different: MutableSet<AnyRealmValue>
    @Persisted var named: Map<String, AnyRealmValue>
    @Persisted var spot: MixedSpot?
    @Persisted var spots: List<MixedSpot>

    override static func shouldIncludeInDefaultSchema() -> Bool { false }
}

private final class MixedShelfView: Projection<MixedShelf> {
    @Projected(\MixedShelf.value) var value
    @Projected(\MixedShelf.values) var values
}
