import RealmSwift
import TestSupport
import Testing

@Suite("Delete rules of every kind of link")
struct DeleteRuleTests {
    private let directory = TemporaryDirectory()

    private func open() throws -> Realm {
        try directory.open([RuledOwner.self, RuledTarget.self, RuledNode.self])
    }

    @Test("deleting an object takes with it what its lists, sets, maps and links cascade to")
    func cascades() throws {
        let realm = try open()
        try realm.write {
            realm.create(
                RuledOwner.self,
                value: [
                    "link": ["name": "link"], "list": [["name": "l1"], ["name": "l2"]],
                    "set": [["name": "s1"]],
                    "map": ["k": ["name": "m1"], "none": Any?.none as Any],
                    "kept": ["k": ["name": "kept"]],
                ])
        }
        let owner = try #require(realm.objects(RuledOwner.self).first)
        // Reached twice, and deleted once.
        try realm.write { owner.list.append(try #require(owner.set.first)) }
        #expect(realm.objects(RuledTarget.self).count == 6)
        try realm.write { realm.delete(owner) }
        #expect(realm.objects(RuledTarget.self).map(\.name) == ["kept"])
    }

    @Test("an object that a set or a map denies for stays, with everything else of the transaction")
    func denies() throws {
        let realm = try open()
        for name in ["denyingSet", "denyingMap"] {
            try realm.write {
                let target = ["name": "t"]
                realm.create(
                    RuledOwner.self,
                    value: [name: name == "denyingSet" ? [target] : ["k": target]])
            }
            let owner = try #require(realm.objects(RuledOwner.self).first)
            let error = #expect(throws: Realm.Error.self, "\(name)") {
                try realm.write {
                    realm.create(RuledTarget.self, value: ["name": "lost"])
                    realm.delete(owner)
                }
            }
            #expect(error?.message.contains("'\(name)' links to 1 of 'RuledTarget'") == true)
            #expect(!owner.isInvalidated && realm.objects(RuledTarget.self).count == 1)
            try realm.write { realm.delete(realm.objects(RuledTarget.self)) }
            try realm.write { realm.delete(owner) }
            #expect(realm.objects(RuledOwner.self).isEmpty)
        }
    }

    @Test("all objects of a type are deleted at once, though they deny each other's deletion")
    func denyingEachOther() throws {
        let realm = try open()
        try realm.write {
            let parent = realm.create(RuledNode.self, value: ["name": "parent"])
            parent.child = realm.create(RuledNode.self, value: ["name": "child"])
        }
        let parent = try #require(realm.objects(RuledNode.self).first)
        #expect(throws: Realm.Error.self) { try realm.write { realm.delete(parent) } }
        try realm.write { realm.delete(realm.objects(RuledNode.self)) }
        #expect(realm.objects(RuledNode.self).isEmpty)
    }

    // MARK: With other rules

    private func openMore() throws -> Realm {
        try directory.open([
            RuledZoo.self, RuledAnimal.self, RuledBird.self, RuledCage.self, RuledKeeper.self,
        ])
    }

    @Test("links of a base class cascade to objects of derived ones, and deny for them")
    func baseClasses() throws {
        let realm = try openMore()
        let zoo = RuledZoo(value: ["name": "a"])
        zoo.director = RuledKeeper()
        zoo.star = RuledBird(value: ["name": "star"])
        zoo.animals.append(objectsIn: [RuledAnimal(value: ["name": "one"]), RuledBird()])
        zoo.named["b"] = RuledBird()
        let guest = RuledBird(value: ["name": "guest"])
        zoo.guests.insert(guest)
        try realm.write { realm.add(zoo) }
        #expect(realm.objects(RuledBird.self).count == 4)
        let error = #expect(throws: Realm.Error.self) { try realm.write { realm.delete(zoo) } }
        #expect(error?.message.contains("'guests' links to 1 of 'RuledAnimal'") == true)
        #expect(zoo.animals.count == 2 && zoo.star?.name == "star")
        try realm.write {
            zoo.guests.removeAll()
            realm.delete(zoo)
        }
        #expect(realm.objects(RuledAnimal.self, includingSubclasses: true).map(\.name) == ["guest"])
    }

    @Test("an owned object that cascades or denies does so when its owner goes")
    func owned() throws {
        let realm = try openMore()
        let zoo = RuledZoo(value: ["name": "a"])
        zoo.cage = RuledCage()
        zoo.cage?.inhabitant = RuledBird()
        zoo.cages.append(RuledCage())
        zoo.director = RuledKeeper(value: ["id": 1])
        zoo.cages[0].guard = zoo.director
        try realm.write { realm.add(zoo) }
        let error = #expect(throws: Realm.Error.self) { try realm.write { realm.delete(zoo) } }
        #expect(error?.message.contains("'guard' links to 1 of 'RuledKeeper'") == true)
        #expect(realm.objects(RuledCage.self).count == 2 && zoo.cage?.inhabitant != nil)
        // Overwriting deletes as well.
        #expect(throws: Realm.Error.self) { try realm.write { zoo.cages.removeAll() } }
        #expect(zoo.cages.count == 1)
        try realm.write { zoo.cage = nil }
        #expect(realm.objects(RuledBird.self).isEmpty && realm.objects(RuledCage.self).count == 1)
        try realm.write {
            zoo.cages[0].guard = nil
            realm.delete(zoo)
        }
        #expect(realm.objects(RuledCage.self).isEmpty && realm.objects(RuledKeeper.self).count == 1)
    }

    @Test("a savepoint in which a cascade meets a unique index and a required link is undone whole")
    func withOtherRules() throws {
        let realm = try openMore()
        try realm.write {
            for id in 1...2 { realm.create(RuledKeeper.self, value: ["id": id]) }
            let zoo = realm.create(RuledZoo.self, value: ["name": "a"])
            zoo.animals.append(RuledBird(value: ["name": "x"]))
            zoo.director = realm.object(ofType: RuledKeeper.self, forPrimaryKey: 1)
            let other = realm.create(RuledZoo.self, value: ["name": "b"])
            other.director = realm.object(ofType: RuledKeeper.self, forPrimaryKey: 2)
        }
        let zoos = realm.objects(RuledZoo.self).sorted(by: \.name)
        let (first, second) = (zoos[0], zoos[1])
        try realm.write {
            // The name is free once the cascade has gone through; then the keeper is missed.
            #expect(throws: Stop.self) {
                try realm.savepoint {
                    realm.delete(first)
                    try second.set("a", for: \.name)
                    realm.delete(try #require(second.director))
                    throw Stop()
                }
            }
            #expect(first.name == "a" && second.name == "b" && second.director?.id == 2)
            #expect(first.animals.map(\.name) == ["x"])
            let error = #expect(throws: Realm.Error.self) { try second.set("a", for: \.name) }
            #expect(error?.code == .uniqueViolation)
        }
        // Without the savepoint being undone the required link is missed by the commit.
        let error = #expect(throws: Realm.Error.self) {
            try realm.write {
                try realm.savepoint {
                    realm.delete(first)
                    try second.set("a", for: \.name)
                    realm.delete(try #require(second.director))
                }
            }
        }
        #expect(error?.message.contains("'RuledZoo.director'") == true)
        #expect(realm.objects(RuledZoo.self).count == 2 && realm.objects(RuledBird.self).count == 1)
        try realm.write {
            try realm.savepoint {
                realm.delete(first)
                try second.set("a", for: \.name)
            }
        }
        #expect(second.name == "a" && realm.objects(RuledBird.self).isEmpty)
        #expect(try realm.brokenInvariants() == [])
    }
}

class RuledModel: Object {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class RuledZoo: RuledModel {
    @Persisted var name: String
    @Persisted(deleteRule: .cascade) var star: RuledAnimal?
    @Persisted(deleteRule: .cascade) var animals: List<RuledAnimal>
    @Persisted(deleteRule: .cascade) var named: Map<String, RuledAnimal?>
    @Persisted(deleteRule: .deny) var guests: MutableSet<RuledAnimal>
    @Persisted var cage: RuledCage?
    @Persisted var cages: List<RuledCage>
    @Persisted(required: true) var director: RuledKeeper?

