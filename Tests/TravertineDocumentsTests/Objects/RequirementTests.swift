import Foundation
import RealmSwift
import TestSupport
import Testing

@testable import TravertineDocuments

/// A file may require a list, a dictionary, an embedded object, any value or a link, which no class
/// can say: updating the file dropped that, and the check called such a file incompatible.
@Suite("What files require beyond classes")
struct RequirementTests {
    private static let text = """
        {
          "title": "Kennel",
          "bsonType": "object",
          "required": [
            "pets",
            "_id",
            "home",
            "note",
            "owner",
            "labels"
          ],
          "properties": {
            "_id": {
              "bsonType": "long"
            },
            "name": {
              "bsonType": "string"
            },
            "pets": {
              "bsonType": "array",
              "items": {
                "title": "KennelPet",
                "bsonType": "object",
                "required": [
                  "toys"
                ],
                "properties": {
                  "toys": {
                    "bsonType": "array",
                    "items": {
                      "bsonType": "string"
                    }
                  },
                  "vet": {
                    "bsonType": "long"
                  }
                }
              }
            },
            "home": {
              "title": "KennelHome",
              "bsonType": "object",
              "required": [
                "owner",
                "zip"
              ],
              "properties": {
                "zip": {
                  "bsonType": "long"
                },
                "owner": {
                  "bsonType": "long"
                }
              }
            },
            "note": {
              "bsonType": "mixed"
            },
            "owner": {
              "bsonType": "long"
            },
            "labels": {
              "bsonType": "object",
              "additionalProperties": {
                "bsonType": "string"
              }
            }
          }
        }

        """
    private static let links = """
        {
          "home.owner": {
            "ref": "#/relationship/atlas/Pets/keepers",
            "foreign_key": "_id",
            "is_list": false
          },
          "owner": {
            "ref": "#/relationship/atlas/Pets/keepers",
            "foreign_key": "_id",
            "is_list": false
          }
        }

        """

    private let workspace: Workspace

