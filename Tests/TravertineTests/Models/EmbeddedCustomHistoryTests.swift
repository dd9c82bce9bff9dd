import RealmSwift
import TestSupport
import Testing

@Suite("Histories of values that are stored as embedded objects")
struct EmbeddedCustomHistoryTests {
    /// What an object has, in plain types.
    private struct Plain: Equatable {
        var coordinate = Coordinate(0, 0)
        var entrance: Coordinate?
        var places: [Coordinate] = []
        var named: [String: Coordinate?] = [:]

        init() {}

        init(_ restaurant: Restaurant) {
            coordinate = restaurant.coordinate
            entrance = restaurant.entrance
            places = Array(restaurant.places)
            for entry in restaurant.named { named[entry.key] = .some(entry.value) }
        }

        /// How many embedded objects there are for it.
        var count: Int {
            1 + (entrance == nil ? 0 : 1) + places.count + named.values.compactMap(\.self).count
        }
    }

    @Test(
        "they are as in a plain model, through rollbacks, savepoints and reopening",
        arguments: 0..<12)
    func history(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let directory = TemporaryDirectory()
        var model: [Int: Plain] = [:]
        for _ in 0..<3 {
            do {
                let realm = try directory.open([Restaurant.self, Location.self])
                for _ in 0..<12 { try transaction(realm, &model, &random) }
                try check(realm, model, seed)
                #expect(try realm.brokenInvariants() == [], "seed \(seed)")
            }
            let report = try ObjectVerifier.verify(path: directory.url.path)
            #expect(report.findings.isEmpty, "seed \(seed): \(report.findings)")
        }
    }

    private func check(_ realm: Realm, _ model: [Int: Plain], _ seed: UInt64) throws {
        let stored = realm.objects(Restaurant.self)
        #expect(Set(stored.map(\.id)) == Set(model.keys), "seed \(seed)")
        for restaurant in stored {
            #expect(Plain(restaurant) == model[restaurant.id], "seed \(seed), \(restaurant.id)")
        }
        let count = model.values.reduce(0) { $0 + $1.count }
        #expect(realm.objects(Location.self).count == count, "seed \(seed)")
    }

    private func transaction(
        _ realm: Realm, _ model: inout [Int: Plain], _ random: inout SeededRandom
    ) throws {
        let before = model
        let fails = random.chance(20)
        do {
            try realm.write {
                for _ in 0..<random.below(8) {
                    let inner = model
                    let failsInside = random.chance(15)
                    do {
                        try realm.savepoint {
                            change(realm, &model, &random)
                            if failsInside { throw Stop() }
                        }
                    } catch is Stop {
                        model = inner
                    }
                }
                if fails { throw Stop() }
            }
        } catch is Stop {
            model = before
        }
    }

    private func change(
        _ realm: Realm, _ model: inout [Int: Plain], _ random: inout SeededRandom
    ) {
        let id = random.below(5)
        guard var plain = model[id],
            let restaurant = realm.object(ofType: Restaurant.self, forPrimaryKey: id)
        else {
            let added = add(id, realm, &random)
            model[id] = added
            return
        }
        let value = coordinate(&random)
        switch random.below(14) {
        case 0:
            realm.delete(restaurant)
            model[id] = nil
            return
        case 1:
            let added = add(id, realm, &random)
            model[id] = added
            return
        case 2, 3:
            restaurant.coordinate = value
            plain.coordinate = value
        case 4:
            plain.entrance = random.chance(50) ? value : nil
            restaurant.entrance = plain.entrance
        case 5, 6:
            let position = random.below(plain.places.count + 1)
            restaurant.places.insert(value, at: position)
            plain.places.insert(value, at: position)
        case 7 where !plain.places.isEmpty:
            let position = random.below(plain.places.count)
            restaurant.places[position] = value
            plain.places[position] = value
        case 8 where !plain.places.isEmpty:
            let position = random.below(plain.places.count)
            restaurant.places.remove(at: position)
            plain.places.remove(at: position)
        case 9:
            restaurant.places.sort { $0.latitude < $1.latitude }
            plain.places = plain.places.enumerated().sorted {
                ($0.element.latitude, $0.offset) < ($1.element.latitude, $1.offset)
            }.map(\.element)
        case 10, 11:
            let key = random.pick(["a", "b", "c"])
            let entry = random.chance(70) ? value : nil
            restaurant.named[key] = .some(entry)
            plain.named[key] = .some(entry)
        case 12:
            realm.create(
                Restaurant.self,
                value: ["id": id, "coordinate": ["latitude": value.latitude]], update: .modified)
            plain.coordinate.latitude = value.latitude
        default:
            let key = random.pick(["a", "b", "c"])
            restaurant.named.removeObject(for: key)
            plain.named[key] = nil
        }
        model[id] = plain
    }

    private func add(_ id: Int, _ realm: Realm, _ random: inout SeededRandom) -> Plain {
        let restaurant = Restaurant()
        restaurant.id = id
        if random.chance(70) { restaurant.coordinate = coordinate(&random) }
        if random.chance(50) { restaurant.entrance = coordinate(&random) }
        for _ in 0..<random.below(4) { restaurant.places.append(coordinate(&random)) }
        for key in ["a", "b"] where random.chance(50) {
            restaurant.named[key] = .some(random.chance(50) ? coordinate(&random) : nil)
        }
        let plain = Plain(restaurant)
        realm.add(restaurant, update: .all)
        return plain
    }

    private func coordinate(_ random: inout SeededRandom) -> Coordinate {
        Coordinate(Double(random.below(50)), Double(random.below(50)))
    }
}
