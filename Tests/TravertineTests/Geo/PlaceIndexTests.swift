import Foundation
import RealmSwift
import TestSupport
import Testing

@testable import Travertine
@testable import TravertineStore

@Suite("Indexes of places")
struct PlaceIndexTests {
    private func open() throws -> (TemporaryDirectory, Realm) {
        let directory = TemporaryDirectory()
        return (directory, try directory.open(PlacedTypes.all))
    }

    private func entryCount(_ realm: Realm, _ property: String = "place") throws -> Int {
        let table = realm.session.table(of: PlacedShop.self)
        let slot = try #require(table.slot(named: property))
        let index = try #require(
            table.rules.indexes.first { $0.kind == .places && $0.slots == [slot] })
        return try realm.session.access.count(in: index.keyspace)
    }

    private let lisbon = GeoBox(bottomLeft: (38, -10), topRight: (39, -9))!

    private func found(_ realm: Realm) -> [Int] {
        let shops = realm.objects(PlacedShop.self)
        let box = lisbon
        let planned = QueryPlanning.$prefersIndexes.withValue(true) {
            shops.where { $0.place.geoWithin(box) }.map(\.id)
        }
        let scanned = QueryPlanning.$isScanOnly.withValue(true) {
            shops.where { $0.place.geoWithin(box) }.map(\.id)
        }
        #expect(planned == scanned)
        return planned
    }

    private func shop(_ id: Int, _ latitude: Double = 38.7, _ longitude: Double = -9.1)
        -> PlacedShop
    {
        let shop = PlacedShop(value: ["id": id])
        shop.place = CanonicalGeoPoint(latitude: latitude, longitude: longitude)
        return shop
    }

    @Test("an entry follows the link, the coordinates, the kind, and the deletion of either object")
    func changes() throws {
        let (directory, realm) = try open()
        defer { withExtendedLifetime(directory) {} }
        let one = shop(1)
        try realm.write { realm.add([one, shop(2, 50)]) }
        #expect(found(realm) == [1])
        func change(_ expected: [Int], _ body: () throws -> Void) throws {
            try realm.write {
                try body()
                #expect(found(realm) == expected, "in the transaction")
            }
            #expect(found(realm) == expected)
            #expect(try realm.brokenInvariants() == [])
        }
        try change([]) { one.place?.latitude = 0 }
        try change([1]) { one.place?.latitude = 38.2 }
        try change([]) { one.place?["type"] = "Polygon" }
        try change([1]) { one.place?["type"] = "Point" }
        let degrees = try #require(one.place?["coordinates"] as? List<Double>)
        try change([]) { degrees.removeAll() }
        try change([]) { degrees.append(-9.2) }
        try change([1]) { degrees.append(38.3) }
        try change([1]) { degrees.append(100) }
        try change([]) { degrees[1] = .nan }
        try change([]) { degrees[1] = 91 }
        try change([1]) { degrees[1] = 38.4 }
        try change([]) { one.place = nil }
        try change([1]) { one.place = CanonicalGeoPoint(latitude: 38.7, longitude: -9.1) }
        try change([]) { one.place = CanonicalGeoPoint(latitude: 8.7, longitude: -9.1) }
        try change([1]) { realm.add(shop(1), update: .modified) }
        try change([]) { realm.add(shop(1, 5), update: .all) }
        try change([1]) {
            _ = realm.create(
                PlacedShop.self, value: ["id": 1, "place": ["coordinates": [-9.5, 38.5]]],
                update: .modified)
        }
        try change([]) { if let place = one.place { realm.delete(place) } }
        try change([1]) { one.place = CanonicalGeoPoint(latitude: 38.7, longitude: -9.1) }
        try change([]) { realm.delete(one) }
        #expect(try entryCount(realm) == 1)
        try change([]) { realm.delete(realm.objects(PlacedShop.self)) }
        #expect(try entryCount(realm) == 0)
    }

    @Test("a change that is undone leaves the index as it was")
    func undone() throws {
        struct Undo: Error {}
        let (directory, realm) = try open()
        defer { withExtendedLifetime(directory) {} }
        let one = shop(1)
        try realm.write { realm.add(one) }
        #expect(throws: Undo.self) {
            try realm.write {
                one.place?.latitude = 5
                realm.add(shop(2))
                throw Undo()
            }
        }
        #expect(found(realm) == [1])
        try realm.write {
            #expect(throws: Undo.self) {
                try realm.savepoint {
                    one.place?.latitude = 5
                    realm.add(shop(3))
                    #expect(found(realm) == [3])
                    throw Undo()
                }
            }
            #expect(found(realm) == [1])
            one.place?.longitude = -9.9
        }
        #expect(found(realm) == [1])
        #expect(try realm.brokenInvariants() == [])
    }

    @Test("a coordinate that changes from 0 to −0 moves its entry")
    func zeros() throws {
        let (directory, realm) = try open()
        let shop = PlacedShop(value: ["id": 1])
        shop.own = PlacedPoint([0, 38.7])
        try realm.write { realm.add(shop) }
        let degrees = try #require(shop.own?.degrees)
        try realm.write { degrees[0] = -0.0 }
        #expect(try realm.brokenInvariants() == [])
        // An entry that stayed would be found no more when the point goes.
        try realm.write { degrees[0] = 20 }
        #expect(try realm.brokenInvariants() == [])
        withExtendedLifetime(directory) {}
    }

    @Test("coordinates in nodes of a large list are followed")
    func largeLists() throws {
        let (directory, realm) = try open()
        let box = lisbon
        let shop = PlacedShop(value: ["id": 1])
        shop.own = PlacedPoint([-9.1, 38.7] + [Double](repeating: 0, count: 400))
        try realm.write { realm.add(shop) }
        func found() -> Bool {
            QueryPlanning.$prefersIndexes.withValue(true) {
                !realm.objects(PlacedShop.self).where { $0.own.geoWithin(box) }.isEmpty
            }
        }
        #expect(found())
        let degrees = try #require(shop.own?.degrees)
        try realm.write { degrees[1] = 5 }
        #expect(!found())
        #expect(try realm.brokenInvariants() == [])
        try realm.write { degrees[1] = 38.1 }
        #expect(found())
        try realm.write { for _ in 0..<300 { degrees.append(7) } }
        #expect(found())
        try realm.write { degrees.removeFirst() }
        #expect(!found())
        try realm.write { degrees.insert(-9.3, at: 0) }
        #expect(found())
        #expect(try realm.brokenInvariants() == [])
        try realm.write { degrees.removeAll() }
        #expect(!found())
        #expect(try realm.brokenInvariants() == [])
        withExtendedLifetime(directory) {}
    }

    @Test("points of derived classes, and at the end of links, are found by the index")
    func paths() throws {
        let (directory, realm) = try open()
        defer { withExtendedLifetime(directory) {} }
        let box = lisbon
        try realm.write {
            for id in 0..<200 {
                let shop = PlacedShop(value: ["id": id])
                let point = id % 2 == 0 ? PlacedBase() : PlacedHigh(value: ["height": id])
                point.coordinates.append(objectsIn: [-9.1, id < 100 ? 38.7 : 5])
                shop.varying = point
                shop.place = CanonicalGeoPoint(latitude: id < 10 ? 38.5 : 60, longitude: -9.5)
                realm.add(shop)
                realm.add(PlacedCourier(value: ["name": "\(id)", "shop": shop]))
            }
        }
        let shops = realm.objects(PlacedShop.self)
        let couriers = realm.objects(PlacedCourier.self)
        QueryPlanning.$prefersIndexes.withValue(true) {
            let found = shops.where { $0.varying.geoWithin(box) }
            #expect(found.explain().hasPrefix("places varying: box in "))
            #expect(found.map(\.id) == Array(0..<100))
            let linked = couriers.where { $0.shop.place.geoWithin(box) }
            #expect(linked.explain().hasPrefix("links shop"), "\(linked.explain())")
            #expect(Set(linked.map(\.name)) == Set((0..<10).map(String.init)))
            let both = shops.where { $0.place.geoWithin(box) && $0.varying.geoWithin(box) }
            #expect(both.map(\.id) == Array(0..<10))
            let either = shops.where { $0.place.geoWithin(box) || $0.id == 150 }
            #expect(either.map(\.id) == Array(0..<10) + [150])
            #expect(either.explain().hasPrefix("union"))
            #expect(shops.where { !$0.place.geoWithin(box) }.count == 190)
            let text = shops.filter("place GEOWITHIN GeoBox([-10, 38], [-9, 39]) AND id < 5")
            #expect(text.map(\.id) == Array(0..<5))
        }
        try realm.write { shops[1].varying?.coordinates[1] = 6 }
        #expect(shops.where { $0.varying.geoWithin(box) }.count == 99)
        #expect(try realm.brokenInvariants() == [])
    }

    @Test("a plan says which shape it looks for, and tests no object of the index again")
    func plans() throws {
        let (directory, realm) = try open()
        defer { withExtendedLifetime(directory) {} }
        try realm.write {
            for id in 0..<3000 {
                realm.add(shop(id, Double(id % 60) * 2.5 - 75, Double(id / 60) * 7 - 175))
            }
        }
        let circle = GeoCircle(center: (38.7, -9.1), radius: .kilometers(800)!)!
        let shops = realm.objects(PlacedShop.self).where { $0.place.geoWithin(circle) }
        let lines = shops.explain().split(separator: "\n")
        #expect(lines.count == 1 && lines[0].hasPrefix("places place: circle in "), "\(lines)")
        let unindexed = realm.objects(PlacedShop.self).where { $0.unindexed.geoWithin(circle) }
        #expect(unindexed.explain().hasPrefix("scan PlacedShop"))
        let empty = GeoBox(bottomLeft: (10, 0), topRight: (5, 1))!
        #expect(
            realm.objects(PlacedShop.self).where { $0.place.geoWithin(empty) }.explain()
                == "nothing")
        struct Everywhere: GeoShape {
            func contains(_ point: GeoPoint) -> Bool { true }
        }
        let all = realm.objects(PlacedShop.self).where { $0.place.geoWithin(Everywhere()) }
        #expect(all.explain().hasPrefix("scan PlacedShop") && all.count == 3000)
    }

    @Test("an index that is declared later is built, and one that is not declared is dropped")
    func declared() throws {
        let directory = TemporaryDirectory()
        let box = lisbon
        do {
            let realm = try directory.open([LaterPlacedBefore.self])
            try realm.write {
                for id in 0..<50 {
                    let shop = LaterPlacedBefore(value: ["id": id])
                    shop.place = CanonicalGeoPoint(latitude: Double(id), longitude: -9.1)
                    realm.add(shop)
                }
            }
            #expect(try format(realm) == 2)
        }
        do {
            let realm = try directory.open([LaterPlaced.self])
            let found = QueryPlanning.$prefersIndexes.withValue(true) {
                realm.objects(LaterPlaced.self).where { $0.place.geoWithin(box) }
            }
            #expect(found.explain().hasPrefix("places place"), "\(found.explain())")
            #expect(found.map(\.id) == [38, 39])
            #expect(try realm.brokenInvariants() == [])
            #expect(try format(realm) == 4)
        }
        let realm = try directory.open([LaterPlacedBefore.self])
        let before = realm.objects(LaterPlacedBefore.self).where { $0.place.geoWithin(box) }
        #expect(before.explain().hasPrefix("scan") && before.count == 2)
        #expect(try format(realm) == 2)
    }

    private func format(_ realm: Realm) throws -> UInt32 {
        let access = try realm.session.access
        let header = try StoredSchema.headerKey.withBytes { (key) throws(StoreError) in
            try access.value(forKey: key, in: realm.session.shared.schemaKeyspace)
        }
        return try #require(header).loadUnaligned(as: UInt32.self)
    }

    @Test("a link to what is no point can't have an index of places")
    func refused() throws {
        let directory = TemporaryDirectory()
        func message(_ types: [ObjectBase.Type]) -> String {
            do {
                _ = try directory.open(types)
                return "none"
            } catch {
                return "\(error)"
            }
        }
        #expect(
            message([MisplacedShop.self, NoPoint.self]).contains(
                "Property 'MisplacedShop.place' has an index of places, and 'NoPoint' is no point"))
        let schema = ObjectSchema(
            "Loose", properties: [Property("name", .string, index: .geo)])
        var configuration = Realm.Configuration(fileURL: directory.url)
        configuration.objectSchemas = [schema]
        #expect(throws: Realm.Error.self) { try Realm(configuration: configuration) }
    }

    @Test("verification finds entries of a place that are wrong, and building repairs them")
    func verified() throws {
        let directory = TemporaryDirectory()
        do {
            let realm = try directory.open(PlacedTypes.all)
            // A longitude of 0, whose bits are all zero.
            try realm.write { realm.add([shop(1, 10, 0), shop(2)]) }
            let index = try #require(
                realm.session.table(of: PlacedShop.self).rules.indexes.first {
                    $0.kind == .places
                })
            let entry = PlaceEntry(GeoPoint(latitude: 10, longitude: 0)!, of: UInt64(1) ^ 1 << 63)
            try realm.write {
                let transaction = realm.session.requireTransaction()
                _ = try entry.withKey { (key) throws(StoreError) in
                    try transaction.indexDelete(key, in: index.keyspace)
                }
            }
        }
        let report = try DeepVerification.verify(path: directory.url.path)
        #expect(
            report.findings.contains {
                $0.message.contains("the index of places of 'place'")
                    && $0.message.contains("1 entries missing")
            }, "\(report.findings)")
        _ = try DeepVerification.repair(path: directory.url.path)
        let realm = try directory.open(PlacedTypes.all)
        #expect(try realm.brokenInvariants() == [])
        #expect(try entryCount(realm) == 2)
    }
}

class LaterPlacedBefore: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var place: CanonicalGeoPoint?
    override class func objectTypeName() -> String { "LaterPlaced" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class LaterPlaced: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: .geo) var place: CanonicalGeoPoint?
    override class func objectTypeName() -> String { "LaterPlaced" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class NoPoint: EmbeddedObject {
    @Persisted var type: String
    @Persisted var coordinates: List<Int>
}

class MisplacedShop: Object {
    @Persisted(indexed: .geo) var place: NoPoint?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