    init() throws {
        workspace = Workspace()
        let files = [
            ("kennels/schema.json", Self.text), ("kennels/relationships.json", Self.links),
            (
                "keepers/schema.json",
                DocumentSchema(
                    title: "KennelKeeper",
                    properties: [DocumentSchema.Property("_id", .scalar(.long))],
                    required: ["_id"]
                ).jsonSchema
            ),
        ]
        for (path, text) in files {
            let file = workspace.directory.appending(path: "source/Pets").appending(path: path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
    }

    private func source() throws -> DataSource {
        try DataSource(directory: workspace.directory.appending(path: "source"))
    }

    private func types(_ source: DataSource) throws -> [DataSource.ObjectType] {
        let classes: [ObjectBase.Type] = [
            Kennel.self, KennelHome.self, KennelPet.self, KennelKeeper.self,
        ]
        return try source.objectTypes(of: Schema(classes: classes), creatingIn: "Pets")
    }

    private func file(_ name: String) throws -> String {
        try String(
            contentsOf: workspace.directory.appending(path: "source/Pets/kennels/\(name)"),
            encoding: .utf8)
    }

    @Test("a file keeps what it requires, and is compatible with its class")
    func kept() throws {
        var source = try source()
        var types = try types(source)
        #expect(source.findings(for: types).isEmpty, "\(source.findings(for: types))")
        let none = try source.changes(for: types, creatingIn: "Pets")
        #expect(none.isEmpty)
        // A rewriting adds what is new, and leaves everything else as it was, to the byte.
        let place = try #require(types.firstIndex { $0.schema.title == "Kennel" })
        types[place].schema.properties.append(DocumentSchema.Property("chip", .scalar(.string)))
        types[place].relationships.all.append(
            Relationships.Relationship(
                field: "chip", source: "source", database: "Pets", collection: "chips",
                isList: false))
        let changes = try source.changes(for: types, creatingIn: "Pets")
        #expect(changes.count == 1 && changes.flatMap(\.breaking).isEmpty)
        try source.apply(changes)
        let before = String(Self.text.dropLast("    }\n  }\n}\n".count))
        let added = "    },\n    \"chip\": {\n      \"bsonType\": \"string\"\n    }\n  }\n}\n"
        #expect(try file("schema.json") == before + added)
        #expect(try file("relationships.json").hasPrefix(Self.links.dropLast("\n}\n".count)))
    }

    @Test(
        "that a class can't say it is a rule beyond classes; for single values it is a difference")
    func differences() throws {
        let schema = try DocumentSchema(jsonSchema: Self.text)
        var older = schema
        older.required.append("name")
        var newer = schema
        newer.required = ["_id"]
        let differences = newer.differences(from: older)
        #expect(
            differences.map(\.description) == [
                "name: is no longer required", "pets: is no longer required",
                "home: is no longer required", "note: is no longer required",
                "owner: is no longer required", "labels: is no longer required",
            ])
        #expect(differences.map(\.isReadable) == [false, true, true, true, false, true])
        #expect(differences.allSatisfy { $0.isAdditive })
        let back = older.differences(from: newer)
        #expect(back.count == 6 && back.allSatisfy { !$0.isAdditive && $0.isReadable })
    }

    @Test("what changes its kind, or was required of a class, is required no longer")
    func dropped() throws {
        let schema = try DocumentSchema(jsonSchema: Self.text)
        func updated(_ name: String, _ value: ValueSchema) throws -> [String] {
            var newer = schema
            newer.required = ["_id"]
            let place = try #require(newer.properties.firstIndex { $0.name == name })
            newer.properties[place].value = value
            return newer.updating(schema).required
        }
        let kept = ["pets", "_id", "home", "note", "labels"]
        #expect(try updated("_id", .scalar(.long)) == kept)
        #expect(try updated("pets", .scalar(.mixed)) == kept.filter { $0 != "pets" })
        #expect(try updated("note", .scalar(.string)) == kept.filter { $0 != "note" })
        #expect(try updated("home", ValueSchema(.dictionary(of: .scalar(.mixed)))).count == 4)
        // A single value that a class had as required, and has as nil now.
        #expect(try updated("owner", .scalar(.mixed)) == kept)
    }

    @Test("documents are checked by it, on the way in and on the way out")
    func documents() throws {
        let schema = try DocumentSchema(jsonSchema: Self.text)
        let realm = try workspace.realm(
            "a.realm", [Kennel.self, KennelHome.self, KennelPet.self, KennelKeeper.self])
        let importer = try DocumentImporter(realm, type: "Kennel", schema: schema)
        let good: Document = [
            "_id": 1, "pets": .array([.document(["toys": .array([])])]),
            "home": ["zip": 1, "owner": 7], "note": "x", "owner": 7, "labels": [:],
        ]
        try realm.write { try importer.insert(good) }
        for name in ["pets", "home", "note", "owner", "labels"] {
            var bad = good
            bad[name] = nil
            let error = #expect(throws: (any Error).self) {
                try realm.write { try importer.insert(bad) }
            }
            #expect(
                error.map { "\($0)" }?.contains("\(name): required, and missing") == true,
                "\(String(describing: error))")
        }
        var bad = good
        bad["pets"] = .array([.document([:])])
        let error = #expect(throws: (any Error).self) {
            try realm.write { try importer.insert(bad) }
        }
        #expect(error.map { "\($0)" }?.contains("pets.0.toys: required, and missing") == true)
        #expect(realm.objects(Kennel.self).count == 1)
        bad = good
        bad["note"] = .null
        let null = #expect(throws: (any Error).self) {
            try realm.write { try importer.insert(bad) }
        }
        #expect(null.map { "\($0)" }?.contains("note: required, and null") == true)
    }

    @Test("documents are read directly unless the schema has rules that the class has not")
    func directPath() throws {
        let realm = try workspace.realm(
            "a.realm", [Kennel.self, KennelHome.self, KennelPet.self, KennelKeeper.self])
        func needsDocuments(_ name: String, _ more: String = "") throws -> Bool {
            let text = """
                {"title": "Kennel", "bsonType": "object", "required": ["_id"], "properties": {
                 "_id": {"bsonType": "long"}, "name": {"bsonType": "string", \(name)},
                 "pets": {"bsonType": "array", "items": {"bsonType": "object", "title": "KennelPet",
                 "properties": {"vet": {"bsonType": "long" \(more)}}}}}}
                """
            let schema = try DocumentSchema(jsonSchema: text)
            return try DocumentImporter(realm, type: "Kennel", schema: schema).needsDocuments
        }
        #expect(try !needsDocuments("\"description\": \"how it is called\""))
        #expect(
            try !needsDocuments("\"format\": \"email\"", ", \"description\": \"a number\""))
        #expect(try !needsDocuments("\"uniqueItems\": false, \"required\": []"))
        #expect(try needsDocuments("\"maxLength\": 9"))
        #expect(try needsDocuments("\"description\": \"x\"", ", \"minimum\": 1"))
    }
}

final class Kennel: HiddenObject {
    @Persisted(primaryKey: true) var _id: Int
    @Persisted var name: String?
    @Persisted var pets: List<KennelPet>
    @Persisted var home: KennelHome?
    @Persisted var note: AnyRealmValue
    @Persisted var owner: KennelKeeper?
    @Persisted var labels: Map<String, String>
}

final class KennelPet: HiddenEmbeddedObject {
    @Persisted var toys: List<String>
    @Persisted var vet: Int?
}

final class KennelHome: HiddenEmbeddedObject {
    @Persisted var zip: Int
    @Persisted var owner: KennelKeeper?
}

final class KennelKeeper: HiddenObject {
    @Persisted(primaryKey: true) var _id: Int
}
