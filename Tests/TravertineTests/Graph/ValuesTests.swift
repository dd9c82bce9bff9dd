import Foundation
import RealmSwift
import TestSupport
import Testing

@Suite("Objects made of values")
struct ValuesTests {
    private let directory = TemporaryDirectory()

    @Test("names that are no properties are ignored, and NSNull is nil")
    func strangeNames() throws {
        let json = Data(#"{"id": 1, "name": "Lisboa", "nation": null, "mayor": "x"}"#.utf8)
        var values = try #require(
            try JSONSerialization.jsonObject(with: json) as? [String: Any])
        values["id"] = 1
        values["name"] = "Lisboa"
        let unmanaged = Town(value: values)
        #expect(unmanaged.name == "Lisboa" && unmanaged.nation == nil)
        let realm = try directory.open([Town.self, Nation.self])
        try realm.write {
            realm.create(Town.self, value: values)
            realm.create(Town.self, value: ["id": 2, "nation": ["code": "PT", "anthem": "y"]])
            realm.create(Town.self, value: ["id": 2, "mayor": "z"], update: .modified)
            realm.create(Town.self, value: ["id": 2, "nation": NSNull()], update: .modified)
        }
        #expect(realm.objects(Town.self).map(\.id) == [1, 2])
        #expect(realm.objects(Town.self)[1].nation == nil)
        #expect(realm.objects(Nation.self).map(\.code) == ["PT"])
    }

    @Test("numbers that Foundation read from JSON keep their type in a value of any type")
    func numbersOfJSON() throws {
        let json = Data(#"{"id": 3, "value": [0, 1, 42, 2.5, 0.1, true, false, null, "1"]}"#.utf8)
        let values = try JSONSerialization.jsonObject(with: json)
        let expected: [AnyRealmValue] = [
            .int(0), .int(1), .int(42), .double(2.5), .double(0.1), .bool(true), .bool(false),
            AnyRealmValue.none, .string("1"),
        ]
        let realm = try directory.open([Anything.self, Tag.self, Book.self, Bookcase.self])
        try realm.write { realm.create(Anything.self, value: values) }
        for object in [Anything(value: values), try #require(realm.objects(Anything.self).first)] {
            #expect(object.value.listValue.map { Array($0) } == expected)
        }
        #expect(AnyRealmValue(any: NSNumber(value: true)) == .bool(true))
        #expect(AnyRealmValue(any: NSNumber(value: -7)) == .int(-7))
        #expect(AnyRealmValue(any: NSNumber(value: 1e300)) == .double(1e300))
    }

    @Test("of a public and a stored name for one property the public one counts")
    func bothNames() throws {
        let realm = try directory.open([TwoNamed.self])
        for _ in 0..<20 {
            let values = ["homeTown": "public", "home_town": "stored"]
            #expect(TwoNamed(value: values).homeTown == "public")
            try realm.write {
                realm.create(TwoNamed.self, value: values)
                realm.dynamicCreate("TwoNamed", value: values)
            }
        }
        #expect(Set(realm.objects(TwoNamed.self).map(\.homeTown)) == ["public"])
        #expect(TwoNamed(value: ["home_town": "stored"]).homeTown == "stored")
    }

    @Test("what a class leaves out can be named when an object is made or changed")
    func hiddenProperties() throws {
        var configuration = Realm.Configuration(
            fileURL: directory.url, objectTypes: [VesselKeyed.self], durability: .unsynced)
        configuration.objectSchemas = [
            ObjectSchema(
                extending: VesselKeyed.self, adding: [Property("flag", .string, isOptional: true)])
        ]
        let realm = try Realm(configuration: configuration)
        let id = ObjectId.generate()
        try realm.write { realm.create(VesselKeyed.self, value: ["id": id, "flag": "PT"]) }
        let ship = try #require(realm.objects(VesselKeyed.self).first)
        #expect(ship["flag"] as? String == "PT")
        try realm.write {
            realm.create(VesselKeyed.self, value: ["id": id, "flag": "ES"], update: .modified)
        }
        #expect(ship["flag"] as? String == "ES")
    }

    @Test("objects of another realm are copied with what they lead to, each once")
    func otherRealms() throws {
        let other = TemporaryDirectory()
        let types: [ObjectBase.Type] = [
            Node.self, Tag.self, Anything.self, Resident.self, Address.self, Room.self,
        ]
        let (realm, source) = (try directory.open(types), try other.open(types))
        let node = Node(value: ["id": 1, "name": "n", "tag": ["text": "t"]])
        let next = Node(value: ["id": 2, "name": "next"])
        node.next = next
        next.next = node
        node.children.append(objectsIn: [next, node, next])
        let anything = Anything(value: ["id": 1, "nested": ["a": [next]]])
        let resident = Resident(value: ["name": "A", "home": ["street": "s"]])
        resident.others.append(Address(value: ["street": "o"]))
        try source.write { source.add([node, anything, resident]) }
        try realm.write {
            realm.create(Node.self, value: ["id": 2, "name": "old"])
            realm.create(Node.self, value: node, update: .modified)
            #expect(realm.objects(Node.self).count == 2 && realm.objects(Tag.self).count == 1)
            realm.create(Anything.self, value: anything, update: .modified)
            realm.create(Resident.self, value: resident)
        }
        let copy = try #require(realm.object(ofType: Node.self, forPrimaryKey: 1))
        #expect(copy.realm == realm && copy.tag?.text == "t" && copy.next?.name == "next")
        #expect(copy.children.map(\.id) == [2, 1, 2] && copy.next?.next?.id == 1)
        let nested = realm.objects(Anything.self).first?.nested.dictionaryValue?["a"]?.listValue
        #expect(nested?.first?.object(Node.self)?.id == 2)
        let home = realm.objects(Resident.self).first
        #expect(home?.home?.street == "s" && home?.others.map(\.street) == ["o"])
        // The originals are where they were.
        #expect(node.realm == source && source.objects(Node.self).count == 2)
        // In values by name, in an object that exists, and linked from an unmanaged one.
        let between = Node(value: ["id": 4, "next": node])
        try realm.write {
            let own = copy
            realm.create(
                Node.self,
                value: ["id": 3, "next": next, "children": [node, own]] as [String: Any],
                update: .modified)
            realm.create(Node.self, value: ["id": 3, "tag": node.tag as Any], update: .modified)
            realm.create(Node.self, value: ["id": 5, "next": between], update: .modified)
        }
        #expect(realm.objects(Node.self).map(\.id) == [1, 2, 3, 4, 5])
        let third = try #require(realm.object(ofType: Node.self, forPrimaryKey: 3))
        #expect(third.next?.id == 2 && third.children.map(\.id) == [1, 1])
        #expect(third.tag?.text == "t" && realm.objects(Node.self)[4].next?.next?.id == 1)
        #expect(between.realm == nil && between.next?.realm == source)
        #expect(try realm.brokenInvariants() == [])
    }
}

class TwoNamed: Object {
    @Persisted var homeTown: String
    override class func propertiesMapping() -> [String: String] { ["homeTown": "home_town"] }
}
