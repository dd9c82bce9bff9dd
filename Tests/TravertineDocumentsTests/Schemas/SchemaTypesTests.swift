import Foundation
import RealmSwift
import TestSupport
import Testing

@testable import TravertineDocuments

@Suite("Schemas become object types")
struct SchemaTypesTests {
    private let workspace: Workspace

    init() throws { workspace = Workspace() }

    private let owner = """
        {"title": "Keeper", "bsonType": "object", "required": ["_id", "name"],
         "properties": {
          "_id": {"bsonType": "objectId"}, "name": {"bsonType": "string"},
          "age": {"bsonType": "int"}, "any": {"bsonType": "mixed"},
          "tags": {"bsonType": "array", "uniqueItems": true, "items": {"bsonType": "string"}},
          "grid": {"bsonType": "array", "items": {"bsonType": "array"}},
          "labels": {"bsonType": "object", "additionalProperties": {"bsonType": "double"}},
          "home": {"title": "Home", "bsonType": "object", "required": ["zip"],
            "properties": {"zip": {"bsonType": "long"}, "pet": {"bsonType": "uuid"}}},
          "pet": {"bsonType": "uuid"},
          "pets": {"bsonType": "array", "items": {"bsonType": "uuid"}}}}
        """
    private let pet = """
        {"title": "Beast", "bsonType": "object", "required": ["_id"],
         "properties": {"_id": {"bsonType": "uuid"}}}
        """

    private func collections() throws -> [DataSource.Collection] {
        func link(_ field: String, _ isList: Bool) -> Relationships.Relationship {
            Relationships.Relationship(
                field: field, source: "s", database: "d", collection: "beasts", isList: isList)
        }
        return [
            DataSource.Collection(
                database: "d", name: "keepers", schema: try DocumentSchema(jsonSchema: owner),
                relationships: Relationships([
                    link("home.pet", false), link("pet", false), link("pets", true),
                ])),
            DataSource.Collection(
                database: "d", name: "beasts", schema: try DocumentSchema(jsonSchema: pet)),
        ]
    }

    @Test("the types have the schemas that they were made of, and classes open them")
    func types() throws {
        let collections = try collections()
        let configuration = Realm.Configuration(
            fileURL: workspace.directory.appending(path: "a.realm"), objectTypes: [])
        do {
            let realm = try Realm(configuration: configuration)
            try realm.addTypes(of: collections)
            try realm.addTypes(of: collections)
            let types = try ObjectMapping(realm.schema).objectTypes {
                CollectionPlace(source: "s", database: "d", collection: $0.lowercased() + "s")
            }
            #expect(types.map(\.schema.title) == ["Beast", "Keeper"])
            let differences = types[1].schema.differences(from: collections[0].schema)
            // Integers have one width, and what is in a list of lists is any value.
            #expect(
                differences.map(\.description) == [
                    "age: int has become long", "grid.[]: array of mixed has become mixed",
                ])
            #expect(differences.allSatisfy { $0.isReadable && $0.isAdditive })
            #expect(
                Set(types[1].relationships.all) == Set(collections[0].relationships.all))
            let importer = try DocumentImporter(realm, type: "Keeper")
            try realm.write {
                try importer.insert(
                    Document(
                        extendedJSON: """
                            {"_id": {"$oid": "0123456789abcdef01234567"}, "name": "a",
                             "home": {"zip": 1}, "tags": ["x"], "grid": [[1], 2]}
                            """))
            }
        }
        let realm = try workspace.realm("a.realm", [Keeper.self, Home.self, Beast.self])
        let keeper = try #require(realm.objects(Keeper.self).first)
        #expect(keeper.name == "a" && keeper.home?.zip == 1 && keeper.tags.contains("x"))
        #expect(keeper.age == nil && keeper.grid[0].listValue?.first == 1)
        try realm.write {
            let beast = realm.create(Beast.self)
            keeper.pet = beast
            keeper.home = Home(value: ["zip": 2])
        }
        #expect(realm.objects(Home.self).map(\.zip) == [2])
        #expect(realm.objects(Beast.self)[0].keepers.count == 1)
    }

    @Test("what no type can express is refused with type and field")
    func errors() throws {
        var collections = try collections()
        collections[0].schema.properties.removeFirst()
        let realm = try workspace.realm("b.realm", [])
        let error = #expect(throws: ModelError.self) { try realm.addTypes(of: collections) }
        #expect(
            error?.description == "d/keepers/schema.json: Keeper._id is missing, and is the key: "
                + "name it in \"properties\", or say which other field is the key (`--key`, "
                + "`Collection.keyName`)")
        #expect(realm.schema.objectSchema.isEmpty)
        var long = try self.collections()
        long[1].schema.title = String(repeating: "x", count: 58)
        #expect(throws: ModelError.self) { try realm.addTypes(of: long) }
        #expect(realm.schema.objectSchema.isEmpty)
    }
}

final class Keeper: HiddenObject {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var name: String
    @Persisted var age: Int?
    @Persisted var any: AnyRealmValue
    @Persisted var tags: MutableSet<String>
    @Persisted var grid: List<AnyRealmValue>
    @Persisted var labels: Map<String, Double>
    @Persisted var home: Home?
    @Persisted var pet: Beast?
    @Persisted var pets: List<Beast>
}

final class Home: HiddenEmbeddedObject {
    @Persisted var zip: Int
    @Persisted var pet: Beast?
}

final class Beast: HiddenObject {
    @Persisted(primaryKey: true) var _id: UUID
    @Persisted(originProperty: "pet") var keepers: LinkingObjects<Keeper>
}
