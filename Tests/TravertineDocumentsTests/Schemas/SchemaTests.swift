import Foundation
import TestSupport
import Testing

@testable import TravertineDocuments

@Suite("JSON Schema")
struct SchemaTests {
    /// A schema of the guide to modelling data, as it stands there.
    private func guide(_ path: String) throws -> String {
        let file = ProjectFiles.url("Tests/TravertineDocumentsTests/Data/Guide")
            .appending(path: path).appending(path: "schema.json")
        return try String(contentsOf: file, encoding: .utf8)
    }

    @Test("keywords that say nothing are no constraints, wherever they are")
    func silentKeywords() throws {
        let schema = try DocumentSchema(
            jsonSchema: """
                {"title": "A", "bsonType": "object", "uniqueItems": false, "properties": {
                 "a": {"bsonType": "string", "uniqueItems": false, "required": []},
                 "b": {"bsonType": "object", "required": [], "uniqueItems": false}}}
                """)
        #expect(schema.constraints.isEmpty)
        #expect(schema.properties.allSatisfy { $0.value.constraints.isEmpty })
    }

    @Test("the schemas of the guide are written again as they were read, to the byte")
    func seedTexts() throws {
        for path in ["Plain/Pets/Dog", "ToOne/Pets/Person", "ToMany/Pets/Person"] {
            let text = try guide(path)
            #expect(try DocumentSchema(jsonSchema: text).jsonSchema == text)
        }
        let person = try DocumentSchema(jsonSchema: guide("ToMany/Pets/Person"))
        #expect(person["dogs"]?.type == .array(of: .scalar(.objectId), isUnique: false))
    }

