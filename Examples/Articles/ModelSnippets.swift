import Foundation
import Testing
import Travertine

@Suite("Snippets: models")
struct ModelSnippets {
    enum Size: String, PersistableEnum {
        case small, medium, large
    }

    class Dog: Object {
        @Persisted(primaryKey: true) var _id: ObjectId
        @Persisted(indexed: true) var name: String
        @Persisted var age = 1
        @Persisted var weight: Double?
        @Persisted var size: Size
        @Persisted var photo: Data?

        // Not stored: it has no @Persisted, and neither has a computed property.
        var isSelected = false
        var isOld: Bool { age > 10 }
    }

    struct Celsius: CustomPersistable, Hashable {
        var degrees: Double

        init(_ degrees: Double) { self.degrees = degrees }

        // What is stored is a Double.
        init(persistedValue: Double) { degrees = persistedValue }
        var persistableValue: Double { degrees }
    }

    class Weather: Object {
        @Persisted var temperature: Celsius
        @Persisted var note: AnyRealmValue
    }

    class Location: EmbeddedObject {
        @Persisted var latitude: Double
        @Persisted var longitude: Double
    }

    struct Coordinate: CustomPersistable, Hashable {
        var latitude: Double
        var longitude: Double

        init(_ latitude: Double, _ longitude: Double) {
            self.latitude = latitude
            self.longitude = longitude
        }

        init(persistedValue: Location) {
            self.init(persistedValue.latitude, persistedValue.longitude)
        }
        var persistableValue: Location { Location(value: [latitude, longitude]) }
    }

    class Restaurant: Object {
        @Persisted var coordinate: Coordinate
        @Persisted var entrance: Coordinate?
        @Persisted var parking: List<Coordinate>
        @Persisted var named: Map<String, Coordinate?>
    }

    class Animal: Object {
        @Persisted var name: String
    }

    class Bird: Animal {
        @Persisted var wingspan: Double
    }

    class Zoo: Object {
        @Persisted var animals: List<Animal>
    }

    class Book: Object, Codable {
        @Persisted var title: String
        @Persisted var author: String
        @Persisted var isbn: String?
        @Persisted(indexed: .fullText) var summary: String

        override class func indexes() -> [ObjectIndex] {
            [ObjectIndex("author", "title"), ObjectIndex("isbn", isUnique: true)]
        }
    }

    @Test("objects are made, added, found and changed")
    func objects() throws {
        let directory = SnippetDirectory()
        let configuration = Realm.Configuration(
            fileURL: directory.url, objectTypes: [Dog.self])
        let realm = try Realm(configuration: configuration)
        let rex = Dog()
        rex.name = "Rex"
        let bella = Dog(value: ["name": "Bella", "age": 3])
        try realm.write {
            realm.add(rex)
            realm.add(bella)
            realm.create(Dog.self, value: ["name": "Max", "size": Size.large])
        }
        let found = realm.object(ofType: Dog.self, forPrimaryKey: bella._id)
        let grown = realm.objects(Dog.self).where { $0.age >= 2 && $0.size == .small }
        #expect(found?.name == "Bella" && grown.map(\.name) == ["Bella"])
        try realm.write {
            realm.create(Dog.self, value: ["_id": bella._id, "age": 4], update: .modified)
        }
        #expect(bella.age == 4 && bella.name == "Bella")
        let copy = bella.detached()
        copy.name = "a draft"
        try realm.write { realm.add(copy, update: .modified) }
        #expect(bella.name == "a draft" && rex.age == 1 && rex.size == .small && !rex.isOld)
        #expect(realm.objects(Dog.self).count == 3)
        for dog in realm.dynamicObjects("Dog") {
            print(dog["name"] ?? "nameless", dog.age ?? 0)
        }
        assert(bella["weight"] == nil)
    }

    @Test("custom types and values of any type")
    func values() throws {
        let directory = SnippetDirectory()
        let realm = try directory.open([Weather.self])
        let weather = Weather()
        weather.temperature = Celsius(21.5)
        weather.note = .dictionary(["wind": .string("west"), "gusts": .list([.int(7), .int(9)])])
        try realm.write { realm.add(weather) }

        let gusts = weather.note.dictionaryValue?["gusts"]?.listValue
        try realm.write { gusts?.append(.int(12)) }
        #expect(gusts?.count == 3)
        let warm = realm.objects(Weather.self).where { $0.temperature == Celsius(21.5) }
        #expect(warm.count == 1)
    }