    override class func indexes() -> [ObjectIndex] { [ObjectIndex("name", isUnique: true)] }
}

class RuledAnimal: RuledModel {
    @Persisted var name: String
}

class RuledBird: RuledAnimal {
    @Persisted var span: Int
}

class RuledKeeper: RuledModel {
    @Persisted(primaryKey: true) var id: Int
}

class RuledCage: EmbeddedObject {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    @Persisted(deleteRule: .cascade) var inhabitant: RuledAnimal?
    @Persisted(deleteRule: .deny) var `guard`: RuledKeeper?
}

class RuledTarget: Object {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    @Persisted var name: String
}

class RuledOwner: Object {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    @Persisted(deleteRule: .cascade) var link: RuledTarget?
    @Persisted(deleteRule: .cascade) var list: List<RuledTarget>
    @Persisted(deleteRule: .cascade) var set: MutableSet<RuledTarget>
    @Persisted(deleteRule: .cascade) var map: Map<String, RuledTarget?>
    @Persisted(deleteRule: .deny) var denyingSet: MutableSet<RuledTarget>
    @Persisted(deleteRule: .deny) var denyingMap: Map<String, RuledTarget?>
    @Persisted var kept: Map<String, RuledTarget?>
}

class RuledNode: Object {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    @Persisted var name: String
    @Persisted(deleteRule: .deny) var child: RuledNode?
}
