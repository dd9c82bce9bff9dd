import Foundation
import RealmSwift
import TestSupport
import Testing
import TravertineDocuments

/// Every difference here is named in the article "Documents", and nothing else differs.
@Suite("What differs between a document and the object's, and what does not")
struct RoundTripTests {
    private let workspace: Workspace
    private let realm: Realm

    init() throws {
        workspace = Workspace()
        realm = try workspace.realm(
            "a.realm", [Slab.self, Mosaic.self, Tile.self, Tessera.self, GoldTessera.self])
    }

    /// A field as it goes in and as it comes out, in canonical Extended JSON.
    private static let changed: [(name: String, before: String, after: String)] = [
        // Integers have the width of the property, which is 64 bits in a value of any type.
        ("int", #"{"$numberInt":"1"}"#, #"{"$numberLong":"1"}"#),
        ("narrow", #"{"$numberLong":"1"}"#, #"{"$numberInt":"1"}"#),
        ("any", #"{"$numberInt":"1"}"#, #"{"$numberLong":"1"}"#),
        ("any", #"[{"$numberInt":"1"}]"#, #"[{"$numberLong":"1"}]"#),
        // Integers become numbers of their property; a float is the nearest one.
        ("double", #"{"$numberInt":"1"}"#, #"{"$numberDouble":"1.0"}"#),
        ("float", #"{"$numberLong":"1"}"#, #"{"$numberDouble":"1.0"}"#),
        ("float", #"{"$numberDouble":"0.1"}"#, #"{"$numberDouble":"0.10000000149011612"}"#),
        ("decimal", #"{"$numberInt":"1"}"#, #"{"$numberDecimal":"1"}"#),
        // Deprecated types.
        ("string", #"{"$symbol":"a"}"#, #""a""#),
        ("any", #"{"$symbol":"a"}"#, #""a""#),
        ("any", #"{"$undefined":true}"#, "null"),
        (
            "data", #"{"$binary":{"base64":"AQ==","subType":"02"}}"#,
            #"{"$binary":{"base64":"AQ==","subType":"00"}}"#
        ),
        (
            "any", #"{"$binary":{"base64":"AQ==","subType":"02"}}"#,
            #"{"$binary":{"base64":"AQ==","subType":"00"}}"#
        ),
        // The order of sets and dictionaries.
        ("set", #"["b","a"]"#, #"["a","b"]"#),
        ("map", #"{"b":"x","a":"y"}"#, #"{"a":"y","b":"x"}"#),
        ("any", #"{"b":"x","a":{"d":"y","c":"z"}}"#, #"{"a":{"c":"z","d":"y"},"b":"x"}"#),
        (
            "any", #"{"$db":"d","$id":"x","$ref":"r"}"#, #"{"$ref":"r","$id":"x","$db":"d"}"#
        ),
        // Null where there is no nil.
        ("list", "null", "[]"), ("set", "null", "[]"), ("map", "null", "{}"),
        ("size", "null", #"{"$numberLong":"5"}"#),
        // Fields of embedded objects, and the name of the property's own class.
        (
            "tessera", #"{"name":"x","colour":{"$numberInt":"1"},"more":"z"}"#,
            #"{"colour":{"$numberLong":"1"},"name":"x"}"#
        ),
        ("tessera", #"{"_t":"Tessera"}"#, #"{"colour":null,"name":null}"#),
    ]

    /// Fields that come out as they go in, in canonical Extended JSON.
    private static let kept: [(name: String, value: String)] = [
        ("int", #"{"$numberLong":"-9223372036854775808"}"#), ("int", "null"),
        ("narrow", #"{"$numberInt":"-1"}"#), ("double", #"{"$numberDouble":"-0.0"}"#),
        ("double", #"{"$numberDouble":"NaN"}"#), ("double", #"{"$numberDouble":"-Infinity"}"#),
        ("double", #"{"$numberDouble":"5e-324"}"#), ("float", #"{"$numberDouble":"0.5"}"#),
        ("decimal", #"{"$numberDecimal":"1.500"}"#), ("decimal", #"{"$numberDecimal":"-0E+3"}"#),
        ("string", #""a\u0000b""#), ("string", #""""#),
        ("data", #"{"$binary":{"base64":"","subType":"00"}}"#),
        ("date", #"{"$date":{"$numberLong":"-62135596800001"}}"#),
        ("any", #"{"$numberLong":"1"}"#), ("any", #"{"$numberDouble":"1.0"}"#),
        ("any", #"{"$numberDecimal":"1.0"}"#), ("any", "true"), ("any", "[[],{},null]"),
        ("any", #"{"$uuid":"00112233-4455-6677-8899-aabbccddeeff"}"#),
        ("any", #"{"$oid":"0123456789abcdef01234567"}"#),
        ("any", #"{"$date":{"$numberLong":"1"}}"#),
        ("any", #"{"$binary":{"base64":"AQ==","subType":"00"}}"#),
        ("any", #"{"$ref":"nowhere","$id":"x"}"#), ("list", #"["b","a","b"]"#),
        ("map", #"{"":"x","a.b":"y"}"#), ("size", #"{"$numberLong":"0"}"#),
        ("tessera", #"{"_t":"GoldTessera","colour":{"$numberLong":"1"},"name":null,"carat":null}"#),
        ("link", #"{"$numberLong":"77"}"#),
        ("links", #"[{"$numberLong":"8"},{"$numberLong":"7"}]"#),
    ]

    private func roundTrip(_ name: String, _ value: String) throws -> String? {
        let schema = try ObjectMapping.documentSchema(of: "Mosaic", in: realm.schema)
        var own = try #require(schema)
        own.required = ["_id"]
        let importer = try DocumentImporter(realm, type: "Mosaic", schema: own)
        try realm.write {
            realm.deleteAll()
            try importer.insert(Document(extendedJSON: "{\"_id\":1,\"\(name)\":\(value)}"))
        }
        let exporter = try DocumentExporter(realm, type: "Mosaic", schema: own)
        return try exporter.document(forPrimaryKey: 1)?[name]?.extendedJSON(.canonical)
    }

    @Test("what differs is what the article says", arguments: changed)
    func differences(name: String, before: String, after: String) throws {
        #expect(try roundTrip(name, before) == after)
        // Once.
        #expect(try roundTrip(name, after) == after)
    }

    @Test("everything else is the same", arguments: kept)
    func same(name: String, value: String) throws {
        let expected = try AnyBSON(extendedJSON: value).extendedJSON(.canonical)
        #expect(try roundTrip(name, value) == expected)
    }

    @Test("objects with other keys than integers come as they were stored first")
    func orderOfTexts() throws {
        let importer = try DocumentImporter(realm, type: "Slab")
        try realm.write {
            for key in ["b", "c", "a", "b"] { try importer.insert(["_id": .string(key)]) }
        }
        var text = ""
        try DocumentExporter(realm, type: "Slab").export(as: .extendedJSON(.relaxed)) { bytes, _ in
            text += String(decoding: bytes, as: UTF8.self)
        }
        #expect(text == "{\"_id\":\"b\"}\n{\"_id\":\"c\"}\n{\"_id\":\"a\"}\n")
    }

    @Test("objects come by integer keys, fields as the type has them, with all that are absent")
    func order() throws {
        let importer = try DocumentImporter(realm, type: "Tile")
        try realm.write {
            for text in [
                #"{"name": "x", "_id": 2, "more": 1}"#, #"{"_id": 3}"#, #"{"tags": [], "_id": 1}"#,
                #"{"_id": -1}"#,
                #"{"_id": 3, "name": "z"}"#,
            ] {
                try importer.insert(Document(extendedJSON: text))
            }
        }
        var text = ""
        try DocumentExporter(realm, type: "Tile").export(as: .extendedJSON(.relaxed)) { bytes, _ in
            text += String(decoding: bytes, as: UTF8.self)
        }
        #expect(
            text == """
                {"_id":-1,"name":null,"tags":[]}
                {"_id":1,"name":null,"tags":[]}
                {"_id":2,"name":"x","tags":[]}
                {"_id":3,"name":"z","tags":[]}

                """)
        #expect(importer.unknownFields == ["more": 1] && importer.replacedCount == 1)
    }
}

final class Mosaic: HiddenObject {
    @Persisted(primaryKey: true) var _id: Int
    @Persisted var int: Int?
    @Persisted var narrow: Int32?
    @Persisted var double: Double?
    @Persisted var float: Float?
    @Persisted var decimal: Decimal128?
    @Persisted var string: String?
    @Persisted var data: Data?
    @Persisted var date: Date?
    @Persisted var any: AnyRealmValue
    @Persisted var list: List<String>
    @Persisted var set: MutableSet<String>
    @Persisted var map: Map<String, String>
    @Persisted var size: Int = 5
    @Persisted var tessera: Tessera?
    @Persisted var link: Mosaic?
    @Persisted var links: List<Mosaic>
}

final class Tile: HiddenObject {
    @Persisted(primaryKey: true) var _id: Int
    @Persisted var name: String?
    @Persisted var tags: List<String>
}

final class Slab: HiddenObject {
    @Persisted(primaryKey: true) var _id: String
}

class Tessera: HiddenEmbeddedObject {
    @Persisted var colour: Int?
    @Persisted var name: String?
}

final class GoldTessera: Tessera {
    @Persisted var carat: Int?
}
