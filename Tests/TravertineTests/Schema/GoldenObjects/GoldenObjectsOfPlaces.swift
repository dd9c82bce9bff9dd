import Foundation
import RealmSwift
import TestSupport
import Testing

@testable import Travertine

/// What the golden object stores of schema format 4 with indexes of places hold: points on all
/// faces of the cube, at the poles and on both sides of the antimeridian, and objects without one.
enum GoldenObjectsOfPlaces: GoldenObjects {
    static let types: [ObjectBase.Type] = [GoldenSpot.self, CanonicalGeoPoint.self]

    /// Latitude and longitude by the number of the object.
    private static let points: [(Double, Double)] = [
        (38.7223, -9.1393), (52.52, 13.405), (35.6764, 139.65), (-33.8688, 151.2093),
        (90, 0), (-90, 45), (0, 180), (0, -180), (-17.7134, 178.065), (-13.8333, -171.7667),
        (0, 0), (-54.8019, -68.303), (64.1466, -21.9426), (1.3521, 103.8198),
    ]

    static func fill(_ directory: TemporaryDirectory) throws -> Realm {
        let realm = try directory.open(types)
        try realm.write {
            for (id, point) in points.enumerated() {
                let place = GoldenSpot(value: ["id": id])
                place.location = CanonicalGeoPoint(latitude: point.0, longitude: point.1)
                realm.add(place)
            }
            realm.add(GoldenSpot(value: ["id": 99]))
        }
        return realm
    }

    static func change(_ realm: Realm) throws {
        try realm.write {
            let moved = realm.object(ofType: GoldenSpot.self, forPrimaryKey: 1)
            moved?.location = CanonicalGeoPoint(latitude: 38.71, longitude: -9.14)
            if let removed = realm.object(ofType: GoldenSpot.self, forPrimaryKey: 13) {
                realm.delete(removed)
            }
        }
    }

    static func check(_ realm: Realm, isChanged: Bool) throws {
        let places = realm.objects(GoldenSpot.self)
        #expect(places.count == (isChanged ? 14 : 15))
        let lisbon = try #require(GeoBox(bottomLeft: (38, -10), topRight: (39, -9)))
        let circle = try #require(GeoCircle(center: (-16, -179), radiusInRadians: 0.16))
        for isIndexed in [true, false] {
            QueryPlanning.$isScanOnly.withValue(!isIndexed) {
                QueryPlanning.$prefersIndexes.withValue(isIndexed) {
                    let near = places.where { $0.location.geoWithin(lisbon) }.map(\.id)
                    #expect(near == (isChanged ? [0, 1] : [0]))
                    let islands = places.where { $0.location.geoWithin(circle) }.map(\.id)
                    #expect(islands == [8, 9])
                }
            }
        }
    }
}

class GoldenSpot: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: .geo) var location: CanonicalGeoPoint?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
