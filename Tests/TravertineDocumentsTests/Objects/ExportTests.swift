import Foundation
import RealmSwift
import TestSupport
import Testing
import TravertineDocuments

@Suite("Objects become documents")
struct ExportTests {
    private let workspace: Workspace
    private let realm: Realm

    init() throws {
        workspace = Workspace()
        realm = try workspace.realm("a.realm", Self.classes)
    }

    private static let classes: [ObjectBase.Type] = [
        Everything.self, Everything.Inner.self, Everything.Target.self,
    ]

    private func export(
        _ realm: Realm, _ format: DocumentExporter.Format, _ type: String = "Everything"
    ) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try DocumentExporter(realm, type: type).export(as: format) { piece, _ in bytes += piece }
        return bytes
    }

    private func add(_ count: Int, _ random: inout some RandomNumberGenerator) throws {
        try realm.write {
            let target = realm.create(Everything.Target.self, value: ["name": "t \"1\""])
            for index in 0..<count {
                let object = Everything()
                object._id = UUID(
                    uuid: (
                        1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4,
                        UInt8(index / 256), UInt8(index % 256)
                    ))
                object.int = Int.random(in: .min ... .max, using: &random)
                object.int8 = .random(in: .min ... .max, using: &random)
                object.int32 = .random(in: .min ... .max, using: &random)
                object.float = .random(in: -1...1, using: &random)
                object.double = .random(in: -1e9...1e9, using: &random)
                object.data = Data([UInt8(index % 256), 0])
                object.decimal = Decimal128(index)
                object.mixed =
                    [
                        .none, .int(index), .string("é\u{1}\\"), .double(1.5), .object(target),
                        .fromArray([.int(1), .fromDictionary(["a": .bool(true)])]),
                        .fromDictionary(["x": .none, "list": .fromArray([])]),
                    ][index % 7]
                object.bool = index % 2 == 0
                object.date = Date(timeIntervalSince1970: Double(index))
                object.string = String(repeating: "ü\"", count: index % 40)
                object.kind = index % 3 == 0 ? .big : .small
                object.maybe = index % 4 == 0 ? nil : Int32(index)
                for number in 0..<index % 900 { object.list.append(Int16(number)) }
                object.set.insert(objectsIn: [index, 2, 3])
                object.map["k\(index)"] = index % 2 == 0 ? nil : "v"
                object.mixedList.append(objectsIn: [.int(1), .fromArray([.string("x")]), .none])
                object.embedded = Everything.Inner(value: ["at": Date(timeIntervalSince1970: 3)])
                object.embeddedList.append(Everything.Inner(value: ["targets": [target]]))
                object.embeddedMap["e"] = Everything.Inner()
                object.link = index % 2 == 0 ? target : nil
                object.links.append(objectsIn: [target, target])
                object.linkSet.insert(target)
                object.linkMap["l"] = target
                object.renamed = "\(index)"
                realm.add(object)
            }
        }
    }

    @Test("nil is null, a link the key of its target, and a mixed link a DBRef")
    func text() throws {
        try realm.write {
            let target = realm.create(Everything.Target.self, value: ["name": "t"])
            let object = Everything()
            object.objectId = ObjectId("0123456789abcdef01234567")
            object.date = Date(timeIntervalSince1970: 1)
            object.mixed = .object(target)
            object.link = target
            object.links.append(target)
            object.map["a"] = .some(nil)
            object.embedded = Everything.Inner()
            object.embedded?.at = Date(timeIntervalSince1970: 0.5)
            object.kind = .small
            realm.add(object)
        }
        let expected = """
            {"_id":null,"int":0,"int8":0,"int16":0,"int32":0,"int64":0,"float":0.0,"double":0.0,\
            "data":{"$binary":{"base64":"","subType":"00"}},"decimal":{"$numberDecimal":"0"},\
            "mixed":{"$ref":"target_type","$id":"t"},"bool":false,\
            "date":{"$date":"1970-01-01T00:00:01Z"},\
            "objectId":{"$oid":"0123456789abcdef01234567"},"string":"","kind":"small",\
            "maybe":null,"list":[],"set":[],"map":{"a":null},"mixedList":[],\
            "embedded":{"at":{"$date":"1970-01-01T00:00:00.500Z"},"targets":[]},\
            "embeddedList":[],"embeddedMap":{},"link":"t","links":["t"],"linkSet":[],\
            "linkMap":{},"stored_name":""}

            """
        let relaxed = try export(realm, .extendedJSON(.relaxed))
        #expect(String(decoding: relaxed, as: UTF8.self) == expected)
        let canonical = try export(realm, .extendedJSON(.canonical))
        let text = String(decoding: canonical, as: UTF8.self)
        #expect(text.contains(#""int":{"$numberLong":"0"},"int8":{"$numberInt":"0"}"#))
        // The same document in all forms.
        let document = try Document(extendedJSON: text)
        #expect(try Document(bson: export(realm, .bson)) == document)
        #expect(try document.extendedJSON(.relaxed) + "\n" == expected)
    }

    @Test(
        "what is exported and imported again is exported as the same bytes",
        arguments: [
            DocumentExporter.Format.extendedJSON(.relaxed), .extendedJSON(.canonical), .bson,
        ])
    func roundTrip(format: DocumentExporter.Format) throws {
        let seed = UInt64.random(in: .min ... .max)
        print("round trip of documents, seed \(seed)")
        var random = SeededRandom(seed: seed)
        try add(60, &random)
        let bytes = try export(realm, format)
        let targets = try export(realm, format, "target_type")
        let copy = try workspace.realm("b.realm", Self.classes)
        for (type, documents) in [("Everything", bytes), ("target_type", targets)] {
            let importer = try DocumentImporter(copy, type: type)
            var stream = DocumentStream(format == .bson ? .bson : .extendedJSON, documents)
            try copy.write { while try stream.next(into: importer) {} }
        }
        #expect(try export(copy, format) == bytes)
        #expect(try export(copy, format, "target_type") == targets)
        #expect(copy.objects(Everything.Target.self)[0].everything.count == 30)
        for (left, right) in zip(
            realm.objects(Everything.self), copy.objects(Everything.self))
        {
            #expect(left.int == right.int && left.float == right.float)
            #expect(left.string == right.string && Array(left.list) == Array(right.list))
        }
    }

    @Test("one object's document is found by its key")
    func single() throws {
        try realm.write { realm.create(Everything.Target.self, value: ["name": "a"]) }
        let exporter = try DocumentExporter(realm, type: "target_type")
        #expect(try exporter.document(forPrimaryKey: "a") == ["name": "a"])
        #expect(try exporter.document(forPrimaryKey: "b") == nil)
        #expect(try exporter.document(forPrimaryKey: 1) == nil)
    }

    @Test("objects that do not fit a schema are reported with their position, and left out")
    func schema() throws {
        try realm.write {
            for name in ["abc", "a", "bcd"] {
                realm.create(Everything.Target.self, value: ["name": name])
            }
        }
        let schema = try DocumentSchema(
            jsonSchema: """
                {"title": "target_type", "bsonType": "object", "properties":
                 {"name": {"bsonType": "string", "minLength": 3}}}
                """)
        let exporter = try DocumentExporter(realm, type: "target_type", schema: schema)
        var refusals: [String] = []
        var bytes: [UInt8] = []
        let count = try exporter.export(as: .extendedJSON(.relaxed)) { position, refusal in
            refusals.append("\(position): \(refusal)")
        } to: { piece, _ in
            bytes += piece
        }
        #expect(count == 2 && refusals == ["2: name: 1 characters, fewer than 3"])
        #expect(
            String(decoding: bytes, as: UTF8.self) == "{\"name\":\"abc\"}\n{\"name\":\"bcd\"}\n")
        #expect(throws: DocumentRefusal.self) {
            try exporter.export(as: .bson) { _, _ in }
        }
    }

    @Test("what stands for nil is exported, and numbers too large for their type as stored")
    func changedTypes() throws {
        do {
            let before = try workspace.realm("b.realm", [Blank.Before.self])
            try before.write {
                before.create(Blank.Before.self, value: ["_id": 1, "count": 3_000_000_000])
            }
        }
        let after = try workspace.realm("b.realm", [Blank.After.self], version: 1)
        let text = String(
            decoding: try export(after, .extendedJSON(.relaxed), "Blank"), as: UTF8.self)
        #expect(
            text.contains(#"{"_id":1,"count":3000000000,"at":{"$date":"1970-01-01T00:00:00Z"}}"#),
            "\(text)")
    }
}

private enum Blank {
    class Before: Object {
        override class func objectTypeName() -> String { "Blank" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
        @Persisted(primaryKey: true) var _id: Int
        @Persisted var count: Int
        @Persisted var at: Date?
    }

    class After: Object {
        override class func objectTypeName() -> String { "Blank" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
        @Persisted(primaryKey: true) var _id: Int
        @Persisted var count: Int32
        @Persisted var at: Date
    }
}
