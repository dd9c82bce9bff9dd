import Foundation
import RealmSwift
import TestSupport
import Testing

@Suite("Schema changes")
struct SchemaChangeTests {
    @Test("a property added later has its declared default in existing objects")
    func addedProperty() throws {
        let directory = TemporaryDirectory()
        do {
            let realm = try directory.open([PetV1.self])
            try realm.write {
                for age in 0..<20 { realm.add(PetV1(value: ["name": "p\(age)", "age": age])) }
            }
        }
        let refusal = #expect(throws: Realm.Error.self) { try directory.open([PetV2.self]) }
        #expect(refusal?.code == .schemaMismatch)
        #expect(refusal?.message.contains("Property 'Pet.color' has been added.") == true)
        do {
            let realm = try directory.open([PetV2.self], version: 1)
            let pets = realm.objects(PetV2.self)
            #expect(pets.count == 20)
            for (age, pet) in pets.enumerated() {
                #expect(pet.name == "p\(age)" && pet.color == "grey" && pet.weight == 2.5)
                #expect(pet.chip == nil && pet.tags.isEmpty)
            }
            #expect(pets.where { $0.color == "grey" }.count == 20)
            try realm.write {
                pets[3].weight = 7
                pets[4].tags.append("x")
                pets[5].color = "red"
            }
            #expect(pets[3].weight == 7 && pets[3].name == "p3" && pets[3].color == "grey")
            #expect(Array(pets[4].tags) == ["x"])
            #expect(pets.where { $0.color == "grey" }.count == 19)
            #expect(pets.where { $0.color == "red" }.map(\.name) == ["p5"])
        }
        let error = #expect(throws: Realm.Error.self) { try directory.open([PetV2.self]) }
        #expect(error?.code == .schemaMismatch && error?.message.contains("version 0") == true)
        let realm = try directory.open([PetV1.self], version: 2)
        #expect(realm.objects(PetV1.self).map(\.age) == Array(repeating: 0, count: 20))
    }

    @Test("a mismatch lists every difference with stored names")
    func mismatch() throws {
        let directory = TemporaryDirectory()
        do { _ = try directory.open([PetV1.self]) }
        let error = #expect(throws: Realm.Error.self) { try directory.open([PetV3.self]) }
        let message = error?.message ?? ""
        #expect(error?.code == .schemaMismatch)
        #expect(message.contains("Property 'Pet.age' has been changed from 'int' to 'string'."))
        #expect(message.contains("Property 'Pet.name' has been made optional."))
        #expect(message.contains("Primary Key for class 'Pet' has been added: 'age'."))
    }

    @Test("a property that became optional keeps its values; others may begin anew if allowed")
    func changedTypes() throws {
        let directory = TemporaryDirectory()
        do {
            let realm = try directory.open([PetV1.self])
            try realm.write { realm.add(PetV1(value: ["name": "p", "age": 3])) }
        }
        var configuration = Realm.Configuration(
            fileURL: directory.url, schemaVersion: 1, objectTypes: [PetV3.self],
            durability: .unsynced)
        let refusal = #expect(throws: Realm.Error.self) { try Realm(configuration: configuration) }
        #expect(refusal?.code == .schemaMismatch)
        #expect(refusal?.message.contains("'Pet.age'") == true, "\(refusal?.message ?? "")")
        configuration.discardsChangedProperties = true
        let realm = try Realm(configuration: configuration)
        let pet = try #require(realm.objects(PetV3.self).first)
        #expect(pet.name == "p" && pet.age == "")
        try realm.write { pet.name = nil }
        #expect(pet.name == nil)
    }

