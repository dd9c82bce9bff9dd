import Foundation
import RealmSwift
import TestSupport
import Testing

@testable import TravertineDocuments

/// Collections in collections are values of any type to a class. Files that said more were found
/// incompatible with their own classes, and lost it when they were rewritten.
@Suite("Collections in collections")
struct NestedCollectionTests {
    private static let text = """
        {
          "title": "Sheet",
          "bsonType": "object",
          "required": [
            "_id"
          ],
          "properties": {
            "_id": {
              "bsonType": "long"
            },
            "grid": {
              "bsonType": "array",
              "items": {
                "bsonType": "array",
                "items": {
                  "bsonType": "long",
                  "minimum": 0
                },
                "maxItems": 2
              },
              "maxItems": 3
            },
            "tables": {
              "bsonType": "object",
              "additionalProperties": {
                "bsonType": "object",
                "additionalProperties": {
                  "bsonType": "array",
                  "items": {
                    "bsonType": "string"
                  }
                }
              }
            }
          }
        }

        """

    private let workspace: Workspace

    init() throws { workspace = Workspace() }

    private func source(_ text: String = Self.text) throws -> DataSource {
        let folder = workspace.directory.appending(path: "source/Office/sheets")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: folder.appending(path: "schema.json"))
        return try DataSource(directory: workspace.directory.appending(path: "source"))
    }

    @Test("a class of such a schema has any values, is compatible, and the file keeps its words")
    func compatible() throws {
        var source = try source()
        let files = try SwiftModels.files(for: source.collections)
        #expect(files.map(\.name) == ["Sheet.swift"])
        #expect(files[0].text.contains("var grid: List<AnyRealmValue>\n"))
        #expect(files[0].text.contains("var tables: Map<String, AnyRealmValue>\n"))
        let types = try source.objectTypes(
            of: Schema(classes: [Sheet.self]), creatingIn: "Office")
        let findings = source.findings(for: types)
        #expect(
            findings.map(\.description) == [
                "Sheet.grid.[]: array of long has become mixed",
                "Sheet.tables.{}: dictionary of array of string has become mixed",
            ])
        #expect(findings.allSatisfy { $0.isCompatible })
        let changes = try source.changes(for: types, creatingIn: "Office")
        #expect(changes.isEmpty)
        var wider = types
        wider[0].schema.properties.append(DocumentSchema.Property("more", .scalar(.bool)))
        try source.apply(source.changes(for: wider, creatingIn: "Office"))
        let written = try String(
            contentsOf: workspace.directory.appending(
                path: "source/Office/sheets/schema.json"), encoding: .utf8)
        #expect(
            written == String(Self.text.dropLast("    }\n  }\n}\n".count))
                + "    },\n    \"more\": {\n      \"bsonType\": \"bool\"\n    }\n  }\n}\n")
    }

    @Test("documents come in and go out, checked by what the file says")
    func documents() throws {
        let source = try source()
        let realm = try workspace.realm("a.realm", [])
        try realm.addTypes(of: source.collections)
        let schema = try #require(source.collection(titled: "Sheet")?.schema)
        let importer = try DocumentImporter(realm, type: "Sheet", schema: schema)
        let good = #"{"_id":1,"grid":[[1,2],[],[3]],"tables":{"a":{"b":["x"]}}}"#
        try realm.write { try importer.insert(Document(extendedJSON: good)) }
        let refused = [
            (#"{"_id":2,"grid":[[1,"x"]]}"#, "grid.0.1: long expected"),
            (#"{"_id":2,"grid":[1]}"#, "grid.0: array expected"),
            (#"{"_id":2,"grid":[[1,2,3]]}"#, "grid.0: 3 elements, more than 2"),
            (#"{"_id":2,"tables":{"a":{"b":[1]}}}"#, "tables.a.b.0: string expected"),
        ]
        for (bad, reason) in refused {
            let document = try Document(extendedJSON: bad)
            let error = #expect(throws: (any Error).self, "\(bad)") {
                try realm.write { try importer.insert(document) }
            }
            #expect(error.map { "\($0)" }?.contains(reason) == true, "\(bad)")
        }
        let exporter = try DocumentExporter(realm, type: "Sheet", schema: schema)
        #expect(try exporter.document(forPrimaryKey: 1)?.description == good)
        // What a sample of the documents says fits the same class.
        let sampler = SchemaSampler(title: "Sheet")
        sampler.add(try Document(extendedJSON: good))
        #expect(sampler.schema()["grid"]?.text == "array of mixed")
        let differences = sampler.schema().differences(from: schema)
        #expect(
            differences.filter { !$0.isReadable }.map(\.description)
                == [
                    "tables: dictionary of dictionary of array of string has become object Sheet_tables"
                ])
    }

    @Test("sets of collections, which no object can hold, are refused with the way out")
    func sets() throws {
        for (type, name) in [("array", "arrays"), ("object", "dictionaries")] {
            let source = try source(
                """
                {"title": "Sheet", "bsonType": "object", "properties": {"_id": {"bsonType": "long"},
                 "in": {"bsonType": "object", "title": "In", "properties": {
                  "set": {"bsonType": "array", "uniqueItems": true, "items": {"bsonType": "\(type)"}}}}}}
                """)
            let realm = try workspace.realm("\(type).realm", [])
            let expected =
                "Office/sheets/schema.json: Sheet.in.set is a set of \(name), which no class can "
                + "have: take \"uniqueItems\" out of the schema"
            let models = #expect(throws: ModelError.self) {
                try SwiftModels.files(for: source.collections)
            }
            #expect(models?.description == expected)
            let types = #expect(throws: ModelError.self) {
                try realm.addTypes(of: source.collections)
            }
            #expect(types?.description == expected)
        }
    }
}

final class Sheet: HiddenObject {
    @Persisted(primaryKey: true) var _id: Int
    @Persisted var grid: List<AnyRealmValue>
    @Persisted var tables: Map<String, AnyRealmValue>
}
