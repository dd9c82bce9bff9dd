import Foundation
import Testing
import Travertine

@Suite("Snippets: migrations")
struct MigrationSnippets {
    enum Old {
        class Person: Object {
            @Persisted(primaryKey: true) var id: Int
            @Persisted var firstName: String
            @Persisted var lastName: String
            @Persisted var mail: String
            @Persisted var age: Int
            @Persisted var dogs: List<Dog>
        }

        class Dog: Object {
            @Persisted var name: String
            @Persisted var legs: Int
        }

        class Pet: Object {
            @Persisted var name: String
            @Persisted var age: Int
        }

        class Guest: Object {
            @Persisted var fullName: String
            @Persisted var age: Int
            @Persisted var street: String
            @Persisted var city: String?
        }
    }

    class Person: Object {
        @Persisted(primaryKey: true) var id: String
        @Persisted var name: String
        @Persisted var email: String
        @Persisted var age: String
        @Persisted var isMember: Bool
        @Persisted var note: String?
        @Persisted var dogs: List<Dog>
        @Persisted var dogCount: Int
        @Persisted var favourite: Dog?
    }

    class Dog: Object {
        @Persisted var name: String
        @Persisted var age: Int?
        @Persisted var legCount: Int
    }

    class Guest: Object {
        @Persisted var first: String
        @Persisted var last: String
        @Persisted var birthYear: Int
        @Persisted var address: String
    }

    private func fill(_ directory: SnippetDirectory) throws {
        let realm = try directory.open(
            [Old.Person.self, Old.Dog.self, Old.Pet.self, Old.Guest.self])
        try realm.write {
            let rex = Old.Dog(value: ["name": "Rex", "legs": 4])
            realm.create(
                Old.Person.self,
                value: [
                    "id": 1, "firstName": "Ada", "lastName": "Bell", "mail": "a@b", "age": 36,
                    "dogs": [rex],
                ])
            realm.create(Old.Person.self, value: ["id": 2, "firstName": "Cy", "age": 0])
            realm.create(Old.Pet.self, value: ["name": "Tom", "age": 3])
            realm.create(
                Old.Guest.self, value: ["fullName": "Di Ede", "age": 26, "street": "S 1"])
        }
    }

    @Test("a block makes new values of old ones")
    func block() throws {
        let directory = SnippetDirectory()
        try fill(directory)
        let file = directory.url
        var configuration = Realm.Configuration(fileURL: file, schemaVersion: 3)
        configuration.objectTypes = [Person.self, Dog.self]
        configuration.migrationBlock = { migration, oldSchemaVersion in
            if oldSchemaVersion < 1 {
                migration.renameProperty(onType: Person.className(), from: "mail", to: "email")
            }
            if oldSchemaVersion < 2 {
                migration.enumerateObjects(ofType: Person.className()) { oldObject, newObject in
                    let first = oldObject!["firstName"] as? String ?? ""
                    let last = oldObject!["lastName"] as? String ?? ""
                    newObject!["name"] = "\(first) \(last)"
                }
            }
            if oldSchemaVersion < 3 {
                migration.enumerateObjects(ofType: Person.className()) { oldObject, newObject in
                    newObject!["id"] = UUID().uuidString
                    newObject!["age"] = (oldObject!["age"] as? Int).map { String($0) }
                    newObject!["isMember"] = true
                    newObject!["note"] = nil
                }
            }
        }
        let realm = try Realm(configuration: configuration)
        let persons = realm.objects(Person.self)
        #expect(persons.map(\.name) == ["Ada Bell", "Cy "] && persons.map(\.age) == ["36", "0"])
        #expect(persons.map(\.email) == ["a@b", ""] && persons.allSatisfy { $0.isMember })
        #expect(persons[0].dogs.first?.name == "Rex")
        if try schemaVersionAtURL(file) < configuration.schemaVersion {
            try Realm.performMigration(for: configuration)
        }
    }

    func countDogs(_ migration: Migration) {
        migration.enumerateObjects(ofType: "Person") { oldObject, newObject in
            let dogs = oldObject!["dogs"] as? List<DynamicObject>
            newObject!["dogCount"] = dogs?.count ?? 0
            newObject!["favourite"] = dogs?.first
            for dog in dogs ?? List() where dog["name"] as? String == "Rex" {
                migration.newObject(for: dog)?["name"] = "Max"
            }
            if oldObject!["age"] as? Int == 0 {
                migration.delete(newObject!)
            }
        }
    }

    func turnPetsIntoDogs(_ migration: Migration) {
        migration.enumerateObjects(ofType: "Pet") { oldObject, newObject in
            let dog = migration.create("Dog", value: ["name": oldObject!["name"] ?? ""])
            dog["age"] = oldObject!["age"]
        }
        migration.deleteData(forType: "Pet")
    }

    func keepLegs(_ migration: Migration) {
        migration.enumerateObjects(ofType: "Dog") { oldObject, newObject in
            if oldObject!.objectSchema.properties.contains(where: { $0.name == "legs" }) {
                newObject!["legCount"] = oldObject!["legs"]
            }
        }
    }

    @Test("objects are linked, created and deleted")
    func objects() throws {
        let directory = SnippetDirectory()
        try fill(directory)
        var configuration = Realm.Configuration(fileURL: directory.url, schemaVersion: 1)
        configuration.objectTypes = [Person.self, Dog.self]
        configuration.migrationBlock = { migration, _ in
            migration.enumerateObjects(ofType: "Person") { oldObject, newObject in
                newObject!["id"] = "\(oldObject!["id"]!)"
                newObject!["age"] = "\(oldObject!["age"]!)"
            }
            countDogs(migration)
            turnPetsIntoDogs(migration)
            keepLegs(migration)
        }
        let realm = try Realm(configuration: configuration)
        #expect(realm.objects(Person.self).map { $0.favourite?.name } == ["Max"])
        #expect(realm.objects(Dog.self).map(\.name) == ["Max", "Tom"])
        #expect(realm.objects(Dog.self).map(\.legCount) == [4, 0])
    }

    @Test("declared steps lead from any older version")
    func declared() throws {
        let directory = SnippetDirectory()
        try fill(directory)
        let guestFile = directory.url
        var guests = Realm.Configuration(
            fileURL: guestFile, schemaVersion: 4, objectTypes: [Guest.self])
        guests.migrations = [
            MigrationVersion(1, .rename("Guest", from: "fullName", to: "name")),
            MigrationVersion(
                2,
                .split("Guest", "name", into: "first", "last") { (name: String) in
                    let words = name.split(separator: " ", maxSplits: 1).map { String($0) }
                    return (words.first ?? "", words.last ?? "")
                }),
            MigrationVersion(3),
            MigrationVersion(
                4,
                .map("age", to: \Guest.birthYear) { (age: Int) in 2026 - age },
                .merge("Guest", "street", "city", to: "address") {
                    (street: String, city: String?) in
                    city.map { "\(street), \($0)" } ?? street
                },
                .delete("Draft")),
        ]
        let guestRealm = try Realm(configuration: guests)
        let guest = guestRealm.objects(Guest.self)[0]
        #expect(guest.first == "Di" && guest.last == "Ede" && guest.birthYear == 2000)
        #expect(guest.address == "S 1")
    }
}
