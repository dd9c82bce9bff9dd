import Foundation
import RealmSwift
import TestSupport
import Testing
import TravertineDocuments

@Suite("Documents become objects")
struct ImportTests {
    private let workspace: Workspace
    private let realm: Realm

    init() throws {
        workspace = Workspace()
        realm = try workspace.realm("a.realm", [Ship.self, Port.self, Mast.self, Note.self])
    }

    /// Imports documents one by one; the problems of those that were refused.
    @discardableResult
    private func insert(
        _ type: String, _ documents: String..., schema: DocumentSchema? = nil
    ) throws -> [String] {
        let importer = try DocumentImporter(realm, type: type, schema: schema)
        var refusals: [String] = []
        try realm.write {
            for text in documents {
                do {
                    try importer.insert(Document(extendedJSON: text))
                } catch let refusal as DocumentRefusal {
                    refusals.append(refusal.description)
                }
            }
        }
        return refusals
    }

    private func ship(_ key: Int) throws -> Ship {
        try #require(realm.object(ofType: Ship.self, forPrimaryKey: key))
    }

    @Test("every type of value is read into its property")
    func values() throws {
        try insert(
            "Ship",
            """
            {"_id": 1, "name": "Ätlas \\"I\\"", "length": 12, "draught": 1.5, "isAfloat": true,
             "built": {"$date": "1970-01-01T00:00:01Z"}, "plan": {"$binary": {"base64": "AQI=",
             "subType": "00"}}, "price": {"$numberDecimal": "1.50"}, "mark": {"$uuid":
             "00112233-4455-6677-8899-aabbccddeeff"}, "tag": {"$oid": "0123456789abcdef01234567"},
             "names": ["a", "b"], "sizes": [3, 1, 2, 3e0], "labels": {"z": "1", "a": null},
             "counts": [2, 1], "mast": {"height": 7, "sails": ["x"]}, "masts": [{"height": 1},
             {"height": 2}], "byName": {"b": {"height": 3}, "a": null},
             "extra": {"list": [1, {"deep": [true, null]}]}, "extras": [1, "a", [2]]}
            """)
        let ship = try ship(1)
        #expect(ship.name == "Ätlas \"I\"" && ship.length == 12 && ship.draught == 1.5)
        #expect(ship.isAfloat && ship.built == Date(timeIntervalSince1970: 1))
        #expect(ship.plan == Data([1, 2]) && ship.price.description == "1.50")
        #expect(ship.mark?.uuidString == "00112233-4455-6677-8899-AABBCCDDEEFF")
        #expect(ship.tag?.stringValue == "0123456789abcdef01234567")
        #expect(Array(ship.names) == ["a", "b"] && Array(ship.sizes) == [3, 1, 2, 3])
        #expect(ship.labels["z"] == "1" && ship.labels["a"] == .some(nil))
        #expect(Array(ship.counts) == [1, 2])
        #expect(ship.mast?.height == 7 && ship.mast.map { Array($0.sails) } == ["x"])
        #expect(ship.masts.map(\.height) == [1, 2] && ship.byName["b"]??.height == 3)
        let deep = ship.extra.dictionaryValue?["list"]?.listValue?[1].dictionaryValue?["deep"]
        #expect(deep?.listValue?.first == true && deep?.listValue?.count == 2)
        #expect(ship.extras.count == 3 && ship.extras[2].listValue?.first == 2)
        #expect(ship.mast?.parent?["name"] as? String == ship.name)
    }

