import Foundation
import RealmSwift
import TestSupport
import Testing

@Suite("Conditions on values of any type")
struct MixedConditionTests {
    private func withFreightUnits(
        _ values: [AnyRealmValue], _ body: (Results<FreightUnit>, Realm) throws -> Void
    ) throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([FreightUnit.self, FreightTag.self])
        try realm.write {
            for (number, value) in values.enumerated() {
                let unit = FreightUnit()
                unit.id = number
                unit.content = value
                unit.contents.append(objectsIn: [value, .int(number)])
                if number > 0 {
                    unit.before = realm.object(ofType: FreightUnit.self, forPrimaryKey: number - 1)
                }
                realm.add(unit)
            }
        }
        try body(realm.objects(FreightUnit.self), realm)
        withExtendedLifetime(directory) {}
    }

    private static var nested: [AnyRealmValue] {
        [
            .fromArray([1, "a"]),
            .fromArray([1, .fromDictionary(["k": .fromArray([true, .none])])]),
            .fromDictionary(["k": 1, "other": 2]),
            .fromDictionary(["k": .fromArray([5, 6])]),
            .int(1),
            .none,
        ]
    }

    @Test("compare lists and dictionaries by their contents")
    func contents() throws {
        try withFreightUnits(Self.nested) { units, _ in
            func ids(_ condition: (Query<FreightUnit>) -> Query<Bool>) -> [Int] {
                units.where(condition).map(\.id)
            }
            for (number, value) in Self.nested.enumerated() {
                #expect(ids { $0.content == value } == [number], "\(value)")
                #expect(
                    ids { $0.content != value } == (0..<6).filter { $0 != number }, "\(value)")
            }
            #expect(ids { $0.content == .fromArray([1]) } == [])
            #expect(ids { $0.content == .fromArray(["a", 1]) } == [])
            #expect(ids { $0.content == .fromDictionary(["k": 1]) } == [])
            let stored = try #require(units[1].content.listValue)
            #expect(ids { $0.content == .list(stored) } == [1])
            #expect(ids { $0.content.in([.fromArray([1, "a"]), 1, .none]) } == [0, 4, 5])
            #expect(ids { $0.before.content == .fromArray([1, "a"]) } == [1])
            #expect(ids { $0.before.content != .fromArray([1, "a"]) } == [0, 2, 3, 4, 5])
            #expect(ids { $0.before.content == nil } == [0])
            #expect(ids { $0.contents.contains(.fromArray([1, "a"])) } == [0])
            #expect(
                units[0].contents.where { $0 == .fromArray([1, "a"]) }.count == 1)
        }
    }

    @Test("find elements by position and key, and any of them")
    func steps() throws {
        try withFreightUnits(Self.nested) { units, _ in
            func ids(_ condition: (Query<FreightUnit>) -> Query<Bool>) -> [Int] {
                units.where(condition).map(\.id)
            }
            #expect(ids { $0.content[0] == 1 } == [0, 1])
            #expect(ids { $0.content[1] == "a" } == [0])
            #expect(ids { $0.content[2] == "a" } == [])
            #expect(ids { $0.content["k"] == 1 } == [2])
            #expect(ids { $0.content["k"] != 1 } == [0, 1, 3, 4, 5])
            #expect(ids { $0.content["k"] == nil } == [0, 1, 4, 5])
            #expect(ids { $0.content["k"][1] == 6 } == [3])
            #expect(ids { $0.content["k"] == .fromArray([5, 6]) } == [3])
            #expect(ids { $0.content[1]["k"][0] == true } == [1])
            #expect(ids { $0.content.any == 1 } == [0, 1, 2])
            #expect(ids { $0.content.any.any == 5 } == [3])
            #expect(ids { $0.content.any["k"].any == true } == [1])
            #expect(ids { $0.content.any == .fromArray([5, 6]) } == [3])
            #expect(ids { $0.before.content["k"] == 1 } == [3])
            #expect(ids { $0.content["k"].in([1, .fromArray([5, 6])]) } == [2, 3])
            #expect(units[1].contents.where { $0[0] == 1 }.count == 1)
            #expect(units[2].contents.where { $0["k"] == 1 }.count == 1)
            #expect(units[3].contents.where { $0.any.any == 6 }.count == 1)
        }
    }

    @Test("a key may have any characters")
    func keys() throws {
        let keys = ["", "a\"]", "[0]", "\"", "é\n", "3"]
        try withFreightUnits(keys.map { .fromDictionary([$0: "found"]) }) { units, _ in
            for (number, key) in keys.enumerated() {
                #expect(units.where { $0.content[key] == "found" }.map(\.id) == [number])
            }
        }
    }

    @Test("managed values are equal to unmanaged ones with equal contents, and hash alike")
    func equality() throws {
        try withFreightUnits(Self.nested) { units, realm in
            for (number, value) in Self.nested.enumerated() {
                let stored = units[number].content
                #expect(stored == value && value == stored && stored == stored)
                #expect(stored.hashValue == value.hashValue)
                #expect(units[number].contents[0] == stored, "two stored ones")
                #expect(Self.nested.filter { $0 == stored }.count == 1)
            }
            let list = try #require(units[0].content.listValue)
            #expect(list == [1, "a"] && list != [1, "b"])
            try realm.write { list.append(3) }
            #expect(list != [1, "a"] && list == [1, "a", 3])
            #expect(units[0].content != Self.nested[0])
            try realm.write { realm.delete(units[0]) }
            #expect(list != [1, "a", 3] && list == list)
        }
    }

    @Test("lists of links to stored objects without a primary key compare by what they link to")
    func links() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([FreightUnit.self, FreightTag.self])
        let (tag, other) = (FreightTag(), FreightTag())
        try realm.write {
            realm.add([tag, other])
            let unit = FreightUnit()
            unit.content = .fromArray([.object(tag), 1])
            unit.tags.append(objectsIn: [tag, other])
            realm.add(unit)
        }
        let units = realm.objects(FreightUnit.self)
        let again = try #require(realm.objects(FreightTag.self).first)
        #expect(units.where { $0.content == .fromArray([.object(again), 1]) }.count == 1)
        #expect(units.where { $0.content == .fromArray([.object(other), 1]) }.count == 0)
        // An object in no realm is refused, also inside a list.
        #expect(throws: (any Error).self) {
            try units.filter(
                validating: "content == %@", AnyRealmValue.fromArray([.object(FreightTag()), 1]))
        }
        #expect(
            try units.filter(
                validating: "content == %@", AnyRealmValue.fromArray([.object(again), 1])
            ).count == 1)
        let tags = List<FreightTag>()
        tags.append(objectsIn: realm.objects(FreightTag.self))
        #expect(units[0].tags == tags)
    }
}