    @Test("custom types that are stored as embedded objects")
    func embeddedValues() throws {
        let directory = SnippetDirectory()
        let realm = try directory.open([Restaurant.self, Location.self])
        let restaurant = Restaurant()
        restaurant.coordinate = Coordinate(60.4, 5.3)
        restaurant.parking.append(Coordinate(60.5, 5.4))
        try realm.write { realm.add(restaurant) }
        #expect(restaurant.coordinate == Coordinate(60.4, 5.3) && restaurant.entrance == nil)
        #expect((restaurant["coordinate"] as? Location)?.latitude == 60.4)
        let northern = realm.objects(Restaurant.self).where { $0.coordinate.latitude > 60 }
        #expect(northern.sorted(byKeyPath: "coordinate.latitude").count == 1)
    }

    @Test("indexes of several properties, of words, and unique ones; copies are encoded")
    func indexes() throws {
        let directory = SnippetDirectory()
        let realm = try directory.open([Book.self])
        let book = Book(value: ["title": "Emma", "author": "Austen", "isbn": "978-0"])
        book.summary = "Matchmaking in Highbury, mostly mistaken."
        try realm.write { realm.add(book) }

        let books = realm.objects(Book.self).where { $0.summary.fullText("highbury matchmaking") }
        let same = realm.objects(Book.self).where { $0.author == "Austen" && $0.title == "Emma" }
        #expect(books.count == 1 && same.count == 1)
        do {
            try realm.write { realm.add(Book(value: ["title": "Persuasion", "isbn": "978-0"])) }
        } catch let error as Realm.Error where error.code == .uniqueViolation {
            print(error.message)
        }
        #expect(realm.objects(Book.self).count == 1)
        let json = try JSONEncoder().encode(book)
        let decoded = try JSONDecoder().decode(Book.self, from: json)
        let all = try JSONEncoder().encode(realm.objects(Book.self))
        #expect(decoded.title == "Emma" && decoded.realm == nil && all.count == json.count + 2)
    }

    @Test("types and properties without a class")
    func declared() throws {
        let directory = SnippetDirectory()
        let file = directory.url
        let note = ObjectSchema(
            "Note",
            properties: [
                Property("id", .int, isPrimaryKey: true),
                Property("text", .string, defaultValue: "empty", index: .fullText),
                Property("tags", .string, collection: .list),
            ])
        let chipped = ObjectSchema(
            extending: Dog.self, adding: [Property("chip", .string, isOptional: true)])

        var extended = Realm.Configuration(fileURL: file, objectTypes: [Dog.self])
        extended.objectSchemas = [note, chipped]
        let extendedRealm = try Realm(configuration: extended)
        try extendedRealm.write {
            extendedRealm.dynamicCreate("Note", value: ["id": 1, "tags": ["first"]])
            let rex = extendedRealm.create(Dog.self, value: ["name": "Rex"])
            rex["chip"] = "900-1"
        }
        #expect(extendedRealm.dynamicObjects("Note").first?["text"] as? String == "empty")
        #expect(extendedRealm.objects(Dog.self).first?["chip"] as? String == "900-1")
    }

    @Test("a base class has its own objects, and those of its subclasses when asked")
    func inheritance() throws {
        let directory = SnippetDirectory()
        let realm = try directory.open([Animal.self, Bird.self, Zoo.self])
        try realm.write {
            let snail = Animal(value: ["name": "snail"])
            let owl = Bird(value: ["name": "owl", "wingspan": 1.4])
            realm.create(Zoo.self, value: ["animals": [snail, owl]])
        }
        assert(realm.objects(Animal.self).count == 1)
        assert(realm.objects(Animal.self, includingSubclasses: true).count == 2)
        let birds = realm.objects(Zoo.self).first?.animals.compactMap { $0 as? Bird }
        #expect(realm.objects(Animal.self).count == 1)
        #expect(realm.objects(Animal.self, includingSubclasses: true).count == 2)
        #expect(birds?.map(\.wingspan) == [1.4])
    }

    class DogOfVersion1: Object {
        @Persisted(primaryKey: true) var _id: ObjectId
        @Persisted(indexed: true) var name: String
        @Persisted var legs = 4

        override class func objectTypeName() -> String { "Dog" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    @Test("a property that is added later has its declared default")
    func schemaVersions() throws {
        typealias Dog = DogOfVersion1
        let directory = SnippetDirectory()
        do {
            let realm = try directory.open([ModelSnippets.Dog.self])
            try realm.write { realm.create(ModelSnippets.Dog.self, value: ["name": "Rex"]) }
        }
        let newerFile = directory.url
        let newer = Realm.Configuration(
            fileURL: newerFile, schemaVersion: 1, objectTypes: [Dog.self])
        let newerRealm = try Realm(configuration: newer)
        #expect(newerRealm.objects(Dog.self).map(\.legs) == [4])
        #expect(newerRealm.objects(Dog.self).map(\.name) == ["Rex"])
    }
}
