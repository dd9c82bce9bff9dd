import Foundation
import RealmSwift
import TestSupport
import Testing

@Suite("Embedded objects")
struct EmbeddedObjectTests {
    private let types: [ObjectBase.Type] = [Resident.self, Address.self, Room.self]

    @Test("they come, are overwritten and go with their owner")
    func ownership() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open(types)
        let resident = Resident(value: ["name": "A", "home": ["street": "first"]])
        resident.others.append(Address(value: ["street": "second"]))
        resident.named["third"] = Address(value: ["street": "third"])
        try realm.write { realm.add(resident) }
        let home = try #require(resident.home)
        #expect(home.street == "first" && home.parent == resident)
        #expect(
            resident.others[0].parent == resident && resident.named["third"]??.street == "third")
        try realm.write { resident.home = Address(value: ["street": "new"]) }
        #expect(home.isInvalidated && home.parent == nil && resident.home?.street == "new")
        let second = resident.others[0]
        try realm.write {
            resident.others.append(Address(value: ["street": "fourth", "rooms": [["number": 1]]]))
            resident.others.remove(at: 0)
        }
        #expect(second.isInvalidated && resident.others.map(\.street) == ["fourth"])
        let room = try #require(resident.others[0].rooms.first)
        #expect(room.number == 1 && room.parent?.isSameObject(as: resident.others[0]) == true)
        try realm.write { realm.delete(resident) }
        #expect(room.isInvalidated)
        let statistics = try realm.store.statistics
        let keys = statistics.keyspaces.filter { $0.name.hasPrefix("type.") }
        #expect(keys.allSatisfy { $0.keyCount == 0 })
    }

    @Test("moving and swapping them within a list keeps them")
    func moving() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open(types)
        let resident = Resident(value: ["name": "A"])
        for street in ["a", "b", "c"] { resident.others.append(Address(value: ["street": street])) }
        try realm.write { realm.add(resident) }
        let first = resident.others[0]
        try realm.write {
            resident.others.move(from: 0, to: 2)
            resident.others.swapAt(0, 1)
        }
        #expect(resident.others.map(\.street) == ["c", "b", "a"])
        #expect(!first.isInvalidated && first.parent == resident)
    }

    @Test("rollback brings overwritten and deleted ones back to live handles")
    func rollback() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open(types)
        let resident = Resident(value: ["name": "A", "home": ["street": "first"]])
        try realm.write { realm.add(resident) }
        let home = try #require(resident.home)
        #expect(throws: Stop.self) {
            try realm.write {
                resident.home = nil
                #expect(home.isInvalidated)
                throw Stop()
            }
        }
        #expect(home.street == "first" && resident.home?.street == "first")
        #expect(throws: Stop.self) {
            try realm.write {
                realm.delete(resident)
                throw Stop()
            }
        }
        #expect(home.parent == resident)
    }

    @Test("updating an owner replaces its embedded objects; reopening keeps them")
    func updating() throws {
        let directory = TemporaryDirectory()
        do {
            let realm = try directory.open(types)
            for street in ["one", "two"] {
                try realm.write {
                    let value: [String: Any] = [
                        "name": "A", "home": ["street": street],
                        "others": [["street": street], ["street": street]],
                    ]
                    realm.add(Resident(value: value), update: .all)
                }
            }
        }
        let realm = try directory.open(types)
        let resident = try #require(realm.object(ofType: Resident.self, forPrimaryKey: "A"))
        #expect(resident.home?.street == "two" && resident.others.map(\.street) == ["two", "two"])
        #expect(realm.objects(Resident.self).where { $0.home.street == "two" }.count == 1)
        #expect(realm.objects(Resident.self).where { $0.others.street == "one" }.isEmpty)
        try realm.write {
            if let home = resident.home { realm.delete(home) }
        }
        #expect(resident.home == nil && resident.others.count == 2)
    }

    @Test("a second owner stops with a message")
    func secondOwner() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let directory = TemporaryDirectory()
            let realm = try directory.open([Resident.self, Address.self, Room.self])
            let first = Resident(value: ["name": "A", "home": ["street": "first"]])
            try realm.write {
                realm.add(first)
                realm.add(Resident(value: ["name": "B"]))
                realm.object(ofType: Resident.self, forPrimaryKey: "B")?.home = first.home
            }
        }
        let message = result.errorText
        #expect(message.contains("Can't set link to existing managed embedded object"))
    }
}

class Resident: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var home: Address?
    @Persisted var others: List<Address>
    @Persisted var named: Map<String, Address?>
}

class Address: EmbeddedObject {
    @Persisted var street: String
    @Persisted var rooms: List<Room>
}

class Room: EmbeddedObject {
    @Persisted var number: Int
}