/// What a comparison gives where one or both sides are nil, because a property is nil or a link on
/// the way to it.
@Suite("Comparisons through nil")
struct NilComparisonTests {
    @Test("nil equals nil and is at least and at most nil; with a value it is only not equal")
    func truthTable() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([FreightUnit.self, FreightTag.self])
        try realm.write {
            // 0: nothing. 1: left 1. 2: right 1. 3: both 1. 4: left 1, right 2.
            let pairs: [(Int?, Int?)] = [(nil, nil), (1, nil), (nil, 1), (1, 1), (1, 2)]
            for (number, (left, right)) in pairs.enumerated() {
                let unit = FreightUnit()
                unit.id = number
                unit.left = left
                unit.right = right
                realm.add(unit)
            }
            let last = FreightUnit()
            last.id = 5
            last.left = 1
            last.before = realm.object(ofType: FreightUnit.self, forPrimaryKey: 3)
            realm.add(last)
        }
        func ids(_ condition: (Query<FreightUnit>) -> Query<Bool>) -> [Int] {
            realm.objects(FreightUnit.self).where(condition).map(\.id)
        }
        // A property with nil.
        #expect(ids { $0.left == nil } == [0, 2] && ids { $0.left != nil } == [1, 3, 4, 5])
        #expect(ids { $0.left <= nil } == [0, 2] && ids { $0.left >= nil } == [0, 2])
        #expect(ids { $0.left < nil } == [] && ids { $0.left > nil } == [])
        // A property with a value.
        #expect(ids { $0.left == 1 } == [1, 3, 4, 5] && ids { $0.left != 1 } == [0, 2])
        #expect(ids { $0.left <= 1 } == [1, 3, 4, 5] && ids { $0.left >= 1 } == [1, 3, 4, 5])
        #expect(ids { !($0.left < 2) } == [0, 2])
        // A property with a property.
        #expect(ids { $0.left == $0.right } == [0, 3])
        #expect(ids { $0.left != $0.right } == [1, 2, 4, 5])
        #expect(ids { $0.left <= $0.right } == [0, 3, 4])
        #expect(ids { $0.left >= $0.right } == [0, 3])
        #expect(ids { $0.left < $0.right } == [4] && ids { $0.left > $0.right } == [])
        // Through a link that is nil.
        #expect(ids { $0.before.left == nil } == [0, 1, 2, 3, 4])
        #expect(ids { $0.before.left >= nil } == [0, 1, 2, 3, 4])
        #expect(ids { $0.before.left != 7 } == [0, 1, 2, 3, 4, 5])
        #expect(ids { $0.before.left == $0.left } == [0, 2, 5])
        #expect(ids { $0.before.left <= $0.right } == [0, 1])
        #expect(ids { $0.before.left != $0.left } == [1, 3, 4])
    }
}

class FreightUnit: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var content: AnyRealmValue
    @Persisted var contents: List<AnyRealmValue>
    @Persisted var tags: List<FreightTag>
    @Persisted var before: FreightUnit?
    @Persisted var left: Int?
    @Persisted var right: Int?
}

class FreightTag: Object {
    @Persisted var name: String
}
