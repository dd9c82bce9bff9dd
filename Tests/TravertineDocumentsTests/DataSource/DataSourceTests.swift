import Foundation
import TestSupport
import Testing

@testable import TravertineDocuments

@Suite("Data sources")
struct DataSourceTests {
    private func schema(_ title: String, _ names: [String] = ["_id"]) -> DocumentSchema {
        DocumentSchema(
            title: title,
            properties: names.map { DocumentSchema.Property($0, .scalar(.long)) })
    }

    @Test("types are found by title in any database, whatever the collection is called")
    func finding() throws {
        let folder = Workspace()
        try folder.write(schema("Dog").jsonSchema, to: "Pets/Canine/schema.json")
        try folder.write(schema("Cat").jsonSchema, to: "Zoo/Feline/schema.json")
        let links = Relationships([
            Relationships.Relationship(
                field: "owner", source: "cluster", database: "Pets", collection: "Person",
                isList: false)
        ])
        try folder.write(links.json, to: "Zoo/Feline/relationships.json")
        try folder.write("{}", to: "Zoo/Empty/other.json")
        try folder.write("x", to: "readme.txt")
        let source = try DataSource(directory: folder.directory)
        #expect(source.collections.map(\.name) == ["Canine", "Feline"])
        #expect(source.collection(titled: "Cat")?.database == "Zoo")
        #expect(source.collection(titled: "Cat")?.relationships == links)
        #expect(source.collection(titled: "Feline") == nil)
    }

