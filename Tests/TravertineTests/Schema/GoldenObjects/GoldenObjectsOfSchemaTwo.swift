import Foundation
import RealmSwift
import TestSupport
import Testing

@testable import Travertine

/// What the golden object stores of schema format 2 hold: what came after format 1, embedded
/// objects, sets, maps, decimals, values of any type, backlinks.
enum GoldenObjectsOfSchemaTwo: GoldenObjects {
    static let types: [ObjectBase.Type] = [
        GoldenHouse.self, GoldenWing.self, GoldenDoor.self, GoldenGuest.self,
    ]

    private static var values: [AnyRealmValue] {
        [
            AnyRealmValue.none, .int(-5), .bool(true), .float(1.5), .double(-2.25), .string("é"),
            .data(Data([0, 9])), .date(Date(timeIntervalSinceReferenceDate: 0.5)),
            .objectId(ObjectId("000000000000000000000007")), .decimal128("1.50"),
            .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9))),
        ]
    }

    static func fill(_ directory: TemporaryDirectory) throws -> Realm {
        let realm = try directory.open(types)
        try realm.write {
            for id in 0..<6 { realm.add(GoldenGuest(value: ["id": id, "name": "guest \(id)"])) }
            let guests = Array(realm.objects(GoldenGuest.self))
            for id in 0..<3 {
                let house = GoldenHouse(value: ["id": id])
                realm.add(house)
                house.main = GoldenWing(value: ["name": "main \(id)"])
                house.main?.doors.append(objectsIn: (0..<id).map { door($0) })
                house.wings.append(objectsIn: (0..<id).map { wing($0) })
                house.wingsByName["east"] = wing(7)
                house.labels.insert(objectsIn: (0..<id * 150).map { "label \($0)" })
                house.counts["one"] = 1
                house.counts["é.$"] = id
                house.price = try Decimal128(string: "12.50\(id)")
                house.guests.insert(objectsIn: guests[id...])
                house.hosts["first"] = guests[id]
                house.hosts["none"] = .some(nil)
                house.anything = values[id + 3]
                house.all.append(objectsIn: values)
                house.different.insert(objectsIn: values)
                house.named["x"] = .object(guests[id])
                house.nested = .list([
                    .int(id), .dictionary(["a": .string("b")]), AnyRealmValue.none,
                ])
            }
        }
        return realm
    }

    static func change(_ realm: Realm) throws {
        try realm.write {
            let house = realm.object(ofType: GoldenHouse.self, forPrimaryKey: 2)
            house?.main = nil
            house?.wings.remove(at: 0)
            house?.labels.remove("label 7")
            house?.anything = .string("changed")
            if let guest = realm.object(ofType: GoldenGuest.self, forPrimaryKey: 5) {
                realm.delete(guest)
            }
        }
    }

    private static func door(_ number: Int) -> GoldenDoor { GoldenDoor(value: ["number": number]) }

    private static func wing(_ number: Int) -> GoldenWing {
        let wing = GoldenWing(value: ["name": "wing \(number)"])
        wing.doors.append(door(number))
        return wing
    }

    static func check(_ realm: Realm, isChanged: Bool) throws {
        let guests = isChanged ? Array(0..<5) : Array(0..<6)
        #expect(realm.objects(GoldenGuest.self).map(\.id) == guests)
        let houses = realm.objects(GoldenHouse.self)
        #expect(houses.map(\.id) == [0, 1, 2])
        for (id, house) in houses.enumerated() {
            let isOther = isChanged && id == 2
            #expect(house.main?.name == (isOther ? nil : "main \(id)"))
            #expect(house.main?.doors.map(\.number) == (isOther ? nil : Array(0..<id)))
            let wings = Array((0..<id).dropFirst(isOther ? 1 : 0))
            #expect(house.wings.map(\.name) == wings.map { "wing \($0)" })
            #expect(house.wings.map { $0.doors.first?.number } == wings)
            #expect(house.wings.allSatisfy { $0.parent?.isSameObject(as: house) == true })
            #expect(house.wingsByName["east"]??.doors.first?.number == 7)
            var labels = Set((0..<id * 150).map { "label \($0)" })
            if isOther { labels.remove("label 7") }
            #expect(Set(house.labels) == labels && house.labels.count == labels.count)
            #expect(house.counts["one"] == 1 && house.counts["é.$"] == id)
            #expect(house.price?.description == "12.50\(id)" && house.counts.count == 2)
            #expect(Set(house.guests.map(\.id)) == Set(guests.dropFirst(id)))
            #expect(house.hosts["first"]??.id == id && house.hosts["none"] == .some(nil))
            checkMixed(of: house, id, isOther)
        }
        let guest = realm.object(ofType: GoldenGuest.self, forPrimaryKey: 1)
        #expect(guest?.houses.map(\.id).sorted() == [0, 1])
        #expect(
            realm.objects(GoldenHouse.self).where { $0.anything == AnyRealmValue.string("é") }
                .isEmpty == isChanged)
    }

    private static func checkMixed(of house: GoldenHouse, _ id: Int, _ isOther: Bool) {
        #expect(house.anything == (isOther ? .string("changed") : values[id + 3]))
        #expect(Array(house.all) == values && Set(house.different) == Set(values))
        #expect(house.different.count == values.count)
        #expect(house.named["x"]?.object(GoldenGuest.self)?.id == id)
        let nested = house.nested.listValue
        #expect(nested?.count == 3 && nested?[0] == .int(id) && nested?[2] == AnyRealmValue.none)
        #expect(nested?[1].dictionaryValue?["a"] == .string("b"))
    }
}

class GoldenDoor: EmbeddedObject {
    @Persisted var number: Int
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class GoldenWing: EmbeddedObject {
    @Persisted var name: String
    @Persisted var doors: List<GoldenDoor>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class GoldenGuest: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted(originProperty: "guests") var houses: LinkingObjects<GoldenHouse>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class GoldenHouse: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var main: GoldenWing?
    @Persisted var wings: List<GoldenWing>
    @Persisted var wingsByName: Map<String, GoldenWing?>
    @Persisted var labels: MutableSet<String>
    @Persisted var counts: Map<String, Int>
    @Persisted var price: Decimal128?
    @Persisted var guests: MutableSet<GoldenGuest>
    @Persisted var hosts: Map<String, GoldenGuest?>
    @Persisted(indexed: true) var anything: AnyRealmValue
    @Persisted var all: List<AnyRealmValue>
    @Persisted var different: MutableSet<AnyRealmValue>
    @Persisted var named: Map<String, AnyRealmValue>
    @Persisted var nested: AnyRealmValue
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
