import Foundation
import RealmSwift
import TestSupport
import Testing

@Suite("Custom types that are stored as embedded objects")
struct EmbeddedCustomTypeTests {
    let directory = TemporaryDirectory()
    let types: [ObjectBase.Type] = [Restaurant.self, Location.self]

    func filled(_ id: Int = 1) -> Restaurant {
        let restaurant = Restaurant()
        restaurant.id = id
        restaurant.coordinate = Coordinate(1, 2)
        restaurant.entrance = Coordinate(3, 4)
        restaurant.places.append(objectsIn: [Coordinate(5, 6), Coordinate(7, 8)])
        restaurant.named["a"] = Coordinate(9, 10)
        restaurant.named["b"] = .some(nil)
        return restaurant
    }

    func check(_ restaurant: Restaurant) {
        #expect(restaurant.coordinate == Coordinate(1, 2))
        #expect(restaurant.entrance == Coordinate(3, 4))
        #expect(Array(restaurant.places) == [Coordinate(5, 6), Coordinate(7, 8)])
        #expect(restaurant.places[1] == Coordinate(7, 8))
        #expect(restaurant.named["a"] == .some(Coordinate(9, 10)))
        #expect(restaurant.named["b"] == .some(nil) && restaurant.named.count == 2)
    }

    func locationCount(_ realm: Realm) -> Int { realm.objects(Location.self).count }

    /// Runs a test with a realm, and verifies what it leaves once it is closed.
    func verifying(
        _ types: [ObjectBase.Type]? = nil, _ body: (Realm) throws -> Void
    ) throws {
        do { try body(try directory.open(types ?? self.types)) }
        let report = try ObjectVerifier.verify(path: directory.url.path)
        #expect(report.findings.isEmpty, "\(report.findings)")
    }

    // MARK: Storing

    @Test("single ones, optional ones, and those in lists and maps are kept")
    func roundTrip() throws {
        try verifying { realm in
            let restaurant = filled()
            check(restaurant)
            try realm.write { realm.add(restaurant) }
            check(restaurant)
            #expect(locationCount(realm) == 5)
        }
        let realm = try directory.open(types)
        check(try #require(realm.object(ofType: Restaurant.self, forPrimaryKey: 1)))
    }

    @Test("without a stored object a non-optional one reads as a new object's value")
    func defaults() throws {
        let realm = try directory.open(types)
        let restaurant = Restaurant()
        #expect(restaurant.coordinate == Coordinate(0, 0) && restaurant.entrance == nil)
        try realm.write { realm.add(restaurant) }
        #expect(restaurant.coordinate == Coordinate(0, 0) && restaurant.entrance == nil)
        #expect(locationCount(realm) == 1)
        let location = try #require(realm.objects(Location.self).first)
        try realm.write { realm.delete(location) }
        #expect(restaurant.coordinate == Coordinate(0, 0) && restaurant["coordinate"] == nil)
    }

    @Test("setting one writes a new embedded object and deletes the former one")
    func setting() throws {
        try verifying { realm in
            let restaurant = filled()
            try realm.write { realm.add(restaurant) }
            let first = try #require(restaurant["coordinate"] as? Location)
            #expect(first.parent == restaurant)
            try realm.write {
                restaurant.coordinate = Coordinate(11, 12)
                restaurant.entrance = nil
            }
            #expect(first.isInvalidated && restaurant.coordinate == Coordinate(11, 12))
            #expect(restaurant.entrance == nil && locationCount(realm) == 4)
            try realm.write {
                restaurant.places[0] = Coordinate(13, 14)
                restaurant.places.append(Coordinate(15, 16))
                restaurant.places.remove(at: 1)
                restaurant.places.swapAt(0, 1)
                restaurant.named["a"] = nil
                restaurant.named["c"] = Coordinate(17, 18)
                restaurant.named["b"] = Coordinate(19, 20)
            }
            #expect(Array(restaurant.places) == [Coordinate(15, 16), Coordinate(13, 14)])
            #expect(Set(restaurant.named.keys) == ["b", "c"] && locationCount(realm) == 5)
            try realm.write { restaurant.places.sort { $0.latitude < $1.latitude } }
            #expect(Array(restaurant.places) == [Coordinate(13, 14), Coordinate(15, 16)])
            #expect(restaurant.places.contains(Coordinate(13, 14)))
            #expect(restaurant.places.index(of: Coordinate(15, 16)) == 1)
            #expect(throws: Stop.self) {
                try realm.write {
                    restaurant.coordinate = Coordinate(0, 1)
                    restaurant.places.removeAll()
                    throw Stop()
                }
            }
            #expect(restaurant.coordinate == Coordinate(11, 12) && restaurant.places.count == 2)
            try realm.write { restaurant.places = List() }
            #expect(restaurant.places.isEmpty && locationCount(realm) == 3)
            try realm.write { realm.delete(restaurant) }
            #expect(locationCount(realm) == 0)
        }
    }