    @Test("one title twice, what is no schema, and what is not there are errors with their files")
    func errors() throws {
        let folder = Workspace()
        try folder.write(schema("Dog").jsonSchema, to: "Pets/Canine/schema.json")
        try folder.write(schema("Dog").jsonSchema, to: "Test/Dogs/schema.json")
        let error = #expect(throws: DataSourceError.self) {
            try DataSource(directory: folder.directory)
        }
        #expect(
            error
                == .duplicateTitle("Dog", "Pets/Canine/schema.json", "Test/Dogs/schema.json"))
        try folder.write("{\n?}", to: "Test/Dogs/schema.json")
        let bad = #expect(throws: DataSourceError.self) {
            try DataSource(directory: folder.directory)
        }
        #expect(
            bad.map { "\($0)" }?.hasPrefix("Test/Dogs/schema.json: invalid JSON at line 2") == true)
        try folder.write(schema("Cat").jsonSchema, to: "Test/Dogs/schema.json")
        try folder.write("[]", to: "Test/Dogs/relationships.json")
        let links = #expect(throws: DataSourceError.self) {
            try DataSource(directory: folder.directory)
        }
        #expect(
            links.map { "\($0)" }?.hasPrefix("Test/Dogs/relationships.json: invalid schema") == true
        )
        let missing = folder.directory.appending(path: "none")
        #expect(throws: DataSourceError.self) { try DataSource(directory: missing) }
    }

    @Test("missing collections are created, additive changes are made, and files keep their words")
    func development() throws {
        let folder = Workspace()
        try folder.write(
            """
            {"title": "Dog", "bsonType": "object", "required": ["_id"], "description": "barks",
             "properties": {"_id": {"bsonType": "int"}, "name": {"bsonType": "string", "maxLength": 9}}}
            """, to: "Pets/Canine/schema.json")
        var source = try DataSource(directory: folder.directory)
        var dog = schema("Dog", ["age", "_id"])
        dog.required = ["_id"]
        dog.properties.append(DocumentSchema.Property("name", .scalar(.string)))
        let links = Relationships([
            Relationships.Relationship(
                field: "age", source: "cluster", database: "Pets", collection: "Age", isList: false)
        ])
        let types = [
            DataSource.ObjectType(dog),
            DataSource.ObjectType(schema("Person"), relationships: links),
        ]
        let changes = try source.changes(for: types, creatingIn: "Fresh")
        #expect(changes.flatMap(\.breaking).isEmpty && changes.count == 2)
        try source.apply(changes)
        #expect(try source.changes(for: types, creatingIn: "Fresh").isEmpty)
        let read = try DataSource(directory: folder.directory)
        #expect(Set(read.collections) == Set(source.collections))
        #expect(read.collection(titled: "Person")?.database == "Fresh")
        #expect(try folder.text(of: "Fresh/Person/relationships.json") == links.json)
        let written = try #require(read.collection(titled: "Dog")?.schema)
        #expect(written.properties.map(\.name) == ["_id", "name", "age"])
        #expect(written["_id"] == .scalar(.int) && written["age"] == .scalar(.long))
        #expect(written["name"]?.constraints.map(\.keyword) == ["maxLength"])
        #expect(written.constraints.map(\.keyword) == ["description"])
    }

    @Test("breaking changes are listed and refused unless they are allowed")
    func breaking() throws {
        let folder = Workspace()
        let before = schema("Dog", ["_id", "name", "age"]).jsonSchema
        try folder.write(before, to: "Pets/Dog/schema.json")
        var source = try DataSource(directory: folder.directory)
        var dog = schema("Dog", ["_id", "age"])
        dog.required = ["age"]
        let changes = try source.changes(for: [DataSource.ObjectType(dog)], creatingIn: "D")
        #expect(
            throws: DataSourceError.breakingChanges([
                "Dog.name: removed", "Dog.age: has become required",
            ])
        ) { try source.apply(changes) }
        #expect(try folder.text(of: "Pets/Dog/schema.json") == before)
        try source.apply(changes, allowsBreaking: true)
        #expect(try folder.text(of: "Pets/Dog/schema.json") == dog.jsonSchema)
    }

    @Test("the key may become required, or be added, as every document has one")
    func requiredKey() throws {
        for (before, words) in [
            (schema("Dog", ["_id"]), "has become required"),
            (schema("Dog", []), "added, and required"),
        ] {
            var (older, newer) = (before, schema("Dog", ["_id"]))
            older.required = []
            newer.required = ["_id"]
            let differences = newer.differences(from: older)
            #expect(differences.map(\.description) == ["_id: \(words)"])
            #expect(differences.allSatisfy { $0.isAdditive && $0.isReadable })
        }
        // In an embedded type it is a field as any other.
        var inner = schema("Tag", ["_id"])
        inner.required = []
        var stricter = inner
        stricter.required = ["_id"]
        func outer(_ inner: DocumentSchema) -> DocumentSchema {
            DocumentSchema(
                title: "Dog",
                properties: [DocumentSchema.Property("tag", ValueSchema(.object(inner)))])
        }
        let differences = outer(stricter).differences(from: outer(inner))
        #expect(differences.map(\.isAdditive) == [false])
    }

    @Test("keywords that say nothing stay, and new ones come after their neighbour")
    func silentKeywords() throws {
        let folder = Workspace()
        let before = """
            {
              "properties": {
                "_id": {
                  "bsonType": "long"
                },
                "tags": {
                  "items": {
                    "bsonType": "long"
                  },
                  "uniqueItems": false,
                  "bsonType": "array",
                  "description": "of any kind"
                }
              },
              "bsonType": "object",
              "required": [],
              "title": "Dog"
            }

            """
        try folder.write(before, to: "Pets/Dog/schema.json")
        var source = try DataSource(directory: folder.directory)
        var dog = schema("Dog", ["_id"])
        dog.properties.append(
            DocumentSchema.Property(
                "tags", ValueSchema(.array(of: .scalar(.long), isUnique: false))))
        dog.properties.append(DocumentSchema.Property("name", .scalar(.string)))
        try source.apply(source.changes(for: [DataSource.ObjectType(dog)], creatingIn: "D"))
        let added = """
                  "description": "of any kind"
                },
                "name": {
                  "bsonType": "string"
                }

            """
        let after = before.replacing(
            "      \"description\": \"of any kind\"\n    }\n", with: added)
        #expect(try folder.text(of: "Pets/Dog/schema.json") == after && after != before)
        // What says something takes its place.
        dog.required = ["_id"]
        try source.apply(source.changes(for: [DataSource.ObjectType(dog)], creatingIn: "D"))
        #expect(
            try folder.text(of: "Pets/Dog/schema.json")
                == after.replacing("[]", with: "[\n    \"_id\"\n  ]"))
    }

    @Test("a keyword that says nothing goes with the type that it was for")
    func silentKeywordsOfOtherTypes() throws {
        let folder = Workspace()
        let before = """
            {
              "title": "Dog",
              "bsonType": "object",
              "properties": {
                "_id": {
                  "bsonType": "long"
                },
                "tags": {
                  "bsonType": "array",
                  "uniqueItems": false,
                  "items": {
                    "bsonType": "long"
                  }
                }
              }
            }

            """
        try folder.write(before, to: "Pets/Dog/schema.json")
        var source = try DataSource(directory: folder.directory)
        var dog = schema("Dog", ["_id"])
        dog.properties.append(DocumentSchema.Property("tags", .scalar(.string)))
        try source.apply(
            source.changes(for: [DataSource.ObjectType(dog)], creatingIn: "D"),
            allowsBreaking: true)
        let text = try folder.text(of: "Pets/Dog/schema.json")
        #expect(text.contains("\"tags\": {\n      \"bsonType\": \"string\"\n    }"), "\(text)")
    }

    @Test("all types without a key stored as _id are named")
    func keys() throws {
        let folder = Workspace()
        let source = try DataSource(directory: folder.directory)
        #expect(throws: DataSourceError.missingKeys(["A", "C"])) {
            try source.changes(
                for: [schema("A", []), schema("B"), schema("C", ["id"])]
                    .map { DataSource.ObjectType($0) },
                creatingIn: "D")
        }
        let types = [
            DataSource.ObjectType(schema("A", ["_id", "number"]), keyName: "number"),
            DataSource.ObjectType(schema("B"), keyName: nil),
            DataSource.ObjectType(schema("C")),
        ]
        #expect(throws: DataSourceError.missingKeys(["A", "B"])) {
            try source.changes(for: types, creatingIn: "D")
        }
    }

    @Test("the schema of another type is never overwritten, and nothing is written then")
    func otherTitles() throws {
        let folder = Workspace()
        let before = schema("Canine").jsonSchema
        try folder.write(before, to: "Pets/Dog/schema.json")
        var source = try DataSource(directory: folder.directory)
        let types = ["Cat", "Dog"].map { DataSource.ObjectType(schema($0)) }
        let changes = try source.changes(for: types, creatingIn: "Pets")
        let error = #expect(throws: DataSourceError.self) {
            try source.apply(changes, allowsBreaking: true)
        }
        #expect(error == .otherTitle("Dog", "Canine", "Pets/Dog/schema.json"))
        #expect(try folder.text(of: "Pets/Dog/schema.json") == before)
        #expect(try DataSource(directory: folder.directory).collections.count == 1)
        try source.apply(source.changes(for: types, creatingIn: "Other"))
        #expect(try DataSource(directory: folder.directory).collections.count == 3)
    }

    @Test("a link that changes or goes is breaking; one of another data source's name is the same")
    func links() throws {
        let folder = Workspace()
        func links(_ source: String, _ fields: [(String, String)]) -> Relationships {
            Relationships(
                fields.map {
                    Relationships.Relationship(
                        field: $0.0, source: source, database: "Pets", collection: $0.1,
                        isList: false)
                })
        }
        let dog = schema("Dog", ["_id", "a", "b", "c", "d"])
        let before = links("one", [("a", "A"), ("b", "B"), ("c", "C")])
        try folder.write(dog.jsonSchema, to: "Pets/Dog/schema.json")
        try folder.write(before.json, to: "Pets/Dog/relationships.json")
        var source = try DataSource(directory: folder.directory)
        func type(_ links: Relationships) -> [DataSource.ObjectType] {
            [DataSource.ObjectType(dog, relationships: links)]
        }
        let renamed = links("two", [("a", "A"), ("b", "B"), ("c", "C")])
        #expect(try source.changes(for: type(renamed), creatingIn: "D").isEmpty)
        // The collections that they lead to are not there.
        let findings = source.findings(for: type(renamed))
        #expect(
            findings.map(\.description)
                == ["A", "B", "C"].map {
                    "Dog.\($0.lowercased()): links to #/relationship/one/Pets/\($0), and there is no "
                        + "such collection"
                })
        let other = links("two", [("a", "A"), ("b", "Z"), ("d", "D")])
        let changes = try source.changes(for: type(other), creatingIn: "D")
        #expect(
            throws: DataSourceError.breakingChanges([
                "Dog.b: a link to #/relationship/one/Pets/B by _id has become one to "
                    + "#/relationship/two/Pets/Z by _id",
                "Dog.c: is no longer a link to #/relationship/one/Pets/C by _id",
            ])
        ) { try source.apply(changes) }
        #expect(try folder.text(of: "Pets/Dog/relationships.json") == before.json)
        try source.apply(changes, allowsBreaking: true)
        // A link that says the same stays as the file has it.
        let merged = Relationships(links("one", [("a", "A")]).all + other.all.dropFirst())
        #expect(try folder.text(of: "Pets/Dog/relationships.json") == merged.json)
        let more = links("two", [("a", "A"), ("b", "Z"), ("d", "D"), ("c", "C")])
        let additions = try source.changes(for: type(more), creatingIn: "D")
        #expect(additions.count == 1 && additions.flatMap(\.breaking).isEmpty)
    }
}
