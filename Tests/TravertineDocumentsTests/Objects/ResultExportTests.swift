import Foundation
import RealmSwift
import TestSupport
import Testing
import TravertineDocuments

@Suite("Objects that a query finds become documents")
struct ResultExportTests {
    private let workspace: Workspace
    private let realm: Realm

    init() throws {
        workspace = Workspace()
        realm = try workspace.realm(
            "a.realm", [FoundBoat.self, FoundCrew.self, FoundFlag.self, FoundSignal.self])
        try realm.write {
            for (index, name) in ["Ada", "Bo", "Cid"].enumerated() {
                let boat = FoundBoat(value: ["_id": index, "name": name])
                boat.flag = FoundFlag(value: ["colour": "red"])
                if index == 1 { boat.captain = FoundCrew(value: ["name": "Eve"]) }
                realm.add(boat)
            }
        }
    }

    private func export(
        _ type: String, _ predicate: String? = nil, properties: [String]? = nil
    ) throws -> [String] {
        let exporter = try DocumentExporter(realm, resultsOf: type, properties: properties)
        var objects = realm.dynamicObjects(type)
        if let predicate { objects = try objects.filter(validating: predicate) }
        var bytes: [UInt8] = []
        let count = try exporter.export(objects, as: .extendedJSON(.relaxed)) { piece, _ in
            bytes += piece
        }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        var documents: [String] = []
        try exporter.forEachDocument(of: objects) { documents.append(try $0.extendedJSON()) }
        #expect(documents == lines)
        #expect(count == lines.count)
        #expect(try exporter.count(of: objects) == count)
        return lines
    }

    @Test(
        "those that are found, in the order of the query, with the chosen properties in their order"
    )
    func found() throws {
        #expect(
            try export("FoundBoat", "_id != 1 SORT(name DESC)", properties: ["name", "_id"]) == [
                #"{"name":"Cid","_id":2}"#, #"{"name":"Ada","_id":0}"#,
            ])
        #expect(try export("FoundBoat", "_id == 7").isEmpty)
        #expect(
            try export("FoundBoat", "_id == 0")
                == [#"{"_id":0,"name":"Ada","captain":null,"flag":{"colour":"red"}}"#])
    }

    @Test("embedded objects are found, and a link to an object without key is a number")
    func unkeyed() throws {
        #expect(try export("FoundFlag", "LIMIT(1)") == [#"{"colour":"red"}"#])
        let line = try #require(try export("FoundBoat", "_id == 1", properties: ["captain"]).first)
        let document = try Document(extendedJSON: line)
        #expect(document["captain"]?.intValue != nil, "\(line)")
        // What is to be imported again is refused.
        #expect(throws: MappingError.self) {
            try DocumentExporter(realm, type: "FoundBoat")
        }
    }

    @Test(
        "a name that there is not is an error with the nearest names; asymmetric objects are not found"
    )
    func unknown() {
        for (type, property, near) in [
            ("FoundBaot", "name", "'FoundBoat'"), ("FoundBoat", "nmae", "'name'"),
            ("FoundSignal", "_id", "asymmetric"),
        ] {
            let error = #expect(throws: Realm.Error.self) {
                try DocumentExporter(realm, resultsOf: type, properties: [property])
            }
            #expect(error?.code == .invalidInput)
            #expect(error?.message.contains(near) == true, "\(error?.message ?? "")")
        }
    }
}

class FoundBoat: Object {
    @Persisted(primaryKey: true) var _id = 0
    @Persisted var name = ""
    @Persisted var captain: FoundCrew?
    @Persisted var flag: FoundFlag?
}

class FoundCrew: Object {
    @Persisted var name = ""
}

class FoundFlag: EmbeddedObject {
    @Persisted var colour = ""
}

class FoundSignal: AsymmetricObject {
    @Persisted(primaryKey: true) var _id = 0
}