    @Test("indexes come and go without a higher version")
    func indexes() throws {
        let directory = TemporaryDirectory()
        do {
            let realm = try directory.open([PetV1.self])
            try realm.write {
                for age in 0..<50 { realm.add(PetV1(value: ["name": "p\(age % 5)", "age": age])) }
            }
        }
        do {
            let realm = try directory.open([PetIndexed.self])
            #expect(realm.objects(PetIndexed.self).where { $0.name == "p3" }.count == 10)
            try realm.write { realm.objects(PetIndexed.self)[0].name = "p3" }
            #expect(realm.objects(PetIndexed.self).where { $0.name == "p3" }.count == 11)
        }
        let realm = try directory.open([PetV1.self])
        #expect(realm.objects(PetV1.self).where { $0.name == "p3" }.count == 11)
    }

    @Test("duplicate values keep a property from becoming the primary key")
    func duplicateKeys() throws {
        let directory = TemporaryDirectory()
        do {
            let realm = try directory.open([PetV1.self])
            try realm.write {
                for age in 0..<3 { realm.add(PetV1(value: ["name": "same", "age": age])) }
            }
        }
        let error = #expect(throws: Realm.Error.self) {
            try directory.open([PetKeyed.self], version: 1)
        }
        #expect(error?.code == .duplicatePrimaryKey)
        do {
            let realm = try directory.open([PetV1.self])
            try realm.write { for pet in realm.objects(PetV1.self) { pet.name = "\(pet.age)" } }
        }
        let realm = try directory.open([PetKeyed.self], version: 1)
        #expect(realm.object(ofType: PetKeyed.self, forPrimaryKey: "2")?.age == 2)
    }

    @Test("stored names are the mapped ones; the Swift name may change without a version")
    func mappedNames() throws {
        let directory = TemporaryDirectory()
        do {
            let realm = try directory.open([PetV1.self])
            try realm.write { realm.add(PetV1(value: ["name": "Rex", "age": 4])) }
        }
        let realm = try directory.open([PetMapped.self])
        let pet = try #require(realm.objects(PetMapped.self).where { $0.years == 4 }.first)
        #expect(pet.title == "Rex" && pet["years"] as? Int == 4 && pet["age"] as? Int == 4)
        #expect(pet.objectSchema["years"]?.columnName == "age")
    }

    @Test("classes with one stored name, and links out of the schema, are refused at opening")
    func invalidSchemas() throws {
        let directory = TemporaryDirectory()
        let error = #expect(throws: Realm.Error.self) {
            try directory.open([PetV1.self, PetV2.self])
        }
        #expect(error?.message.contains("same name 'Pet'") == true)
        let other = #expect(throws: Realm.Error.self) { try directory.open([Town.self]) }
        #expect(other?.message.contains("'Town.nation'") == true)
    }

    @Test("classes are found without being listed")
    func discovery() throws {
        let names = Set(Schema.allClassNames())
        #expect(names.isSuperset(of: ["Town", "Nation", "Scalars", "Node", "HiddenAway"]))
        #expect(!names.contains("PetV1"))
    }
}

extension Schema {
    static func allClassNames() -> [String] { discoveredClasses().map { $0.className() } }
}

private class HiddenAway: Object {
    @Persisted var value: Int
}

class Pet: Object {
    override class func _realmObjectName() -> String? { "Pet" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class PetV1: Pet {
    @Persisted var name: String
    @Persisted var age: Int
}

class PetV2: Pet {
    @Persisted var color = "grey"
    @Persisted var name: String
    @Persisted var weight = 2.5
    @Persisted var chip: ObjectId?
    @Persisted var tags: List<String>
}

class PetV3: Pet {
    @Persisted var name: String?
    @Persisted(primaryKey: true) var age: String
}

class PetIndexed: Pet {
    @Persisted(indexed: true) var name: String
    @Persisted var age: Int
}

class PetKeyed: Pet {
    @Persisted(primaryKey: true) var name: String
    @Persisted var age: Int
}

class PetMapped: Pet {
    @Persisted var title: String
    @Persisted var years: Int
    override class func propertiesMapping() -> [String: String] {
        ["title": "name", "years": "age"]
    }
}
