import Foundation
import RealmSwift
import TestSupport
import Testing

@testable import Travertine

@Suite("Base classes")
struct BaseClassTests {
    private static let types: [ObjectBase.Type] = [
        Creature.self, Bird.self, Parrot.self, Fish.self, Zoo.self, Limb.self, Wing.self,
    ]

    private func stock(_ realm: Realm) throws {
        try realm.write {
            realm.add(Creature(value: ["name": "thing", "weight": 1]))
            realm.add(Bird(value: ["name": "tit", "weight": 2, "span": 0.2]))
            realm.add(Parrot(value: ["name": "Polly", "weight": 3, "span": 0.5, "word": "hello"]))
            realm.add(Fish(value: ["name": "cod", "weight": 90, "depth": 100]))
        }
    }

    @Test("objects of a base class are its own, or with those of derived classes, each as itself")
    func results() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open(Self.types)
        try stock(realm)
        #expect(realm.objects(Creature.self).map(\.name) == ["thing"])
        let all = realm.objects(Creature.self, includingSubclasses: true)
        #expect(all.map(\.name) == ["thing", "tit", "cod", "Polly"])
        #expect(all.count == 4 && all.first?.name == "thing" && all.last?.name == "Polly")
        #expect((all[3] as? Parrot)?.word == "hello" && all[1] is Bird && !(all[1] is Parrot))
        #expect(realm.objects(Bird.self, includingSubclasses: true).map(\.span) == [0.2, 0.5])
        #expect(realm.objects(Bird.self, includingSubclasses: false).count == 1)
    }

    @Test("their results filter, sort, aggregate, find positions, lend and delete over all types")
    func queries() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open(Self.types)
        try stock(realm)
        let all = realm.objects(Creature.self, includingSubclasses: true)
        let heavy = all.where { $0.weight >= 2 }
        #expect(heavy.count == 3 && heavy.map(\.name) == ["tit", "cod", "Polly"])
        let sorted = heavy.sorted(by: \.weight, ascending: false)
        #expect(sorted.map(\.name) == ["cod", "Polly", "tit"] && sorted[0] is Fish)
        #expect(all.sorted(byKeyPath: "name").first?.name == "Polly")
        #expect(all.sum(of: \.weight) == 96 && all.max(of: \.weight) == 90)
        #expect(all.average(of: \.weight) == 24)
        let cod = try #require(realm.objects(Fish.self).first)
        #expect(all.index(of: cod) == 2 && sorted.index(of: cod) == 0)
        var names: [String] = []
        try all.forEachLending { names.append($0.name) }
        #expect(names == ["thing", "tit", "cod", "Polly"])
        try realm.write {
            for creature in all { creature.weight += 1 }
        }
        #expect(all.map(\.weight) == [2, 3, 91, 4])
        try realm.write { realm.delete(heavy.where { $0.weight > 3 }) }
        #expect(all.map(\.name) == ["thing", "tit"])
        try realm.write { realm.delete(all) }
        #expect(all.isEmpty && realm.objects(Bird.self).isEmpty)
    }

    @Test(
        "links and collections of a base class hold derived objects, and as? works after reopening")
    func links() throws {
        let directory = TemporaryDirectory()
        do {
            let realm = try directory.open(Self.types)
            try realm.write {
                let zoo = Zoo(value: ["name": "Basel"])
                zoo.star = Parrot(value: ["name": "Polly", "word": "hello"])
                zoo.animals.append(Fish(value: ["name": "cod"]))
                realm.add(zoo)
                zoo.animals.append(Creature(value: ["name": "thing"]))
                zoo.animals.append(try #require(zoo.star))
                zoo.kinds.insert(Bird(value: ["name": "tit"]))
                zoo.kinds.insert(try #require(zoo.star))
                zoo.cages["a"] = Fish(value: ["name": "eel"])
                zoo.cages["b"] = .some(nil)
                zoo.gate = Wing(value: ["length": 3, "feathers": 40])
                zoo.limbs.append(Limb(value: ["length": 1]))
                zoo.limbs.append(Wing(value: ["length": 2, "feathers": 20]))
            }
        }
        let realm = try directory.open(Self.types)
        let zoo = try #require(realm.objects(Zoo.self).first)
        #expect((zoo.star as? Parrot)?.word == "hello")
        #expect(zoo.animals.map(\.name) == ["cod", "thing", "Polly"])
        #expect(zoo.animals[0] is Fish && zoo.animals[2] is Parrot && !(zoo.animals[1] is Fish))
        #expect(zoo.kinds.count == 2 && zoo.kinds.contains { $0 is Parrot })
        #expect(try zoo.kinds.contains(#require(zoo.star)))
        #expect(zoo.cages["a"]??.name == "eel" && zoo.cages["b"] == .some(nil))
        #expect((zoo.gate as? Wing)?.feathers == 40 && zoo.limbs[1] is Wing)
        #expect(zoo.gate?.parent?.isSameObject(as: zoo) == true)
        #expect(realm.objects(Parrot.self).first?.zoos.map(\.name) == ["Basel"])
        let dynamic = try #require(realm.dynamicObjects("Zoo").first)
        #expect((dynamic["star"] as? DynamicObject)?["word"] as? String == "hello")
        #expect(dynamic.dynamicList("animals").map { $0["name"] as? String }.last == "Polly")
        #expect(dynamic.objectSchema["star"]?.objectClassName == "Creature")
        #expect(try realm.brokenInvariants() == [])
    }

    @Test("deleting takes a derived object out of everything that links to it; owned ones go")
    func deleting() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open(Self.types)
        let zoo = Zoo()
        try realm.write {
            realm.add(zoo)
            let polly = Parrot(value: ["name": "Polly"])
            zoo.star = polly
            zoo.animals.append(objectsIn: [polly, Fish(), polly, Creature()])
            zoo.kinds.insert(polly)
            zoo.cages["p"] = polly
            zoo.gate = Wing(value: ["length": 1])
            zoo.limbs.append(objectsIn: [Wing(), Limb(), Wing()])
        }
        try realm.write { realm.delete(realm.objects(Parrot.self)) }
        #expect(zoo.star == nil && zoo.animals.count == 2 && zoo.kinds.isEmpty)
        #expect(zoo.cages.count == 1 && zoo.cages["p"] == .some(nil))
        try realm.write {
            zoo.gate = nil
            zoo.limbs.removeFirst()
        }
        let wings = realm.session.table(of: Wing.self)
        #expect(realm.session.count(of: wings) == 1)
        try realm.write { realm.delete(zoo) }
        #expect(realm.session.count(of: wings) == 0)
        #expect(realm.session.count(of: realm.session.table(of: Limb.self)) == 0)
        #expect(realm.objects(Fish.self).count == 1)
        #expect(try realm.brokenInvariants() == [])
    }

    @Test("queries follow links to derived objects and compare with them")
    func queriesThroughLinks() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open(Self.types)
        let polly = Parrot(value: ["name": "Polly", "weight": 3])
        let cod = Fish(value: ["name": "cod", "weight": 9])
        try realm.write {
            realm.add(polly)
            realm.add(cod)
            realm.create(Zoo.self, value: ["name": "a", "star": polly, "animals": [polly, cod]])
            realm.create(Zoo.self, value: ["name": "b", "star": cod])
            realm.create(Zoo.self, value: ["name": "c"])
        }
        let zoos = realm.objects(Zoo.self)
        #expect(polly.isSameObject(as: zoos[0].star) && !polly.isSameObject(as: cod))
        #expect(zoos.where { $0.star == polly }.map(\.name) == ["a"])
        #expect(zoos.where { $0.star == cod }.map(\.name) == ["b"])
        #expect(zoos.where { $0.star == nil }.map(\.name) == ["c"])
        #expect(zoos.where { $0.star != nil }.map(\.name) == ["a", "b"])
        #expect(zoos.where { $0.star.name == "cod" }.map(\.name) == ["b"])
        #expect(zoos.where { $0.animals.name == "cod" }.map(\.name) == ["a"])
        #expect(zoos.sorted(byKeyPath: "star.weight").map(\.name) == ["c", "a", "b"])
    }

    @Test("linking objects of a base class have those of derived classes, in queries as well")
    func inverses() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Isle.self, Visitor.self, Guide.self])
        let isle = Isle(value: ["name": "Elba"])
        try realm.write {
            realm.add(isle)
            realm.add(Guide(value: ["name": "g", "isles": [isle, isle], "years": 7]))
            realm.add(Visitor(value: ["name": "v", "isles": [isle]]))
            realm.add(Guide(value: ["name": "other", "years": 9]))
        }
        #expect(isle.visitors.map(\.name) == ["v", "g", "g"] && isle.visitors.count == 3)
        #expect((isle.visitors[1] as? Guide)?.years == 7)
        let isles = realm.objects(Isle.self)
        #expect(isles.where { $0.visitors.name == "g" }.count == 1)
        #expect(isles.where { $0.visitors.name == "v" }.count == 1)
        #expect(isles.where { $0.visitors.name == "other" }.isEmpty)
        try realm.write { realm.delete(realm.objects(Guide.self).where { $0.years == 7 }) }
        #expect(isle.visitors.map(\.name) == ["v"])
        #expect(isles.where { $0.visitors.name == "g" }.isEmpty)
    }

    @Test("an object of a class that a link was not stored for fails the transaction with its name")
    func notAdmitted() throws {
        let directory = TemporaryDirectory()
        do {
            let realm = try directory.open([Creature.self, Zoo.self, Limb.self])
            try realm.write { realm.create(Zoo.self, value: ["star": ["name": "thing"]]) }
        }
        let realm = try directory.open(Self.types)
        #expect(throws: Realm.Error.self) {
            try realm.write {
                let zoo = realm.dynamicObjects("Zoo")[0]
                zoo["star"] = realm.dynamicCreate("Zoo")
            }
        }
        #expect(realm.objects(Zoo.self).first?.star?.name == "thing")
    }
}

class Isle: Object {
    @Persisted var name: String
    @Persisted(originProperty: "isles") var visitors: LinkingObjects<Visitor>
}

class Visitor: Object {
    @Persisted var name: String
    @Persisted var isles: List<Isle>
}

class Guide: Visitor {
    @Persisted var years: Int
}

class Creature: Object {
    @Persisted var name: String
    @Persisted var weight: Int
    @Persisted(originProperty: "star") var zoos: LinkingObjects<Zoo>
}

class Bird: Creature {
    @Persisted var span: Double
}

class Parrot: Bird {
    @Persisted var word: String
}

class Fish: Creature {
    @Persisted var depth: Int
}

class Limb: EmbeddedObject {
    @Persisted var length: Int
}

class Wing: Limb {
    @Persisted var feathers: Int
}

class Zoo: Object {
    @Persisted var name: String
    @Persisted var star: Creature?
    @Persisted var animals: List<Creature>
    @Persisted var kinds: MutableSet<Creature>
    @Persisted var cages: Map<String, Creature?>
    @Persisted var gate: Limb?
    @Persisted var limbs: List<Limb>
}
