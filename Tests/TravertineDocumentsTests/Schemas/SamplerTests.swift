import Foundation
import Testing
import Travertine

@testable import TravertineDocuments

@Suite("Schema from samples")
struct SamplerTests {
    @Test("types, required fields, embedded types, arrays and mixtures are found")
    func inference() throws {
        let sampler = SchemaSampler(title: SchemaSampler.title(forCollection: "dogs"))
        sampler.add([
            "_id": .objectId(.generate()), "name": "Rex", "age": 3, "weight": 12, "born": 1,
            "collar": ["color": "red", "width": 2.5, "note": .null], "tags": ["a", "b"],
            "visits": [["date": .datetime(Date()), "cost": .decimal128("1.50")]], "odd": 1,
            "gone": .null, "empty": [], "holes": [1, .null], "deep": [[1]],
            "key": .uuid(UUID()), "photo": .binary(Data([1])),
            "friend": .document(DBRef(collection: "dogs", id: 1).document),
        ])
        sampler.add([
            "_id": .objectId(.generate()), "name": "Ida", "age": .int64(4), "weight": 12.5,
            "born": .null, "collar": ["color": "blue", "size": 1], "tags": [], "visits": [],
            "odd": "x", "late": true, "key": .uuid(UUID()), "photo": .binary(Data()),
        ])
        #expect(sampler.documentCount == 2)
        let schema = sampler.schema()
        #expect(schema.title == "Dog")
        #expect(schema.required == ["_id", "name", "age", "weight", "key", "photo"])
        let expected: [(String, String)] = [
            ("_id", "objectId"), ("name", "string"), ("age", "long"), ("weight", "double"),
            ("born", "long"), ("collar", "object Dog_collar"), ("tags", "array of string"),
            ("visits", "array of object Dog_visits"), ("odd", "mixed"), ("gone", "mixed"),
            ("empty", "array of mixed"), ("holes", "array of mixed"),
            ("deep", "array of mixed"), ("key", "uuid"), ("photo", "binData"),
            ("friend", "mixed"), ("late", "bool"),
        ]
        #expect(
            schema.properties.map { "\($0.name) \($0.value.text)" }
                == expected.map { "\($0.0) \($0.1)" })
        guard case .object(let collar)? = schema["collar"]?.type,
            case .array(let visits, false)? = schema["visits"]?.type,
            case .object(let visit) = visits.type
        else {
            Issue.record("no embedded types")
            return
        }
        #expect(collar.required == ["color"] && collar["note"] == .scalar(.mixed))
        #expect(visit.required == ["date", "cost"] && visit["cost"] == .scalar(.decimal))
        #expect(try DocumentSchema(jsonSchema: schema.jsonSchema) == schema)
    }

    @Test("random documents fit the schema that was found for them")
    func everySampleFits() throws {
        let samples = try Pymongo.samples().map { try Document(bson: $0.bson) }
        // All together, and each alone.
        for group in [samples] + samples.map({ [$0] }) {
            let sampler = SchemaSampler(title: "Sample")
            for document in group { sampler.add(document) }
            let validator = DocumentValidator(sampler.schema())
            #expect(validator.unchecked.isEmpty)
            for document in group {
                let problems = validator.problems(in: document)
                #expect(problems.isEmpty, "\(problems) \(document)")
            }
        }
    }

    @Test("documents with many names, each rare, are dictionaries")
    func dictionaries() {
        let sampler = SchemaSampler(title: "Count")
        for index in 0..<100 {
            sampler.add(["byDay": ["day\(index)": .int(index), "other\(index)": 0.5]])
        }
        #expect(sampler.schema()["byDay"]?.type == .dictionary(of: .scalar(.double)))
        let few = SchemaSampler(title: "Count")
        for index in 0..<30 { few.add(["byDay": ["day\(index)": .int(index)]]) }
        #expect(few.schema()["byDay"]?.text == "object Count_byDay")
    }

    @Test("titles are singular nouns, and titles of embedded types are short and unique")
    func titles() {
        for (collection, title) in [
            ("dogs", "Dog"), ("people", "Person"), ("user_profiles", "UserProfile"),
            ("cities", "City"), ("boxes", "Box"), ("addresses", "Address"), ("status", "Status"),
            ("class", "Class"), ("news", "News"), ("userAddresses", "UserAddress"), ("bus", "Bus"),
            ("watches", "Watch"), ("analyses", "Analysis"), ("tax-rates", "TaxRate"),
            ("2024 sales", "Type2024Sale"), ("", "Document"), ("Men", "Man"), ("ties", "Tie"),
            ("houses", "House"), ("s", "S"), ("glasses", "Glass"),
        ] {
            #expect(SchemaSampler.title(forCollection: collection) == title, "\(collection)")
        }
        let sampler = SchemaSampler(title: String(repeating: "é", count: 40))
        sampler.add(["a": ["b": 1], "c": ["d": 1]])
        let schema = sampler.schema()
        let titles =
            [schema.title ?? ""]
            + schema.properties.map { property in
                if case .object(let inner) = property.value.type { return inner.title ?? "" }
                return ""
            }
        #expect(Set(titles).count == 3 && titles.allSatisfy { (1...57).contains($0.utf8.count) })
    }
}

