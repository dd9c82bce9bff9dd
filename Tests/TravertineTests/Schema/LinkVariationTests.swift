import Foundation
import RealmSwift
import TestSupport
import Testing
import TravertineStore

@testable import Travertine

@Suite("The first derived class")
struct LinkVariationTests {
    private let before: [ObjectBase.Type] = [Creature.self, Zoo.self, Limb.self]
    private let after: [ObjectBase.Type] = [
        Creature.self, Zoo.self, Limb.self, Bird.self, Parrot.self, Wing.self,
    ]

    @Test(
        "links that were stored before it keep their values, whatever the size of the collections",
        arguments: [0, 3, 100, 1500])
    func keepsValues(count: Int) throws {
        let directory = TemporaryDirectory()
        do {
            let realm = try directory.open(before)
            try fill(realm, count)
        }
        do {
            let realm = try directory.open(after)
            let zoo = realm.objects(Zoo.self)[0]
            #expect(zoo.star?.name == "star" && zoo.gate?.length == 7)
            #expect(zoo.animals.map(\.weight) == Array(0..<count) + Array(0..<count))
            #expect(Set(zoo.kinds.map(\.weight)) == Set(0..<count) && zoo.kinds.count == count)
            #expect(zoo.cages.count == count + 1 && zoo.cages["none"] == .some(nil))
            #expect((0..<count).allSatisfy { zoo.cages["k\($0)"]??.weight == $0 })
            #expect(zoo.limbs.map(\.length) == Array(0..<count))
            #expect(zoo.star?.zoos.map(\.name) == ["old"])
            #expect(zoo.limbs.allSatisfy { $0.parent?.isSameObject(as: zoo) == true })
            #expect(realm.objects(Zoo.self)[1].star == nil)
            #expect(try realm.brokenInvariants() == [])
            try realm.write {
                zoo.animals.insert(Parrot(value: ["name": "Polly"]), at: count)
                zoo.kinds.insert(try #require(zoo.animals[count] as? Parrot))
                zoo.star = Bird(value: ["name": "tit"])
                zoo.gate = Wing(value: ["feathers": 2])
            }
            #expect(zoo.animals[count] is Parrot && zoo.kinds.count == count + 1)
            #expect(zoo.animals.count == 2 * count + 1)
            let limbs = realm.session.table(of: Limb.self)
            #expect(realm.session.count(of: limbs) == count, "the first gate is deleted")
            #expect(try realm.brokenInvariants() == [])
        }
        let realm = try directory.open(after)
        let zoo = realm.objects(Zoo.self)[0]
        #expect(zoo.star is Bird && (zoo.gate as? Wing)?.feathers == 2)
        try realm.write { realm.delete(zoo) }
        #expect(realm.session.count(of: realm.session.table(of: Limb.self)) == 0)
        #expect(try pieceCount(realm) == 0, "no node of a collection is left")
        #expect(try realm.brokenInvariants() == [])
    }

    private func fill(_ realm: Realm, _ count: Int) throws {
        try realm.write {
            let zoo = realm.create(Zoo.self, value: ["name": "old"])
            zoo.star = Creature(value: ["name": "star"])
            zoo.gate = Limb(value: ["length": 7])
            for number in 0..<count {
                let creature = realm.create(Creature.self, value: ["weight": number])
                zoo.animals.append(creature)
                zoo.kinds.insert(creature)
                zoo.cages["k\(number)"] = creature
                zoo.limbs.append(Limb(value: ["length": number]))
            }
            zoo.animals.append(objectsIn: Array(zoo.animals))
            zoo.cages["none"] = .some(nil)
            realm.create(Zoo.self, value: ["name": "empty"])
        }
    }

    private func pieceCount(_ realm: Realm) throws -> Int {
        try realm.session.access.count(in: realm.session.table(of: Zoo.self).stored.pieces)
    }

    @Test("a realm that another thread or subset has open goes on with it")
    func openRealms() throws {
        let directory = TemporaryDirectory()
        let old = try directory.open(before)
        try fill(old, 5)
        let zoo = old.objects(Zoo.self)[0]
        let new = try directory.open(after)
        try new.write { new.objects(Zoo.self)[0].star = Parrot(value: ["name": "Polly"]) }
        #expect(zoo.star?.name == "star", "the snapshot is that of the time before")
        old.refresh()
        #expect(zoo.star?.name == "Polly" && zoo.animals.map(\.weight).prefix(2) == [0, 1])
        try old.write { zoo.animals.append(Creature(value: ["weight": 50])) }
        new.refresh()
        #expect(new.objects(Zoo.self)[0].animals.last?.weight == 50)
    }

    @Test("without the derived classes their objects are shown as ones of the base class")
    func withoutClasses() throws {
        let directory = TemporaryDirectory()
        do {
            let realm = try directory.open(after)
            try realm.write {
                realm.create(
                    Zoo.self,
                    value: [
                        "star": Parrot(value: ["name": "Polly"]), "animals": [Bird(), Creature()],
                    ])
            }
        }
        let realm = try directory.open(before)
        let zoo = realm.objects(Zoo.self)[0]
        #expect(zoo.star?.name == "Polly" && zoo.animals.count == 2)
        #expect(type(of: zoo.animals[0]) == Creature.self)
        try realm.write { zoo.star?.name = "Lora" }
        let again = try directory.open(after)
        again.refresh()
        #expect((again.objects(Zoo.self)[0].star as? Parrot)?.name == "Lora")
    }

    @Test("a store is of format 3 once a link is varying, and of format 2 before")
    func format() throws {
        let directory = TemporaryDirectory()
        do {
            let realm = try directory.open(before)
            #expect(try storedFormat(realm) == 2)
        }
        do {
            let realm = try directory.open(after)
            #expect(try storedFormat(realm) == 3)
        }
        let other = TemporaryDirectory()
        #expect(try storedFormat(other.open(after)) == 3)
    }

    private func storedFormat(_ realm: Realm) throws -> UInt8? {
        try StoredSchema.headerKey.withBytes { key in
            try realm.session.access.value(forKey: key, in: realm.session.shared.schemaKeyspace)?
                .first
        }
    }
}
