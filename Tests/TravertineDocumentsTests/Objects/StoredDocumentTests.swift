import Foundation
import RealmSwift
import TestSupport
import Testing
import TravertineDocuments

@Suite("Documents of stored objects")
struct StoredDocumentTests {
    @Test("every value becomes the BSON value of its type, in the same order")
    func values() throws {
        let id = ObjectId.generate()
        let uuid = UUID()
        let date = Date(timeIntervalSince1970: 1.5)
        let stored: StoredDocument = [
            "_id": .objectId(id), "count": 7, "isOpen": true, "half": .float(0.5), "pi": 3.25,
            "text": "a", "bytes": .data(Data([1, 2])), "since": .date(date), "none": nil,
            "price": .decimal128(Decimal128(12)), "uuid": .uuid(uuid), "list": [1, nil, "b"],
            "place": ["type": "Point"], "owner": .link(type: "Person", key: "P1"),
        ]
        let document = Document(stored)
        #expect(document.map(\.key) == stored.fields.map(\.name))
        let expected: Document = [
            "_id": .objectId(id), "count": .int64(7), "isOpen": true, "half": 0.5, "pi": 3.25,
            "text": "a", "bytes": .binary(Data([1, 2])), "since": .datetime(date), "none": .null,
            "price": .decimal128(Decimal128(12)), "uuid": .uuid(uuid),
            "list": .array([.int64(1), .null, "b"]), "place": ["type": "Point"],
            "owner": ["$ref": "Person", "$id": "P1"],
        ]
        #expect(document == expected)
        guard case .document(let reference)? = document["owner"] else {
            Issue.record("a link is a document")
            return
        }
        #expect(DBRef(reference)?.collection == "Person")
        #expect(try !document.bson().isEmpty)
    }

    @Test("what is read of asymmetric objects has the form that is exported")
    func exportedForm() throws {
        let workspace = Workspace()
        let realm = try workspace.realm("a.realm", [Signal.self, Rod.self, LongRod.self])
        try realm.write {
            let signal = Signal(value: ["_id": 1, "level": 2, "levels": [3], "by": ["a": 4]])
            signal.rod = LongRod(value: ["size": 3, "extra": 4, "wide": 5])
            signal.rods.append(Rod(value: ["size": 6]))
            realm.create(Signal.self, value: signal)
        }
        let entry = try #require(try realm.outbox.read().first)
        let schema = try #require(
            try ObjectMapping.documentSchema(of: entry.type, in: realm.schema))
        #expect(
            Document(entry.document, schema: schema) == [
                "_id": .int64(1), "level": .int32(2), "levels": .array([.int32(3)]),
                "by": ["a": .int32(4)],
                "rod": ["_t": "LongRod", "size": .int32(3), "extra": .int64(4), "wide": .int64(5)],
                "rods": .array([["size": .int32(6)]]),
            ])
        #expect(Document(entry.document)["level"] == .int64(2))
        let wide: StoredDocument = ["level": .int(1 << 40)]
        #expect(Document(wide, schema: schema) == ["level": .int64(1 << 40)])
    }

    @Test("a link to an object without primary key is stored with its type, and as a DBRef")
    func keylessTargets() throws {
        let workspace = Workspace()
        let realm = try workspace.realm("a.realm", [Alarm.self, Unkeyed.self])
        try realm.write {
            let targets = ["a", "b"].map { Unkeyed(value: ["name": $0]) }
            realm.add(targets)
            let alarm = Alarm(value: ["_id": 1])
            alarm.link = targets[0]
            alarm.links.append(objectsIn: [targets[1], targets[0]])
            alarm.any = .object(targets[1])
            realm.create(Alarm.self, value: alarm)
        }
        let entry = try #require(try realm.outbox.read().first)
        guard case .link(type: "Unkeyed", let first)? = entry.document["link"],
            case .link(type: "Unkeyed", let second)? = entry.document["any"]
        else {
            Issue.record("\(entry.document)")
            return
        }
        #expect(first != second)
        #expect(
            entry.document["links"]
                == .array([
                    .link(type: "Unkeyed", key: second), .link(type: "Unkeyed", key: first),
                ]))
        let reference = try #require(Document(entry.document)["link"]?.referenceValue)
        #expect(reference.collection == "Unkeyed" && reference.id == AnyBSON(first))
        #expect(throws: MappingError.keylessTargets(["Alarm.link", "Alarm.links"])) {
            try ObjectMapping.documentSchema(of: "Alarm", in: realm.schema)
        }
    }
}

final class Alarm: AsymmetricObject {
    @Persisted(primaryKey: true) var _id: Int
    @Persisted var link: Unkeyed?
    @Persisted var links: List<Unkeyed>
    @Persisted var any: AnyRealmValue
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

final class Signal: AsymmetricObject {
    @Persisted(primaryKey: true) var _id: Int
    @Persisted var level: Int32
    @Persisted var levels: List<Int16>
    @Persisted var by: Map<String, Int8>
    @Persisted var rod: Rod?
    @Persisted var rods: List<Rod>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
