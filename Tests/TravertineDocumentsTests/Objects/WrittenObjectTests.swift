import Foundation
import RealmSwift
import TestSupport
import Testing
import TravertineDocuments

/// An importer took documents without their lists, and made objects of them that could not be
/// exported with the schema that they had come in with.
@Suite("What is imported with a schema can be exported with it")
struct WrittenObjectTests {
    private let workspace: Workspace
    private let realm: Realm

    init() throws {
        workspace = Workspace()
        realm = try workspace.realm("a.realm", [Carton.self, Flap.self])
    }

    private func schema(_ properties: String, _ more: String = "") throws -> DocumentSchema {
        try DocumentSchema(
            jsonSchema: """
                {"title": "Carton", "bsonType": "object", "required": ["_id"], \(more) "properties":
                 {"_id": {"bsonType": "long"}, \(properties)}}
                """)
    }

    /// What import and check say of documents; they must say the same, and the export nothing.
    private func problems(_ schema: DocumentSchema, _ documents: String...) throws -> [String] {
        var refused: [String] = []
        let importer = try DocumentImporter(realm, type: "Carton", schema: schema)
        try realm.write {
            realm.deleteAll()
            for text in documents {
                do {
                    try importer.insert(Document(extendedJSON: text))
                } catch let refusal as DocumentRefusal {
                    refused.append(refusal.description)
                }
            }
        }
        let taken = documents.count - refused.count
        #expect(realm.objects(Carton.self).count == taken)
        for format in [DocumentExporter.Format.bson, .extendedJSON(.relaxed)] {
            let exporter = try DocumentExporter(realm, type: "Carton", schema: schema)
            #expect(try exporter.export(as: format) { _, _ in } == taken)
        }
        let checker = try DocumentChecker(realm, type: "Carton", schema: schema)
        var found: [String] = []
        realm.beginWrite()
        for text in documents {
            let bad = try checker.check(Document(extendedJSON: text))
            if !bad.isEmpty { found.append(bad.map(\.description).joined(separator: "; ")) }
        }
        #expect(try checker.finish().isEmpty)
        realm.cancelWrite()
        #expect(found == refused)
        #expect(checker.defaultedFields == importer.defaultedFields)
        return refused
    }

    @Test("a list that is absent or null, and would be written empty, is refused by minItems")
    func leastItems() throws {
        let schema = try schema(
            """
            "tags": {"bsonType": "array", "minItems": 1, "items": {"bsonType": "string"}},
            "lid": {"title": "Flap", "bsonType": "object", "properties": {"marks":
             {"bsonType": "array", "minItems": 2, "items": {"bsonType": "long"}}}}
            """)
        #expect(
            try problems(
                schema, #"{"_id": 1, "tags": ["a"]}"#, #"{"_id": 2}"#,
                #"{"_id": 3, "tags": null}"#, #"{"_id": 4, "tags": ["a"], "lid": {}}"#,
                #"{"_id": 5, "tags": ["a"], "lid": {"marks": [1, 2]}}"#,
                #"{"_id": 6, "tags": []}"#)
                == [
                    "tags: 0 elements, fewer than 1, as an export would write it",
                    "tags: 0 elements, fewer than 1, as an export would write it",
                    "lid.marks: 0 elements, fewer than 2, as an export would write it",
                    "tags: 0 elements, fewer than 1",
                ])
    }

    @Test("names are counted as they will be written, those that are null too")
    func nameCounts() throws {
        let few = try schema(
            """
            "lid": {"title": "Flap", "bsonType": "object", "maxProperties": 1, "properties":
             {"marks": {"bsonType": "array", "items": {"bsonType": "long"}}}},
            "labels": {"bsonType": "object", "minProperties": 1,
             "additionalProperties": {"bsonType": "string"}}
            """)
        #expect(
            try problems(
                few, #"{"_id": 1, "labels": {"a": "b"}}"#, #"{"_id": 2, "labels": null}"#,
                #"{"_id": 3, "labels": {"a": "b"}, "lid": {"marks": []}}"#)
                == [
                    "labels: 0 names, fewer than 1, as an export would write it",
                    "lid: 2 names, more than 1, as an export would write it",
                ])
    }

    @Test("a default that a constraint forbids is refused, and so is a float that is widened")
    func values() throws {
        let schema = try schema(
            """
            "count": {"bsonType": "long", "minimum": 1},
            "part": {"bsonType": "double", "maximum": 0.1}
            """)
        #expect(
            try problems(
                schema, #"{"_id": 1, "count": 1, "part": 0.05}"#, #"{"_id": 2}"#,
                #"{"_id": 3, "count": null}"#, #"{"_id": 4, "count": 2, "part": 0.1}"#)
                == [
                    "count: 0 is below 1, as an export would write it",
                    "count: 0 is below 1, as an export would write it",
                    "part: 0.10000000149011612 is above 0.1, as an export would write it",
                ])
    }

