import Foundation
import TestSupport
import Testing

@testable import Travertine

/// A realm that tests open under one version after another.
struct MigratedRealm {
    let directory = TemporaryDirectory()

    func configuration(
        _ types: [ObjectBase.Type], version: UInt64, _ block: MigrationBlock? = nil
    ) -> Realm.Configuration {
        Realm.Configuration(
            fileURL: directory.url, schemaVersion: version, migrationBlock: block,
            objectTypes: types, durability: .unsynced)
    }

    /// Opens the realm, and compares what is derived from rows with the rows.
    func open(
        _ types: [ObjectBase.Type], version: UInt64, _ body: (Realm) throws -> Void = { _ in }
    ) throws {
        try open(configuration(types, version: version), body)
    }

    /// Opens the realm with a migration.
    func open(
        _ types: [ObjectBase.Type], version: UInt64, _ block: @escaping MigrationBlock,
        _ body: (Realm) throws -> Void = { _ in }
    ) throws {
        try open(configuration(types, version: version, block), body)
    }

    func open(
        _ configuration: Realm.Configuration, _ body: (Realm) throws -> Void = { _ in }
    ) throws {
        do {
            let realm = try Realm(configuration: configuration)
            try body(realm)
            #expect(try realm.brokenInvariants() == [])
        }
        #expect(try ObjectVerifier.verify(path: directory.url.path).findings.isEmpty)
    }

    /// What opening throws.
    func failure(
        _ types: [ObjectBase.Type], version: UInt64, _ block: MigrationBlock? = nil
    ) throws -> Realm.Error {
        let error = #expect(throws: Realm.Error.self) {
            _ = try Realm(configuration: configuration(types, version: version, block))
        }
        return try #require(error)
    }
}

/// A class that realms without listed types do not have.
class MigratedModel: Object {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class MigratedPart: EmbeddedObject {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Two versions of classes, with the same names.
enum Before {
    class Person: MigratedModel {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var firstName: String
        @Persisted var lastName: String
        @Persisted var age: Int
        @Persisted var friend: Person?
        @Persisted var dogs: List<Dog>
        @Persisted var home: Home?
        @Persisted var tags: List<String>
        @Persisted var scores: MutableSet<Int>
        @Persisted var notes: Map<String, String>
        @Persisted var anything: AnyRealmValue
    }

    class Dog: MigratedModel {
        @Persisted var name: String
        @Persisted(indexed: true) var age: Int
    }

    class Home: MigratedPart {
        @Persisted var street: String
        @Persisted var rooms: List<String>
    }

    class Draft: MigratedModel {
        @Persisted var text: String
    }

    static let types: [ObjectBase.Type] = [Person.self, Dog.self, Home.self, Draft.self]

    /// Five persons with a dog and a home each, of whom each has the next as friend.
    static func fill(_ realm: Realm) throws {
        try realm.write {
            for id in 0..<5 {
                let person = realm.create(
                    Person.self,
                    value: [
                        "id": id, "firstName": "F\(id)", "lastName": "L\(id)", "age": 10 * id,
                        "tags": ["t\(id)", "all"], "scores": [id, id + 1],
                        "notes": ["key": "note \(id)"], "anything": id,
                        "home": ["street": "S\(id)", "rooms": ["hall", "R\(id)"]],
                    ])
                person.dogs.append(Dog(value: ["name": "D\(id)", "age": id]))
            }
            let persons = realm.objects(Person.self)
            for id in 0..<4 { persons[id].friend = persons[id + 1] }
            realm.create(Draft.self, value: ["text": "a"])
        }
    }
}

enum After {
    class Person: MigratedModel {
        @Persisted(primaryKey: true) var id: String
        @Persisted(indexed: true) var name: String
        @Persisted var age: String
        @Persisted var friend: Person?
        @Persisted var dogs: List<Dog>
        @Persisted var home: Home?
        @Persisted var house: Home?
        @Persisted var labels: List<String>
        @Persisted var scores: MutableSet<String>
        @Persisted var notes: Map<String, Int>
        @Persisted var anything: AnyRealmValue
    }

    class Dog: MigratedModel {
        @Persisted var name: String
        @Persisted(indexed: true) var age: Int?
        @Persisted var born: Date
        @Persisted(originProperty: "dogs") var owners: LinkingObjects<Person>
    }

    class Home: MigratedPart {
        @Persisted var street: String
        @Persisted var rooms: List<String>
    }

    static let types: [ObjectBase.Type] = [Person.self, Dog.self, Home.self]

    /// What makes the new persons of the old ones.
    static let block: MigrationBlock = { migration, _ in
        migration.renameProperty(onType: Person.className(), from: "tags", to: "labels")
        migration.enumerateObjects(ofType: Person.className()) { old, new in
            guard let old, let new else { return }
            new["id"] = "p\(old["id"] as? Int ?? -1)"
            new["name"] = "\(old["firstName"] ?? "") \(old["lastName"] ?? "")"
            new["age"] = (old["age"] as? Int).map { String($0) }
            new["house"] = old["home"]
            new["scores"] = (old["scores"] as? MutableSet<Int>)?.map { "s\($0)" }
            let notes = old["notes"] as? Map<String, String>
            new["notes"] = ["length": notes?["key"]?.count ?? 0]
        }
        migration.deleteData(forType: "Draft")
    }
}
