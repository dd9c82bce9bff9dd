import Foundation
import RealmSwift
import TestSupport
import Testing

@testable import Travertine

@Suite("Copies and descriptions of graphs")
struct GraphCopyTests {
    private let types: [ObjectBase.Type] = [Knot.self, Bead.self]

    @Test("the description of a graph with cycles ends, and of a large list shows its beginning")
    func description() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open(types)
        let knots = (0..<110).map { Knot(value: ["id": $0]) }
        let first = knots[0]
        try realm.write {
            realm.add(knots)
            for knot in knots.prefix(12) {
                knot.list.append(objectsIn: knots)
                knot.set.insert(objectsIn: knots)
                knot.map["self"] = knot
                knot.mixed = .fromArray([.object(knot), .object(first)])
            }
        }
        #expect(first.description.contains("<Maximum depth exceeded>"))
        #expect(first.list.description.contains("... 10 more"))
        #expect(first.description.utf8.count < 10_000_000)
        #expect(Knot(value: ["id": 1, "numbers": [5]]).numbers.description.hasSuffix("[0] 5\n)"))
    }

    @Test("unmanaged values that hold themselves are described, copied, and refused by a realm")
    func mixedCycle() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open(types)
        let list = List<AnyRealmValue>()
        let map = Map<String, AnyRealmValue>()
        list.append(objectsIn: [.list(list), .dictionary(map), .list(list), .int(5)])
        map["up"] = .list(list)
        let knot = Knot(value: ["id": 1])
        knot.mixed = .list(list)
        #expect(list.description.contains("<Maximum depth exceeded>"))
        let copy = knot.detached().mixed.listValue
        #expect(copy?.count == 2 && copy?[1] == .int(5))
        let error = #expect(throws: Realm.Error.self) { try realm.write { realm.add(knot) } }
        #expect(error?.message.contains("Max nesting level") == true)
        list.removeAll()
        map.removeAll()
    }

    @Test("a chain of links is copied whatever its length")
    func longChain() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open(types)
        let count = 20_000
        try realm.write {
            var next: Knot?
            for id in (0..<count).reversed() {
                let knot = Knot(value: ["id": id])
                knot.next = next
                realm.add(knot)
                next = knot
            }
        }
        let start = try #require(realm.object(ofType: Knot.self, forPrimaryKey: 0))
        var copy: Knot? = start.detached()
        var length = 0
        while let knot = copy {
            #expect(knot.id == length && knot.realm == nil)
            length += 1
            copy = knot.next
            // The chain would be released link by link, each inside the one before.
            knot.next = nil
        }
        #expect(length == count)
    }

    @Test("a copy keeps none in lists of any type and leaves objects without a class out")
    func copiedMixed() throws {
        let directory = TemporaryDirectory()
        do {
            let realm = try directory.open(types)
            try realm.write { realm.add([Knot(value: ["id": 1]), Knot(value: ["id": 2])]) }
        }
        let realm = try directory.open(types)
        let dynamic = try #require(realm.dynamicObject(ofType: "Knot", forPrimaryKey: 2))
        let knot = Knot(value: ["id": 3])
        knot.mixed = .fromArray([.int(1), .none, .object(dynamic), .int(2)])
        #expect(knot.detached().mixed.listValue.map { Array($0) } == [.int(1), .none, .int(2)])
    }

    @Test("creating from a managed object copies what is embedded in it")
    func createFromManaged() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open(types)
        let source = Knot(value: [
            "id": 1, "bead": ["size": 4], "beads": [["size": 5], ["size": 6]],
        ])
        try realm.write {
            realm.add(source)
            realm.create(Knot.self, value: source, update: .modified)
            let other = Knot(value: source)
            other.id = 2
            realm.add(other)
        }
        let other = try #require(realm.object(ofType: Knot.self, forPrimaryKey: 2))
        #expect(other.bead?.size == 4 && other.beads.map(\.size) == [5, 6])
        #expect(source.bead?.size == 4 && source.beads.map(\.size) == [5, 6])
        #expect(realm.session.count(of: realm.session.table(of: Bead.self)) == 6)
    }
}

class Knot: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var rank: Int
    @Persisted var next: Knot?
    @Persisted var list: List<Knot>
    @Persisted var set: MutableSet<Knot>
    @Persisted var map: Map<String, Knot?>
    @Persisted var mixed: AnyRealmValue
    @Persisted var texts: Map<String, String>
    @Persisted var numbers: MutableSet<Int>
    @Persisted var names: List<String>
    @Persisted var bead: Bead?
    @Persisted var beads: List<Bead>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Bead: EmbeddedObject {
    @Persisted var size: Int

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
