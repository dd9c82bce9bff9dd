import Foundation
import RealmSwift
import TestSupport
import Testing

@testable import Travertine

/// What the golden object stores of schema format 1 hold: scalars and optionals of all types that
/// there were, lists in rows and in pieces, links, an index, and rows of two layouts.
enum GoldenObjectsOfSchemaOne: GoldenObjects {
    static let types: [ObjectBase.Type] = [GoldenPlace.self, GoldenLand.self, GoldenNote.self]

    private static let uuid = UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
    private static let objectId = ObjectId("0102030405060708090a0b0c")
    private static let date = Date(timeIntervalSinceReferenceDate: 0.25)

    static func fill(_ directory: TemporaryDirectory) throws -> Realm {
        do {
            // Rows of an older layout: `height` came later.
            let older: [ObjectBase.Type] = [GoldenPlaceWithoutHeight.self, GoldenLand.self]
            let realm = try directory.open(older)
            try realm.write {
                for id in 0..<10 {
                    let place = GoldenPlaceWithoutHeight(value: ["id": id, "name": name(id)])
                    place.names.append(objectsIn: names(id))
                    realm.add(place)
                }
            }
        }
        let realm = try directory.open(types, version: 1)
        try realm.write {
            for code in ["PT", "ES"] {
                realm.add(GoldenLand(value: ["code": code, "name": "land \(code)"]))
            }
            for id in 10..<20 { realm.add(place(id)) }
            let places = realm.objects(GoldenPlace.self)
            for (id, place) in places.enumerated() where id % 3 != 0 {
                place.land = realm.object(
                    ofType: GoldenLand.self, forPrimaryKey: id % 3 == 1 ? "PT" : "ES")
            }
            for number in 0..<5 { realm.add(GoldenNote(value: ["text": "note \(number)"])) }
            let scalars = realm.objects(GoldenNote.self)[4]
            setScalars(of: scalars)
            scalars.visited.append(objectsIn: places)
            scalars.numbers.append(objectsIn: (0..<900).map { $0 * 7 })
        }
        return realm
    }

    static func change(_ realm: Realm) throws {
        try realm.write {
            realm.delete(realm.objects(GoldenNote.self)[0])
            let place = realm.object(ofType: GoldenPlace.self, forPrimaryKey: 3)
            place?.name = "renamed"
            place?.height = 8
            realm.add(GoldenLand(value: ["code": "FR", "name": "land FR"]))
        }
    }

    private static func name(_ id: Int) -> String { "place \(id % 4) é" }

    private static func names(_ id: Int) -> [String] { (0..<id).map { "name \($0)" } }

    private static func place(_ id: Int) -> GoldenPlace {
        let place = GoldenPlace(value: ["id": id, "name": name(id), "height": id])
        place.names.append(objectsIn: names(id))
        return place
    }

    private static func setScalars(of note: GoldenNote) {
        note.int8 = .min
        note.int16 = .max
        note.int32 = .min
        note.int64 = .max
        note.bool = true
        note.float = -1.5
        note.double = .greatestFiniteMagnitude
        note.data = Data([0, 255, 0])
        note.date = date
        note.uuid = uuid
        note.objectId = objectId
        note.kind = .second
        note.optionalInt = -1
        note.optionalString = ""
        note.optionalUUID = uuid
    }

    static func check(_ realm: Realm, isChanged: Bool) throws {
        let places = realm.objects(GoldenPlace.self)
        #expect(places.map(\.id) == Array(0..<20))
        for (id, place) in places.enumerated() {
            let isOther = isChanged && id == 3
            #expect(place.name == (isOther ? "renamed" : name(id)), "place \(id)")
            #expect(place.height == (isOther ? 8 : id < 10 ? 4 : id), "place \(id)")
            #expect(Array(place.names) == names(id), "place \(id)")
            #expect(place.land?.code == [nil, "PT", "ES"][id % 3], "place \(id)")
        }
        let found = realm.objects(GoldenPlace.self).where { $0.name == name(3) }.map(\.id)
        #expect(found == (isChanged ? [7, 11, 15, 19] : [3, 7, 11, 15, 19]))
        let lands = isChanged ? ["ES", "FR", "PT"] : ["ES", "PT"]
        #expect(realm.objects(GoldenLand.self).map(\.code).sorted() == lands)
        #expect(realm.object(ofType: GoldenLand.self, forPrimaryKey: "PT")?.name == "land PT")
        let notes = Array(realm.objects(GoldenNote.self))
        #expect(notes.map(\.text) == (isChanged ? 1..<5 : 0..<5).map { "note \($0)" })
        try checkScalars(of: #require(notes.last))
        #expect(notes.first?.kind == .first && notes.first?.optionalInt == nil)
        #expect(notes.first?.optionalString == nil && notes.first?.data == Data())
    }

    private static func checkScalars(of note: GoldenNote) {
        #expect(note.int8 == .min && note.int16 == .max && note.int32 == .min)
        #expect(note.int64 == .max && note.bool && note.float == -1.5)
        #expect(note.double == .greatestFiniteMagnitude && note.data == Data([0, 255, 0]))
        #expect(note.date == date && note.uuid == uuid && note.objectId == objectId)
        #expect(note.kind == .second && note.optionalInt == -1 && note.optionalString == "")
        #expect(note.optionalUUID == uuid && note.optionalBool == nil)
        #expect(note.visited.map(\.id) == Array(0..<20))
        #expect(Array(note.numbers) == (0..<900).map { $0 * 7 })
    }
}

enum GoldenKind: String, PersistableEnum {
    case first
    case second
}

class GoldenLand: Object {
    @Persisted(primaryKey: true) var code: String
    @Persisted var name: String
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class GoldenPlace: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var name: String
    @Persisted var land: GoldenLand?
    @Persisted var names: List<String>
    @Persisted var height = 4
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class GoldenPlaceWithoutHeight: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var name: String
    @Persisted var land: GoldenLand?
    @Persisted var names: List<String>
    override class func objectTypeName() -> String { "GoldenPlace" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class GoldenNote: Object {
    @Persisted var text: String
    @Persisted var int8: Int8
    @Persisted var int16: Int16
    @Persisted var int32: Int32
    @Persisted var int64: Int64
    @Persisted var bool: Bool
    @Persisted var float: Float
    @Persisted var double: Double
    @Persisted var data: Data
    @Persisted var date: Date
    @Persisted var uuid: UUID
    @Persisted var objectId: ObjectId
    @Persisted var kind = GoldenKind.first
    @Persisted var optionalInt: Int?
    @Persisted var optionalBool: Bool?
    @Persisted var optionalString: String?
    @Persisted var optionalUUID: UUID?
    @Persisted var visited: List<GoldenPlace>
    @Persisted var numbers: List<Int>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
