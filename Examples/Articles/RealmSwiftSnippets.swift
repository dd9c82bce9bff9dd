import Foundation
import RealmSwift
import Testing

@Suite("Snippets: coming from RealmSwift")
struct RealmSwiftSnippets {
    class Person: Object {
        @Persisted(primaryKey: true) var _id: ObjectId
        @Persisted var name: String = ""
        @Persisted var age: Int?
        @Persisted var dogs: List<Dog>

        override class func propertiesMapping() -> [String: String] { ["name": "full_name"] }
    }

    class Dog: Object {
        @Persisted(indexed: true) var name: String
        @Persisted(originProperty: "dogs") var owners: LinkingObjects<Person>
    }

    @Test("code of RealmSwift works as it is")
    func unchanged() throws {
        let directory = SnippetDirectory()
        let file = directory.url
        var configuration = Realm.Configuration(objectTypes: [Person.self, Dog.self])
        configuration.fileURL = file  // a directory
        let realm = try Realm(configuration: configuration)
        try realm.write {
            let rex = realm.create(Dog.self, value: ["name": "Rex"])
            let ada = Person(value: ["name": "Ada", "age": 36])
            ada.dogs.append(rex)
            realm.add(ada)
        }
        let owners = realm.objects(Person.self)
            .where { $0.dogs.name == "Rex" && $0.age >= 18 }
            .sorted(byKeyPath: "name")
        print(owners.first?.dogs.first?.owners.count ?? 0)
        #expect(owners.count == 1 && owners.first?.dogs.first?.owners.count == 1)
    }
}
