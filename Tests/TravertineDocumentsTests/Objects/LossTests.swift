import Foundation
import RealmSwift
import TestSupport
import Testing
import TravertineDocuments

@Suite("Nothing of a document is lost silently")
struct LossTests {
    private let workspace: Workspace

    init() throws { workspace = Workspace() }

    // MARK: Properties

    @Test("properties of a schema that a type lacks are all named, of embedded types too")
    func missingProperties() throws {
        let realm = try workspace.realm("a.realm", [Parcel.self, Stamp.self])
        let schema = try DocumentSchema(
            jsonSchema: """
                {"title": "Parcel", "bsonType": "object", "required": ["_id"], "properties": {
                 "_id": {"bsonType": "long"}, "colour": {"bsonType": "string"},
                 "stamps": {"bsonType": "array", "items": {"title": "Stamp", "bsonType": "object",
                  "properties": {"value": {"bsonType": "long"}, "year": {"bsonType": "long"}}}},
                 "weight": {"bsonType": "double"}, "age": {"bsonType": "long"}}}
                """)
        let paths = ["colour", "age", "stamps.year"]
        let expected = ImportError.missingProperties("Parcel", paths)
        #expect(throws: expected) {
            try DocumentImporter(realm, type: "Parcel", schema: schema)
        }
        #expect(throws: expected) { try DocumentChecker(realm, type: "Parcel", schema: schema) }
        #expect("\(expected)".contains("lost: colour, age, stamps.year. Open the realm"))
        // A schema may leave properties out, and an export only looks at what there is.
        var less = schema
        less.properties.removeAll { $0.name != "_id" }
        _ = try DocumentImporter(realm, type: "Parcel", schema: less)
        _ = try DocumentExporter(realm, type: "Parcel", schema: schema)
    }

    @Test("a schema that says more of values than the stored type is kept at import")
    func stricterSchema() throws {
        let realm = try workspace.realm("a.realm", [Parcel.self, Stamp.self])
        func importer(_ property: String, required: String = "") throws -> DocumentImporter {
            let schema = try DocumentSchema(
                jsonSchema: """
                    {"title": "Parcel", "bsonType": "object", "required": ["_id"\(required)],
                     "properties": {"_id": {"bsonType": "long"}, \(property)}}
                    """)
            return try DocumentImporter(realm, type: "Parcel", schema: schema)
        }
        func insert(_ text: String, _ importer: DocumentImporter) throws {
            try realm.write { try importer.insert(Document(extendedJSON: text)) }
        }
        let dates = try importer(#""any": {"bsonType": "date"}"#)
        #expect(throws: DocumentRefusal.self) {
            try insert(#"{"_id": 1, "any": "not a date"}"#, dates)
        }
        try insert(#"{"_id": 1, "any": {"$date": "2026-01-01T00:00:00Z"}}"#, dates)
        let integers = try importer(#""weight": {"bsonType": "long"}"#)
        #expect(throws: DocumentRefusal.self) {
            try insert(#"{"_id": 2, "weight": 7.5}"#, integers)
        }
        let nested = try importer(
            #""any": {"bsonType": "array", "items": {"bsonType": "array", "items": {"bsonType": "int"}}}"#
        )
        #expect(throws: DocumentRefusal.self) {
            try insert(#"{"_id": 3, "any": [[1], [2.5]]}"#, nested)
        }
        try insert(#"{"_id": 3, "any": [[1], [2]]}"#, nested)
        let required = try importer(#""any": {"bsonType": "mixed"}"#, required: #", "any""#)
        #expect(throws: DocumentRefusal.self) { try insert(#"{"_id": 4, "any": null}"#, required) }
        #expect(realm.objects(Parcel.self).count == 2)
    }

    // MARK: Values

    @Test(
        "a number that would be rounded, or become infinite, is refused",
        arguments: [
            "12345678901234567891", "-12345678901234567891", "-9223372036854775809",
            "1e99999999999999999999", "123456789012345678901234", "1e400",
            "-1e400", #"{"$numberDouble": "1e999"}"#,
        ])
    func numbers(text: String) {
        #expect(throws: DocumentError.self) { try Document(extendedJSON: "{\"a\": \(text)}") }
    }

    @Test("an integer beyond 64 bits that a double holds is one")
    func largeInteger() throws {
        let document = try Document(extendedJSON: #"{"a": 10000000000000000000}"#)
        #expect(document["a"] == .double(1e19))
    }

    @Test("texts are two where their bytes differ, in sets and lists of values too")
    func bytesOfTexts() throws {
        let schema = try DocumentSchema(
            jsonSchema: """
                {"title": "T", "bsonType": "object", "properties": {
                 "set": {"bsonType": "array", "uniqueItems": true, "items": {"bsonType": "string"}},
                 "one": {"bsonType": "string", "enum": ["\u{e9}"]}}}
                """)
        let validator = DocumentValidator(schema)
        func problems(_ elements: AnyBSON, _ one: String) -> Int {
            validator.problems(in: Document([("set", elements), ("one", .string(one))])).count
        }
        let two: AnyBSON = .array([.string("\u{e9}"), .string("e\u{301}")])
        #expect(problems(two, "\u{e9}") == 0)
        #expect(problems(two, "e\u{301}") == 1)
        #expect(problems(.array([.string("a"), .string("a")]), "\u{e9}") == 1)
    }

    private static let refused: [(String, String)] = [
        (#""weight": 9007199254740993"#, "weight: 9007199254740993 has more digits than a double"),
        (#""weights": [1, 9007199254740993]"#, "weights.1: 9007199254740993 has more digits"),
        (#""weight": {"$numberDecimal": "0.1"}"#, "weight: double expected, decimal found"),
        (#""part": 16777217"#, "part: 16777217 has more digits than a float"),
        (#""part": 9007199254740993"#, "part: 9007199254740993 has more digits than a float"),
        (#""part": 1e300"#, "part: 1e+300 is beyond what a float holds"),
        (#""count": 1.5"#, "count: long expected, double found"),
        (#""count": 2.0"#, "count: long expected, double found"),
        (
            #""data": {"$binary": {"base64": "AA==", "subType": "80"}}"#,
            "data: binary of subtype 128, which"
        ),
        (
            #""any": [{"$binary": {"base64": "AA==", "subType": "05"}}]"#,
            "any.0: binary of subtype 5, which"
        ),
        (
            #""date": {"$date": {"$numberLong": "9000000000000000123"}}"#,
            "date: 9000000000000000123 milliseconds since 1970 are more"
        ),
        (
            #""any": {"$date": {"$numberLong": "9000000000000000123"}}"#,
            "any: 9000000000000000123 milliseconds"
        ),
        (#""links": [1, null]"#, "links.1: a link expected, null found"),
        (#""stamps": [{"value": 1}, null]"#, "stamps.1: object expected, null found"),
    ]

    @Test("a value that its property would round or cut is refused", arguments: refused)
    func values(text: String, reason: String) throws {
        let realm = try workspace.realm("a.realm", [Parcel.self, Stamp.self])
        let importer = try DocumentImporter(realm, type: "Parcel")
        var document = "{\"_id\": 1, \(text)}"
        try realm.write {
            let slow = #expect(throws: DocumentRefusal.self) {
                try importer.insert(Document(extendedJSON: document))
            }
            #expect("\(slow as Any)".contains(reason))
            let direct = #expect(throws: DocumentRefusal.self) {
                try document.withUTF8 {
                    try importer.insert(extendedJSON: UnsafeRawBufferPointer($0))
                }
            }
            #expect(slow == direct)
        }
        #expect(realm.objects(Parcel.self).isEmpty)
    }

    @Test("what is exact is taken")
    func exactValues() throws {
        let realm = try workspace.realm("a.realm", [Parcel.self, Stamp.self])
        let importer = try DocumentImporter(realm, type: "Parcel")
        try realm.write {
            try importer.insert(
                Document(
                    extendedJSON: """
                        {"_id": 1, "weight": 9007199254740992, "part": 0.1, "weights":
                         [-9007199254740994, 1], "data": {"$binary": {"base64": "AA==",
                         "subType": "02"}}, "date": {"$date": {"$numberLong": "253402300799999"}}}
                        """))
        }
        let parcel = realm.objects(Parcel.self)[0]
        #expect(parcel.weight == 0x1p53 && parcel.part == 0.1)
        #expect(Array(parcel.weights) == [-9_007_199_254_740_994, 1])
        #expect(parcel.data == Data([0]))
    }

    // MARK: Names

    @Test("a dictionary whose names Extended JSON reads as another value goes out as BSON only")
    func ambiguousNames() throws {
        let realm = try workspace.realm("a.realm", [Parcel.self, Stamp.self])
        try realm.write {
            let plain = Parcel(value: ["_id": 1])
            plain.any = .fromDictionary(["$x": .int(1)])
            let mixed = Parcel(value: ["_id": 2])
            mixed.any = .fromArray([
                .fromDictionary(["$oid": .string("0123456789abcdef01234567")])
            ])
            let typed = Parcel(value: ["_id": 3])
            typed.labels["$date"] = "1970-01-01T00:00:00Z"
            for parcel in [plain, mixed, typed] { realm.add(parcel) }
        }
        let exporter = try DocumentExporter(realm, type: "Parcel")
        for mode in [ExtendedJSONMode.relaxed, .canonical] {
            var refused: [String] = []
            let count = try exporter.export(
                as: .extendedJSON(mode), refused: { refused.append("\($0) \($1)") },
                to: { _, _ in })
            #expect(count == 1 && refused.count == 2)
            #expect(refused.first?.hasPrefix("2 any.$oid: Extended JSON reads") == true)
            #expect(refused.last?.hasPrefix("3 labels.$date: Extended JSON reads") == true)
        }
        var bytes: [UInt8] = []
        #expect(try exporter.export(as: .bson) { piece, _ in bytes += piece } == 3)
        let copy = try workspace.realm("b.realm", [Parcel.self, Stamp.self])
        let importer = try DocumentImporter(copy, type: "Parcel")
        var stream = DocumentStream(.bson, bytes)
        try copy.write { while try stream.next(into: importer) {} }
        var again: [UInt8] = []
        try DocumentExporter(copy, type: "Parcel").export(as: .bson) { piece, _ in again += piece }
        #expect(again == bytes && !bytes.isEmpty)
    }

    // MARK: Closed schemas

    @Test("a schema with additionalProperties false refuses other fields, also without properties")
    func closedSchemas() throws {
        let schema = try DocumentSchema(
            jsonSchema: """
                {"title": "A", "bsonType": "object", "additionalProperties": false, "properties": {
                 "_id": {"bsonType": "long"},
                 "none": {"bsonType": "object", "additionalProperties": false},
                 "some": {"bsonType": "object", "additionalProperties": false, "properties":
                  {"a": {"bsonType": "long"}}}}}
                """)
        #expect(try DocumentSchema(jsonSchema: schema.jsonSchema) == schema)
        let validator = DocumentValidator(schema)
        #expect(validator.unchecked.isEmpty)
        #expect(validator.problems(in: ["_id": 1, "none": [:], "some": ["a": 1]]).isEmpty)
        let problems = validator.problems(in: [
            "_id": 1, "none": ["a": 1], "some": ["b": 1], "more": 1,
        ])
        #expect(problems.map(\.path) == ["none.a", "some.b", "more"])
    }
}

final class Parcel: HiddenObject {
    @Persisted(primaryKey: true) var _id: Int
    @Persisted var weight: Double?
    @Persisted var weights: List<Double>
    @Persisted var part: Float?
    @Persisted var count: Int?
    @Persisted var data: Data?
    @Persisted var date: Date?
    @Persisted var any: AnyRealmValue
    @Persisted var links: List<Parcel>
    @Persisted var stamps: List<Stamp>
    @Persisted var labels: Map<String, String>
}

final class Stamp: HiddenEmbeddedObject {
    @Persisted var value: Int
}