    @Test("the guide's Dog of the mapping page is read once its two missing commas are there")
    func mappingPage() throws {
        // The page prints it without indentation and without commas after "age" and "breed".
        let printed = """
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
            "bsonType": "int"
            }
            "breed": {
            "bsonType": "string"
            }
            "details": {
            "bsonType": "mixed"
            }
            }
            }
            """
        let error = #expect(throws: DocumentError.self) {
            try DocumentSchema(jsonSchema: printed)
        }
        guard case .invalidJSON(_, let position)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(position.line == 18 && position.column == 1)
        let mended = printed.replacing("}\n\"breed\"", with: "},\n\"breed\"")
            .replacing("}\n\"details\"", with: "},\n\"details\"")
        let dog = try DocumentSchema(jsonSchema: mended)
        #expect(dog.required == ["_id", "name"] && dog["details"] == .scalar(.mixed))
        // The classes of both pages have Int, so that int and long are one type of theirs.
        let other = try DocumentSchema(jsonSchema: guide("Plain/Pets/Dog"))
        let differences = other.differences(from: dog)
        #expect(
            differences.map(\.description) == [
                "name: is no longer required", "age: int has become long", "breed: removed",
                "details: removed",
            ])
        #expect(differences.map(\.isAdditive) == [true, true, false, false])
        #expect(differences.map(\.isReadable) == [false, true, false, false])
    }

    private let full = """
        {
          "title": "Thing",
          "bsonType": "object",
          "required": [
            "_id"
          ],
          "properties": {
            "_id": {
              "bsonType": "uuid"
            },
            "tags": {
              "bsonType": "array",
              "uniqueItems": true,
              "items": {
                "bsonType": "string",
                "maxLength": 12
              },
              "minItems": 1,
              "maxItems": 1e1
            },
            "labels": {
              "bsonType": "object",
              "additionalProperties": {
                "bsonType": "decimal"
              }
            },
            "address": {
              "title": "Address",
              "bsonType": "object",
              "required": [
                "street"
              ],
              "properties": {
                "street": {
                  "bsonType": "string"
                }
              },
              "additionalProperties": false
            }
          },
          "description": "a \\"thing\\"",
          "empty": {},
          "none": []
        }

        """

    @Test("sets, dictionaries, embedded objects and what classes cannot say come back as they were")
    func everything() throws {
        let schema = try DocumentSchema(jsonSchema: full)
        #expect(schema.jsonSchema == full)
        #expect(schema["labels"]?.type == .dictionary(of: .scalar(.decimal)))
        #expect(schema.constraints.map(\.keyword) == ["description", "empty", "none"])
        #expect(schema["tags"]?.constraints.map(\.value.double) == [1, 10])
        #expect(schema.differences(from: schema).isEmpty)
        for scalar in SchemaScalar.allCases {
            let small = DocumentSchema(
                title: "T", properties: [DocumentSchema.Property("a", .scalar(scalar))])
            #expect(try DocumentSchema(jsonSchema: small.jsonSchema) == small)
        }
    }

    @Test("errors name the line and column of what is wrong")
    func errors() {
        let cases: [(String, Int, Int, String)] = [
            ("[]", 1, 1, "object"),
            ("{\"title\": \"A\"}", 1, 1, "no \"bsonType\""),
            ("{\"bsonType\": \"string\"}", 1, 1, "object type"),
            ("{\"bsonType\": \"object\"}", 1, 1, "title"),
            ("{\"bsonType\": \"object\", \"title\": 1}", 1, 33, "text"),
            (
                "{\"bsonType\": \"object\", \"title\": \"A\",\n \"required\": [\"b\"]}", 2, 15,
                "no property"
            ),
            ("{\"bsonType\": \"object\", \"title\": \"A\",\n \"required\": {}}", 2, 14, "array"),
            ("{\"bsonType\": \"object\", \"title\": \"A\",\n \"required\": [1]}", 2, 15, "array"),
            ("{\"bsonType\": \"object\", \"title\": \"A\",\n \"properties\": []}", 2, 16, "object"),
            (
                "{\"bsonType\":\"object\",\"title\":\"A\",\"properties\":{\n\"a\":{\"bsonType\":\"text\"}}}",
                2, 17, "\"text\""
            ),
            (
                "{\"bsonType\":\"object\",\"title\":\"A\",\"properties\":{\n\"a\":{\"bsonType\":[\"int\"]}}}",
                2, 17, "one type"
            ),
            (
                "{\"bsonType\":\"object\",\"title\":\"A\",\"properties\":{\n\"a\":{}}}", 2, 5,
                "bsonType"
            ),
            (
                "{\"bsonType\":\"object\",\"title\":\"A\",\"properties\":{\n\"a\":{\"bsonType\":\"array\",\"items\":7}}}",
                2, 33, "items"
            ),
            (
                "{\"bsonType\":\"object\",\"title\":\"A\",\"properties\":{\n\"a\":{\"bsonType\":\"array\",\"uniqueItems\":7}}}",
                2, 39, "true or false"
            ),
            (
                "{\"bsonType\":\"object\",\"title\":\"A\",\"properties\":{\"a\":{\"bsonType\":\"int\"}},\n\"required\":[\"a\",\"a\"]}",
                2, 17, "twice"
            ),
        ]
        for (text, line, column, reason) in cases {
            let error = #expect(throws: DocumentError.self, "\(text)") {
                try DocumentSchema(jsonSchema: text)
            }
            guard case .invalidSchema(let found, let position)? = error else {
                Issue.record("\(text): \(String(describing: error))")
                continue
            }
            #expect(
                found.contains(reason) && position.line == line && position.column == column,
                "\(text): \(found) at \(position)")
        }
        #expect(throws: DocumentError.self) { try DocumentSchema(jsonSchema: "{\"a\":1,\"a\":2}") }
    }

    @Test("every kind of difference is listed with its path")
    func differences() throws {
        let old = try DocumentSchema(jsonSchema: full)
        var new = old
        new.title = "Item"
        new.properties[0].value = .scalar(.string)
        new.properties[1].value = ValueSchema(
            .array(of: .scalar(.string), isUnique: false),
            constraints: [DocumentSchema.Constraint("minItems", .number("2"))])
        new.properties[2].value = ValueSchema(.dictionary(of: .scalar(.double)))
        new.properties[3].value = .scalar(.mixed)
        new.properties.append(DocumentSchema.Property("extra", .scalar(.long)))
        new.properties.append(DocumentSchema.Property("must", .scalar(.long)))
        new.required = ["must", "labels"]
        new.constraints.removeFirst()
        new.constraints.append(DocumentSchema.Constraint("more", .null))
        #expect(
            new.differences(from: old).map(\.description) == [
                #"the type: the title "Thing" has become "Item""#,
                "_id: uuid has become string", "_id: is no longer required",
                "tags: set of string has become array of string",
                #"tags.[]: "maxLength" is gone"#, #"tags: "minItems" differs"#,
                #"tags: "maxItems" is gone"#, "labels.{}: decimal has become double",
                "labels: has become required", "address: object Address has become mixed",
                "extra: added", "must: added, and required", #"the type: "description" is gone"#,
                #"the type: "more" is new"#,
            ])
        var embedded = old
        if case .object(var address)? = old["address"]?.type {
            address.properties.append(DocumentSchema.Property("zip", .scalar(.int)))
            embedded.properties[3].value = ValueSchema(.object(address))
        }
        let added = embedded.differences(from: old)
        #expect(added.map(\.description) == ["address.zip: added"] && added[0].isAdditive)
    }

    @Test("rewriting a file keeps its order, its constraints and its width of integers")
    func updating() throws {
        let old = try DocumentSchema(jsonSchema: full)
        let fromClass = DocumentSchema(
            title: "Thing",
            properties: [
                DocumentSchema.Property("count", .scalar(.long)),
                DocumentSchema.Property(
                    "address",
                    ValueSchema(
                        .object(
                            DocumentSchema(
                                title: "Address",
                                properties: [
                                    DocumentSchema.Property("zip", .scalar(.long)),
                                    DocumentSchema.Property("street", .scalar(.string)),
                                ])))),
                DocumentSchema.Property(
                    "tags", ValueSchema(.array(of: .scalar(.string), isUnique: true))),
                DocumentSchema.Property("_id", .scalar(.uuid)),
            ], required: ["count", "_id"])
        let updated = fromClass.updating(old)
        #expect(updated.properties.map(\.name) == ["_id", "tags", "address", "count"])
        #expect(updated.required == ["_id", "count"])
        #expect(updated["tags"] == old["tags"] && updated.constraints == old.constraints)
        guard case .object(let address)? = updated["address"]?.type else {
            Issue.record("address is no object")
            return
        }
        #expect(address.properties.map(\.name) == ["street", "zip"])
        #expect(address.constraints.map(\.keyword) == ["additionalProperties"])
        let narrow = DocumentSchema(
            title: "Thing", properties: [DocumentSchema.Property("count", .scalar(.int))])
        #expect(fromClass.updating(narrow)["count"] == .scalar(.int))
    }

    @Test("relationships are read, written and refused with their place")
    func relationships() throws {
        let text = """
            {
              "dog": {
                "ref": "#/relationship/mongodb-atlas/Pets/Dog",
                "foreign_key": "_id",
                "is_list": false
              },
              "owner.dogs": {
                "ref": "#/relationship/mongodb-atlas/Pets/Dog",
                "foreign_key": "name",
                "is_list": true
              }
            }

            """
        let links = try Relationships(json: text)
        #expect(links.json == text && links["dog"]?.isList == false)
        #expect(links["owner.dogs"]?.target?.collection == "Dog")
        #expect(
            links["dog"]
                == Relationships.Relationship(
                    field: "dog", source: "mongodb-atlas", database: "Pets", collection: "Dog",
                    isList: false))
        #expect(try Relationships(json: "{}").json == "{}\n")
        for (text, line, column, reason) in [
            ("[]", 1, 1, "object"), ("{\n\"a\": 1}", 2, 6, "object"),
            ("{\n\"a\": {}}", 2, 6, "\"ref\""),
            ("{\n\"a\": {\"ref\": \"x\", \"foreign_key\": \"_id\"}}", 2, 6, "\"ref\""),
            ("{\n\"a\": {\"ref\": \"#/relationship/s/d/c\"}}", 2, 6, "foreign_key"),
            ("{\n\"a\": {\"is_list\": 1}}", 2, 18, "is_list"),
            ("{\n\"a\": {\"is_lists\": true}}", 2, 7, "unknown"),
        ] {
            let error = #expect(throws: DocumentError.self) { try Relationships(json: text) }
            guard case .invalidSchema(let found, let position)? = error else { continue }
            #expect(
                found.contains(reason) && position.line == line && position.column == column,
                "\(text): \(found) at \(position)")
        }
    }
}
