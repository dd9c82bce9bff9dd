import Foundation
import Testing

@testable import TravertineDocuments

@Suite("Schemas that people write otherwise")
struct SchemaInputTests {
    private func failure(_ property: String) -> (reason: String, position: TextPosition)? {
        let error = #expect(throws: DocumentError.self, "\(property)") {
            try DocumentSchema(
                jsonSchema: """
                    {"title": "T", "bsonType": "object", "properties": {
                    "a": \(property)}}
                    """)
        }
        guard case .invalidSchema(let reason, let position)? = error else { return nil }
        return (reason, position)
    }

    @Test("an object without properties that is open to none is an empty one, and no class has it")
    func emptyObject() throws {
        let text = #"{"bsonType": "object", "additionalProperties": false}"#
        let schema = try DocumentSchema(
            jsonSchema: """
                {"title": "T", "bsonType": "object", "required": ["_id"], "properties": {
                "_id": {"bsonType": "long"}, "a": \(text)}}
                """)
        guard case .object(let object)? = schema.properties.last?.value.type else {
            Issue.record("\(schema)")
            return
        }
        #expect(object.properties.isEmpty && object.constraints.count == 1)
        let collection = DataSource.Collection(database: "d", name: "things", schema: schema)
        #expect(throws: ModelError.self) { try SwiftModels.files(for: [collection]) }
    }

    @Test("types that do not exist are reported with what to write instead")
    func advice() {
        for (property, reason) in [
            (#"{"bsonType": ["string", "null"]}"#, "\"mixed\" allows several types"),
            (#"{"bsonType": "Boolean"}"#, "the type \"Boolean\": write \"bool\""),
            (#"{"bsonType": "objectID"}"#, "write \"objectId\""),
            (#"{"bsonType": "number"}"#, "write \"double\""),
            (#"{"bsonType": "null"}"#, "write \"mixed\""),
            (#"{"bsonType": "point"}"#, "there are long, int, double"),
            (#"{"bsonType": {}}"#, "must be a text"),
            (#"{"type": "integer"}"#, "write \"bsonType\": \"long\" in place of \"type\""),
            (#"{"type": "string"}"#, "write \"bsonType\": \"string\" in place of \"type\""),
            (#"{"type": "object"}"#, "write \"bsonType\": \"object\" in place of \"type\""),
            (#"{"type": ["string"]}"#, "write one in place of \"type\""),
            (##"{"$ref": "#/definitions/a"}"##, "write what \"$ref\" refers to in its place"),
            (#"{"oneOf": []}"#, "beside \"oneOf\", write the type of its values, or \"mixed\""),
            (#"{"enum": [1]}"#, "beside \"enum\", write the type"),
            (#"{"items": {}}"#, "write \"bsonType\": \"array\" beside \"items\""),
            (#"{"properties": {}}"#, "write \"bsonType\": \"object\" beside \"properties\""),
            (#"{}"#, "write \"mixed\" for values of any type"),
            (#"null"#, "must be an object"),
            (#"{"bsonType": "array", "items": [{}]}"#, "\"items\" of \"a\" must be an object"),
            (#"{"bsonType": "array", "items": false}"#, "false leaves no value"),
        ] {
            let found = failure(property)
            #expect(found?.reason.contains(reason) == true, "\(property): \(found as Any)")
            #expect(found?.position.line == 2, "\(property)")
        }
        #expect(throws: DocumentError.self) {
            try DocumentSchema(jsonSchema: #"{"title": "", "bsonType": "object"}"#)
        }
    }

    @Test("keywords that mean nothing here are kept at every level, in their order")
    func unknown() throws {
        let text = """
            {
              "title": "T",
              "bsonType": "object",
              "properties": {
                "a": {
                  "bsonType": "string",
                  "$comment": "é",
                  "oneOf": [
                    {
                      "type": "x",
                      "n": 1.50e2
                    }
                  ]
                },
                "b": {
                  "bsonType": "array",
                  "items": {
                    "title": "I",
                    "bsonType": "object",
                    "properties": {
                      "c": {
                        "bsonType": "object",
                        "additionalProperties": {
                          "bsonType": "long",
                          "odd": null
                        },
                        "required": [
                          "d"
                        ]
                      }
                    },
                    "definitions": {}
                  },
                  "contains": {}
                }
              },
              "$schema": "s",
              "$id": "x"
            }

            """
        let schema = try DocumentSchema(jsonSchema: text)
        #expect(schema.jsonSchema == text)
        #expect(schema.updating(schema).jsonSchema == text)
        #expect(DocumentValidator(schema).unchecked.contains("b.[].c.{}: \"odd\""))
    }

    @Test("two hundred levels are read and updated, more are refused with their place")
    func depth() throws {
        func text(_ count: Int) -> String {
            #"{"title":"T","bsonType":"object","properties":{"a":"#
                + String(repeating: #"{"bsonType":"array","items":"#, count: count)
                + #"{"bsonType":"long"}"# + String(repeating: "}", count: count) + "}}"
        }
        let schema = try DocumentSchema(jsonSchema: text(197))
        #expect(try DocumentSchema(jsonSchema: schema.jsonSchema) == schema)
        #expect(schema.updating(schema) == schema && schema.differences(from: schema).isEmpty)
        for count in [198, 1000, 100_000] {
            let error = #expect(throws: DocumentError.self) {
                try DocumentSchema(jsonSchema: text(count))
            }
            guard case .invalidJSON(let reason, let position)? = error else { continue }
            #expect(reason == "more than 200 levels" && position.column > 5000)
        }
    }

    @Test("what was sampled deep in documents is a schema that can be read again")
    func deepSamples() throws {
        func document(_ count: Int, _ open: String, _ close: String) throws -> Document {
            try Document(
                extendedJSON: String(repeating: open, count: count) + "1"
                    + String(repeating: close, count: count))
        }
        for (open, close) in [(#"{"a":"#, "}"), (#"{"a":[{"b":"#, "}]}")] {
            let sampler = SchemaSampler(title: "Deep")
            let sample = try document(open.count > 6 ? 66 : 199, open, close)
            sampler.add(sample)
            let schema = sampler.schema()
            #expect(try DocumentSchema(jsonSchema: schema.jsonSchema) == schema)
            #expect(DocumentValidator(schema).problems(in: sample).isEmpty)
        }
    }

    @Test("documents without names in samples are dictionaries, which classes can have")
    func emptyDocuments() throws {
        let sampler = SchemaSampler(title: "Note")
        sampler.add([
            "_id": 1, "meta": .document([:]), "list": .array([.document([:])]),
        ])
        let schema = sampler.schema()
        #expect(schema["meta"]?.type == .dictionary(of: .scalar(.mixed)))
        #expect(schema["list"]?.text == "array of mixed")
        let collection = DataSource.Collection(database: "d", name: "notes", schema: schema)
        #expect(
            try SwiftModels.files(for: [collection])[0].text
                .contains("var meta: Map<String, AnyRealmValue>\n"))
    }

    /// Positions were counted from the beginning for each name, and names looked up one after the
    /// other: a file of ten megabytes took hours.
    @Test("a file of ten megabytes is read, compared and updated in time in proportion to it")
    func large() throws {
        let names = (0..<120_000).map { "name_\($0)" }
        let properties = names.map {
            "    \"\($0)\": {\n      \"bsonType\": \"string\", \"maxLength\": 9\n    }"
        }
        let text = """
            {"title": "T", "bsonType": "object",
             "required": [\(names.map { "\"\($0)\"" }.joined(separator: ", "))],
             "properties": {
            \(properties.joined(separator: ",\n"))
             }, "last": 1 1}
            """
        #expect(text.utf8.count > 9_000_000)
        let error = #expect(throws: DocumentError.self) { try DocumentSchema(jsonSchema: text) }
        guard case .invalidJSON(_, let position)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(position.line == 3 * 120_000 + 4)
        let schema = try DocumentSchema(jsonSchema: text.replacing(" 1 1}", with: " 1}"))
        #expect(schema.required.count == 120_000 && schema.differences(from: schema).isEmpty)
        #expect(schema.updating(schema) == schema)
    }
}
