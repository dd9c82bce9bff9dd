import Testing
import Travertine

@Suite("Snippets: names")
struct NameSnippets {
    class Person: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var firstName: String

        override class func objectTypeName() -> String { "people" }
        override class func propertiesMapping() -> [String: String] {
            ["id": "_id", "firstName": "first_name"]
        }
    }

    class Model: Object {
        override class func namingPolicy() -> NamingPolicy { .snakeCase }
    }

    class Order: Model {
        @Persisted var orderNumber: Int  // stored as order_number
        @Persisted var homeURL: String  // stored as home_url
        @Persisted var note: String  // stored as remark

        override class func propertiesMapping() -> [String: String] { ["note": "remark"] }
    }

    @Test("names in Swift and names that are stored")
    func names() throws {
        let directory = SnippetDirectory()
        let realm = try directory.open([Person.self, Order.self])
        let person = Person(value: ["id": 1, "firstName": "Ada"])
        try realm.write { realm.add(person) }
        let byPublicName = person["firstName"] as? String
        let byStoredName = person["first_name"] as? String
        let sorted = realm.objects(Person.self).sorted(byKeyPath: "first_name")
        let dynamic = realm.dynamicObjects("people").first?["first_name"] as? String
        #expect(byPublicName == "Ada" && byStoredName == "Ada" && dynamic == "Ada")
        #expect(sorted.count == 1)
        let stored = Order().objectSchema.properties.map(\.columnName)
        #expect(stored == ["order_number", "home_url", "remark"])
    }

    class Human: Object {
        @Persisted(primaryKey: true) var key: Int
        @Persisted var givenName: String

        override class func objectTypeName() -> String { "people" }
        override class func propertiesMapping() -> [String: String] {
            ["key": "_id", "givenName": "first_name"]
        }
    }

    class Citizen: Object {
        @Persisted(primaryKey: true) var _id: Int
        @Persisted var name: String

        override class func objectTypeName() -> String { "people" }
    }

    @Test("a Swift name changes freely, a stored one by a migration")
    func renaming() throws {
        let directory = SnippetDirectory()
        do {
            let realm = try directory.open([Person.self])
            try realm.write { realm.create(Person.self, value: ["id": 1, "firstName": "Ada"]) }
        }
        do {
            let realm = try directory.open([Human.self])
            #expect(realm.objects(Human.self).map(\.givenName) == ["Ada"])
        }
        let file = directory.url
        var configuration = Realm.Configuration(
            fileURL: file, schemaVersion: 1, objectTypes: [Citizen.self])
        configuration.migrationBlock = { migration, storedVersion in
            if storedVersion < 1 {
                migration.renameProperty(onType: "people", from: "first_name", to: "name")
            }
        }
        let newer = try Realm(configuration: configuration)
        #expect(newer.objects(Citizen.self).map(\.name) == ["Ada"])
    }
}