    @Test("a closed schema refuses objects whose type has more properties than it names")
    func closed() throws {
        let schema = try schema(
            #""count": {"bsonType": "long"}"#, #""additionalProperties": false,"#)
        let found = try problems(schema, #"{"_id": 1, "count": 1}"#)
        #expect(
            found.count == 1 && found[0].contains("tags: no property of this name, as an export"))
    }

    @Test("an enum knows numbers by what they are, and names in any order, at every level")
    func choices() throws {
        let schema = try schema(
            #""weights": {"bsonType": "array", "items": {"bsonType": "double"}, "#
                + #""enum": [[], [1, 2.5]]}, "any": {"bsonType": "mixed", "#
                + #""enum": [{"b": 1, "a": [2]}, null]}"#)
        #expect(
            try problems(
                schema, #"{"_id": 1, "weights": [1, 2.5], "any": {"b": 1, "a": [2.0]}}"#,
                #"{"_id": 2, "weights": [1]}"#) == ["weights: none of the values that are allowed"])
    }

    @Test("an object that is refused leaves no rows, and the one with its key stays as it was")
    func refusedReplacement() throws {
        let schema = try schema(
            #""tags": {"bsonType": "array", "minItems": 1, "items": {"bsonType": "string"}}"#)
        let importer = try DocumentImporter(realm, type: "Carton", schema: schema)
        try realm.write {
            try importer.insert(Document(extendedJSON: #"{"_id": 1, "tags": ["a"], "count": 7}"#))
            #expect(throws: DocumentRefusal.self) {
                try importer.insert(
                    Document(extendedJSON: #"{"_id": 1, "lid": {"marks": [1]}, "x": null}"#))
            }
        }
        let crate = try #require(realm.objects(Carton.self).first)
        #expect(crate.count == 7 && Array(crate.tags) == ["a"] && crate.lid == nil)
        #expect(realm.dynamicObjects("Flap").isEmpty && importer.unknownFields.isEmpty)
        #expect(importer.insertedCount == 1 && importer.replacedCount == 0)
    }

    @Test("links that wait find their targets in any order, beside documents that are refused")
    func waitingLinks() throws {
        let seed = UInt64.random(in: .min ... .max)
        print("waiting links beside refused documents, seed \(seed)")
        var random = SeededRandom(seed: seed)
        let schema = try schema(
            #""tags": {"bsonType": "array", "minItems": 1, "items": {"bsonType": "string"}}, "#
                + #""friends": {"bsonType": "array", "items": {"bsonType": "long"}}"#)
        let importer = try DocumentImporter(realm, type: "Carton", schema: schema)
        let keys = (1...200).shuffled(using: &random)
        let documents: [Document] =
            [["_id": 0, "tags": ["a"], "friends": .array(keys.map { .int($0) })]]
            + (1...200).shuffled(using: &random).flatMap { key -> [Document] in
                let good: Document = ["_id": .int(key), "tags": ["a"], "friends": [0, 777]]
                return key % 3 == 0 ? [["_id": .int(key), "friends": [778]], good] : [good]
            }
        var refusedCount = 0
        try realm.write {
            for document in documents {
                do {
                    try importer.insert(document)
                } catch is DocumentRefusal {
                    refusedCount += 1
                }
            }
            #expect(try importer.resolveLinks() == 0)
        }
        #expect(refusedCount == 66 && importer.insertedCount == 201)
        let first = try #require(realm.object(ofType: Carton.self, forPrimaryKey: 0))
        #expect(first.friends.map(\._id) == keys)
        #expect(try importer.linksWithoutTarget().map(\.count) == [200])
        var bytes: [UInt8] = []
        let exporter = try DocumentExporter(realm, type: "Carton", schema: schema)
        try exporter.export(as: .bson) { piece, _ in bytes += piece }
        let written = try #require(try exporter.document(forPrimaryKey: 9))
        #expect(written["friends"] == .array([.int64(0), .int64(777)]))
    }

    @Test("null where a property can't be nil is the same as absent, and counted")
    func nullWithoutNil() throws {
        let schema = try schema(
            """
            "count": {"bsonType": "long"}, "size": {"bsonType": "long"},
            "tags": {"bsonType": "array", "items": {"bsonType": "string"}},
            "lid": {"title": "Flap", "bsonType": "object", "properties": {"width":
             {"bsonType": "long"}}}
            """)
        let importer = try DocumentImporter(realm, type: "Carton", schema: schema)
        let checker = try DocumentChecker(realm, type: "Carton", schema: schema)
        var texts = [
            #"{"_id": 1, "size": null, "count": null, "tags": null, "part": null}"#,
            #"{"_id": 2, "size": null, "lid": {"width": null}}"#, #"{"_id": 3}"#,
        ]
        realm.beginWrite()
        for text in texts { #expect(try checker.check(Document(extendedJSON: text)).isEmpty) }
        realm.cancelWrite()
        try realm.write {
            for index in texts.indices {
                try texts[index].withUTF8 {
                    try importer.insert(extendedJSON: UnsafeRawBufferPointer($0))
                }
            }
        }
        let expected = ["size": 2, "count": 1, "tags": 1, "Flap.width": 1]
        #expect(importer.defaultedFields == expected && checker.defaultedFields == expected)
        for crate in realm.objects(Carton.self) { #expect(crate.size == 5 && crate.count == 0) }
        // What the type alone requires is refused.
        let strict = try DocumentImporter(realm, type: "Carton")
        try realm.write {
            let refusal = #expect(throws: DocumentRefusal.self) {
                try strict.insert(["_id": 4, "count": .null, "size": 1])
            }
            #expect(refusal?.description == "count: required, and null")
        }
    }
}

final class Carton: HiddenObject {
    @Persisted(primaryKey: true) var _id: Int
    @Persisted var tags: List<String>
    @Persisted var weights: List<Double>
    @Persisted var labels: Map<String, String>
    @Persisted var count: Int
    @Persisted var size: Int = 5
    @Persisted var part: Float?
    @Persisted var any: AnyRealmValue
    @Persisted var lid: Flap?
    @Persisted var friends: List<Carton>
}

final class Flap: HiddenEmbeddedObject {
    @Persisted var marks: List<Int>
    @Persisted var width: Int = 1
}
