import Foundation
import RealmSwift
import TestSupport
import Testing

@testable import TravertineDocuments

/// What no class can have used to be written all the same: the library then refused the classes, or
/// they did not compile.
@Suite("Rules of generated models")
struct ModelRulesTests {
    private func collection(
        _ text: String, _ name: String = "things"
    ) throws -> DataSource.Collection {
        DataSource.Collection(
            database: "d", name: name, schema: try DocumentSchema(jsonSchema: text))
    }

    private func problems(_ texts: String...) throws -> [String] {
        var collections: [DataSource.Collection] = []
        for (index, text) in texts.enumerated() {
            collections.append(try collection(text, "c\(index)"))
        }
        let models = #expect(throws: ModelError.self) {
            try SwiftModels.files(for: collections)
        }
        let types = #expect(throws: ModelError.self) { try SchemaTypes.types(of: collections) }
        #expect(models == types)
        return models?.description.split(separator: "\n").map(String.init) ?? []
    }

    @Test("everything that no class can have is listed with file, field and what to do")
    func all() throws {
        let long = String(repeating: "l", count: 64)
        let found = try problems(
            """
            {"title": "\(long)", "bsonType": "object", "properties": {
              "_id": {"bsonType": "double"}, "": {"bsonType": "string"},
              "\(long)": {"bsonType": "string"},
              "none": {"bsonType": "object", "title": "None", "properties": {}},
              "in": {"bsonType": "object", "properties": {
                "": {"bsonType": "bool"},
                "untitled_and_rather_long": {"bsonType": "object", "properties": {
                  "a": {"bsonType": "long"}}}}},
              "empty": {"bsonType": "object", "title": "", "properties": {"a": {"bsonType": "int"}}},
              "set": {"bsonType": "array", "uniqueItems": true, "items":
                {"bsonType": "object", "title": "Set", "properties": {"a": {"bsonType": "int"}}}}}}
            """,
            """
            {"title": "Other", "bsonType": "object", "properties": {
              "self": {"bsonType": "object", "title": "Other", "properties":
                {"a": {"bsonType": "int"}}}}}
            """)
        #expect(
            found == [
                "d/c0/schema.json: \(long) is a title of 64 bytes, where 1 to 57 are allowed: give "
                    + "the type another",
                "d/c0/schema.json: \(long)._id is double, which is no primary key: it must be "
                    + "long, int, string, objectId, uuid or binData",
                "d/c0/schema.json: \(long).\"\" is a name of 0 bytes, where 1 to 63 are allowed: "
                    + "rename the field in the documents too, or take it out of the schema",
                "d/c0/schema.json: \(long).\(long) is a name of 64 bytes, where 1 to 63 are allowed: "
                    + "rename the field in the documents too, or take it out of the schema",
                "d/c0/schema.json: \(long).none embeds a type without properties: name them, or "
                    + "write \"additionalProperties\" in place of \"properties\" for a dictionary",
                "d/c0/schema.json: \(long).in embeds a type without title, whose name "
                    + "\"\(long)_in\" would have 67 bytes, where 1 to 57 are allowed: give it a "
                    + "\"title\"",
                "d/c0/schema.json: \(long).in.\"\" is a name of 0 bytes, where 1 to 63 are allowed: "
                    + "rename the field in the documents too, or take it out of the schema",
                "d/c0/schema.json: \(long).in.untitled_and_rather_long embeds a type without title, "
                    + "whose name \"\(long)_in_untitled_and_rather_long\" would have 92 bytes, where "
                    + "1 to 57 are allowed: give it a \"title\"",
                "d/c0/schema.json: \(long).empty embeds a type with a title of 0 bytes, where 1 to "
                    + "57 are allowed: give it another",
                "d/c0/schema.json: \(long).set is a set of embedded objects, which no class can "
                    + "have: take \"uniqueItems\" out of the schema",
                "d/c1/schema.json: Other._id is missing, and is the key: name it in \"properties\", "
                    + "or say which other field is the key (`--key`, `Collection.keyName`)",
                "d/c1/schema.json: Other.self embeds \"Other\", which is a collection's title too: "
                    + "give one of them another",
            ])
    }

    @Test("names as long as they may be are written, and a realm takes them")
    func longest() throws {
        let (title, name) = (
            String(repeating: "T", count: 57), String(repeating: "é", count: 31) + "e"
        )
        let longest = try collection(
            """
            {"title": "\(title)", "bsonType": "object", "required": ["_id"], "properties": {
             "_id": {"bsonType": "long"}, "\(name)": {"bsonType": "string"}}}
            """)
        #expect(try SwiftModels.files(for: [longest]).map(\.name) == [title + ".swift"])
        let workspace = Workspace()
        try workspace.realm("a.realm", []).addTypes(of: [longest])
    }

    @Test("more properties than a row has room for are refused, however many they are")
    func tooMany() throws {
        for (count, type) in [(40_000, "long"), (70_000, "string")] {
            let names = (0..<count).map { "\"p\($0)\": {\"bsonType\": \"\(type)\"}" }
            let found = try problems(
                """
                {"title": "Wide", "bsonType": "object", "properties": {"_id": {"bsonType": "long"},
                \(names.joined(separator: ",\n"))}}
                """)
            #expect(found == ["d/c0/schema.json: Wide has too many properties for an object"])
        }
    }

    @Test("embedded types of one title that differ only beyond classes are one class")
    func oneClass() throws {
        let file = try SwiftModels.files(
            for: [
                collection(
                    """
                    {"title": "Post", "bsonType": "object", "properties": {"_id": {"bsonType": "long"},
                     "first": {"title": "Tag", "bsonType": "object", "required": ["name"], "properties":
                      {"name": {"bsonType": "string", "maxLength": 9}, "size": {"bsonType": "int"},
                       "rows": {"bsonType": "array", "items": {"bsonType": "array"}}}},
                     "others": {"bsonType": "array", "items":
                      {"title": "Tag", "bsonType": "object", "required": ["rows", "name"],
                       "additionalProperties": false, "properties":
                        {"size": {"bsonType": "long"}, "name": {"bsonType": "string"},
                         "rows": {"bsonType": "array", "items": {"bsonType": "mixed"}}}}}}}
                    """)
            ])
        #expect(file.map(\.name) == ["Post.swift", "Tag.swift"])
        #expect(file[0].text.contains("var others: List<Tag>\n"))
        let different = try problems(
            """
            {"title": "Post", "bsonType": "object", "properties": {"_id": {"bsonType": "long"},
             "first": {"title": "Tag", "bsonType": "object", "required": ["name"], "properties":
              {"name": {"bsonType": "string"}, "size": {"bsonType": "int"}}},
             "other": {"title": "Tag", "bsonType": "object", "properties":
              {"name": {"bsonType": "string"}, "size": {"bsonType": "double"},
               "more": {"bsonType": "bool"}}}}}
            """)
        #expect(
            different == [
                "d/c0/schema.json: Post.other has another \"Tag\" than Post.first, by \"more\", "
                    + "\"name\", \"size\": give one of them another title, or both the same properties"
            ])
    }

    @Test("titles that differ only in capital letters have files that differ in more")
    func capitals() throws {
        let collections = try ["Dog", "DOG", "dog"].map {
            try collection(
                #"{"title": "\#($0)", "bsonType": "object", "properties": {"_id": {"bsonType": "int"}}}"#,
                $0)
        }
        let files = try SwiftModels.files(for: collections)
        #expect(files.map(\.name) == ["Dog.swift", "DOG2.swift", "Dog3.swift"])
        #expect(files[1].text.contains("        \"DOG\"\n"))
    }
}
