import Foundation
import RealmSwift
import TestSupport
import Testing

@Suite("Looking objects up by primary key")
struct PrimaryKeyTests {
    private let directory = TemporaryDirectory()
    private let types: [ObjectBase.Type] = [
        KeyedByUUID.self, KeyedByData.self, KeyedByKind.self, KeyedByCustom.self, UUIDOptional.self,
        ObjectIdKeyed.self, VesselKeyed.self, VesselOptional.self, SmallKeyed.self,
        RatingKeyed.self,
    ]

    /// Looks an object up by the values, typed and by name; each must find the one with the note.
    private func expect<Model: Object>(
        _ type: Model.Type, _ note: String, in realm: Realm, by keys: [Any],
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        for key in keys {
            let found = realm.object(ofType: type, forPrimaryKey: key)
            #expect(found?["note"] as? String == note, "\(key)", sourceLocation: sourceLocation)
            let dynamic = realm.dynamicObject(ofType: type.className(), forPrimaryKey: key)
            #expect(dynamic?["note"] as? String == note, "\(key)", sourceLocation: sourceLocation)
        }
    }

    @Test("every type of key is found as itself, as what it is stored as, and as its text")
    func everyType() throws {
        let (uuid, id) = (UUID(), ObjectId.generate())
        let realm = try directory.open(types)
        try realm.write {
            realm.create(KeyedByUUID.self, value: ["id": uuid, "note": "uuid"])
            realm.create(UUIDOptional.self, value: ["id": uuid, "note": "some uuid"])
            realm.create(UUIDOptional.self, value: ["note": "no uuid"])
            realm.create(KeyedByData.self, value: ["id": Data([1, 0, 2]), "note": "data"])
            realm.create(KeyedByKind.self, value: ["id": ValidationKind.b, "note": "b"])
            realm.create(KeyedByCustom.self, value: ["id": 9, "note": "degrees"])
            realm.create(ObjectIdKeyed.self, value: ["id": id, "note": "object id"])
            realm.create(
                VesselKeyed.self, value: ["id": Vessel(persistedValue: id), "note": "ship"])
            realm.create(VesselOptional.self, value: ["id": id, "note": "some ship"])
            realm.create(VesselOptional.self, value: ["note": "no ship"])
            realm.create(SmallKeyed.self, value: ["id": 7, "note": "seven"])
            realm.create(RatingKeyed.self, value: ["id": Rating.first, "note": "first"])
        }
        let none = String?.none as Any
        expect(KeyedByUUID.self, "uuid", in: realm, by: [uuid, uuid.uuidString])
        expect(UUIDOptional.self, "some uuid", in: realm, by: [uuid, uuid.uuidString])
        expect(UUIDOptional.self, "no uuid", in: realm, by: [none, NSNull()])
        expect(KeyedByData.self, "data", in: realm, by: [Data([1, 0, 2]), [1, 0, 2] as [UInt8]])
        expect(KeyedByKind.self, "b", in: realm, by: [ValidationKind.b, "b"])
        expect(
            KeyedByCustom.self, "degrees", in: realm, by: [Degrees(persistedValue: 9), 9, 9.0])
        expect(ObjectIdKeyed.self, "object id", in: realm, by: [id, id.stringValue])
        let ship = Vessel(persistedValue: id)
        expect(VesselKeyed.self, "ship", in: realm, by: [ship, id, id.stringValue])
        expect(VesselOptional.self, "some ship", in: realm, by: [ship, id, id.stringValue])
        expect(VesselOptional.self, "no ship", in: realm, by: [none])
        expect(SmallKeyed.self, "seven", in: realm, by: [7, Int8(7), 7.0])
        expect(RatingKeyed.self, "first", in: realm, by: [Rating.first, 1])
        #expect(realm.object(ofType: SmallKeyed.self, forPrimaryKey: 300) == nil)
        #expect(realm.object(ofType: RatingKeyed.self, forPrimaryKey: 300) == nil)
        #expect(realm.object(ofType: KeyedByUUID.self, forPrimaryKey: UUID()) == nil)
    }

    @Test("updating finds an object by any form of its key, and keeps what is not named")
    func updating() throws {
        let (uuid, id) = (UUID(), ObjectId.generate())
        let realm = try directory.open(types + [VesselHarbour.self])
        try realm.write {
            realm.create(KeyedByUUID.self, value: ["id": uuid, "note": "kept"])
            realm.create(VesselKeyed.self, value: ["id": id, "note": "kept", "tons": 1])
        }
        try realm.write {
            let byText: [String: Any] = ["id": uuid.uuidString]
            realm.create(KeyedByUUID.self, value: byText, update: .modified)
            for key in [Vessel(persistedValue: id), id, id.stringValue] as [Any] {
                realm.create(VesselKeyed.self, value: ["id": key, "tons": 2], update: .modified)
                let harbour: [String: Any] = ["name": "a", "ships": [["id": key]]]
                realm.create(VesselHarbour.self, value: harbour, update: .modified)
            }
        }
        #expect(realm.objects(KeyedByUUID.self).map(\.note) == ["kept"])
        #expect(realm.objects(VesselKeyed.self).map(\.note) == ["kept"])
        #expect(realm.objects(VesselKeyed.self).map(\.tons) == [2])
        #expect(realm.objects(VesselHarbour.self).map(\.ships.count) == [1])
    }
}

struct Vessel: CustomPersistable, Hashable {
    var id: ObjectId
    init(persistedValue: ObjectId) { id = persistedValue }
    var persistableValue: ObjectId { id }
}

enum Rating: Int8, PersistableEnum {
    case first = 1
    case second
}

class ObjectIdKeyed: Object {
    @Persisted(primaryKey: true) var id: ObjectId
    @Persisted var note: String
}

class UUIDOptional: Object {
    @Persisted(primaryKey: true) var id: UUID?
    @Persisted var note: String
}

class VesselKeyed: Object {
    @Persisted(primaryKey: true) var id: Vessel
    @Persisted var note: String
    @Persisted var tons: Int
}

class VesselOptional: Object {
    @Persisted(primaryKey: true) var id: Vessel?
    @Persisted var note: String
}

class VesselHarbour: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var ships: List<VesselKeyed>
}

class SmallKeyed: Object {
    @Persisted(primaryKey: true) var id: Int8
    @Persisted var note: String
}

class RatingKeyed: Object {
    @Persisted(primaryKey: true) var id: Rating
    @Persisted var note: String
}
