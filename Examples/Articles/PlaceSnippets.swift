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

    class Cafe: Object {
        @Persisted var name: String
        @Persisted(indexed: .geo) var place: CanonicalGeoPoint?
    }

    @Test("the nearest objects are found with their distances")
    func nearest() throws {
        let directory = SnippetDirectory()
        let realm = try directory.open([Cafe.self])
        try realm.write {
            for (name, latitude) in [("Brasileira", 38.7107), ("Majestic", 41.147)] {
                let cafe = Cafe(value: ["name": name])
                cafe.place = CanonicalGeoPoint(latitude: latitude, longitude: -9.142)
                realm.add(cafe)
            }
        }
        let cafes = realm.objects(Cafe.self)
        if let here = GeoPoint(latitude: 38.712, longitude: -9.139) {
            for (cafe, distance) in cafes.nearest(to: here, by: \.place, limit: 3) {
                print(cafe.name, distance.asKilometers())
            }
            let close = cafes.where { $0.name != "" }
                .nearest(to: here, by: \.place, limit: 3, within: .kilometers(1))
            assert(close.map(\.object.name) == ["Brasileira"])
        }
        let circle = try #require(GeoCircle(center: (38.7, -9.1), radiusInRadians: 0.01))
        #expect(cafes.where { $0.place.geoWithin(circle) }.count == 1)
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
