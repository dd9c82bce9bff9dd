import Foundation
import RealmSwift
import TestSupport
import Testing
import Travertine
import TravertineDocuments

@Suite("DBRefs of links")
struct ReferenceNameTests {
    private let workspace: Workspace
    private let realm: Realm

    init() throws {
        workspace = Workspace()
        realm = try workspace.realm("a.realm", [Shop.self, Ware.self, Spice.self, Crew.self])
    }

    private func collection(_ name: String, _ title: String, _ database: String = "d")
        -> DataSource.Collection
    {
        DataSource.Collection(
            database: database, name: name, schema: DocumentSchema(title: title))
    }

    private func insert(
        _ type: String, _ collections: [DataSource.Collection] = [], _ documents: String...
    ) throws {
        let importer = try DocumentImporter(realm, type: type, collections: collections)
        try realm.write {
            for text in documents { try importer.insert(Document(extendedJSON: text)) }
        }
    }

    private func export(
        _ type: String, _ collections: [DataSource.Collection] = []
    ) throws -> [String] {
        var bytes: [UInt8] = []
        let exporter = try DocumentExporter(realm, type: type, collections: collections)
        try exporter.export(as: .extendedJSON(.relaxed)) { piece, _ in bytes += piece }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    private func shop(_ id: Int) throws -> Shop {
        try #require(realm.object(ofType: Shop.self, forPrimaryKey: id))
    }

    // MARK: What is a link

    @Test(
        "what holds more than a link keeps all of it, in the order of a DBRef",
        arguments: [
            #"{"$ref":"Ware","$id":7,"$db":"Pets"}"#, #"{"$ref":"Ware","$id":7,"note":"n"}"#,
            #"{"$ref":"Ware","$id":7,"$db":"Pets","note":[1,{"a":2}]}"#,
            #"{"$ref":"Ware","$id":7,"$db":null}"#,
        ])
    func furtherNames(reference: String) throws {
        let text = "{\"_id\":1,\"any\":\(reference),\"list\":[\(reference)],\"best\":null}"
        try insert("Shop", [], text)
        #expect(try export("Shop") == [text])
        try insert("Ware", [], #"{"_id": 7}"#)
        #expect(try shop(1).any.dictionaryValue?["$id"]?.intValue == 7)
        #expect(try export("Shop") == [text])
        // Where the target is there already.
        try insert("Shop", [], text)
        #expect(try shop(1).any.object(Ware.self) == nil && export("Shop") == [text])
        #expect(try !LinkResolver(realm).hasAny())
    }

    @Test("the order of the two names does not matter, as a dictionary has none")
    func order() throws {
        try insert("Shop", [], #"{"_id": 1, "any": {"$id": 7, "$ref": "Ware"}}"#)
        try insert("Ware", [], #"{"_id": 7}"#)
        #expect(try shop(1).any.object(Ware.self)?._id == 7)
    }

    @Test("a link to a class with derived ones is refused with more than a link has")
    func derivedClasses() throws {
        let importer = try DocumentImporter(realm, type: "Shop")
        try realm.write {
            let refusal = #expect(throws: DocumentRefusal.self) {
                try importer.insert(
                    Document(
                        extendedJSON:
                            #"{"_id": 1, "best": {"$ref": "Spice", "$id": 7, "$db": "d"}}"#))
            }
            #expect("\(refusal as Any)".contains("best: "))
        }
        let schema = DocumentSchema(
            title: "Shop",
            properties: [
                DocumentSchema.Property("_id", .scalar(.long)),
                DocumentSchema.Property("best", .scalar(.long)),
            ])
        let checker = try DocumentChecker(realm, type: "Shop", schema: schema)
        realm.beginWrite()
        defer { realm.cancelWrite() }
        let bad: Document = ["_id": 1, "best": ["$ref": "Spice", "$id": 7, "$db": "d"]]
        #expect(try checker.check(bad).map(\.path) == ["best"])
        #expect(try checker.check(["_id": 2, "best": ["$ref": "Spice", "$id": 7]]).isEmpty)
    }

    // MARK: Names

    @Test(
        "a data source names types by their collections, both ways; without it they name themselves"
    )
    func collectionNames() throws {
        let source = [collection("wares", "Ware"), collection("spices", "Spice")]
        func text(_ ware: String, _ spice: String) -> String {
            #"{"_id":1,"any":{"$ref":"\#(ware)","$id":7},"list":[[{"$ref":"\#(spice)","$id":8}]],"#
                + #""best":{"$ref":"\#(spice)","$id":8}}"#
        }
        let (own, named) = (text("Ware", "Spice"), text("wares", "spices"))
        for given in [own, named] {
            try insert("Shop", source, given)
            // They wait, and are written as links are.
            #expect(try export("Shop", source) == [named] && export("Shop") == [own])
            try insert("Ware", source, #"{"_id": 7}"#)
            try insert("Spice", source, #"{"_id": 8}"#)
            #expect(try shop(1).any.object(Ware.self)?._id == 7)
            #expect(try shop(1).best is Spice)
            #expect(try export("Shop", source) == [named] && export("Shop") == [own])
            // They are there.
            try insert("Shop", source, given)
            #expect(try shop(1).list[0].listValue?[0].object(Spice.self)?._id == 8)
            try realm.write { realm.deleteAll() }
        }
        // Without the data source nothing is known of its collections.
        try insert("Shop", [], #"{"_id": 1, "any": {"$ref": "wares", "$id": 7}}"#)
        try insert("Ware", [], #"{"_id": 7}"#)
        #expect(try shop(1).any.dictionaryValue?["$ref"]?.stringValue == "wares")
        let line = try #require(try export("Shop", source).first)
        #expect(line.contains(#""any":{"$ref":"wares","$id":7}"#))
    }

    @Test("a collection goes before a type of its name; one of two databases says nothing")
    func ambiguousNames() throws {
        let crossed = [collection("Ware", "Crew"), collection("Crew", "Ware")]
        try insert("Ware", [], #"{"_id": 7}"#)
        try insert("Crew", [], #"{"_id": 7}"#)
        try insert("Shop", crossed, #"{"_id": 1, "any": {"$ref": "Ware", "$id": 7}}"#)
        #expect(try shop(1).any.object(Crew.self)?._id == 7)
        #expect(try export("Shop", crossed)[0].contains(#""$ref":"Ware""#))
        #expect(try export("Shop")[0].contains(#""$ref":"Crew""#))
        let twice = [collection("things", "Ware", "a"), collection("things", "Crew", "b")]
        try insert("Shop", twice, #"{"_id": 1, "any": {"$ref": "Ware", "$id": 7}}"#)
        #expect(try shop(1).any.object(Ware.self)?._id == 7)
        #expect(try export("Shop", twice)[0].contains(#""$ref":"Ware""#))
        try insert("Shop", twice, #"{"_id": 2, "any": {"$ref": "things", "$id": 7}}"#)
        #expect(try shop(2).any.dictionaryValue?["$id"]?.intValue == 7)
        // The only name for a type is another's collection.
        let taken = [collection("Ware", "Crew")]
        let refusal = #expect(throws: DocumentRefusal.self) { try export("Shop", taken) }
        #expect("\(refusal as Any)".contains("any: a link to a Ware has no name"))
    }
}

class Ware: HiddenObject {
    @Persisted(primaryKey: true) var _id: Int
}

final class Spice: Ware {
    @Persisted var heat: Int?
}

final class Crew: HiddenObject {
    @Persisted(primaryKey: true) var _id: Int
}

final class Shop: HiddenObject {
    @Persisted(primaryKey: true) var _id: Int
    @Persisted var any: AnyRealmValue
    @Persisted var list: List<AnyRealmValue>
    @Persisted var best: Ware?
}
