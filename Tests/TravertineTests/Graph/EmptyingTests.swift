import RealmSwift
import TestSupport
import Testing

@testable import Travertine

/// Deleting every object of a type: what is deleted at once, and what must be read one by one.
@Suite("Deleting every object of a type")
struct EmptyingTests {
    private let directory = TemporaryDirectory()
    private static let ways: [(name: String, body: @Sendable (Realm) -> Void)] = [
        ("results", { $0.delete($0.objects(Seaport.self)) }),
        (
            "results with a condition",
            { $0.delete($0.objects(Seaport.self).where { $0.depth >= 0 }) }
        ),
        ("an array", { $0.delete(Array($0.objects(Seaport.self))) }),
        (
            "one by one",
            { realm in for harbour in realm.objects(Seaport.self) { realm.delete(harbour) } }
        ),
    ]

    private func open() throws -> Realm {
        try directory.open([
            Seaport.self, SeaportPilot.self, SeaportMooring.self, SeaportQuay.self,
            SeaportBuoy.self,
        ])
    }

    private func fill(_ realm: Realm, withQuays: Bool = true) throws {
        try realm.write {
            let harbours = (0..<200).map { Seaport(value: ["depth": $0, "name": "h\($0 % 7)"]) }
            realm.add(harbours)
            for (position, harbour) in harbours.enumerated() {
                harbour.next = harbours[(position + 1) % 200]
                harbour.near.append(objectsIn: [harbours[position / 2], harbours[0], harbours[0]])
                harbour.any = position % 2 == 0 ? .object(harbours[199 - position]) : .int(position)
                harbour.moorings.append(SeaportMooring(value: ["length": position]))
                harbour.tags.insert("t\(position % 5)")
            }
            for position in 0..<50 {
                let pilot = SeaportPilot(value: ["id": position])
                realm.add(pilot)
                pilot.home = harbours[position % 20]
                pilot.visited.append(objectsIn: [
                    harbours[position], harbours[position], harbours[3],
                ])
                pilot.named["first"] = harbours[position + 1]
                pilot.any = .object(position % 3 == 0 ? pilot : harbours[position])
                harbours[position].pilots.insert(pilot)
            }
            guard withQuays else { return }
            let quay = SeaportQuay()
            realm.add(quay)
            quay.moorings.append(SeaportMooring(value: ["length": 1000]))
        }
    }

    @Test(
        "leaves nothing of them, and no link to them",
        arguments: ways.indices, [true, false])
    func everyWay(_ way: Int, withQuays: Bool) throws {
        let realm = try open()
        try fill(realm, withQuays: withQuays)
        try realm.write { Self.ways[way].body(realm) }
        #expect(realm.objects(Seaport.self).isEmpty)
        let pilots = realm.objects(SeaportPilot.self)
        #expect(pilots.count == 50 && pilots.allSatisfy { $0.home == nil && $0.visited.isEmpty })
        #expect(pilots.allSatisfy { $0.named.keys == ["first"] && $0.named.values == [nil] })
        #expect(pilots.filter { $0.any == .none }.count == 33)
        #expect(pilots.allSatisfy { $0.harbours.isEmpty })
        // Those that belong to objects of another type stay.
        let moorings = realm.session.count(of: realm.session.table(of: SeaportMooring.self))
        #expect(moorings == (withQuays ? 1 : 0))
        #expect(try realm.brokenInvariants() == [])

        try realm.write { realm.delete(pilots) }
        try fill(realm, withQuays: false)
        #expect(realm.objects(Seaport.self).where { $0.name == "h3" }.count == 29)
        #expect(try realm.brokenInvariants() == [])
    }

    @Test("is undone with the transaction", arguments: ways.indices)
    func undone(_ way: Int) throws {
        let realm = try open()
        try fill(realm)
        let before = try DerivedTests.dump(realm)
        #expect(throws: Stop.self) {
            try realm.write {
                Self.ways[way].body(realm)
                #expect(realm.objects(Seaport.self).isEmpty)
                throw Stop()
            }
        }
        #expect(try DerivedTests.dump(realm) == before)
        #expect(realm.objects(Seaport.self).count == 200)
    }

    @Test("takes what their delete rules lead to, and nothing else of that type")
    func rules() throws {
        let realm = try open()
        try realm.write {
            let buoys = (0..<10).map { SeaportBuoy(value: ["number": $0]) }
            realm.add(buoys)
            for (position, buoy) in buoys.enumerated() where position < 5 {
                buoy.harbour = Seaport(value: ["depth": position])
            }
            realm.add(Seaport(value: ["depth": 100]))
        }
        try realm.write { realm.delete(realm.objects(SeaportBuoy.self)) }
        #expect(realm.objects(Seaport.self).map(\.depth) == [100])
        #expect(try realm.brokenInvariants() == [])
        try fill(realm)
        try realm.write { realm.deleteAll() }
        #expect(realm.isEmpty)
        #expect(try realm.brokenInvariants() == [])
    }

    @Test("an element appended by itself, and the first position of a value, are as of many")
    func elements() throws {
        let realm = try open()
        try fill(realm)
        let pilot = try #require(realm.objects(SeaportPilot.self).first)
        try realm.write {
            for number in 0..<3000 { pilot.numbers.append(Double(number % 1000)) }
            pilot.numbers.append(.nan)
        }
        #expect(pilot.numbers.count == 3001)
        #expect(pilot.numbers.firstIndex(of: 999) == 999 && pilot.numbers.index(of: 999) == 999)
        #expect(pilot.numbers.firstIndex(of: .nan) == nil)
        #expect(pilot.numbers.firstIndex(of: 1000) == nil)
        let loose = List<Double>()
        loose.append(3)
        loose.append(4)
        #expect(loose.firstIndex(of: 4) == 1 && Array(loose) == [3, 4])
    }

    @Test("leaves list nodes of others alone that wait to be written")
    func deleteAllKeepsOtherLists() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Shelf.self, Pad.self])
        let texts = (0..<3000).map { "text \($0)" }
        try realm.write {
            let shelf = Shelf()
            shelf.texts.append(objectsIn: texts)
            realm.add(shelf)
            let pad = Pad()
            pad.lines.append(objectsIn: texts)
            realm.add(pad)
            realm.delete(realm.objects(Pad.self))
        }
        #expect(realm.objects(Pad.self).isEmpty)
        let shelf = try #require(realm.objects(Shelf.self).first)
        #expect(Array(shelf.texts) == texts)
    }
}

class Seaport: Object {
    @Persisted var depth: Int
    @Persisted(indexed: true) var name: String
    @Persisted var next: Seaport?
    @Persisted var near: List<Seaport>
    @Persisted var any: AnyRealmValue
    @Persisted var moorings: List<SeaportMooring>
    @Persisted var tags: MutableSet<String>
    @Persisted var pilots: MutableSet<SeaportPilot>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class SeaportMooring: EmbeddedObject {
    @Persisted var length: Int
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class SeaportQuay: Object {
    @Persisted var moorings: List<SeaportMooring>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class SeaportPilot: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var home: Seaport?
    @Persisted var visited: List<Seaport>
    @Persisted var named: Map<String, Seaport?>
    @Persisted var any: AnyRealmValue
    @Persisted var numbers: List<Double>
    @Persisted(originProperty: "pilots") var harbours: LinkingObjects<Seaport>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class SeaportBuoy: Object {
    @Persisted var number: Int
    @Persisted(deleteRule: .cascade) var harbour: Seaport?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
