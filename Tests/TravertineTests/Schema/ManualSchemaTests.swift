import Foundation
import RealmSwift
import TestSupport
import Testing

@testable import Travertine

@Suite("Types without a class, and subsets")
struct ManualSchemaTests {
    private static let note = ObjectSchema(
        "Note",
        properties: [
            Property("id", .int, isPrimaryKey: true),
            Property(
                "text", .string, defaultValue: "empty", storedName: "body", index: .general),
            Property("rank", .double, isOptional: true),
            Property("at", .date, defaultValue: Date(timeIntervalSinceReferenceDate: 5)),
            Property("any", .any),
            Property("tags", .string, collection: .list),
            Property("author", .object, objectType: "Writer"),
            Property("others", .object, collection: .map, objectType: "Writer"),
            Property("lines", .object, collection: .list, objectType: "Line"),
        ])
    private static let line = ObjectSchema(
        "Line", kind: .embedded, properties: [Property("text", .string)])

    private func open(
        _ directory: TemporaryDirectory, _ types: [ObjectBase.Type],
        _ schemas: [ObjectSchema] = [], isSubset: Bool = false, version: UInt64 = 0
    ) throws -> Realm {
        var configuration = Realm.Configuration(
            fileURL: directory.url, schemaVersion: version, objectTypes: types,
            durability: .unsynced)
        configuration.objectSchemas = schemas
        configuration.schemaSubset = isSubset
        return try Realm(configuration: configuration)
    }

