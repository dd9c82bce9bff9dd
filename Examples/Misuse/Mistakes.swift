import Foundation
import Travertine

final class Ship: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var name: String
    @Persisted var crew: List<Sailor>
    @Persisted var flags: MutableSet<String>
    @Persisted var cargo: Map<String, Double>
    @Persisted var captain: Sailor?

    var isUnnamed: Bool { name.isEmpty }
}

final class Sailor: Object {
    @Persisted var name: String
    @Persisted var age: Int
    @Persisted(originProperty: "crew") var ships: LinkingObjects<Ship>
}

final class Stowaway: Object {
    @Persisted var name: String
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Something that a program must not do, and a part of the message that it gets.
struct Mistake: Sendable {
    var name: String
    var message: String
    var body: @Sendable (Realm, Ship) throws -> Void

    init(
        _ name: String, _ message: String, _ body: @escaping @Sendable (Realm, Ship) throws -> Void
    ) {
        self.name = name
        self.message = message
        self.body = body
    }

    /// One for each kind of mistake; the tests of the library have all of them, in a debug build.
    static let all =
        withObjects + withCollections + inOtherPlaces + [
            Mistake("nested-write", "already in a write transaction") { realm, _ in
                try realm.write { realm.beginWrite() }
            },
            Mistake("commit-of-nothing", "Can't commit a non-existing write") { realm, _ in
                try realm.commitWrite()
            },
            Mistake("write-outside", "outside of a write transaction") { _, ship in
                ship.name = "Ida"
            },
            Mistake("delete-outside", "outside of a write transaction") { realm, ship in
                realm.delete(ship)
            },
            Mistake("other-thread", "thread") { _, ship in
                let name = Unchecked { ship.name }
                let thread = Thread { _ = name.body() }
                thread.start()
                while !thread.isFinished { Thread.sleep(forTimeInterval: 0.001) }
            },
            Mistake("unlisted-type", "Object type 'Stowaway' is not managed") { realm, _ in
                _ = realm.objects(Stowaway.self).count
            },
            Mistake("sorted-by-unknown", "Property 'weight' not found") { realm, _ in
                _ = realm.objects(Ship.self).sorted(byKeyPath: "weight").first
            },
            Mistake("computed-condition", "is not a persisted property") { realm, _ in
                _ = realm.objects(Ship.self).where { $0.isUnnamed }.count
            },
            Mistake("sum-of-text", "Cannot aggregate 'name'") { realm, _ in
                let _: Int = realm.objects(Ship.self).sum(ofProperty: "name")
            },
            Mistake("bad-object-id", "is not an ObjectId") { _, _ in _ = ObjectId("bad") },
        ]

    private static let withObjects = [
        Mistake("deleted-object", "has been deleted or invalidated") { realm, ship in
            try realm.write { realm.delete(ship) }
            _ = ship.name
        },
        Mistake("unmanaged-delete", "the Realm it belongs to") { realm, _ in
            try realm.write { realm.delete(Sailor()) }
        },
        Mistake("wrong-value", "Sailor.age has type Int and can't be set") { _, _ in
            _ = Sailor(value: ["age": "three"])
        },
        Mistake("long-array", "An array of 9 values can't make a Sailor") { _, _ in
            _ = Sailor(value: [Int](1...9))
        },
        Mistake("unknown-property", "Ship has no property \"weight\"") { _, ship in
            _ = ship["weight"]
        },
        Mistake("wrong-type-by-name", "can't be set to") { _, _ in Sailor()["age"] = "x" },
        Mistake("no-primary-key", "Sailor has no primary key") { realm, _ in
            _ = realm.object(ofType: Sailor.self, forPrimaryKey: 1)
        },
        Mistake("changed-primary-key", "rimary key") { realm, ship in
            try realm.write { ship.id = 7 }
        },
    ]

    private static let withCollections = [
        Mistake("list-index", "Index 2 is out of bounds") { _, ship in _ = ship.crew[2] },
        Mistake("unmanaged-list-index", "Index 0 is out of bounds") { _, _ in
            _ = List<Int>()[0]
        },
        Mistake("unmanaged-set-index", "Index 5 is out of bounds") { _, _ in
            _ = MutableSet<Int>()[5]
        },
        Mistake("set-index", "Index 1 is out of bounds") { _, ship in _ = ship.flags[1] },
        Mistake("results-index", "Index 9 is out of bounds") { realm, _ in
            _ = realm.objects(Ship.self)[9]
        },
        Mistake("results-range", "Range 0..<9 is out of bounds") { realm, _ in
            _ = realm.objects(Ship.self)[0..<9]
        },
        Mistake("results-closed-range", "Range 0..<10 is out of bounds") { realm, _ in
            _ = realm.objects(Ship.self)[0...9]
        },
        Mistake("linking-index", "Index 1 is out of bounds") { _, ship in
            _ = ship.crew[0].ships[1]
        },
        Mistake("map-index", "is out of bounds") { _, ship in
            _ = ship.cargo[ship.cargo.endIndex]
        },
        Mistake("list-range", "Range 1..<4 is out of bounds") { realm, ship in
            try realm.write { ship.crew.removeSubrange(1..<4) }
        },
        Mistake("unmanaged-range", "Range 0..<1 is out of bounds") { _, _ in
            List<Int>().removeSubrange(0..<1)
        },
        Mistake("list-slice", "Range 0..<9 is out of bounds") { _, ship in _ = ship.crew[0..<9] },
        Mistake("list-insert", "out of bounds") { realm, ship in
            try realm.write { ship.crew.insert(Sailor(), at: 9) }
        },
        Mistake("list-remove", "out of bounds") { _, _ in List<Int>().remove(at: -1) },
        Mistake("remove-last", "the list has 0") { _, _ in List<Int>().removeLast() },
        Mistake("list-move", "Can't move from 2 to 0") { realm, ship in
            try realm.write { ship.crew.move(from: 2, to: 0) }
        },
        Mistake("list-swap", "Can't swap 0 and 2") { realm, ship in
            try realm.write { ship.crew.swapAt(0, 2) }
        },
        Mistake("list-set", "Range 0..<1 is out of bounds") { _, _ in List<Int>()[0] = 1 },
        Mistake("map-of-other-type", "A Map of Double can't hold") { _, _ in
            Ship().cargo.setValue("x", forKey: "a")
        },
    ]
}

/// A mistake too: what belongs to one thread, in the hands of another.
private struct Unchecked: @unchecked Sendable {
    var body: () -> String
}
