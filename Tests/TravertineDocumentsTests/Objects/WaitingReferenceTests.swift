import Foundation
import RealmSwift
import TestSupport
import Testing
import Travertine
import TravertineDocuments

@Suite("Links that name the types of their targets wait for them")
struct WaitingReferenceTests {
    private let workspace: Workspace
    private let realm: Realm

    init() throws {
        workspace = Workspace()
        realm = try workspace.realm(
            "a.realm",
            [
                Stable.self, Mount.self, Pony.self, Drawer.self, Label.self, Folder.self,
                Tab.self,
            ])
    }

    /// Expects that everything which is derived from rows is what it must be.
    private func expectSound() throws {
        let copy = workspace.directory.appending(path: "\(UUID().uuidString).realm")
        try realm.writeCopy(toFile: copy)
        #expect(try ObjectVerifier.verify(path: copy.path).findings.map(\.message) == [])
    }

    private func stable() throws -> Stable {
        try #require(realm.object(ofType: Stable.self, forPrimaryKey: 1))
    }

    private func drawer() throws -> Drawer {
        try #require(realm.object(ofType: Drawer.self, forPrimaryKey: 1))
    }

    // MARK: Classes with derived ones

    @Test("links of lists, sets and maps to a class with derived ones come to their places")
    func derivedClasses() throws {
        let text =
            #"{"_id":1,"mounts":[3,{"$ref":"Pony","$id":1},2,{"$ref":"Pony","$id":1},4],"#
            + #""team":[{"$ref":"Pony","$id":1}],"#
            + #""byName":{"a":{"$ref":"Pony","$id":1},"b":null,"c":2}}"#
        try realm.insertDocuments("Mount", #"{"_id": 2}"#)
        try realm.insertDocuments("Stable", text)
        #expect(try stable().mounts.map(\._id) == [2] && stable().team.isEmpty)
        #expect(try stable().byName["a"] == .some(nil) && stable().byName["c"]??._id == 2)
        #expect(try realm.documents("Stable") == [text])
        let waiting = try DocumentImporter(realm, type: "Pony").linksWithoutTarget()
        #expect(waiting.map(\.count).reduce(0, +) == 6)
        try realm.insertDocuments("Mount", #"{"_id": 4}"#)
        #expect(try stable().mounts.map(\._id) == [2, 4])
        #expect(try realm.documents("Stable") == [text])
        try realm.insertDocuments("Pony", #"{"_id": 1, "name": "Max"}"#)
        #expect(try stable().mounts.map(\._id) == [1, 2, 1, 4])
        #expect(try (stable().mounts[0] as? Pony)?.name == "Max" && stable().team.count == 1)
        #expect(try (stable().byName["a"] as? Pony)?.name == "Max")
        #expect(try stable().byName["b"] == .some(nil))
        try realm.insertDocuments("Mount", #"{"_id": 3}"#)
        #expect(try stable().mounts.map(\._id) == [3, 1, 2, 1, 4])
        #expect(try realm.documents("Stable") == [text])
        #expect(realm.object(ofType: Pony.self, forPrimaryKey: 1)?.stables.count == 2)
        #expect(try !LinkResolver(realm).hasAny())
        try expectSound()
    }

    @Test("a key alone is one of the property's own class, also where the derived one has it")
    func ownClass() throws {
        try realm.insertDocuments("Stable", #"{"_id": 1, "mounts": [7], "byName": {"a": 7}}"#)
        try realm.insertDocuments("Pony", #"{"_id": 7}"#)
        #expect(try stable().mounts.isEmpty)
        try realm.write { realm.add(Mount(value: ["_id": 7])) }
        let importer = try DocumentImporter(realm, type: "Mount")
        #expect(try realm.write { try importer.resolveLinks() } == 2)
        #expect(try stable().mounts.map { $0 is Pony } == [false])
        #expect(try stable().byName["a"]??._id == 7)
        try expectSound()
    }

    // MARK: Values of any type

    @Test("DBRefs inside lists and dictionaries of any type become objects when they are there")
    func insideMixed() throws {
        let text =
            #"{"_id":1,"any":{"deep":[1,{"x":{"$ref":"Folder","$id":7}},{"$ref":"Tab","$id":"t"}],"#
            + #""one":{"$ref":"Folder","$id":8}},"#
            + #""list":[{"$ref":"Folder","$id":7},"a",[{"$ref":"Folder","$id":8}]],"#
            + #""map":{"a":{"$ref":"Folder","$id":7},"b":[{"k":{"$ref":"Folder","$id":7}}]},"#
            + #""set":[],"label":{"any":[{"$ref":"Folder","$id":7}],"folder":null},"#
            + #""folder":null,"folders":[],"byName":{}}"#
        try realm.insertDocuments("Drawer", text)
        #expect(try realm.documents("Drawer") == [text])
        let importer = try DocumentImporter(realm, type: "Folder")
        #expect(try importer.linksWithoutTarget().map(\.count).reduce(0, +) == 8)
        try realm.insertDocuments("Folder", #"{"_id": 8, "name": "B"}"#)
        #expect(try drawer().any.dictionaryValue?["one"]?.object(Folder.self)?.name == "B")
        #expect(try drawer().list[2].listValue?[0].object(Folder.self)?.name == "B")
        #expect(try drawer().list[0].dictionaryValue?["$id"]?.intValue == 7)
        #expect(try realm.documents("Drawer") == [text])
        try realm.write { realm.add(Folder(value: ["_id": 7, "name": "A"])) }
        #expect(try realm.write { try importer.resolveLinks() } == 5)
        let after = try drawer()
        #expect(
            after.any.dictionaryValue?["deep"]?.listValue?[1].dictionaryValue?["x"]?.object(
                Folder.self)?._id == 7)
        #expect(after.list[0].object(Folder.self)?.name == "A")
        #expect(after.map["a"]?.object(Folder.self)?.name == "A")
        #expect(
            after.map["b"]?.listValue?[0].dictionaryValue?["k"]?.object(Folder.self)?.name == "A")
        #expect(after.label?.any.listValue?[0].object(Folder.self)?.name == "A")
        #expect(try realm.documents("Drawer") == [text])
        try realm.insertDocuments("Tab", #"{"_id": "t"}"#)
        #expect(
            try drawer().any.dictionaryValue?["deep"]?.listValue?[2].object(Tab.self)?._id == "t")
        #expect(try realm.documents("Drawer") == [text] && !LinkResolver(realm).hasAny())
        try expectSound()
    }

    @Test("a set of any type takes its objects in when they are there")
    func sets() throws {
        try realm.insertDocuments(
            "Drawer", #"{"_id": 1, "set": [1, {"$ref": "Folder", "$id": 7}]}"#)
        #expect(try drawer().set.count == 1)
        let line = try #require(try realm.documents("Drawer").first)
        #expect(line.contains(#"{"$ref":"Folder","$id":7}"#), "\(line)")
        try realm.insertDocuments("Folder", #"{"_id": 7}"#)
        #expect(try drawer().set.contains { $0.object(Folder.self)?._id == 7 })
        #expect(try drawer().set.count == 2)
        try expectSound()
    }

    @Test("a place that holds something else by now is left alone")
    func overtaken() throws {
        try realm.insertDocuments(
            "Drawer",
            #"""
            {"_id": 1, "list": [{"$ref": "Folder", "$id": 7}, [{"$ref": "Folder", "$id": 7}]],
             "map": {"a": {"$ref": "Folder", "$id": 7}}, "any": [{"$ref": "Folder", "$id": 7}]}
            """#)
        try realm.write {
            let drawer = try drawer()
            drawer.list.insert(.int(1), at: 0)
            drawer.map["a"] = .fromDictionary(["$ref": .string("Folder"), "$id": .int(9)])
            drawer.any = .string("x")
        }
        try realm.insertDocuments("Folder", #"{"_id": 7}"#)
        let after = try drawer()
        #expect(after.list[1].dictionaryValue != nil && after.any.stringValue == "x")
        #expect(after.map["a"]?.dictionaryValue?["$id"]?.intValue == 9)
        #expect(try !LinkResolver(realm).hasAny())
        try expectSound()
    }

    @Test("many references in one list find their places, in a separate transaction")
    func many() throws {
        let count = 2000
        let references = (1...count).map { #"{"$ref":"Folder","$id":\#($0)}"# }
        let text = #"{"_id":1,"list":["# + references.joined(separator: ",") + "]}"
        try realm.insertDocuments("Drawer", text)
        let importer = try DocumentImporter(realm, type: "Folder")
        try realm.write {
            for id in (1...count).reversed() { try importer.insert(["_id": .int32(Int32(id))]) }
        }
        let found = try drawer().list.map { $0.object(Folder.self)?._id }
        #expect(found == (1...count).map { Int32($0) })
        try expectSound()
    }

    // MARK: Widths

    @Test("the key of a target has its width in BSON, wherever the link is")
    func widths() throws {
        let document: Document = [
            "_id": 1, "any": ["$ref": "Folder", "$id": 7], "folder": 7, "folders": [7, 9],
            "byName": ["a": 9], "list": .array([["$ref": "Folder", "$id": 9]]),
            "label": ["folder": 9],
        ]
        let exporter = try DocumentExporter(realm, type: "Drawer")
        let importer = try DocumentImporter(realm, type: "Drawer")
        try realm.write { try importer.insert(document) }
        func expectNarrow() throws {
            let found = try #require(try exporter.document(forPrimaryKey: 1))
            for (path, id) in [
                ("any.$id", 7), ("folder", 7), ("folders.0", 7), ("folders.1", 9), ("byName.a", 9),
                ("list.0.$id", 9), ("label.folder", 9),
            ] as [(String, Int32)] {
                #expect(found.value(at: path) == .int32(id), "\(path)")
            }
            #expect(found["_id"] == .int64(1))
        }
        try expectNarrow()
        try realm.insertDocuments("Folder", #"{"_id": 7}"#)
        try expectNarrow()
        try realm.insertDocuments("Folder", #"{"_id": 9}"#)
        try expectNarrow()
        let schema = try #require(try ObjectMapping.documentSchema(of: "Drawer", in: realm.schema))
        #expect(schema["folder"] == .scalar(.int) && schema["_id"] == .scalar(.long))
    }
}

class Mount: HiddenObject {
    @Persisted(primaryKey: true) var _id: Int
    @Persisted(originProperty: "mounts") var stables: LinkingObjects<Stable>
}

final class Pony: Mount {
    @Persisted var name: String?
}

final class Stable: HiddenObject {
    @Persisted(primaryKey: true) var _id: Int
    @Persisted var mounts: List<Mount>
    @Persisted var team: MutableSet<Mount>
    @Persisted var byName: Map<String, Mount?>
}

final class Folder: HiddenObject {
    @Persisted(primaryKey: true) var _id: Int32
    @Persisted var name: String?
}

final class Tab: HiddenObject {
    @Persisted(primaryKey: true) var _id: String
}

final class Label: HiddenEmbeddedObject {
    @Persisted var any: AnyRealmValue
    @Persisted var folder: Folder?
}

final class Drawer: HiddenObject {
    @Persisted(primaryKey: true) var _id: Int
    @Persisted var any: AnyRealmValue
    @Persisted var list: List<AnyRealmValue>
    @Persisted var map: Map<String, AnyRealmValue>
    @Persisted var set: MutableSet<AnyRealmValue>
    @Persisted var label: Label?
    @Persisted var folder: Folder?
    @Persisted var folders: List<Folder>
    @Persisted var byName: Map<String, Folder?>
}
