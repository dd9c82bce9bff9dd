import Testing
import Travertine

@Suite("Snippets: places")
struct PlaceSnippets {
    class Shop: Object {
        @Persisted var name: String
        @Persisted var place: CanonicalGeoPoint?
    }

    @Test("points are stored, and found by shapes")
    func shapes() throws {
        let directory = SnippetDirectory()
        let realm = try directory.open([Shop.self])
        let shop = Shop(value: ["name": "A Vida Portuguesa"])
        shop.place = CanonicalGeoPoint(latitude: 38.711, longitude: -9.142)
        try realm.write { realm.add(shop) }
        #expect(shop.place?.toGeoPoint()?.latitude == 38.711)
        let shops = realm.objects(Shop.self)
        if let radius = Distance.kilometers(2),
            let circle = GeoCircle(center: (38.72, -9.14), radius: radius)
        {
            assert(shops.where { $0.place.geoWithin(circle) }.count == 1)
        }
        if let box = GeoBox(bottomLeft: (41, -9), topRight: (42, -8)) {
            assert(shops.where { $0.place.geoWithin(box) }.isEmpty)
        }
        #expect(GeoCircle(center: (38.72, -9.14), radiusInRadians: 0.1) != nil)
        #expect(GeoBox(bottomLeft: (41, -9), topRight: (42, -8)) != nil)
    }

    class Position: EmbeddedObject {
        @Persisted private var kind: String = "Point"
        @Persisted private var degrees: List<Double>

        override class func propertiesMapping() -> [String: String] {
            ["kind": "type", "degrees": "coordinates"]
        }

        convenience init(latitude: Double, longitude: Double) {
            self.init()
            degrees.append(objectsIn: [longitude, latitude])
        }
    }

    class Ship: Object {
        @Persisted var name: String
        @Persisted var position: Position?
    }

    @Test("a custom class is a point by its stored names")
    func ownClass() throws {
        let directory = SnippetDirectory()
        let realm = try directory.open([Ship.self, Position.self])
        let ship = Ship(value: ["name": "Sagres"])
        ship.position = Position(latitude: 38.7, longitude: -9.2)
        try realm.write { realm.add(ship) }
        let box = try #require(GeoBox(bottomLeft: (38, -10), topRight: (39, -9)))
        #expect(realm.objects(Ship.self).where { $0.position.geoWithin(box) }.count == 1)
    }
}
