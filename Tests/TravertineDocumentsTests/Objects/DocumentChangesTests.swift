import Foundation
import RealmSwift
import TestSupport
import Testing
import Travertine
import TravertineDocuments
import TravertineStore

@Suite("What differs between two versions, as documents; objects by their keys")
struct DocumentChangesTests {
    private let workspace: Workspace
    private let realm: Realm

    init() throws {
        workspace = Workspace()
        realm = try workspace.realm(
            "a.realm", [ChangedBoat.self, ChangedCrew.self, ChangedFlag.self])
        try realm.write {
            for (index, name) in ["Ada", "Bo", "Cid"].enumerated() {
                let boat = ChangedBoat(value: ["_id": index, "name": name])
                boat.flag = ChangedFlag(value: ["colour": "red"])
                realm.add(boat)
            }
            realm.add(ChangedCrew(value: ["name": "Eve"]))
        }
    }

    private func lines(
        since older: Realm, types: Set<String>? = nil
    ) throws -> [String] {
        let changes = try DocumentChanges(from: older, to: realm.freeze(), types: types)
        var lines: [String] = []
        try changes.forEachChange { change in
            lines.append(
                "\(change.kind) \(change.type) \(change.key) "
                    + change.properties.joined(separator: ",") + " "
                    + "\(change.document["name"] ?? .null)")
        }
        #expect(changes.count == lines.count)
        return lines
    }

    @Test("objects that were inserted, modified and deleted come by type, with the properties")
    func kinds() throws {
        let older = realm.freeze()
        try realm.write {
            realm.add(ChangedBoat(value: ["_id": 7, "name": "Dot"]))
            let boats = realm.objects(ChangedBoat.self)
            boats.where { $0._id == 0 }.first?.name = "Ann"
            realm.delete(boats.where { $0._id == 2 })
            realm.objects(ChangedCrew.self).first?.name = "Eva"
        }
        #expect(
            try lines(since: older) == [
                "inserted ChangedBoat 7  \"Dot\"", "modified ChangedBoat 0 name \"Ann\"",
                "deleted ChangedBoat 2  \"Cid\"", "modified ChangedCrew 1 name \"Eva\"",
            ])
        #expect(
            try lines(since: older, types: ["ChangedCrew"]) == [
                "modified ChangedCrew 1 name \"Eva\""
            ])
    }

    @Test("an embedded object and a large collection that change are changes of their owners")
    func owners() throws {
        try realm.write {
            realm.objects(ChangedBoat.self).first?.log.append(objectsIn: 0..<20_000)
        }
        let older = realm.freeze()
        try realm.write {
            realm.objects(ChangedBoat.self).first?.log[11_000] = -1
            realm.objects(ChangedBoat.self).last?.flag?.colour = "blue"
        }
        #expect(
            try lines(since: older) == [
                "modified ChangedBoat 0 log \"Ada\"", "modified ChangedBoat 2 flag \"Cid\"",
            ])
    }

    @Test(
        "what was changed and changed back, and nothing, are no changes; the LSN is that of the newer"
    )
    func nothing() throws {
        let older = realm.freeze()
        #expect(try lines(since: older).isEmpty)
        try realm.write { realm.objects(ChangedBoat.self).first?.name = "x" }
        try realm.write { realm.objects(ChangedBoat.self).first?.name = "Ada" }
        #expect(try lines(since: older).isEmpty)
        let changes = try DocumentChanges(from: older, to: realm.freeze())
        let lastLSN = try realm.store.statistics.lastLSN
        #expect(changes.lsn == lastLSN)
    }

    @Test("a read-only realm shows the changes of a writer")
    func readOnly() throws {
        let url = workspace.url("durable.realm")
        let realm = try Realm(
            configuration: Realm.Configuration(
                fileURL: url, objectTypes: [ChangedBoat.self, ChangedFlag.self]))
        let reader = try Realm(
            configuration: Realm.Configuration(fileURL: url, readOnly: true, objectTypes: []))
        let older = reader.freeze()
        try realm.write { realm.add(ChangedBoat(value: ["_id": 8, "name": "Eel"])) }
        let changes = try DocumentChanges(from: older, refreshing: reader)
        var names: [AnyBSON?] = []
        try changes.forEachChange { names.append($0.document["name"]) }
        #expect(names == ["Eel"])
        #expect(try DocumentChanges(from: changes.newer, refreshing: reader).count == 0)
    }

    @Test("objects are found by object key, and that by primary key")
    func keys() throws {
        let boats = try DocumentExporter(realm, resultsOf: "ChangedBoat")
        #expect(boats.primaryKeyName == "_id")
        let key = try #require(try boats.objectKey(forPrimaryKey: 1))
        let document = try #require(try boats.document(forObjectKey: key))
        #expect(document["name"] == "Bo" && boats.identity(of: document, key) == .int64(1))
        let bo = try #require(boats.object(forObjectKey: key))
        #expect(bo["name"] as? String == "Bo" && boats.objectKey(of: bo) == key)
        #expect(try boats.objectKey(forPrimaryKey: 9) == nil)
        #expect(try boats.objectKey(forPrimaryKey: "x") == nil)
        #expect(try boats.document(forObjectKey: 9) == nil)
        #expect(boats.object(forObjectKey: 9) == nil)
        let crew = try DocumentExporter(realm, resultsOf: "ChangedCrew")
        #expect(crew.primaryKeyName == nil)
        #expect(try crew.objectKey(forPrimaryKey: 1) == nil)
        var found: [(UInt64, AnyBSON)] = []
        try crew.forEachObject { found.append(($0, crew.identity(of: $1, $0))) }
        #expect(found.map(\.1) == [.int64(Int64(found[0].0))])
        var names: [AnyBSON?] = []
        let some = realm.dynamicObjects("ChangedBoat").filter("name != 'Bo' SORT(name DESC)")
        try boats.forEachObject(of: some) { names.append($1["name"]) }
        #expect(names == ["Cid", "Ada"])
    }
}

class ChangedBoat: Object {
    @Persisted(primaryKey: true) var _id = 0
    @Persisted var name = ""
    @Persisted var flag: ChangedFlag?
    @Persisted var log: List<Int>
}

class ChangedCrew: Object {
    @Persisted var name = ""
}

class ChangedFlag: EmbeddedObject {
    @Persisted var colour = ""
}
