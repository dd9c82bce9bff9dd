import Foundation
import RealmSwift
import TestSupport
import Testing

@Suite("Stored points")
struct GeoObjectTests {
    private func coast() throws -> GeoBox {
        try #require(GeoBox(bottomLeft: (38, -10), topRight: (42, -8)))
    }

    @Test("a point is stored in GeoJSON's shape and changed by its coordinates")
    func canonical() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Shop.self, OwnPoint.self])
        let shop = Shop(value: ["name": "A"])
        shop.place = CanonicalGeoPoint(latitude: 38.7, longitude: -9.1)
        try realm.write { realm.add(shop) }
        #expect(shop.place?.toGeoPoint() == GeoPoint(latitude: 38.7, longitude: -9.1))
        try realm.write { shop.place?.latitude = 41.1 }
        #expect(shop.place?.latitude == 41.1 && shop.place?.longitude == -9.1)
        #expect(shop.place?["type"] as? String == "Point")
        #expect((shop.place?["coordinates"] as? List<Double>).map { Array($0) } == [-9.1, 41.1])
        #expect(realm.schema["CanonicalGeoPoint"]?.isEmbedded == true)
        #expect(CanonicalGeoPoint().toGeoPoint() == nil)
        #expect(CanonicalGeoPoint(latitude: 91, longitude: 0).toGeoPoint() == nil)
    }

    @Test("queries find points in shapes, of the library's class and of mapped private properties")
    func queries() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Shop.self, OwnPoint.self])
        let places = [(38.7, -9.1), (41.1, -8.6), (48.8, 2.3), (0, 0)]
        try realm.write {
            for (id, place) in places.enumerated() {
                let shop = Shop(value: ["name": "\(id)"])
                shop.place = CanonicalGeoPoint(latitude: place.0, longitude: place.1)
                shop.own = OwnPoint(kind: "Point", [place.1, place.0, 12])
                realm.add(shop)
            }
            realm.add(Shop(value: ["name": "nowhere"]))
            let odd = Shop(value: ["name": "odd"])
            odd.own = OwnPoint(kind: "Polygon", [-9.1, 38.7])
            odd.others.append(OwnPoint(kind: "Point", [-9.1]))
            odd.others.append(OwnPoint(kind: "Point", [-9.1, 38.7]))
            realm.add(odd)
        }
        let (box, shops) = (try coast(), realm.objects(Shop.self))
        #expect(shops.where { $0.place.geoWithin(box) }.map(\.name) == ["0", "1"])
        #expect(shops.where { $0.own.geoWithin(box) }.map(\.name) == ["0", "1"])
        #expect(shops.where { $0.others.geoWithin(box) }.map(\.name) == ["odd"])
        #expect(shops.where { !$0.place.geoWithin(box) }.count == 4)
        let center = try #require(GeoPoint(latitude: 48.9, longitude: 2.3))
        let radius = try #require(Distance.kilometers(50))
        let circle = GeoCircle(center: center, radius: radius)
        #expect(shops.where { $0.place.geoWithin(circle) }.map(\.name) == ["2"])
    }

    @Test("a point of a class with derived ones is found, whichever class it has")
    func derivedPoints() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Kiosk.self, BasePoint.self, HighPoint.self])
        try realm.write {
            let own = BasePoint()
            own.coordinates.append(objectsIn: [-9.1, 38.7])
            let derived = HighPoint(value: ["height": 5])
            derived.coordinates.append(objectsIn: [-9.2, 39])
            let far = HighPoint()
            far.coordinates.append(objectsIn: [20, 50])
            for (place, point) in [own, derived, far].enumerated() {
                let kiosk = Kiosk(value: ["name": "\(place)"])
                kiosk.place = point
                realm.add(kiosk)
            }
            realm.add(Kiosk(value: ["name": "nowhere"]))
        }
        let box = try coast()
        let kiosks = realm.objects(Kiosk.self)
        #expect(kiosks.where { $0.place.geoWithin(box) }.map(\.name) == ["0", "1"])
        #expect(kiosks.where { !$0.place.geoWithin(box) }.map(\.name) == ["2", "nowhere"])
    }
}

class Kiosk: Object {
    @Persisted var name: String
    @Persisted var place: BasePoint?
}

class BasePoint: EmbeddedObject {
    @Persisted var type = "Point"
    @Persisted var coordinates: List<Double>
}

class HighPoint: BasePoint {
    @Persisted var height: Int
}

class Shop: Object {
    @Persisted var name: String
    @Persisted var place: CanonicalGeoPoint?
    @Persisted var own: OwnPoint?
    @Persisted var others: List<OwnPoint>
}

class OwnPoint: EmbeddedObject {
    @Persisted private var kind: String
    @Persisted private var numbers: List<Double>

    convenience init(kind: String, _ numbers: [Double]) {
        self.init()
        self.kind = kind
        self.numbers.append(objectsIn: numbers)
    }

    override class func propertiesMapping() -> [String: String] {
        ["kind": "type", "numbers": "coordinates"]
    }
}