    @Test("what is absent is nil where it may be, and else the default; a missing key is refused")
    func absent() throws {
        let schema = try DocumentSchema(
            jsonSchema: """
                {"title": "Ship", "bsonType": "object", "required": ["_id", "name"],
                 "properties": {"_id": {"bsonType": "long"}, "name": {"bsonType": "string"}}}
                """)
        let refusals = try insert(
            "Ship", #"{"_id": 1, "name": "a"}"#, #"{"_id": 2}"#, #"{"_id": 3, "name": null}"#,
            #"{"name": "b"}"#, #"{"_id": null, "name": "b"}"#, schema: schema)
        #expect(
            refusals == [
                "name: required, and missing", "name: required, and null",
                "_id: required, and missing", "_id: required, and null",
            ])
        let ship = try ship(1)
        #expect(ship.length == 5 && ship.mark == nil && ship.mast == nil && ship.names.isEmpty)
        #expect(ship.nickname == nil && ship.extra == AnyRealmValue.none)
        // Without a schema, the type says what is required.
        #expect(
            try insert("Ship", #"{"_id": 4, "name": "a"}"#) == ["length: required, and missing"])
        #expect(realm.objects(Ship.self).count == 1)
    }

    @Test("a value of another type is refused with its place, and nothing of it is stored")
    func refusals() throws {
        let rest =
            #""name": "a", "length": 1, "draught": 1, "isAfloat": true, "built": "#
            + #"{"$date": 0}, "plan": {"$binary": {"base64": "", "subType": "00"}}, "price": 1"#
        let cases = [
            (#""nickname": 7"#, "nickname: string expected, int found"),
            (#""names": "a""#, "names: array expected, string found"),
            (#""names": ["a", 2]"#, "names.1: string expected, int found"),
            (#""names": ["a", null]"#, "names.1: string expected, null found"),
            (#""tag": 1.5"#, "tag: objectId expected, double found"),
            (#""counts": [1, 1]"#, "counts: an element for the second time"),
            (#""labels": []"#, "labels: object expected, array found"),
            (#""labels": {"a": 1}"#, "labels.a: string expected, int found"),
            (#""mast": {"sails": []}"#, "mast.height: required, and missing"),
            (#""mast": 1"#, "mast: object expected, int found"),
            (
                #""masts": [{"height": 1}, {"height": "x"}]"#,
                "masts.1.height: long expected, string found"
            ),
            (#""port": 7"#, "port: string expected, the key of a Port; int found"),
            (#""extra": {"a": [{"$minKey": 1}]}"#, "extra.a.0: mixed cannot hold a minKey"),
        ]
        for (index, (text, expected)) in cases.enumerated() {
            let document = "{\"_id\": \(index), \(rest), \(text)}"
            let importer = try DocumentImporter(realm, type: "Ship")
            var found = ""
            try realm.write {
                do {
                    try importer.insert(Document(extendedJSON: document))
                } catch let refusal as DocumentRefusal {
                    found = refusal.description
                }
            }
            #expect(found == expected, "\(text)")
            // The direct way finds the same.
            var direct = ""
            try realm.write {
                var text = document
                do {
                    try text.withUTF8 {
                        try importer.insert(extendedJSON: UnsafeRawBufferPointer($0))
                    }
                } catch let refusal as DocumentRefusal {
                    direct = refusal.description
                }
            }
            #expect(direct == expected, "\(text)")
        }
        #expect(realm.objects(Ship.self).isEmpty && realm.objects(Port.self).isEmpty)
        #expect(realm.dynamicObjects("Mast").isEmpty)
    }

    @Test("a name that BSON has twice is refused")
    func twice() throws {
        let importer = try DocumentImporter(realm, type: "Note")
        let document = Document([("_id", "a"), ("_id", "b")])
        try realm.write {
            #expect(throws: DocumentRefusal.self) { try importer.insert(document) }
        }
        #expect(realm.objects(Note.self).isEmpty)
    }

    @Test("a document replaces the object with its key, with all that it had")
    func replacing() throws {
        let names = (0..<500).map { "\"name number \($0)\"" }.joined(separator: ",")
        let start =
            #"{"_id": 1, "name": "a", "length": 1, "draught": 1, "isAfloat": true, "built": "#
            + #"{"$date": 0}, "plan": {"$binary": {"base64": "", "subType": "00"}}, "price": 1, "#
        try insert(
            "Ship", start + "\"names\": [\(names)], \"mast\": {\"height\": 1}, \"mark\": null}",
            start + #""nickname": "b", "masts": [{"height": 2}]}"#)
        let ship = try ship(1)
        #expect(ship.nickname == "b" && ship.names.isEmpty && ship.mast == nil)
        #expect(realm.objects(Ship.self).where { $0.nickname == "b" }.count == 1)
        #expect(realm.dynamicObjects("Mast").count == 1)
        let importer = try DocumentImporter(realm, type: "Ship")
        try realm.write { try importer.insert(Document(extendedJSON: start + "\"names\": []}")) }
        #expect(importer.insertedCount == 0 && importer.replacedCount == 1)
    }

    @Test("fields without property are ignored, and counted by name")
    func unknown() throws {
        let importer = try DocumentImporter(realm, type: "Note")
        let text = #"{"_id": "a", "more": {"x": 1}, "box": {"height": 1, "colour": 2}, "less": 3}"#
        try realm.write {
            try importer.insert(Document(extendedJSON: text))
            var bytes = text
            try bytes.withUTF8 { try importer.insert(extendedJSON: UnsafeRawBufferPointer($0)) }
        }
        #expect(importer.unknownFields == ["more": 2, "less": 2, "Mast.colour": 2])
    }

    @Test(
        "however a stream is cut, the same objects are made of it and the same documents refused",
        arguments: [1, 3, 17, 64, 1_000])
    func pieces(byteCount: Int) throws {
        let lines = [
            #"{"_id": "a", "box": {"height": 12, "sails": ["x\u00e9", "ÿ"]}}"#,
            #"  {"_id": "b", "box": {"height": "no"}, "more": [true, false, null, 1.5e3]}"#,
            #"{"_id": 5}"#, #"{"_id": "c", "box": }"#, #"{"\u005fid": "d", "other": "é"}"#, "",
            #"{"_id": "e"}"#,
        ]
        let bytes = Array(lines.joined(separator: "\n").utf8)
        var start = 0
        var stream = DocumentStream(.extendedJSON) {
            let end = min(bytes.count, start + byteCount)
            defer { start = end }
            return Array(bytes[start..<end])
        }
        let importer = try DocumentImporter(realm, type: "Note")
        var refusals: [String] = []
        try realm.write {
            var isMore = true
            while isMore {
                do {
                    isMore = try stream.next(into: importer)
                } catch let error as DocumentRefusal {
                    refusals.append("\(stream.documentCount) \(error)")
                } catch let error as DocumentError {
                    refusals.append("\(stream.documentCount) \(error)")
                }
            }
        }
        #expect(
            refusals == [
                "2 box.height: long expected, string found", "3 _id: string expected, int found",
                "4 invalid JSON at line 4, column 21 (byte 171): a value expected",
            ])
        #expect(realm.objects(Note.self).map(\._id) == ["a", "d", "e"])
        #expect(realm.objects(Note.self)[0].box.map { Array($0.sails) } == ["xé", "ÿ"])
        #expect(importer.unknownFields == ["other": 1])
    }

    @Test("constraints of a schema are checked as documents come in")
    func constraints() throws {
        let schema = try DocumentSchema(
            jsonSchema: """
                {"title": "Note", "bsonType": "object", "required": ["_id"], "properties": {
                 "_id": {"bsonType": "string", "minLength": 2}}}
                """)
        #expect(
            try insert("Note", #"{"_id": "a"}"#, #"{"_id": "ab"}"#, schema: schema) == [
                "_id: 1 characters, fewer than 2"
            ])
        #expect(realm.objects(Note.self).map(\._id) == ["ab"])
    }

    @Test("a type that is not there, and an embedded one, are refused")
    func types() throws {
        #expect(throws: ImportError.unknownType("Boat")) {
            try DocumentImporter(realm, type: "Boat")
        }
        #expect(throws: ImportError.embeddedType("Mast")) {
            try DocumentImporter(realm, type: "Mast")
        }
    }
}

final class Ship: HiddenObject {
    @Persisted(primaryKey: true) var _id: Int
    @Persisted var name: String
    @Persisted var length: Int = 5
    @Persisted var draught: Double
    @Persisted var isAfloat: Bool
    @Persisted var built: Date
    @Persisted var plan: Data
    @Persisted var price: Decimal128
    @Persisted(indexed: true) var nickname: String?
    @Persisted var mark: UUID?
    @Persisted var tag: ObjectId?
    @Persisted var names: List<String>
    @Persisted var sizes: List<Double>
    @Persisted var counts: MutableSet<Int>
    @Persisted var labels: Map<String, String?>
    @Persisted var mast: Mast?
    @Persisted var masts: List<Mast>
    @Persisted var byName: Map<String, Mast?>
    @Persisted var port: Port?
    @Persisted var extra: AnyRealmValue
    @Persisted var extras: List<AnyRealmValue>
}

final class Mast: HiddenEmbeddedObject {
    @Persisted var height: Int
    @Persisted var sails: List<String>
}

final class Port: HiddenObject {
    @Persisted(primaryKey: true) var code: String
    @Persisted(originProperty: "port") var ships: LinkingObjects<Ship>
}

final class Note: HiddenObject {
    @Persisted(primaryKey: true) var _id: String
    @Persisted var box: Mast?
}
