import Foundation
import RealmSwift
import TestSupport
import Testing

/// Values of such types in memory: given by name, copied, used several times, refused.
extension EmbeddedCustomTypeTests {
    @Test("values by name: the type's own, dictionaries, arrays, and embedded objects")
    func values() throws {
        let location = Location(value: [21.0, 22.0])
        let restaurant = Restaurant(value: [
            "id": 1, "coordinate": Coordinate(1, 2), "entrance": ["latitude": 3.0],
            "places": [Coordinate(5, 6), [7.0, 8.0], location] as [Any],
            "named": ["a": ["latitude": 9, "longitude": 10], "b": NSNull()] as [String: Any],
        ])
        #expect(restaurant.coordinate == Coordinate(1, 2))
        #expect(restaurant.entrance == Coordinate(3, 0))
        #expect(
            Array(restaurant.places) == [Coordinate(5, 6), Coordinate(7, 8), Coordinate(21, 22)])
        #expect(restaurant.named["a"] == .some(Coordinate(9, 10)))
        let realm = try directory.open(types)
        try realm.write {
            realm.add(restaurant)
            realm.create(Restaurant.self, value: ["id": 2, "coordinate": [1.0, 2.0]])
        }
        // What an update names changes; of the embedded object as well.
        let object = try #require(restaurant["coordinate"] as? Location)
        try realm.write {
            realm.create(
                Restaurant.self, value: ["id": 1, "coordinate": ["longitude": 5.0]],
                update: .modified)
        }
        #expect(restaurant.coordinate == Coordinate(1, 5) && !object.isInvalidated)
        try realm.write {
            realm.create(
                Restaurant.self, value: ["id": 1, "entrance": nil, "places": [Coordinate(0, 9)]],
                update: .modified)
        }
        #expect(restaurant.entrance == nil && Array(restaurant.places) == [Coordinate(0, 9)])
        try realm.write { realm.add(filled(), update: .all) }
        check(restaurant)
        #expect(locationCount(realm) == 6)
        #expect(throws: Realm.Error.self) {
            try realm.write { realm.create(Restaurant.self, value: ["id": 3, "coordinate": "x"]) }
        }
        #expect(realm.objects(Restaurant.self).count == 2)
    }

    @Test("copies have their own, whatever they are copied from")
    func copies() throws {
        try verifying { realm in
            let restaurant = filled()
            try realm.write { realm.add(restaurant) }
            check(Restaurant(value: restaurant))
            check(restaurant.detached())
            let copy = Restaurant(value: restaurant)
            copy.id = 2
            try realm.write {
                realm.add(copy)
                realm.create(Restaurant.self, value: restaurant, update: .modified)
            }
            check(copy)
            check(restaurant)
            #expect(locationCount(realm) == 10)
            let other = TemporaryDirectory()
            let target = try other.open(types)
            try target.write { target.create(Restaurant.self, value: restaurant) }
            check(try #require(target.objects(Restaurant.self).first))
        }
    }

    @Test("a value around a stored object is stored as a copy of it")
    func aroundStored() throws {
        let realm = try directory.open([Wrapping.self, Location.self])
        let first = Wrapping()
        first.place = WrappedPlace(location: Location(value: [1.0, 2.0]))
        try realm.write { realm.add(first) }
        let second = Wrapping()
        second.place = first.place
        try realm.write {
            realm.add(second)
            first.place = second.place
        }
        #expect(first.place.location.latitude == 1 && second.place.location.longitude == 2)
        #expect(first.place.location.parent == first && locationCount(realm) == 2)
    }

    @Test("a copy of a value around a stored object has its own object, in no realm")
    func copiedAroundStored() throws {
        let realm = try directory.open([Wrapping.self, Location.self])
        let first = Wrapping()
        first.place = WrappedPlace(location: Location(value: [1.0, 2.0]))
        let early = first.detached()
        #expect(early.place.location !== first.place.location)
        try realm.write { realm.add(first) }
        let copies = [early, first.detached(), Wrapping(value: first)]
        try realm.write {
            first.place.location.latitude = 9
            realm.delete(first)
        }
        for copy in copies {
            #expect(copy.place.location.realm == nil && copy.place.location.latitude == 1)
            copy.id = .generate()
        }
        try realm.write { realm.add(copies) }
        #expect(copies.allSatisfy { $0.place.location.parent == $0 } && locationCount(realm) == 3)
    }

    @Test("what the form of a value links to is copied with it, into another realm too")
    func copiedLinks() throws {
        let types = [GuestHouse.self, StayForm.self, StayGuest.self]
        let realm = try directory.open(types)
        let house = GuestHouse()
        let guests = ["a", "b", "c"].map { StayGuest(value: [$0]) }
        house.stay = Stay(guests[0], nights: 1)
        house.maybe = Stay(guests[1], nights: 2)
        house.stays.append(objectsIn: [Stay(guests[2], nights: 3), Stay(guests[0], nights: 4)])
        house.named["x"] = Stay(guests[1], nights: 5)
        house.named["y"] = .some(nil)
        try realm.write { realm.add(house) }

        func check(_ copy: GuestHouse, in other: Realm?) {
            var stays: [Stay?] = [copy.stay, copy.maybe, copy.stays[0], copy.stays[1]]
            stays.append(copy.named["x"] ?? nil)
            #expect(stays.map { $0?.nights } == [1, 2, 3, 4, 5])
            #expect(stays.map { $0?.guestName } == ["a", "b", "c", "a", "b"])
            #expect(stays.allSatisfy { $0?.guest?.realm == other })
            #expect(copy.named["y"] == .some(nil))
        }
        let detached = house.detached()
        check(detached, in: nil)
        #expect(detached.stay.guest === detached.stays[1].guest)
        let shallow = house.detached(depth: 0)
        #expect(shallow.stay.guest == nil && shallow.stay.nights == 1)

        let other = TemporaryDirectory()
        let target = try other.open(types)
        try target.write {
            check(target.create(GuestHouse.self, value: house), in: target)
            let named = target.create(
                GuestHouse.self,
                value: [
                    "id": 2, "stay": house.stay, "maybe": house.maybe as Any,
                    "stays": Array(house.stays), "named": house.named,
                ], update: .modified)
            check(named, in: target)
            let unmanaged = GuestHouse(value: house)
            unmanaged.id = 3
            check(unmanaged, in: realm)
            check(target.create(GuestHouse.self, value: unmanaged, update: .modified), in: target)
        }
        #expect(target.objects(StayGuest.self).count == 3)
        #expect(target.objects(StayForm.self).count == 15)
    }

    @Test("one value is stored as often as it is used, each time as a separate object")
    func usedSeveralTimes() throws {
        try verifying([Wrappings.self, Location.self]) { realm in
            let place = WrappedPlace(location: Location(value: [1.0, 2.0]))
            func filled(_ code: String) -> Wrappings {
                let object = Wrappings(value: ["code": code])
                object.first = place
                object.second = place
                object.places.append(objectsIn: [place, place])
                object.named["a"] = place
                object.named["b"] = place
                return object
            }
            let object = filled("a")
            object.next = filled("b")
            object.next?.next = filled("c")
            try realm.write { realm.add(object) }
            #expect(locationCount(realm) == 18)
            try realm.write {
                let fresh = WrappedPlace(location: Location(value: [1.0, 2.0]))
                object.places.append(objectsIn: [fresh, fresh, place])
                object.next?.places.removeAll()
                let another = WrappedPlace(location: Location(value: [1.0, 2.0]))
                let named = Map<String, WrappedPlace?>()
                for key in ["c", "d"] { named[key] = another }
                object.named = named
                object.first = another
            }
            #expect(locationCount(realm) == 19 && object.places.count == 5)
            let locations = realm.objects(Location.self)
            #expect(locations.allSatisfy { $0.latitude == 1 && $0.longitude == 2 })
            #expect(Set(object.places.map(\.location)).count == 5)
        }
    }

    @Test("they are encoded and decoded as their type is")
    func coding() throws {
        let realm = try directory.open(types)
        let restaurant = filled()
        let text = try JSONEncoder().encode(restaurant)
        try realm.write { realm.add(restaurant) }
        let stored = try JSONEncoder().encode(restaurant)
        let decoder = JSONDecoder()
        check(try decoder.decode(Restaurant.self, from: text))
        check(try decoder.decode(Restaurant.self, from: stored))
    }

    @Test("a graph that can't be added leaves its values as they were, to be added again")
    func failedGraph() throws {
        let realm = try directory.open(types)
        try realm.write { realm.add(filled()) }
        let second = filled()
        #expect(throws: Realm.Error.self) { try realm.write { try realm.insert(second) } }
        #expect(second.realm == nil)
        check(second)
        second.id = 2
        try realm.write { try realm.insert(second) }
        check(second)
        #expect(locationCount(realm) == 10)
    }

    @Test("a graph that is refused once it is stored leaves the objects in its values unmanaged")
    func graphRefusedLate() throws {
        try verifying([Wrappings.self, Location.self]) { realm in
            try realm.write { realm.add(Wrappings(value: ["code": "a"])) }
            let location = Location(value: [1.0, 2.0])
            let element = Location(value: [3.0, 4.0])
            let second = Wrappings(value: ["code": "b"])
            second.first = WrappedPlace(location: location)
            second.places.append(WrappedPlace(location: element))
            second.next = Wrappings(value: ["code": "a"])
            let error = #expect(throws: Realm.Error.self) {
                try realm.write { try realm.insert(second) }
            }
            #expect(error?.code == .uniqueViolation && second.realm == nil)
            #expect(second.first.location === location && location.realm == nil)
            #expect(second.places.first?.location === element && element.realm == nil)
            #expect(location.longitude == 2 && element.latitude == 3 && locationCount(realm) == 1)
            second.next?.code = "c"
            try realm.write { try realm.insert(second) }
            #expect(second.first.location.parent?["code"] as? String == "b")
            #expect(location.realm == realm && element.realm == realm)
            #expect(locationCount(realm) == 4)
        }
    }
}
