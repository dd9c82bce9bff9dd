import Foundation
import RealmSwift
import TestSupport
import Testing

@testable import Travertine

/// Indexes of places against scans, after random changes and with random shapes.
@Suite("Places are found as by scans")
struct PlaceHistoryTests {
    private func put(_ shop: PlacedShop, _ random: inout PlaceRandom) {
        shop.kind = random.random.below(4)
        if random.random.chance(80) {
            shop.place = random.random.chance(10) ? nil : CanonicalGeoPoint(random.point())
        }
        if random.random.chance(50) {
            shop.unindexed = random.random.chance(20) ? nil : CanonicalGeoPoint(random.point())
        }
        if random.random.chance(50) {
            let point = random.point()
            let numbers = [
                [point.longitude, point.latitude], [point.longitude], [],
                [point.longitude, point.latitude, 5], [.nan, 5], [181, 5], [5, -90.5],
            ]
            let kind = random.random.pick(["Point", "Point", "Point", "Line", nil])
            shop.own = PlacedPoint(
                random.random.chance(70) ? numbers[0] : random.random.pick(numbers), kind: kind)
        }
        if random.random.chance(40) {
            let base = random.random.chance(50) ? PlacedBase() : PlacedHigh()
            let point = random.point()
            base.coordinates.append(objectsIn: [point.longitude, point.latitude])
            shop.varying = random.random.chance(20) ? nil : base
        }
    }

    private func change(_ realm: Realm, _ random: inout PlaceRandom) throws {
        for _ in 0..<30 {
            let shop = PlacedShop()
            shop.id = random.random.below(200)
            put(shop, &random)
            for _ in 0..<random.random.below(3) {
                shop.stops.append(CanonicalGeoPoint(random.point()))
            }
            realm.add(shop, update: random.random.chance(50) ? .all : .modified)
        }
        for shop in Array(realm.objects(PlacedShop.self)) where random.random.chance(20) {
            switch random.random.below(8) {
            case 0: realm.delete(shop)
            case 1: if let place = shop.place { realm.delete(place) }
            case 2: shop.place?.latitude = random.point().latitude
            case 3: shop.own?.kind = random.random.pick(["Point", "Line", nil])
            case 4: if let own = shop.own, !own.degrees.isEmpty { own.degrees.removeLast() }
            case 5: shop.own?.degrees.append(random.point().latitude)
            case 6: shop.varying?.coordinates[0] = random.point().longitude
            default: put(shop, &random)
            }
        }
        if random.random.chance(10) {
            realm.delete(realm.objects(PlacedShop.self).where { $0.kind == 1 })
        }
    }

    typealias Condition = (Query<PlacedShop>) -> Query<Bool>

    private func condition(_ random: inout PlaceRandom) -> Condition {
        let (shape, other) = (random.shape(), random.shape())
        let kind = random.random.below(4)
        let conditions: [Condition] = [
            { $0.place.geoWithin(shape) }, { $0.own.geoWithin(shape) },
            { $0.varying.geoWithin(shape) }, { $0.stops.geoWithin(shape) },
            { $0.place.geoWithin(shape) && $0.kind == kind },
            { $0.place.geoWithin(shape) && $0.own.geoWithin(other) },
            { $0.place.geoWithin(shape) || $0.own.geoWithin(other) },
            { !$0.place.geoWithin(shape) }, { $0.unindexed.geoWithin(shape) },
        ]
        return random.random.pick(conditions)
    }

    private func check(_ realm: Realm, _ random: inout PlaceRandom, _ note: String) {
        let shops = realm.objects(PlacedShop.self)
        for _ in 0..<30 {
            let condition = condition(&random)
            let planned = QueryPlanning.$prefersIndexes.withValue(true) {
                (shops.where(condition).map(\.id), shops.where(condition).count)
            }
            let chosen = shops.where(condition).map(\.id)
            let scanned = QueryPlanning.$isScanOnly.withValue(true) {
                shops.where(condition).map(\.id)
            }
            #expect(planned.0 == scanned && chosen == scanned, "\(note)")
            #expect(planned.1 == scanned.count, "\(note)")
        }
        for _ in 0..<20 {
            let (center, limit) = (random.point(), random.random.below(40))
            let within = random.random.chance(50) ? Distance.degrees(random.degrees()) : nil
            let path = random.random.pick(["place", "own", "varying", "unindexed", "stops"])
            let kind = random.random.below(4)
            let some =
                random.random.chance(40) ? shops.where { $0.kind == kind } : shops
            func nearest() -> [String] {
                some.nearest(to: center, byKeyPath: path, limit: limit, within: within).map {
                    "\($0.object.id) \($0.distance.radians)"
                }
            }
            let indexed = QueryPlanning.$prefersIndexes.withValue(true) { nearest() }
            let scanned = QueryPlanning.$isScanOnly.withValue(true) { nearest() }
            #expect(indexed == scanned && nearest() == scanned, "\(path) \(center) \(note)")
        }
    }

    @Test(
        "in random histories, with uncommitted changes, and after opening again",
        // Of the first one a coordinate changed from 0 to −0.
        arguments: [4_390_158_438_864_889_192] + (0..<3).map { _ in UInt64.random(in: 0...(.max)) })
    func histories(seed: UInt64) throws {
        let directory = TemporaryDirectory()
        var random = PlaceRandom(seed: seed)
        struct Undo: Error {}
        for _ in 0..<2 {
            let realm = try directory.open(PlacedTypes.all)
            check(realm, &random, "after opening, seed \(seed)")
            for _ in 0..<5 {
                let isUndone = random.random.chance(20)
                do {
                    try realm.write {
                        try change(realm, &random)
                        check(realm, &random, "uncommitted, seed \(seed)")
                        if isUndone { throw Undo() }
                    }
                } catch is Undo {}
                check(realm, &random, "committed, seed \(seed)")
                #expect(try realm.brokenInvariants() == [], "seed \(seed)")
            }
        }
        let report = try ObjectVerifier.verify(path: directory.url.path)
        #expect(report.findings.isEmpty, "\(report.findings) seed \(seed)")
    }
}
