import RealmSwift
import TestSupport
import Testing

@testable import Travertine

/// Deleting many objects goes through a collection that has them once, not once for each.
@Suite("Deleting many objects that one collection has")
struct DeletingManyTests {
    private let directory = TemporaryDirectory()
    private static let count = 20_000

    @Test("takes their links out", arguments: CrewDeletion.all.indices)
    func large(place: Int) throws {
        let realm = try directory.open([CrewedShip.self, CrewMember.self, Bunk.self])
        let ships = CrewDeletion.Vessels(big: CrewedShip(), small: CrewedShip())
        try realm.write {
            realm.add([ships.big, ships.small])
            ships.big.crew.append(
                objectsIn: (0..<Self.count).map { CrewMember(value: ["age": $0]) })
            ships.small.crew.append(objectsIn: ships.big.crew.prefix(1))
            ships.big.posts["captain"] = ships.big.crew[5]
            ships.big.posts["mate"] = ships.big.crew[6]
            ships.big.notes.append(objectsIn: [.object(ships.big.crew[7]), .int(1)])
            ships.big.notes.append(.object(ships.big.crew[8]))
        }
        try realm.write { CrewDeletion.all[place].body(realm, ships) }
        #expect(realm.objects(CrewMember.self).isEmpty)
        #expect(try realm.brokenInvariants() == [])
        guard CrewDeletion.all[place].name != "everything" else { return }
        #expect(ships.big.crew.isEmpty && ships.small.crew.isEmpty)
        #expect(
            ships.big.posts.keys == ["captain", "mate"] && ships.big.posts.values == [nil, nil])
        #expect(Array(ships.big.notes) == [.none, .int(1), .none])
    }

    @Test("leaves what is not deleted where it was, and undone it leaves everything")
    func some() throws {
        let realm = try directory.open([CrewedShip.self, CrewMember.self, Bunk.self])
        let ship = CrewedShip()
        try realm.write {
            realm.add(ship)
            ship.crew.append(objectsIn: (0..<2000).map { CrewMember(value: ["age": $0]) })
            ship.crew.append(objectsIn: Array(ship.crew.prefix(10)))
            ship.bunks.append(objectsIn: (0..<2000).map { Bunk(value: ["deck": $0 % 3]) })
        }
        for isUndone in [true, false] {
            do {
                try realm.write {
                    realm.delete(
                        realm.objects(CrewMember.self).where { $0.age.in([3, 4, 5, 900]) })
                    realm.delete(ship.bunks.where { $0.deck == 1 })
                    if isUndone { throw Stop() }
                }
            } catch is Stop {
                #expect(ship.crew.count == 2010 && ship.bunks.count == 2000)
            }
        }
        let rest = Array(0..<2000).filter { ![3, 4, 5, 900].contains($0) }
        #expect(ship.crew.map(\.age) == rest + [0, 1, 2, 6, 7, 8, 9])
        #expect(ship.bunks.count == 2000 - 667 && ship.bunks.allSatisfy { $0.deck != 1 })
        #expect(try realm.brokenInvariants() == [])
        try realm.write { realm.delete(ship.bunks) }
        #expect(
            ship.bunks.isEmpty && realm.session.count(of: realm.session.table(of: Bunk.self)) == 0)
    }

    @Test("denies as deleting one by one does")
    func denied() throws {
        let realm = try directory.open([Warden.self, CrewMember.self])
        let warden = Warden()
        try realm.write {
            realm.add(warden)
            warden.charges.append(objectsIn: [CrewMember(), CrewMember(), CrewMember()])
        }
        let all: [ObjectBase] = [warden] + Array(warden.charges)
        #expect(throws: Realm.Error.self) { try realm.write { realm.delete(all) } }
        #expect(warden.charges.count == 3)
        try realm.write { realm.delete(all.reversed()) }
        #expect(realm.isEmpty)
    }
}

enum CrewDeletion {
    struct Vessels {
        var big: CrewedShip
        var small: CrewedShip
    }

    /// Ways to delete all crew, with whether those of the small ship go as well.
    static let all: [(name: String, body: @Sendable (Realm, Vessels) -> Void)] = [
        ("the list", { $0.delete($1.big.crew) }),
        ("an array", { $0.delete(Array($1.big.crew)) }),
        ("results", { realm, _ in realm.delete(realm.objects(CrewMember.self)) }),
        (
            "results with a condition",
            { realm, _ in realm.delete(realm.objects(CrewMember.self).where { $0.age >= 0 }) }
        ),
        ("the results of the list", { $0.delete($1.big.crew.sorted(byKeyPath: "age")) }),
        ("everything", { realm, _ in realm.deleteAll() }),
    ]
}

class CrewedShip: Object {
    @Persisted var crew: List<CrewMember>
    @Persisted var posts: Map<String, CrewMember?>
    @Persisted var notes: List<AnyRealmValue>
    @Persisted var bunks: List<Bunk>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class CrewMember: Object {
    @Persisted var age: Int
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Bunk: EmbeddedObject {
    @Persisted var deck: Int
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Warden: Object {
    @Persisted(deleteRule: .deny) var charges: List<CrewMember>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
