import Foundation
import RealmSwift
import TestSupport
import Testing

@testable import Travertine

@Suite("Cycles, long chains and damaged collections")
struct CyclesAndDamageTests {
    private let types: [ObjectBase.Type] = [Knot.self, Bead.self, Sealed.self]

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

    @Test("keys that are equal as strings only can be filtered and encoded")
    func equivalentKeys() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open(types)
        let knot = Knot(value: ["id": 1])
        try realm.write {
            realm.add(knot)
            knot.texts["\u{E9}"] = "composed"
            knot.texts["e\u{301}"] = "decomposed"
        }
        #expect(knot.texts.count == 2)
        #expect(knot.texts.filter { _ in true }.count == 1)
        let data = try JSONEncoder().encode(knot.texts)
        #expect(try JSONDecoder().decode([String: String].self, from: data).count == 1)
    }

    @Test("a set or list whose count its bytes contradict is damage, not a trap")
    func contradictingCount() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open(types)
        let knot = Knot(value: ["id": 1, "numbers": [1, 2], "names": ["a", "b"]])
        try realm.write { realm.add(knot) }
        let table = realm.session.table(of: Knot.self)
        for name in ["numbers", "names", "set"] {
            let slot = try #require(table.slot(named: name))
            try realm.write {
                let piece: [UInt8] = [0, 255, 255, 255, 255, 1, 0, 0, 0, 0, 0, 0, 0]
                try piece.withUnsafeBytes {
                    try realm.session.replace(.bytes($0), at: slot, ofKey: knot.key, in: table)
                }
            }
        }
        func expectDamage(_ body: () -> Void) {
            body()
            let error = #expect(throws: (any Error).self) { try realm.write {} }
            #expect("\(String(describing: error))".contains("contradict"))
        }
        expectDamage { #expect(knot.numbers.count == 0) }
        expectDamage { #expect(knot.names.isEmpty) }
        expectDamage { #expect(knot.numbers[1] == 0) }
        expectDamage { #expect(knot.set[3].realm == nil) }
        #expect(throws: (any Error).self) { try realm.write { knot.names.append("c") } }
    }

    @Test("a managed object encodes what its row has; so does one that could not be added")
    func encoding() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open(types)
        let sealed = Sealed()
        sealed.note = "before"
        func encoded(_ object: Sealed) throws -> String {
            String(decoding: try JSONEncoder().encode(object), as: UTF8.self)
        }
        #expect(try encoded(sealed).contains("before"))
        try realm.write {
            realm.add(sealed)
            sealed.note = "after"
        }
        for managed in [sealed, try #require(realm.objects(Sealed.self).first)] {
            #expect(try encoded(managed).contains("after"))
        }
        #expect(try encoded(sealed.detached()).contains("after"))
        let duplicate = Sealed()
        duplicate.note = "after"
        #expect(throws: Realm.Error.self) { try realm.write { realm.add(duplicate) } }
        #expect(try encoded(duplicate).contains("after"))
    }

    @Test("a table without class outlives the one with its class that takes its place")
    func keptTable() throws {
        let directory = TemporaryDirectory()
        do {
            let realm = try directory.open([LateBead.self])
            try realm.write { realm.add(LateBead(value: ["id": 1])) }
        }
        let realm = try Realm(
            configuration: Realm.Configuration(fileURL: directory.url, durability: .unsynced))
        let handle = try #require(realm.dynamicObjects("LateBead").first)
        weak let table = handle.table
        #expect(table?.classInfo == nil)
        try realm.write { realm.dynamicCreate("LateBead", value: ["id": 2]) }
        #expect(realm.objects(LateBead.self).count == 2)
        #expect(table != nil && handle["id"] as? Int == 1)
        try realm.write { handle["rank"] = Int.max }
        #expect(realm.objects(LateBead.self).first?.rank == .max)
    }
}

class LateBead: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var rank: Int

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
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

class Sealed: Object, Encodable {
    @Persisted(primaryKey: true) var name: String
    @Persisted var note = ""

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
