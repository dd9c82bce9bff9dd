import Foundation
import RealmSwift
import Testing
import TravertineDocuments

/// The classes and schemas that the pages "Model Data with Device Sync" and "Data Model Mapping"
/// print.
///
/// They differ among themselves. The guide's schemas require only `_id`, though `name = ""` cannot
/// be nil; the mapping page requires `name` as well. The guide has `long` for `age`, the mapping
/// page `int`, and both mean a class with Int. The mapping page's listing lacks the commas after
/// "age" and "breed". Exact text is compared where the rules give it.
@Suite("The classes of the guides")
struct SeedClassTests {
    private func type(_ title: String, _ classes: ObjectBase.Type...) throws
        -> DataSource.ObjectType
    {
        let types = try ObjectMapping(Schema(classes: classes)).objectTypes {
            CollectionPlace(source: "mongodb-atlas", database: "Pets", collection: $0)
        }
        return try #require(types.first { $0.schema.title == title })
    }

    private func schema(_ title: String, _ properties: String, required: String = "\"_id\"")
        throws -> DocumentSchema
    {
        try DocumentSchema(
            jsonSchema: """
                {"title": "\(title)", "bsonType": "object", "required": [\(required)],
                 "properties": {"_id": {"bsonType": "objectId"}, \(properties)}}
                """)
    }

    /// The differences between a class and a schema of the guide, all of which are compatible.
    private func differences(_ type: DataSource.ObjectType, _ schema: DocumentSchema)
        -> [String]
    {
        let differences = type.schema.differences(from: schema)
        let isReadable = differences.allSatisfy { $0.isReadable }
        #expect(isReadable, "\(differences)")
        return differences.map(\.description)
    }

    @Test("Dog and Person are compatible with their schemas, which require less")
    func objects() throws {
        let dog = try schema(
            "Dog", #""name": {"bsonType": "string"}, "age": {"bsonType": "long"}"#)
        #expect(
            try differences(type("Dog", GuidePlain.Dog.self), dog) == [
                "name: has become required", "age: has become required",
            ])
        let person = try schema("Person", #""name": {"bsonType": "string"}"#)
        #expect(
            try differences(type("Person", GuidePlain.Person.self), person) == [
                "name: has become required"
            ])
    }

    @Test("a link to one is the key of its target, and not required")
    func toOne() throws {
        let person = try type("Person", GuideToOne.Person.self, GuideToOne.Dog.self)
        let schema = try schema(
            "Person", #""dog": {"bsonType": "objectId"}, "name": {"bsonType": "string"}"#)
        #expect(differences(person, schema) == ["name: has become required"])
        // The order is that of the class, and the rest is the guide's text to the byte.
        #expect(
            person.schema.jsonSchema == """
                {
                  "title": "Person",
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
                    "dog": {
                      "bsonType": "objectId"
                    }
                  }
                }

                """)
        #expect(
            person.relationships.json == """
                {
                  "dog": {
                    "ref": "#/relationship/mongodb-atlas/Pets/Dog",
                    "foreign_key": "_id",
                    "is_list": false
                  }
                }

                """)
        let updated = person.schema.updating(schema)
        #expect(updated.properties.map(\.name) == ["_id", "dog", "name"])
    }

    @Test("a list of links is an array of keys")
    func toMany() throws {
        let person = try type("Person", GuideToMany.Person.self, GuideToMany.Dog.self)
        let schema = try schema(
            "Person",
            #""name": {"bsonType": "string"}, "dogs": {"bsonType": "array", "items": "#
                + #"{"bsonType": "objectId"}}"#)
        #expect(differences(person, schema) == ["name: has become required"])
        #expect(person.relationships["dogs"]?.isList == true)
    }

    @Test("linking objects are in no schema")
    func inverse() throws {
        let dog = try type("Dog", GuideInverse.Dog.self, GuideInverse.Person.self)
        let schema = try schema(
            "Dog", #""name": {"bsonType": "string"}, "age": {"bsonType": "long"}"#)
        #expect(
            differences(dog, schema) == ["name: has become required", "age: has become required"])
        #expect(dog.relationships.all.isEmpty)
    }

    @Test("the mapping page's Dog is compatible; its class has Int where the schema has int")
    func mappingPage() throws {
        let dog = try type("Dog", GuideMapping.Dog.self)
        let schema = try schema(
            "Dog",
            #""name": {"bsonType": "string"}, "age": {"bsonType": "int"}, "#
                + #""breed": {"bsonType": "string"}, "details": {"bsonType": "mixed"}"#,
            required: #""_id", "name""#)
        #expect(differences(dog, schema) == ["age: int has become long"])
        #expect(dog.schema.required == ["_id", "name"])
        // With the file's order and width of integers, the text is the page's.
        #expect(dog.schema.updating(schema) == schema)
    }

    @Test("an embedded object is in its owner with its own title")
    func embedded() throws {
        let contact = try type("Contact", GuideEmbedded.Contact.self, GuideEmbedded.Address.self)
        #expect(
            contact.schema.jsonSchema == """
                {
                  "title": "Contact",
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
                    "address": {
                      "title": "Address",
                      "bsonType": "object",
                      "properties": {
                        "street": {
                          "bsonType": "string"
                        },
                        "postalCode": {
                          "bsonType": "string"
                        }
                      }
                    }
                  }
                }

                """)
    }
}