@Suite("Checking documents")
struct ValidatorTests {
    @Test("wrong types, missing fields and broken constraints are named with their paths")
    func problems() throws {
        let schema = try DocumentSchema(
            jsonSchema: """
                {"title": "T", "bsonType": "object", "required": ["_id", "n"],
                 "additionalProperties": false, "description": "x",
                 "properties": {
                  "_id": {"bsonType": "int"},
                  "n": {"bsonType": "double", "minimum": 0, "exclusiveMinimum": true, "maximum": 10},
                  "s": {"bsonType": "string", "minLength": 2, "maxLength": 3, "pattern": "^a"},
                  "tags": {"bsonType": "array", "uniqueItems": true, "minItems": 1, "maxItems": 3,
                           "items": {"bsonType": "string"}},
                  "map": {"bsonType": "object", "additionalProperties": {"bsonType": "long"},
                          "maxProperties": 1, "minProperties": 1},
                  "in": {"bsonType": "object", "title": "I", "required": ["a"],
                         "properties": {"a": {"bsonType": "date"}}},
                  "e": {"bsonType": "mixed", "enum": [1, "x", null]},
                  "f": {"bsonType": "long", "format": "odd", "exclusiveMaximum": 5}
                 }}
                """)
        let validator = DocumentValidator(schema)
        #expect(validator.unchecked == ["f: \"format\""])
        let good: Document = [
            "_id": .int64(1), "n": 10, "s": "aé😀", "tags": ["a", "b"], "map": ["x": 1],
            "in": ["a": .datetime(Date()), "more": 1], "e": 1.0, "f": 4,
        ]
        #expect(validator.problems(in: good).isEmpty)
        #expect(validator.problems(in: ["_id": 1, "n": 1.0, "s": .null, "tags": .null]).isEmpty)
        let bad: [(Document, [String])] = [
            ([:], ["_id: required, and missing", "n: required, and missing"]),
            (["_id": .null, "n": 1], ["_id: required, and null"]),
            (
                ["_id": .int64(1 << 40), "n": 0],
                ["_id: int expected, long found", "n: 0 is not above 0"]
            ),
            (["_id": 1, "n": 10.5], ["n: 10.5 is above 10"]),
            (
                ["_id": 1, "n": 1, "s": "b"],
                ["s: 1 characters, fewer than 2", "s: does not match \"^a\""]
            ),
            (["_id": 1, "n": 1, "s": "abcd"], ["s: 4 characters, more than 3"]),
            (
                ["_id": 1, "n": 1, "tags": ["a", "a", 1, "b"]],
                [
                    "tags.1: an element for the second time", "tags.2: string expected, int found",
                    "tags: 4 elements, more than 3",
                ]
            ),
            (["_id": 1, "n": 1, "tags": []], ["tags: 0 elements, fewer than 1"]),
            (["_id": 1, "n": 1, "tags": "a"], ["tags: array expected, string found"]),
            (
                ["_id": 1, "n": 1, "map": ["a": 1, "b": "x"]],
                ["map.b: long expected, string found", "map: 2 names, more than 1"]
            ),
            (
                ["_id": 1, "n": 1, "map": 7, "in": []],
                ["map: object expected, int found", "in: object expected, array found"]
            ),
            (["_id": 1, "n": 1, "in": .document(["a": 1])], ["in.a: date expected, int found"]),
            (["_id": 1, "n": 1, "in": .document([:])], ["in.a: required, and missing"]),
            (["_id": 1, "n": 1, "e": 2], ["e: none of the values that are allowed"]),
            (["_id": 1, "n": 1, "f": 5], ["f: 5 is not below 5"]),
            (["_id": 1, "n": 1, "z": 5], ["z: no property of this name"]),
        ]
        for (document, problems) in bad {
            #expect(validator.problems(in: document).map(\.description) == problems)
        }
    }
}
