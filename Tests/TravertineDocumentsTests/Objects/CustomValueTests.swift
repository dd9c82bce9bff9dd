import Foundation
import RealmSwift
import TestSupport
import Testing
import TravertineDocuments

@Suite("Documents of values that are stored as embedded objects")
struct CustomValueTests {
    @Test("a document has the embedded objects, and makes them")
    func roundTrip() throws {
        let workspace = Workspace()
        let realm = try workspace.realm("a.realm", [Beacon.self, Spot.self])
        let beacon = Beacon()
        beacon.id = 1
        beacon.position = SpotValue(x: 1, y: 2)
        beacon.others.append(SpotValue(x: 3, y: 4))
        beacon.named["a"] = SpotValue(x: 5, y: 6)
        try realm.write { realm.add(beacon) }
        var documents: [Document] = []
        let exporter = try DocumentExporter(realm, type: "Beacon")
        _ = try exporter.export(as: .bson) { bytes, _ in
            documents.append(try Document(bson: Array(bytes)))
        }
        let document = try #require(documents.first)
        let text = try document.extendedJSON(.relaxed)
        #expect(
            text
                == #"{"_id":1,"position":{"x":1,"y":2},"maybe":null,"#
                + #""others":[{"x":3,"y":4}],"named":{"a":{"x":5,"y":6}}}"#)
        let other = try workspace.realm("b.realm", [Beacon.self, Spot.self])
        let importer = try DocumentImporter(other, type: "Beacon")
        try other.write { try importer.insert(document) }
        let read = try #require(other.objects(Beacon.self).first)
        #expect(read.position == SpotValue(x: 1, y: 2) && read.maybe == nil)
        #expect(Array(read.others) == [SpotValue(x: 3, y: 4)])
        #expect(read.named["a"] == .some(SpotValue(x: 5, y: 6)))
        #expect(other.objects(Spot.self).count == 3)
    }
}

private struct SpotValue: CustomPersistable, Hashable {
    var x: Int
    var y: Int

    init(x: Int, y: Int) {
        self.x = x
        self.y = y
    }

    init(persistedValue: Spot) { self.init(x: persistedValue.x, y: persistedValue.y) }
    var persistableValue: Spot { Spot(value: [x, y]) }
}

private class Spot: EmbeddedObject {
    @Persisted var x: Int
    @Persisted var y: Int

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class Beacon: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var position: SpotValue
    @Persisted var maybe: SpotValue?
    @Persisted var others: List<SpotValue>
    @Persisted var named: Map<String, SpotValue?>

    override class func propertiesMapping() -> [String: String] { ["id": "_id"] }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