    @Test("in objects older than the property it is the initial value, else a new object's value")
    func addedLater() throws {
        do {
            let realm = try directory.open([EarlyStand.self])
            try realm.write { realm.create(EarlyStand.self, value: [1]) }
        }
        let realm = try directory.open([Stand.self, Location.self], version: 1)
        let stand = try #require(realm.objects(Stand.self).first)
        #expect(stand.coordinate == Coordinate(50, 51) && stand["coordinate"] == nil)
        #expect(stand.plain == Coordinate(0, 0) && stand.maybe == nil)
        #expect(stand.detached().coordinate == Coordinate(50, 51))
        #expect(realm.objects(Stand.self).where { $0.coordinate.latitude == 50 }.isEmpty)
        try realm.write { stand.coordinate = Coordinate(0, 0) }
        #expect(stand.coordinate == Coordinate(0, 0))
        try realm.write { realm.add(Stand(value: ["id": 2])) }
        #expect(realm.object(ofType: Stand.self, forPrimaryKey: 2)?.coordinate.latitude == 50)
    }

    // MARK: By name

    @Test("subscripts, paths of names and descriptions show the embedded object")
    func byName() throws {
        let realm = try directory.open(types)
        let restaurant = filled()
        #expect((restaurant["coordinate"] as? Location)?.longitude == 2)
        try realm.write { realm.add(restaurant) }
        let location = try #require(restaurant["coordinate"] as? Location)
        #expect(location.latitude == 1 && location.realm != nil)
        #expect(restaurant.value(forKeyPath: "coordinate.longitude") as? Double == 2)
        #expect(
            restaurant.value(forKeyPath: "places.latitude") as? [Double?] == [5, 7])
        #expect(restaurant.description.contains("coordinate = Location {"))
        try realm.write {
            restaurant["coordinate"] = Coordinate(23, 24)
            restaurant["entrance"] = ["latitude": 25.0, "longitude": 26.0]
            restaurant["places"] = [Coordinate(27, 28)]
            restaurant.setValue(Location(value: [29.0, 30.0]), forKey: "coordinate")
        }
        #expect(restaurant.coordinate == Coordinate(29, 30))
        #expect(restaurant.entrance == Coordinate(25, 26) && restaurant.places.count == 1)
        let dynamic = try #require(realm.dynamicObjects("Restaurant").first)
        #expect((dynamic["coordinate"] as? DynamicObject)?["latitude"] as? Double == 29)
        try realm.write { dynamic["coordinate"] = ["latitude": 31.0] }
        #expect(restaurant.coordinate == Coordinate(31, 0) && locationCount(realm) == 4)
    }

    @Test("the schema has the class of the embedded objects")
    func schema() throws {
        let realm = try directory.open(types)
        let schema = try #require(realm.schema["Restaurant"])
        for (name, isOptional) in [
            ("coordinate", true), ("entrance", true), ("places", false), ("named", true),
        ] {
            let property = try #require(schema[name])
            #expect(property.type == .object && property.objectClassName == "Location")
            #expect(property.isOptional == isOptional, "\(name)")
        }
    }

    @Test("no index, no primary key, no set and no map without optional can be of them")
    func validation() throws {
        #expect {
            _ = try directory.open([MisplacedCoordinates.self, Location.self])
        } throws: { error in
            let text = "\(error)"
            return [
                "'MisplacedCoordinates.key' cannot be the primary key",
                "'MisplacedCoordinates.indexed' of type 'object' cannot be indexed",
                "'MisplacedCoordinates.some' is a set of embedded objects",
                "Map<String, Coordinate?>",
            ].allSatisfy { text.contains($0) }
        }
    }

    @Test("queries go by the properties of the embedded objects")
    func queries() throws {
        let realm = try directory.open(types)
        try realm.write {
            for id in 1...3 {
                let restaurant = filled(id)
                restaurant.coordinate = Coordinate(Double(id), 0)
                if id == 2 { restaurant.entrance = nil }
                realm.add(restaurant)
            }
        }
        let all = realm.objects(Restaurant.self)
        #expect(all.where { $0.coordinate.latitude > 1 }.map(\.id) == [2, 3])
        #expect(all.where { $0.entrance.latitude == 3 }.count == 2)
        #expect(all.where { $0.entrance == nil }.map(\.id) == [2])
        #expect(all.where { $0.places.longitude == 8 }.count == 3)
        // A value is compared with what is stored for it property by property.
        #expect(all.where { $0.coordinate == Coordinate(1, 0) }.map(\.id) == [1])
        #expect(all.where { $0.coordinate != Coordinate(1, 0) }.map(\.id) == [2, 3])
        #expect(all.where { $0.entrance == Coordinate(3, 4) }.map(\.id) == [1, 3])
        #expect(all.where { $0.places.contains(Coordinate(5, 6)) }.count == 3)
        #expect(all.where { $0.places.contains(Coordinate(5, 7)) }.isEmpty)
        #expect(
            all.sorted(byKeyPath: "coordinate.latitude", ascending: false).map(\.id) == [3, 2, 1])
        #expect(all.sorted(by: \.id, ascending: false).first?.id == 3)
        let places = try #require(all.first).places
        #expect(
            Array(places.sorted(byKeyPath: "latitude", ascending: false))
                == [Coordinate(7, 8), Coordinate(5, 6)])
        #expect(Array(places.where { $0.longitude < 7 }) == [Coordinate(5, 6)])
        #expect(places.where { $0.longitude < 7 }.first == Coordinate(5, 6))
        #expect(places.max(ofProperty: "latitude") == 7.0)
        let named = try #require(all.first).named
        #expect(named.where { $0.latitude == 9 }.first == .some(Coordinate(9, 10)))
        #expect(Array(named.sorted(byKeyPath: "latitude")) == [nil, Coordinate(9, 10)])
    }

    @Test("projections pass them through")
    func projections() throws {
        let realm = try directory.open(types)
        try realm.write { realm.add(filled()) }
        let view = try #require(realm.objects(RestaurantView.self).first)
        #expect(view.coordinate == Coordinate(1, 2) && view.entrance == Coordinate(3, 4))
        try realm.write { view.coordinate = Coordinate(33, 34) }
        #expect(realm.objects(Restaurant.self).first?.coordinate == Coordinate(33, 34))
    }

    // MARK: Values that make none

    @Test("one that is refused reads as the default, or as nil, and is shown as it is stored")
    func refused() throws {
        try verifying([Plot.self, Location.self]) { realm in
            let plot = Plot()
            plot.corner = try #require(Northern(persistedValue: Location(value: [1.0, 2.0])))
            plot.maybe = plot.corner
            plot.corners.append(plot.corner)
            plot.maybes["a"] = plot.corner
            try realm.write { realm.add(plot) }
            #expect(plot.corner.latitude == 1 && plot.corners[0].latitude == 1)
            try realm.write {
                for location in realm.objects(Location.self) { location.latitude = -1 }
            }
            #expect(plot.corner.latitude == 50 && plot.maybe == nil)
            #expect((plot["corner"] as? Location)?.latitude == -1)
            #expect((plot["maybe"] as? Location)?.latitude == -1)
            #expect(Array(plot.corners).isEmpty && plot.maybes["a"] == .some(nil))
            #expect(Plot(value: plot).corner.latitude == 50)
            // Iterating over results skips it as well.
            try realm.write { plot.corners.append(Northern(latitude: 3)) }
            let corners = plot.corners.sorted(byKeyPath: "latitude")
            var latitudes: [Double] = []
            for corner in corners { latitudes.append(corner.latitude) }
            #expect(latitudes == [3] && Array(corners).map(\.latitude) == [3])
            #expect(corners.count == 2 && corners[1].latitude == 3)
            for _ in plot.corners.where({ $0.latitude < 0 }) { Issue.record("is refused") }
            #expect(plot.maybes.where { $0.latitude < 0 }.first == .some(nil))
            #expect(Array(plot.maybes.sorted(byKeyPath: "latitude")) == [nil])
            #expect(throws: Realm.Error.self) {
                try realm.write { realm.create(Plot.self, value: ["corner": ["latitude": -5.0]]) }
            }
        }
    }

    // MARK: Other places

    @Test("a class that declares the link itself stores the same")
    func sameSchema() throws {
        do {
            let realm = try directory.open([LinkedRestaurant.self, Location.self])
            try realm.write {
                realm.create(
                    LinkedRestaurant.self,
                    value: ["id": 1, "coordinate": [1.0, 2.0], "places": [[5.0, 6.0]]])
            }
        }
        let realm = try directory.open(types)
        let restaurant = try #require(realm.objects(Restaurant.self).first)
        #expect(restaurant.coordinate == Coordinate(1, 2) && restaurant.entrance == nil)
        #expect(Array(restaurant.places) == [Coordinate(5, 6)] && restaurant.named.isEmpty)
    }

    @Test("structs as values have them as their type is encoded")
    func structs() throws {
        let schema = try ObjectSchema(Diner.self)
        #expect(schema["coordinate"]?.objectClassName == "Location")
        #expect(schema["places"]?.isArray == true && schema["entrance"]?.type == .object)
        try verifying { realm in
            let diner = Diner(
                id: 1, coordinate: Coordinate(1, 2), entrance: Coordinate(3, 4),
                places: [Coordinate(5, 6), Coordinate(7, 8)], named: ["a": Coordinate(9, 10)])
            try realm.write { try realm.insert(diner) }
            let restaurant = try #require(realm.objects(Restaurant.self).first)
            #expect(restaurant.coordinate == Coordinate(1, 2) && restaurant.places.count == 2)
            try realm.write { restaurant.entrance = nil }
            let values = try realm.values(Diner.self)
            var wanted = diner
            wanted.entrance = nil
            #expect(values == [wanted] && locationCount(realm) == 4)
        }
    }

    @Test("what is stored may be of a derived class, and is read as such")
    func derivedForms() throws {
        try verifying([Harbour.self, Location.self, DeepLocation.self]) { realm in
            let harbour = Harbour()
            harbour.berth = Mooring(depth: 7)
            harbour.maybe = Mooring(depth: nil)
            harbour.berths.append(objectsIn: [Mooring(depth: 8), Mooring(depth: nil)])
            harbour.named["a"] = Mooring(depth: 9)
            try realm.write { realm.add(harbour) }
            #expect(harbour.berth.depth == 7 && harbour["berth"] is DeepLocation)
            #expect(
                harbour.maybe == Mooring(depth: nil) && harbour.berths.map(\.depth) == [8, nil])
            #expect(harbour.named["a"] == .some(Mooring(depth: 9)))
            try realm.write {
                harbour.berth = Mooring(depth: nil)
                harbour.maybe = Mooring(depth: 10)
                harbour.berths[1] = Mooring(depth: 11)
            }
            #expect(harbour.berth.depth == nil && harbour.maybe?.depth == 10)
            #expect(Array(harbour.berths) == [Mooring(depth: 8), Mooring(depth: 11)])
            #expect(harbour.berths.sorted(byKeyPath: "latitude").count == 2)
            #expect(locationCount(realm) == 1 && realm.objects(DeepLocation.self).count == 4)
        }
    }

    @Test("in asymmetric objects, embedded objects, fields without wrapper, and types over others")
    func otherPlaces() throws {
        let types: [ObjectBase.Type] = [
            SpottedPlace.self, Route.self, Leg.self, OldStop.self, Location.self,
        ]
        try verifying(types) { realm in
            let sighting = SpottedPlace()
            sighting.place = Coordinate(1, 2)
            let route = Route()
            route.first = Leg()
            route.first?.end = Coordinate(3, 4)
            route.renamed = Waypoint(coordinate: Coordinate(5, 6))
            let stop = OldStop()
            stop.place.value = Coordinate(7, 8)
            stop.places.append(Coordinate(9, 10))
            try realm.write {
                realm.add(route)
                realm.add(stop)
                try realm.insert(sighting)
            }
            #expect(route.first?.end == Coordinate(3, 4))
            #expect(route.renamed == Waypoint(coordinate: Coordinate(5, 6)))
            #expect(stop.place.value == Coordinate(7, 8) && stop.places[0] == Coordinate(9, 10))
            let entry = try #require(try realm.outbox.read(limit: 1).first)
            #expect("\(entry.document)".contains("longitude"))
            try realm.write {
                stop.place.value = nil
                stop.places[0] = Coordinate(11, 12)
                route.first = nil
                route.renamed = Waypoint(coordinate: Coordinate(13, 14))
            }
            #expect(stop.place.value == nil && stop.places[0] == Coordinate(11, 12))
            #expect(route.renamed.coordinate == Coordinate(13, 14) && locationCount(realm) == 3)
        }
    }

    @Test("a large list of them is kept in chunks")
    func largeList() throws {
        try verifying { realm in
            let restaurant = filled()
            restaurant.places.append(objectsIn: (0..<1_000).map { Coordinate(Double($0), 1) })
            try realm.write { realm.add(restaurant) }
            #expect(restaurant.places.count == 1_002 && restaurant.places[501].latitude == 499)
            try realm.write {
                restaurant.places.removeSubrange(0..<900)
                restaurant.places.append(objectsIn: (0..<500).map { Coordinate(0, Double($0)) })
            }
            #expect(restaurant.places.count == 602 && locationCount(realm) == 605)
        }
    }
}
