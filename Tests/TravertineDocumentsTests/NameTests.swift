import Foundation
import RealmSwift
import TestSupport
import Testing

@testable import TravertineDocuments

/// "é" in one scalar and in two is equal as a `String`, and two names in BSON.
@Suite("Names are bytes")
struct NameTests {
    private let one = "caf\u{E9}"
    private let two = "cafe\u{301}"

    @Test("a document has both, finds each, and keeps them apart")
    func documents() throws {
        try #require(one == two)
        var document = Document([(one, 1), (two, 2)])
        #expect(document[one] == 1 && document[two] == 2)
        #expect(document.value(at: two) == 2)
        document[two] = 3
        #expect(document[one] == 1 && document[two] == 3 && document.count == 2)
        document[one] = nil
        #expect(document.count == 1 && document[two] == 3)
        let first: Document = [one: 1]
        let second: Document = [two: 1]
        #expect(first != second && Set([first, second, first]).count == 2)
        let both = Document([(one, 1), (two, 2)])
        #expect(try Document(bson: both.bson()) == both)
        #expect(try Document(extendedJSON: both.extendedJSON()) == both)
        // As many bytes, in another order.
        let (left, right) = ("\u{E9}e\u{301}", "e\u{301}\u{E9}")
        #expect(left == right && !left.isName(right) && left.isName("\u{E9}e\u{301}"))
        let many = Document((0..<20).map { ("\($0)", 0) } + [(one, 1), (two, 2)])
        #expect(try Document(extendedJSON: many.extendedJSON()).count == 22)
        #expect(throws: DocumentError.self) {
            try Document(extendedJSON: "{\"\(one)\":1,\"\(one)\":2}")
        }
        let only: Document = [two: 2]
        let values = try DocumentDecoder().decode([String: Int].self, from: only)
        #expect(values.count == 1)
        // The sign of the unit kelvin is equal to "K".
        let kelvin = "$min\u{212A}ey"
        #expect(kelvin == "$minKey")
        #expect(
            try Document(extendedJSON: "{\"a\":{\"\(kelvin)\":1}}")["a"]?.documentValue?.count == 1)
    }

    @Test("a schema has both, and finds each")
    func schemas() throws {
        let text = """
            {"title": "A", "bsonType": "object", "required": ["\(two)"], "properties":
             {"\(one)": {"bsonType": "long"}, "\(two)": {"bsonType": "string"}}}
            """
        let schema = try DocumentSchema(jsonSchema: text)
        #expect(schema[one] == .scalar(.long) && schema[two] == .scalar(.string))
        #expect(try DocumentSchema(jsonSchema: schema.jsonSchema) == schema)
        let validator = DocumentValidator(schema)
        #expect(validator.problems(in: Document([(one, 1), (two, "a")])).isEmpty)
        #expect(validator.problems(in: [one: 1]).map(\.reason) == ["required, and missing"])
        var other = schema
        other.properties.removeFirst()
        #expect(other.differences(from: schema).map(\.change) == [.removed])
        #expect(schema.updating(other).properties.count == 2)
        let missing = text.replacing("[\"\(two)\"]", with: "[\"\(one)x\"]")
        #expect(throws: DocumentError.self) { try DocumentSchema(jsonSchema: missing) }
        let sampler = SchemaSampler(title: "A")
        sampler.add(Document([(one, 1), (two, "a")]))
        #expect(sampler.schema().properties.count == 2)
        let links = Relationships([
            Relationships.Relationship(
                field: one, source: "s", database: "d", collection: "c", isList: false)
        ])
        #expect(links[one] != nil && links[two] == nil)
    }

    @Test(
        "an import takes a field only for the property that has its bytes",
        arguments: [true, false])
    func imports(isDirect: Bool) throws {
        let workspace = Workspace()
        let realm = try workspace.realm("a.realm", [Cafe.self])
        let importer = try DocumentImporter(realm, type: "Cafe")
        var text = "{\"\(two)\": 2, \"_id\": 1, \"\(one)\": 1}"
        try realm.write {
            if isDirect {
                try text.withUTF8 {
                    try importer.insert(extendedJSON: UnsafeRawBufferPointer($0))
                }
            } else {
                try importer.insert(Document(extendedJSON: text))
            }
        }
        #expect(realm.object(ofType: Cafe.self, forPrimaryKey: 1)?.count == 1)
        #expect(importer.unknownFields.values.reduce(0, +) == 1)
        try realm.write {
            let refusal = #expect(throws: DocumentRefusal.self) {
                try importer.insert([
                    "_id": 2, "any": .document(Document([(one, 1), (two, 2)])),
                ])
            }
            #expect("\(refusal as Any)".contains("a name of other bytes"))
        }
    }

    /// Generated classes had both, and could not be opened; an import ended with an error of the
    /// realm's schema.
    @Test("fields that are the same to Swift are reported before they become classes or types")
    func alikeFields() throws {
        let sampler = SchemaSampler(title: "Place")
        sampler.add(Document([("_id", 1), (one, 1), (two, 2)]))
        sampler.add(["_id": 2, "in": .document(Document([(one, 1), (two, 2)]))])
        let collection = DataSource.Collection(
            database: "d", name: "places", schema: sampler.schema())
        let error = #expect(throws: ModelError.self) { try SwiftModels.files(for: [collection]) }
        #expect(error?.problems.map(\.field) == [two, "in.\(two)"])
        #expect("\(error as Any)".contains("differs from another name in its bytes alone"))
        let workspace = Workspace()
        let realm = try workspace.realm("b.realm", [])
        #expect(throws: ModelError.self) { try realm.addTypes(of: [collection]) }
        // In a dictionary, and in a value of any type, they are no properties.
        #expect(sampler.problems().isEmpty)
    }
}

final class Cafe: HiddenObject {
    @Persisted(primaryKey: true) var _id: Int
    @Persisted var count: Int?
    @Persisted var any: AnyRealmValue
    override class func propertiesMapping() -> [String: String] { ["count": "caf\u{E9}"] }
}
