import Foundation
import RealmSwift
import TestSupport
import Testing

/// Rarer spellings of code for RealmSwift.
@Suite("Spellings of RealmSwift")
struct RealmSwiftSpellingTests {
    private let directory = TemporaryDirectory()

    private func open() throws -> (Realm, SpelledCity) {
        let realm = try directory.open([SpelledCity.self])
        return try realm.write {
            let city = realm.create(SpelledCity.self, value: ["name": "a"])
            city.scores.append(objectsIn: [3, 1])
            city.sisters.append(city)
            city.sisterSet.insert(city)
            city.sistersByName["a"] = city
            return (realm, city)
        }
    }

    @Test("results of values and collections without type are encoded, and compared")
    func collections() throws {
        let (_, city) = try open()
        let sorted = city.scores.sorted(ascending: true)
        #expect(String(decoding: try JSONEncoder().encode(sorted), as: UTF8.self) == "[1,3]")
        let any = AnyRealmCollection(city.scores)
        #expect(String(decoding: try JSONEncoder().encode(any), as: UTF8.self) == "[3,1]")
        #expect(any == AnyRealmCollection(city.scores) && any != AnyRealmCollection(sorted))
        #expect(any != AnyRealmCollection(List<Int>()))
        func isSame<Collection: RealmCollection>(_ left: Collection, _ right: Collection) -> Bool {
            left == right
        }
        #expect(isSame(city.scores, city.scores) && !isSame(city.scores, List()))
    }

    @Test("what a projection makes of a list belongs to the realm's thread")
    func projected() throws {
        let (realm, _) = try open()
        func isFrozen(_ value: some ThreadConfined) -> Bool {
            value.isFrozen || value.isInvalidated
        }
        let view = try #require(realm.objects(SpelledCityView.self).first)
        #expect(!isFrozen(view.sisterNames) && view.sisterNames.realm == realm)
        #expect(!view.sisterNames.isFrozen)
    }

    @Test("objects with a class have collections of objects without")
    func dynamicCollections() throws {
        let (_, city) = try open()
        #expect(city.dynamicList("sisters").first?.name as? String == "a")
        #expect(city.dynamicMutableSet("sisterSet").count == 1)
        #expect(city.dynamicMap("sistersByName")["a"]??.name as? String == "a")
        #expect(SpelledCity().dynamicList("sisters").isEmpty)
    }

    @Test("a class that its key identifies may have its own property `id`")
    func identifiers() throws {
        let (_, city) = try open()
        let id: ObjectId = city.id
        #expect(id != ObjectId() && SpelledCity.ID.self == ObjectId.self)
        #expect(SpelledTown.ID.self == UInt64.self)
        func identifier<Value: Identifiable>(_ value: Value) -> Value.ID { value.id }
        #expect(identifier(city) == id)
    }

    @Test("boxed numbers and collections of Foundation are values")
    func foundation() throws {
        #expect(Decimal128(number: NSNumber(value: 5)) == 5)
        #expect(Decimal128(number: NSNumber(value: 0.25)) == 0.25)
        let scores = NSArray(array: [NSNumber(value: 7), 8])
        let values: NSDictionary = ["name": "b", "scores": scores]
        let city = SpelledCity(value: values)
        #expect(city.name == "b" && Array(city.scores) == [7, 8])
        let pair = SpelledTown(value: NSArray(array: ["c", NSNumber(value: 9)]))
        #expect(pair.name == "c" && pair.size == 9)
        let (realm, _) = try open()
        try realm.write { realm.create(SpelledCity.self, value: values) }
        #expect(realm.objects(SpelledCity.self).where { $0.name == "b" }.first?.scores.last == 8)
    }

    @Test("a migration is performed without opening")
    func migration() throws {
        do { _ = try open() }
        var configuration = Realm.Configuration(
            fileURL: directory.url, schemaVersion: 3, objectTypes: [SpelledCity.self])
        configuration.migrationBlock = { migration, _ in
            migration.renameProperty(onType: "SpelledCity", from: "name", to: "title")
        }
        configuration.objectTypes = [RetitledCity.self]
        try Realm.performMigration(for: configuration)
        configuration.migrationBlock = nil
        #expect(try Realm(configuration: configuration).objects(RetitledCity.self)[0].title == "a")
        configuration.schemaVersion = 2
        #expect(throws: Realm.Error.self) { try Realm.performMigration(for: configuration) }
    }
}

class SpelledCity: Object, ObjectKeyIdentifiable {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    @Persisted(primaryKey: true) var id: ObjectId
    @Persisted var name: String
    @Persisted var scores: List<Int>
    @Persisted var sisters: List<SpelledCity>
    @Persisted var sisterSet: MutableSet<SpelledCity>
    @Persisted var sistersByName: Map<String, SpelledCity?>
}

class SpelledTown: Object, ObjectKeyIdentifiable {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    @Persisted var name: String
    @Persisted var size: Int
}

class RetitledCity: Object {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    override class func objectTypeName() -> String { "SpelledCity" }

    @Persisted(primaryKey: true) var id: ObjectId
    @Persisted var title: String
    @Persisted var scores: List<Int>
    @Persisted var sisters: List<RetitledCity>
    @Persisted var sisterSet: MutableSet<RetitledCity>
    @Persisted var sistersByName: Map<String, RetitledCity?>
}

class SpelledCityView: Projection<SpelledCity> {
    @Projected(\SpelledCity.sisters.projectTo.name) var sisterNames: ProjectedCollection<String>
}
