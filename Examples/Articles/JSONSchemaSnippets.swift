import Foundation
import Testing
import Travertine
import TravertineDocuments

@Suite("Snippets: JSON Schema")
struct JSONSchemaSnippets {
    class Dog: Object {
        @Persisted(primaryKey: true) var _id: ObjectId
        @Persisted var name: String
        @Persisted var age: Int?
        @Persisted var tags: MutableSet<String>
        @Persisted var owner: Person?
    }

    class Person: Object {
        @Persisted(primaryKey: true) var _id: UUID
        @Persisted var name: String
        @Persisted(originProperty: "owner") var dogs: LinkingObjects<Dog>
    }

    private static let dogSchema = #"""
        {
          "title": "Dog",
          "bsonType": "object",
          "required": [
            "_id",
            "name"
          ],
          "properties": {
            "_id": {
              "bsonType": "objectId"
            },
            "name": {
              "bsonType": "string"
            },
            "age": {
              "bsonType": "long"
            },
            "tags": {
              "bsonType": "array",
              "uniqueItems": true,
              "items": {
                "bsonType": "string"
              }
            },
            "owner": {
              "bsonType": "uuid"
            }
          }
        }

        """#

    private static let dogLinks = #"""
        {
          "owner": {
            "ref": "#/relationship/mongodb-atlas/Pets/Person",
            "foreign_key": "_id",
            "is_list": false
          }
        }

        """#

    @Test("classes become schemas")
    func classes() throws {
        let schema = try Schema(classes: [Dog.self, Person.self])
        let types = try ObjectMapping(schema).objectTypes { title in
            CollectionPlace(source: "mongodb-atlas", database: "Pets", collection: title)
        }
        let dog = types[0]
        print(dog.schema.jsonSchema)
        print(dog.relationships.json)
        #expect(dog.schema.jsonSchema == Self.dogSchema)
        #expect(dog.relationships.json == Self.dogLinks)
    }

    @Test("schemas are read, compared, and check documents")
    func checking() throws {
        let text = Self.dogSchema
        let older = try DocumentSchema(jsonSchema: text)
        var newer = older
        newer.properties.append(DocumentSchema.Property("chip", .scalar(.string)))
        newer.required.append("chip")
        for difference in newer.differences(from: older) where !difference.isAdditive {
            print(difference)  // documents that exist lack what is required now
        }
        #expect(newer.differences(from: older).contains { !$0.isAdditive })
        let validator = DocumentValidator(older)
        let problems = validator.problems(in: ["_id": .objectId(.generate()), "age": "three"])
        for problem in problems {
            print(problem)  // the missing name, and an age that is a string
        }
        #expect(problems.count == 2 && problems.contains { $0.path == "age" })
    }

    @Test("samples become a schema, and a schema classes")
    func sampling() throws {
        let sampler = SchemaSampler(title: SchemaSampler.title(forCollection: "dogs"))
        sampler.add(["_id": 1, "name": "Rex", "collar": ["color": "red"]])
        sampler.add(["_id": 2, "name": "Bella", "age": 3])
        let sampled = sampler.schema()
        assert(sampled.title == "Dog" && sampled.required == ["_id", "name"])
        let collection = DataSource.Collection(database: "Pets", name: "dogs", schema: sampled)
        for file in try SwiftModels.files(for: [collection]) {
            print(file.name, file.text)
        }
        let files = try SwiftModels.files(for: [collection])
        #expect(files.map(\.name) == ["Dog.swift", "Dog_collar.swift"])
        #expect(files.first?.text.contains("@Persisted var collar: Dog_collar?") == true)
    }

    @Test("a data source is a directory that follows the classes")
    func dataSource() throws {
        let temporary = SnippetDirectory()
        let directory = temporary.url
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        var source = try DataSource(directory: directory)
        let classes = try Schema(classes: [Dog.self, Person.self])
        let placed = try source.objectTypes(of: classes, creatingIn: "Pets")
        for finding in source.findings(for: placed) where !finding.isCompatible {
            print(finding)
        }
        // Writes Pets/Dog/schema.json and the others; refuses what breaks documents.
        try source.apply(source.changes(for: placed, creatingIn: "Pets"))
        #expect(try source.changes(for: placed, creatingIn: "Pets").isEmpty)
        let file = directory.appendingPathComponent("Pets/Dog/schema.json")
        #expect(try String(contentsOf: file, encoding: .utf8) == Self.dogSchema)
        #expect(source.findings(for: placed).isEmpty)
    }
}
