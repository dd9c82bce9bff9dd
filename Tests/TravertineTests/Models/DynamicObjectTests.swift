import Foundation
import RealmSwift
import TestSupport
import Testing

@testable import Travertine

@Suite("Dynamic objects")
struct DynamicObjectTests {
    private let types: [ObjectBase.Type] = [
        Resident.self, Address.self, Room.self, Bookcase.self, Book.self, Anything.self, Tag.self,
        Scalars.self, PetV1.self,
    ]

    private func prepare(_ directory: TemporaryDirectory) throws {
        let realm = try directory.open(types)
        try realm.write {
            let resident = Resident(value: ["name": "A", "home": ["street": "first"]])
            resident.others.append(Address(value: ["street": "second"]))
            resident.named["x"] = Address(value: ["street": "third"])
            realm.add(resident)
            let shelf = Bookcase(value: ["id": 1, "labels": ["b", "a"], "counts": ["one": 1]])
            shelf.books.insert(Book(value: ["title": "t"]))
            realm.add(shelf)
            realm.add(Anything(value: ["id": 1, "value": 5, "nested": ["a": [1, 2]]]))
            realm.add(PetV1(value: ["name": "Rex", "age": 3]))
        }
    }

    @Test(
        "a dictionary for a linked object that exists is an error, or changes it, as with classes")
    func linkedPolicy() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Town.self, Nation.self])
        try realm.write { realm.add(Nation(value: ["code": "PT"])) }
        let value: [String: Any] = ["id": 1, "name": "Lisboa", "nation": ["code": "PT"]]
        for create: (Realm.UpdatePolicy) -> Void in [
            { realm.create(Town.self, value: value, update: $0) },
            { realm.dynamicCreate("Town", value: value, update: $0) },
        ] {
            let error = try #require(throws: Realm.Error.self) {
                try realm.write { create(.error) }
            }
            #expect(error.code == .duplicatePrimaryKey)
            try realm.write {
                create(.modified)
                #expect(realm.objects(Town.self).first?.nation?.code == "PT")
                realm.delete(realm.objects(Town.self))
            }
        }
    }

    @Test("an insertion that throws leaves nothing of what it made, and the transaction goes on")
    func thrownInsertion() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Town.self, Nation.self])
        try realm.write {
            #expect(throws: Realm.Error.self) {
                try realm.dynamicInsert("Town", value: ["id": 1, "nation": ["code": 5]])
            }
            #expect(throws: Realm.Error.self) {
                try realm.dynamicInsert(
                    "Town", value: ["id": 2, "nation": ["code": "PT"], "otherNames": [1.5]])
            }
            try realm.dynamicInsert("Town", value: ["id": 3, "name": "Porto"])
        }
        #expect(realm.objects(Town.self).map(\.id) == [3])
        #expect(realm.objects(Nation.self).isEmpty)
    }

    @Test("a realm opened without classes reads everything by name")
    func reading() throws {
        let directory = TemporaryDirectory()
        try prepare(directory)
        let realm = try directory.open([])
        #expect(realm.schema["Resident"]?["home"]?.objectClassName == "Address")
        #expect(realm.schema["Address"]?.isEmbedded == true && realm.hasType("Room"))
        let resident = try #require(
            realm.dynamicObject(ofType: "Resident", forPrimaryKey: "A"))
        #expect(resident["name"] as? String == "A" && resident.name as? String == "A")
        let home = try #require(resident["home"] as? DynamicObject)
        #expect(home["street"] as? String == "first")
        #expect(resident.value(forKeyPath: "home.street") as? String == "first")
        #expect(resident.dynamicList("others").map { $0["street"] as? String } == ["second"])
        #expect(resident.dynamicMap("named")["x"]??["street"] as? String == "third")
        let shelf = try #require(realm.dynamicObjects("Bookcase").first)
        #expect((shelf["labels"] as? MutableSet<String>).map { Array($0) } == ["a", "b"])
        #expect((shelf["counts"] as? Map<String, Int>)?["one"] == 1)
        #expect(shelf.dynamicMutableSet("books").first?["title"] as? String == "t")
        let anything = try #require(realm.dynamicObjects("Anything").first)
        #expect(anything["value"] as? Int == 5)
        #expect((anything["nested"] as? Map<String, AnyRealmValue>)?["a"]?.listValue?.count == 2)
        #expect(realm.dynamicObjects("Pet").first?["age"] as? Int == 3)
        #expect(resident.description.contains("street = first;"))
    }

    @Test("without classes objects are made, changed, updated and deleted, and indexes follow")
    func writing() throws {
        let directory = TemporaryDirectory()
        try prepare(directory)
        do {
            let realm = try directory.open([])
            try realm.write {
                let made = realm.dynamicCreate(
                    "Resident",
                    value: [
                        "name": "B", "home": ["street": "s", "rooms": [["number": 4]]],
                        "others": [["street": "o1"], ["street": "o2"]],
                        "named": ["k": ["street": "m"]],
                    ])
                made.dynamicList("others")[0]["street"] = "changed"
                realm.dynamicCreate(
                    "Resident", value: ["name": "A", "home": ["street": "moved"]],
                    update: .modified)
                let scalars = realm.dynamicCreate(
                    "Scalars",
                    value: ["key": "k", "int8": 5.0, "date": Date(timeIntervalSince1970: 7)])
                scalars["optionalDouble"] = 3
                scalars["kind"] = "unknown"
                realm.dynamicCreate("Anything", value: ["id": 9, "value": ["x": [1]]])
                realm.delete(realm.dynamicObjects("Bookcase"))
            }
            let error = #expect(throws: Realm.Error.self) {
                try realm.write { realm.dynamicCreate("Resident", value: ["name": "B"]) }
            }
            #expect(error?.code == .duplicatePrimaryKey)
            let other = #expect(throws: Realm.Error.self) {
                try realm.write { realm.dynamicCreate("Scalars", value: ["key": "x", "int": "y"]) }
            }
            #expect(other?.code == .invalidInput && other?.message.contains("Scalars.int") == true)
            #expect(try realm.brokenInvariants() == [])
        }
        let realm = try directory.open(types)
        let made = try #require(realm.object(ofType: Resident.self, forPrimaryKey: "B"))
        #expect(made.home?.rooms.first?.number == 4 && made.named["k"]??.street == "m")
        #expect(made.others.map(\.street) == ["changed", "o2"])
        let updated = realm.object(ofType: Resident.self, forPrimaryKey: "A")
        #expect(updated?.home?.street == "moved" && updated?.others.count == 1)
        let scalars = try #require(realm.object(ofType: Scalars.self, forPrimaryKey: "k"))
        #expect(scalars.int8 == 5 && scalars.optionalDouble == 3 && scalars.kind == .capital)
        #expect(scalars.objectId != ObjectId())
        #expect(
            realm.object(ofType: Anything.self, forPrimaryKey: 9)?.value.dictionaryValue?["x"]?
                .listValue?.first == 1)
        #expect(realm.objects(Bookcase.self).isEmpty && realm.objects(Book.self).count == 1)
    }

    @Test("dynamic and typed handles of one object see each other's changes")
    func besideTyped() throws {
        let directory = TemporaryDirectory()
        try prepare(directory)
        let realm = try directory.open(types)
        let typed = try #require(realm.objects(Resident.self).first)
        let dynamic = try #require(realm.dynamicObjects("Resident").first)
        #expect(dynamic.isSameObject(as: typed) && dynamic["home"] is DynamicObject)
        #expect(throws: Stop.self) {
            try realm.write {
                dynamic["home"] = nil
                #expect(typed.home == nil)
                throw Stop()
            }
        }
        #expect(typed.home?.street == "first")
        try realm.write { dynamic["home"] = ["street": "new"] }
        #expect(typed.home?.street == "new")
    }

    @Test("an integer that the class has no width for is refused")
    func narrowIntegers() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([SmallKeyed.self, RatingKeyed.self, Narrow.self])
        try realm.write {
            let narrow = realm.dynamicCreate("Narrow", value: ["short": 127, "maybe": -32768])
            narrow["short"] = -128
            narrow["rank"] = 100
        }
        for (name, value) in [("short", 128), ("maybe", 32768), ("rank", -129)] {
            for change in [
                { realm.dynamicObjects("Narrow").first?[name] = value },
                { realm.dynamicCreate("Narrow", value: [name: value]) },
            ] as [() -> Void] {
                let error = #expect(throws: Realm.Error.self) { try realm.write(change) }
                #expect(error?.code == .invalidInput && error?.message.contains(name) == true)
            }
        }
        let narrow = realm.objects(Narrow.self)
        #expect(narrow.map(\.short) == [-128] && narrow.map(\.maybe) == [-32768])
    }

    @Test("a property of all objects is read and set by its name")
    func collections() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open(types)
        try realm.write {
            realm.add((0..<3).map { PetV1(value: ["name": "p\($0)", "age": $0]) })
            realm.objects(PetV1.self).where { $0.age > 0 }.setValue("old", forKey: "name")
            realm.dynamicObjects("Pet").setValue(5, forKey: "age")
        }
        let pets = realm.objects(PetV1.self)
        #expect(pets.value(forKey: "name").map { $0 as? String } == ["p0", "old", "old"])
        #expect(pets.value(forKey: "age").map { $0 as? Int } == [5, 5, 5])
    }
}

class Narrow: Object {
    @Persisted var short: Int8
    @Persisted var maybe: Int16?
    @Persisted var rank: Rating?
}
