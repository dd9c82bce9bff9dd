import Foundation
import RealmSwift
import TestSupport
import Testing

@testable import TravertineDocuments

@Suite("Relationships against schemas")
struct LinkProblemTests {
    private let schema = """
        {"title": "Owner", "bsonType": "object", "required": ["_id"], "properties": {
         "_id": {"bsonType": "long"}, "pet": {"bsonType": "uuid"}, "name": {"bsonType": "string"},
         "pets": {"bsonType": "array", "items": {"bsonType": "uuid"}},
         "byName": {"bsonType": "object", "additionalProperties": {"bsonType": "uuid"}},
         "home": {"title": "OwnerHome", "bsonType": "object", "properties":
          {"pet": {"bsonType": "uuid"}}},
         "homes": {"bsonType": "array", "items": {"title": "OwnerHome2", "bsonType": "object",
          "properties": {"pet": {"bsonType": "uuid"}}}}}}
        """
    private let target = """
        {"title": "Pet", "bsonType": "object", "required": ["_id"],
         "properties": {"_id": {"bsonType": "uuid"}}}
        """

    private func collections(
        _ links: [(field: String, key: String, isList: Bool, collection: String)]
    ) throws -> [DataSource.Collection] {
        [
            DataSource.Collection(
                database: "d", name: "owners", schema: try DocumentSchema(jsonSchema: schema),
                relationships: Relationships(
                    links.map {
                        Relationships.Relationship(
                            field: $0.field, source: "s", database: "d", collection: $0.collection,
                            foreignKey: $0.key, isList: $0.isList)
                    })),
            DataSource.Collection(
                database: "d", name: "pets", schema: try DocumentSchema(jsonSchema: target)),
        ]
    }

    @Test("what fits has no problems, in embedded objects too")
    func sound() throws {
        let collections = try collections([
            ("pet", "_id", false, "pets"), ("pets", "_id", true, "pets"),
            ("byName", "_id", true, "pets"), ("home.pet", "_id", false, "pets"),
            ("homes.pet", "_id", false, "pets"),
        ])
        #expect(DataSource.linkProblems(of: collections).isEmpty)
    }

    private let bad: [(field: String, key: String, isList: Bool, collection: String)] = [
        ("dog", "_id", false, "pets"), ("home.dog", "_id", false, "pets"),
        ("pet", "name", false, "pets"), ("pets", "_id", false, "pets"),
        ("name", "_id", false, "pets"), ("home", "_id", false, "pets"),
        ("home.pet", "_id", true, "pets"), ("byName", "_id", true, "cats"),
    ]
    private let expected = [
        "Owner.dog: has relationships, and is no property of the schema",
        "Owner.home.dog: has relationships, and is no property of the schema",
        "Owner.pet: links by \"name\"; links are by the key, \"_id\"",
        "Owner.pets: is array of uuid, and by \"is_list\" one link",
        "Owner.name: is string, and the key of Pet is uuid",
        "Owner.home: is object OwnerHome, which holds no keys",
        "Owner.home.pet: is uuid, and by \"is_list\" a list of links",
        "Owner.byName: links to #/relationship/s/d/cats, and there is no such collection",
    ]

    @Test("everything that does not fit is listed, and no type is made of it")
    func problems() throws {
        let workspace = Workspace()
        let collections = try collections(bad)
        let problems = DataSource.linkProblems(of: collections)
        #expect(problems.map(\.description) == expected)
        let alone = DataSource.linkProblems(of: [collections[0]], areAll: false)
        #expect(!alone.contains { $0.reason.contains("no such collection") } && alone.count == 6)
        let realm = try workspace.realm("a.realm", [])
        let error = #expect(throws: DataSourceError.badLinks(problems)) {
            try realm.addTypes(of: collections)
        }
        #expect("\(error as Any)".contains("Owner.dog"))
        #expect(realm.schema.objectSchema.isEmpty)
    }

    @Test("a comparison with types lists them, as not compatible")
    func findings() throws {
        let workspace = Workspace()
        for collection in try collections(bad) {
            let folder = workspace.directory.appending(path: "d/\(collection.name)")
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true)
            // With a byte order mark, as some editors write them.
            try Data(("\u{FEFF}" + collection.schema.jsonSchema).utf8)
                .write(to: folder.appending(path: "schema.json"))
            try Data(("\u{FEFF}" + collection.relationships.json).utf8)
                .write(to: folder.appending(path: "relationships.json"))
        }
        let source = try DataSource(directory: workspace.directory)
        let found = source.findings(for: [])
        #expect(found.prefix(expected.count).map(\.description) == expected)
        #expect(found.prefix(expected.count).allSatisfy { !$0.isCompatible })
    }

    @Test("files that can't be read are reported in words that a person understands")
    func unreadable() throws {
        let workspace = Workspace()
        let missing = workspace.directory.appending(path: "none")
        let error = #expect(throws: DataSourceError.self) { try DataSource(directory: missing) }
        #expect("\(error as Any)".contains("there is no such file or directory"))
        let folder = workspace.directory.appending(path: "d/owners")
        try FileManager.default.createDirectory(
            at: folder.appending(path: "schema.json"), withIntermediateDirectories: true)
        let other = #expect(throws: DataSourceError.self) {
            try DataSource(directory: workspace.directory)
        }
        #expect(!"\(other as Any)".contains("Domain"), "\(other as Any)")
    }
}