    @Test("a type without a class stores, finds and links dynamic objects, by both names")
    func dynamicType() throws {
        let directory = TemporaryDirectory()
        for round in 0..<2 {
            let realm = try open(directory, [Writer.self], [Self.note, Self.line])
            if round == 0 {
                try realm.write {
                    let note = realm.dynamicCreate(
                        "Note",
                        value: [
                            "id": 1, "text": "hello", "tags": ["a", "b"],
                            "author": ["id": 4, "name": "Ada"], "lines": [["text": "one"]],
                        ])
                    note["any"] = 7
                    realm.dynamicCreate("Note", value: ["id": 2, "body": "other", "rank": 1.5])
                    realm.dynamicCreate("Note", value: ["id": 3])
                }
            }
            let notes = realm.dynamicObjects("Note")
            #expect(notes.map { $0["text"] as? String } == ["hello", "other", "empty"])
            #expect(notes[0]["body"] as? String == "hello" && notes[0]["any"] as? Int == 7)
            #expect(notes[1]["rank"] as? Double == 1.5 && notes[2]["rank"] == nil)
            #expect(notes[2]["at"] as? Date == Date(timeIntervalSinceReferenceDate: 5))
            #expect((notes[0]["tags"] as? List<String>).map { Array($0) } == ["a", "b"])
            #expect((notes[0]["author"] as? DynamicObject)?["name"] as? String == "Ada")
            #expect(realm.objects(Writer.self).count == 1)
            #expect(notes[0].dynamicList("lines")[0]["text"] as? String == "one")
            #expect(notes.sorted(byKeyPath: "text").first?["id"] as? Int == 3)
            #expect(
                realm.dynamicObject(ofType: "Note", forPrimaryKey: 2)?["rank"] as? Double == 1.5)
            #expect(realm.schema["Note"] == Self.note && realm.schema["Line"]?.isEmbedded == true)
            #expect(notes[0].objectSchema["text"]?.columnName == "body")
        }
        let realm = try open(directory, [Writer.self], [Self.note, Self.line])
        try realm.write { realm.deleteAll() }
        #expect(realm.dynamicObjects("Note").isEmpty)
    }

    @Test("broken rules of such types are named at opening, together with those of classes")
    func validation() throws {
        let directory = TemporaryDirectory()
        let broken = ObjectSchema(
            "Broken",
            properties: [
                Property("key", .double, isPrimaryKey: true),
                Property("link", .object, objectType: "Nowhere"),
                Property("bare", .object),
                Property("count", .int, defaultValue: "many"),
                Property("again", .int), Property("again", .int),
            ])
        let error = #expect(throws: Realm.Error.self) { try open(directory, [], [broken]) }
        let message = error?.message ?? ""
        #expect(error?.code == .schemaMismatch)
        #expect(message.contains("'Broken.key' cannot be the primary key"))
        #expect(
            message.contains("'Broken.link' of type 'object' has unknown object type 'Nowhere'"))
        #expect(message.contains("'Broken.bare' is a link and names no object type"))
        #expect(message.contains("'Broken.count' of type 'int' cannot have the default"))
        #expect(message.contains("'Broken.again' is declared or mapped twice"))
    }

    @Test("a changed declaration is a difference, as that of a class is")
    func differences() throws {
        let directory = TemporaryDirectory()
        do { _ = try open(directory, [], [Self.line]) }
        let changed = ObjectSchema(
            "Line", kind: .embedded,
            properties: [Property("text", .int), Property("more", .string)])
        let error = #expect(throws: Realm.Error.self) { try open(directory, [], [changed]) }
        #expect(error?.message.contains("changed from 'string' to 'int'") == true)
        let realm = try open(directory, [], [changed], version: 1)
        #expect(realm.schema["Line"]?["more"]?.type == .string)
    }

    @Test("properties added to a class are read and set by subscript, and survive its own updates")
    func extending() throws {
        let directory = TemporaryDirectory()
        let extended = ObjectSchema(
            extending: Writer.self,
            adding: [
                Property("age", .int, defaultValue: 30, index: .general),
                Property("nick", .string, isOptional: true),
                Property("books", .string, collection: .list),
            ])
        let realm = try open(directory, [Writer.self], [extended])
        let ada = Writer(value: ["name": "Ada"])
        try realm.write {
            realm.add(ada)
            realm.add(Writer(value: ["name": "Eva", "id": 1]))
            ada["age"] = 36
            ada["nick"] = "A"
            (ada["books"] as? List<String>)?.append(objectsIn: (0..<500).map { "book \($0)" })
        }
        try realm.write { realm.add(Writer(value: ["name": "Countess"]), update: .all) }
        #expect(ada.name == "Countess" && ada["age"] as? Int == 36 && ada["nick"] as? String == "A")
        #expect((ada["books"] as? List<String>)?.count == 500)
        #expect(realm.object(ofType: Writer.self, forPrimaryKey: 1)?["age"] as? Int == 30)
        #expect(
            realm.objects(Writer.self).sorted(byKeyPath: "age").map(\.name) == ["Eva", "Countess"])
        #expect(realm.schema["Writer"]?["age"]?.isIndexed == true)
        #expect(try realm.brokenInvariants() == [])
        try realm.write { realm.delete(ada) }
        #expect(try realm.brokenInvariants() == [])
        let pieces = realm.session.table(of: Writer.self).stored.pieces
        #expect(try realm.session.access.count(in: pieces) == 0)
    }

    @Test("a property added to a class is known by its public and by its stored name")
    func extendingWithStoredName() throws {
        let directory = TemporaryDirectory()
        let extended = ObjectSchema(
            extending: Writer.self,
            adding: [
                Property("age", .int, storedName: "years"),
                Property("any", .any, storedName: "stored_any"),
            ])
        let realm = try open(directory, [Writer.self], [extended])
        let ada = Writer(value: ["name": "Ada"])
        try realm.write {
            realm.add(ada)
            ada["age"] = 36
            ada["any"] = 7
        }
        #expect(ada["age"] as? Int == 36 && ada["years"] as? Int == 36)
        #expect(ada["any"] as? Int == 7)
        #expect(realm.objects(Writer.self).sorted(byKeyPath: "age").count == 1)
        let dynamic = realm.dynamicObjects("Writer")[0]
        #expect(dynamic["age"] as? Int == 36 && dynamic["years"] as? Int == 36)
    }

    @Test("collections of links that a class does not declare take objects of its classes")
    func extendingWithLinks() throws {
        let directory = TemporaryDirectory()
        let extended = ObjectSchema(
            extending: Writer.self,
            adding: [
                Property("friends", .object, collection: .list, objectType: "Writer"),
                Property("byName", .object, collection: .map, objectType: "Writer"),
                Property("known", .object, collection: .set, objectType: "Writer"),
            ])
        let realm = try open(directory, [Writer.self], [extended])
        let (ada, eva) = (
            Writer(value: ["name": "Ada"]), Writer(value: ["name": "Eva", "id": 1])
        )
        try realm.write {
            realm.add([ada, eva])
            ada["friends"] = [eva, ada, eva]
            ada["byName"] = ["e": eva]
            ada["known"] = [eva]
            let values: [String: Any] = ["name": "Bea", "id": 2, "friends": [ada]]
            realm.dynamicCreate("Writer", value: values)
        }
        let friends = try #require(ada["friends"] as? List<DynamicObject>)
        #expect(friends.map { $0["name"] as? String } == ["Eva", "Ada", "Eva"])
        #expect((ada["known"] as? MutableSet<DynamicObject>)?.count == 1)
        let bea = try #require(realm.object(ofType: Writer.self, forPrimaryKey: 2))
        #expect((bea["friends"] as? List<DynamicObject>)?.first?["name"] as? String == "Ada")
        #expect(try realm.brokenInvariants() == [])
        try realm.write { realm.delete(eva) }
        #expect(friends.count == 1)
        #expect((ada["byName"] as? Map<String, DynamicObject?>)?["e"] == .some(nil))
        #expect(try realm.brokenInvariants() == [])
    }

    @Test("classes of a subset leave properties out, and what they leave out stays")
    func subset() throws {
        let directory = TemporaryDirectory()
        do {
            let realm = try directory.open([Volume.self, Writer.self])
            try realm.write {
                realm.create(
                    Volume.self,
                    value: [
                        "id": 1, "title": "one", "pages": 300, "code": "x1", "flag": true,
                        "writers": [["id": 3, "name": "Ada"]], "first": ["id": 4, "name": "Ada"],
                    ])
            }
        }
        #expect(throws: Realm.Error.self) { try open(directory, [VolumePart.self]) }
        do {
            let realm = try open(directory, [VolumePart.self], isSubset: true)
            try realm.write {
                realm.add(VolumePart(value: ["id": 1, "title": "uno"]), update: .all)
                realm.add(VolumePart(value: ["id": 2, "title": "two"]))
                for volume in realm.objects(VolumePart.self) { volume.title += "!" }
            }
            #expect(realm.objects(VolumePart.self).map(\.title) == ["uno!", "two!"])
            #expect(try realm.brokenInvariants() == [])
        }
        let realm = try directory.open([Volume.self, Writer.self])
        let volumes = realm.objects(Volume.self)
        #expect(volumes.map(\.title) == ["uno!", "two!"])
        #expect(volumes.map(\.pages) == [300, 100] && volumes.map(\.flag) == [true, nil])
        #expect(volumes.map(\.code) == ["x1", ""] && volumes.map(\.writers.count) == [1, 0])
        #expect(volumes[0].first?.name == "Ada" && volumes[1].first == nil)
        #expect(volumes.where { $0.code == "x1" }.count == 1)
        #expect(volumes.where { $0.code == "" }.count == 1)
    }

    @Test("a table without class outlives the one with its class that takes its place")
    func keptTable() throws {
        let directory = TemporaryDirectory()
        do {
            let realm = try directory.open([LateBead.self])
            try realm.write { realm.add(LateBead(value: ["id": 1])) }
        }
        let realm = try Realm(
            configuration: Realm.Configuration(fileURL: directory.url, durability: .unsynced))
        let handle = try #require(realm.dynamicObjects("LateBead").first)
        weak let table = handle.table
        #expect(table?.classInfo == nil)
        try realm.write { realm.dynamicCreate("LateBead", value: ["id": 2]) }
        #expect(realm.objects(LateBead.self).count == 2)
        #expect(table != nil && handle["id"] as? Int == 1)
        try realm.write { handle["rank"] = Int.max }
        #expect(realm.objects(LateBead.self).first?.rank == .max)
    }
}

class Writer: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
}

class Volume: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var title: String
    @Persisted var pages = 100
    @Persisted(indexed: true) var code: String
    @Persisted var flag: Bool?
    @Persisted var writers: List<Writer>
    @Persisted var first: Writer?
}

class VolumePart: Object {
    override class func objectTypeName() -> String { "Volume" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    @Persisted(primaryKey: true) var id: Int
    @Persisted var title: String
}

class LateBead: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var rank: Int

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
