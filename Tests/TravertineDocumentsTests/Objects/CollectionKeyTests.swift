import Foundation
import RealmSwift
import TestSupport
import Testing

@testable import TravertineDocuments

/// Documents of other origin have their own keys: no schema of them made types or classes.
@Suite("Documents with another key than _id")
struct CollectionKeyTests {
    private let workspace: Workspace

    init() throws { workspace = Workspace() }

    private func collections() throws -> [DataSource.Collection] {
        let city = try DocumentSchema(
            jsonSchema: """
                {"title": "City", "bsonType": "object", "required": ["post_code"],
                 "properties": {"name": {"bsonType": "string"}, "post_code": {"bsonType": "string"}}}
                """)
        let person = try DocumentSchema(
            jsonSchema: """
                {"title": "Person", "bsonType": "object", "required": ["_id"],
                 "properties": {"_id": {"bsonType": "long"}, "city": {"bsonType": "string"}}}
                """)
        let links = Relationships([
            Relationships.Relationship(
                field: "city", source: "s", database: "d", collection: "cities",
                foreignKey: "post_code", isList: false)
        ])
        return [
            DataSource.Collection(
                database: "d", name: "cities", schema: city, keyName: "post_code"),
            DataSource.Collection(
                database: "d", name: "people", schema: person, relationships: links),
        ]
    }

    @Test("types and classes have it as primary key, and links lead by it")
    func keys() throws {
        let collections = try collections()
        #expect(DataSource.linkProblems(of: collections).isEmpty)
        let files = try SwiftModels.files(for: collections)
        #expect(files[0].text.contains("@Persisted(primaryKey: true) var postCode: String\n"))
        #expect(files[0].text.contains(#"["postCode": "post_code"]"#))
        #expect(files[1].text.contains("@Persisted var city: City?\n"))
        let realm = try workspace.realm("a.realm", [])
        try realm.addTypes(of: collections)
        let people = try DocumentImporter(realm, type: "Person")
        let cities = try DocumentImporter(realm, type: "City")
        try realm.write {
            try people.insert(["_id": 1, "city": "89073"])
            try cities.insert(["post_code": "89073", "name": "Ulm"])
        }
        #expect(try people.linksWithoutTarget().isEmpty)
        let exporter = try DocumentExporter(realm, type: "Person")
        #expect(
            try exporter.document(forPrimaryKey: 1)?.description == #"{"_id":1,"city":"89073"}"#)
    }

    @Test("where no key is named, _id is expected of schemas and links")
    func missing() throws {
        var collections = try collections()
        collections[0].keyName = DataSource.Collection.usualKeyName
        let problems = DataSource.linkProblems(of: collections)
        #expect(problems.map(\.reason) == [#"links by "post_code"; links are by the key, "_id""#])
        let error = #expect(throws: ModelError.self) { try SwiftModels.files(for: collections) }
        #expect(error?.description.contains("City._id is missing, and is the key") == true)
    }

    @Test("a sampler reports documents without the key that it was given")
    func samples() {
        let sampler = SchemaSampler(title: "City", keyName: "code")
        sampler.add(["code": 1, "n": 5])
        sampler.add(["n": 6])
        #expect(sampler.problems().map(\.path) == ["code"])
        #expect(sampler.schema()["n"]?.text == "long")
        let narrow = SchemaSampler(title: "City", keepsIntegerWidth: true)
        narrow.add(["_id": 1, "n": 5])
        #expect(narrow.schema()["n"]?.text == "int")
    }
}
