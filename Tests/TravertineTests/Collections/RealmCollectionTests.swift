import Foundation
import RealmSwift
import TestSupport
import Testing

@Suite("Collections as results")
struct RealmCollectionTests {
    /// A kennel whose list holds hounds in another order than they were added, one of them twice.
    private func kennel(_ directory: TemporaryDirectory) throws -> (Realm, Kennel) {
        let realm = try directory.open(Kennel.types)
        let hounds = [("Ada", 3), ("Bo", 5), ("Cleo", 1), ("Dix", 5)].map {
            Hound(value: ["name": $0.0, "age": $0.1])
        }
        let kennel = Kennel(value: ["id": 1])
        try realm.write {
            realm.add(hounds)
            realm.add(kennel)
            kennel.dogs.append(objectsIn: [hounds[2], hounds[1], hounds[0], hounds[1], hounds[3]])
            kennel.pack.insert(objectsIn: hounds[1...])
            for hound in hounds { kennel.byName[hound.name] = hound }
            kennel.byName["Nobody"] = .some(nil)
            kennel.numbers.append(objectsIn: [3, 1, 2, 3])
            kennel.gaps.append(objectsIn: [nil, 7, 5, nil])
            kennel.tags.insert(objectsIn: ["b", "a", "c"])
            kennel.scores["x"] = 1.5
            kennel.scores["y"] = -1
        }
        return (realm, kennel)
    }

    @Test("what is found in a list keeps its order and its repetitions, and is live")
    func list() throws {
        let directory = TemporaryDirectory()
        let (realm, kennel) = try kennel(directory)
        let grown = kennel.dogs.where { $0.age > 1 }
        #expect(grown.map(\.name) == ["Bo", "Ada", "Bo", "Dix"])
        #expect(grown.count == 4 && grown.first?.name == "Bo" && grown.last?.name == "Dix")
        #expect(grown[1].name == "Ada" && grown.realm == realm && !grown.isInvalidated)
        let young = grown.where { $0.age < 5 }
        #expect(young.map(\.name) == ["Ada"])
        try realm.write {
            kennel.dogs.append(Hound(value: ["name": "Eli", "age": 2]))
            #expect(young.map(\.name) == ["Ada", "Eli"])
            kennel.dogs[3].age = 4
            #expect(young.map(\.name) == ["Bo", "Ada", "Bo", "Eli"])
        }
        try realm.write { realm.delete(young) }
        #expect(grown.map(\.name) == ["Dix"] && kennel.dogs.count == 2)
        #expect(realm.objects(Hound.self).count == 2)
        try realm.write { realm.delete(kennel) }
        #expect(grown.isEmpty && grown.count == 0 && Array(young) == [])
    }

    @Test("a loop goes over the elements as they were at its start, whatever it changes")
    func loops() throws {
        let directory = TemporaryDirectory()
        let (realm, kennel) = try kennel(directory)
        try realm.write {
            for hound in kennel.dogs.where({ $0.age == 5 }) { hound.age = 6 }
            var seen: [Int] = []
            for number in kennel.numbers.sorted() {
                seen.append(number)
                kennel.numbers.removeAll()
            }
            #expect(seen == [1, 2, 3, 3])
        }
        #expect(kennel.dogs.where { $0.age == 6 }.count == 3)
        #expect(kennel.numbers.sorted().isEmpty)
    }

    @Test("what is found in a collection is invalidated with its realm")
    func invalidated() throws {
        let directory = TemporaryDirectory()
        let (realm, kennel) = try kennel(directory)
        let hounds = kennel.dogs.where { $0.age > 1 }
        let kennels = kennel.dogs[1].kennels.distinct()
        let numbers = kennel.numbers.sorted()
        #expect(hounds.count == 4 && kennels.count == 1 && numbers.count == 4)
        realm.invalidate()
        #expect(hounds.isInvalidated && kennels.isInvalidated && numbers.isInvalidated)
        realm.refresh()
        #expect(hounds.isInvalidated && kennels.isInvalidated && numbers.isInvalidated)
    }

    @Test("views of a list's objects narrow with the list")
    func projections() throws {
        let directory = TemporaryDirectory()
        let (realm, kennel) = try kennel(directory)
        let views = realm.objects(HoundView.self).where { $0.age == 5 }
        #expect(views.sorted(byKeyPath: "name", ascending: false).map(\.title) == ["Dix", "Bo"])
        #expect(views.distinct(by: ["age"]).count == 1 && views.index(of: views[1]) == 1)
        #expect(
            Set(Array(views) + views).count == 2 && views[0].realm == realm && !views[0].isFrozen)
        #expect(kennel.dogs.projectTo.name.count == 5)
    }

    @Test("sets, linking objects and maps of objects are looked in as lists are")
    func otherCollections() throws {
        let directory = TemporaryDirectory()
        let (realm, kennel) = try kennel(directory)
        #expect(Set(kennel.pack.where { $0.age == 5 }.map(\.name)) == ["Bo", "Dix"])
        #expect(kennel.pack.sorted(byKeyPath: "name", ascending: false).first?.name == "Dix")
        let bo = try #require(realm.objects(Hound.self).where { $0.name == "Bo" }.first)
        #expect(bo.kennels.count == 2 && bo.kennels.where { $0.id == 1 }.count == 2)
        #expect(bo.kennels.distinct().count == 1 && bo.kennels.where { $0.id == 2 }.isEmpty)
        #expect(kennel.byName.where { $0.age == 5 }.map { $0?.name } == ["Bo", "Dix"])
        #expect(kennel.byName.where { $0.name != "Bo" }.compactMap { $0?.name }.count == 3)
        let sorted = kennel.byName.sorted(byKeyPath: "age")
        #expect(sorted.map { $0?.name } == [nil, "Cleo", "Ada", "Bo", "Dix"])
        #expect(sorted.count == 5 && sorted[0] == nil && sorted[1]?.age == 1)
        let ages: [Int?] = kennel.byName.distinct(by: ["age"]).map { $0?.age }
        #expect(ages == [3, 5, 1, nil])
        try realm.write { realm.delete(kennel.byName) }
        #expect(realm.objects(Hound.self).isEmpty && kennel.byName.count == 5)
    }

    @Test("values are found, sorted and made distinct as they are")
    func values() throws {
        let directory = TemporaryDirectory()
        let (realm, kennel) = try kennel(directory)
        #expect(Array(kennel.numbers.where { $0 > 1 }) == [3, 2, 3])
        #expect(Array(kennel.numbers.where { $0.in([1, 2]) || $0 == 3 }).count == 4)
        #expect(Array(kennel.numbers.sorted(ascending: false)) == [3, 3, 2, 1])
        #expect(Array(kennel.numbers.sorted().distinct()) == [1, 2, 3])
        #expect(kennel.numbers.sorted()[1] == 2 && kennel.numbers.sorted().last == 3)
        #expect(kennel.numbers.where { $0 < 3 }.sum() == 3)
        #expect(kennel.numbers.where { $0 < 3 }.average() == 1.5)
        #expect(kennel.numbers.where { $0 < 3 }.max() == 2)
        #expect(Array(kennel.gaps.where { $0 == nil }) == [nil, nil])
        #expect(Array(kennel.gaps.sorted()) == [nil, nil, 5, 7])
        #expect(Array(kennel.gaps.distinct()) == [nil, 7, 5])
        #expect(kennel.gaps.where { $0 != nil }.sum() == 12)
        #expect(Array(kennel.tags.where { $0.starts(with: "b") || $0.like("?c*") }) == ["b"])
        #expect(Array(kennel.tags.sorted(ascending: false)) == ["c", "b", "a"])
        #expect(Array(kennel.scores.where { $0 < 0 }) == [-1])
        #expect(Array(kennel.scores.sorted()) == [-1, 1.5])
        try realm.write {
            kennel.anything.append(objectsIn: [.int(1), .string("a"), .int(1), .double(1), .none])
            kennel.kinds.append(objectsIn: [.pointer, .hound, .pointer])
        }
        #expect(Array(kennel.anything.where { $0 == .int(1) }).count == 3)
        #expect(Array(kennel.anything.distinct()).count == 4)
        #expect(Array(kennel.kinds.where { $0 == .pointer }).count == 2)
        #expect(Array(kennel.kinds.sorted()) == [.hound, .pointer, .pointer])
    }

    @Test("distinct keeps the first of equal elements, after all conditions and in the given order")
    func distinct() throws {
        let directory = TemporaryDirectory()
        let (realm, kennel) = try kennel(directory)
        let byAge = realm.objects(Hound.self).sorted(byKeyPath: "name", ascending: false)
            .distinct(by: ["age"])
        #expect(byAge.map(\.name) == ["Dix", "Cleo", "Ada"])
        #expect(byAge.count == 3 && byAge.sum(of: \.age) == 9)
        #expect(byAge.where { $0.name != "Dix" }.map(\.name) == ["Cleo", "Bo", "Ada"])
        #expect(byAge.sorted(byKeyPath: "age").map(\.name) == ["Cleo", "Ada", "Dix"])
        #expect(kennel.dogs.distinct(by: [\.age]).map(\.name) == ["Cleo", "Bo", "Ada"])
        #expect(kennel.dogs.distinct().map(\.name) == ["Cleo", "Bo", "Ada", "Dix"])
        try realm.write { kennel.dogs[0].home = kennel }
        #expect(kennel.dogs.distinct(by: ["home.id"]).map(\.name) == ["Cleo", "Bo"])
        try realm.write { realm.delete(realm.objects(Hound.self).distinct(by: ["age"])) }
        #expect(realm.objects(Hound.self).map(\.name) == ["Dix"])
    }

    @Test("sorting again keeps the former order among equal elements")
    func sortingTwice() throws {
        let directory = TemporaryDirectory()
        let (realm, kennel) = try kennel(directory)
        let hounds = realm.objects(Hound.self).sorted(byKeyPath: "name", ascending: false)
        #expect(hounds.sorted(by: \.age).map(\.name) == ["Cleo", "Ada", "Dix", "Bo"])
        #expect(kennel.dogs.sorted(by: \.age).map(\.name) == ["Cleo", "Ada", "Bo", "Bo", "Dix"])
        let back = hounds.sorted(byKeyPath: "name")
        #expect(back.map(\.name) == ["Ada", "Bo", "Cleo", "Dix"])
    }

    @Test("the position of an object is found by what it is, not by its handle")
    func positions() throws {
        let directory = TemporaryDirectory()
        let (realm, kennel) = try kennel(directory)
        #expect(kennel.dogs.index(of: kennel.dogs[2]) == 2)
        #expect(kennel.dogs.index(of: kennel.dogs[3]) == 1)
        #expect(kennel.pack.index(of: kennel.dogs[1]).map { kennel.pack[$0].name } == "Bo")
        #expect(kennel.pack.index(of: kennel.dogs[2]) == nil)
        #expect(kennel.dogs[1].kennels.index(of: kennel) == 0)
        #expect(kennel.dogs.where { $0.age > 1 }.index(of: kennel.dogs[4]) == 3)
        #expect(realm.objects(Hound.self).index(of: kennel.dogs[0]) == 2)
        #expect(kennel.dogs.index(of: Hound()) == nil && kennel.numbers.index(of: 2) == 2)
        #expect(kennel.byName.index(of: kennel.dogs[0])?.offset == 2)
        #expect(kennel.scores.index(of: 1.5) == kennel.scores.startIndex)
        let first = Hound(value: ["name": "x"])
        let unmanaged = Kennel(value: ["dogs": [first, Hound(value: ["name": "x"])]])
        #expect(unmanaged.dogs.index(of: unmanaged.dogs[1]) == 1)
        #expect(kennel.dogs.objects(at: IndexSet([0, 2])).map(\.name) == ["Cleo", "Ada"])
    }

    @Test("aggregates of a collection's objects go by the names of properties too")
    func aggregates() throws {
        let directory = TemporaryDirectory()
        let (realm, kennel) = try kennel(directory)
        #expect(kennel.dogs.sum(ofProperty: "age") == 19)
        #expect(kennel.dogs.max(ofProperty: "age") == 5)
        #expect(kennel.pack.average(ofProperty: "age") == 11.0 / 3)
        #expect(kennel.byName.min(ofProperty: "age") == 1)
        #expect(kennel.dogs[1].kennels.sum(ofProperty: "id") == 2)
        #expect(kennel.dogs.where { $0.age < 5 }.sum(ofProperty: "age") == 4)
        #expect(kennel.dogs.where { $0.age < 5 }.sum(of: \.age) == 4)
        let unmanaged = Kennel(value: ["dogs": [["age": 2], ["age": 4]]])
        #expect(unmanaged.dogs.sum(ofProperty: "age") == 6)
        let mean: Double? = unmanaged.dogs.average(ofProperty: "age")
        #expect(mean == 3)
        try realm.write { kennel.dogs.removeAll() }
        let least: Int? = kennel.dogs.min(ofProperty: "age")
        #expect(least == nil && kennel.dogs.sum(ofProperty: "age") == 0)
    }

    @Test("code for any collection takes each of them, and one without its type")
    func generic() throws {
        func names<Hounds: RealmCollection>(_ hounds: Hounds) -> [String]
        where Hounds.Element == Hound {
            hounds.where { $0.age == 5 }.sorted(byKeyPath: "name").distinct().map(\.name)
        }
        let directory = TemporaryDirectory()
        let (realm, kennel) = try kennel(directory)
        #expect(names(kennel.dogs) == ["Bo", "Dix"] && names(kennel.pack) == ["Bo", "Dix"])
        let results = realm.objects(Hound.self)
        #expect(names(results) == ["Bo", "Dix"])
        let any = [
            AnyRealmCollection(kennel.dogs), AnyRealmCollection(results),
            AnyRealmCollection(results.where { $0.age == 5 }), AnyRealmCollection(kennel.pack),
        ]
        for hounds in any {
            #expect(names(hounds) == ["Bo", "Dix"] && hounds.realm == realm)
            #expect(hounds.max(of: \.age) == 5 && hounds.index(of: hounds[1]) == 1)
            #expect(Array(hounds).count == hounds.count && !hounds.isInvalidated)
        }
        #expect(AnyRealmCollection(kennel.numbers).sum() == 9)
        #expect(!kennel.isFrozen && !kennel.dogs.isFrozen && !realm.isFrozen)
        #expect(kennel.dogs[1].kennels == kennel.dogs[3].kennels)
    }

    @Test("a list of a base class finds objects of derived classes, each as its own")
    func baseClasses() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([
            Zoo.self, Creature.self, Bird.self, Parrot.self, Fish.self, Limb.self, Wing.self,
        ])
        let zoo = Zoo()
        try realm.write {
            realm.add(zoo)
            zoo.animals.append(Parrot(value: ["name": "p", "weight": 1]))
            zoo.animals.append(Creature(value: ["name": "c", "weight": 3]))
            zoo.animals.append(Fish(value: ["name": "f", "weight": 2]))
            zoo.cages["x"] = zoo.animals[0]
        }
        let light = zoo.animals.where { $0.weight < 3 }
        #expect(light.map(\.name) == ["p", "f"] && light[0] is Parrot && light[1] is Fish)
        let sorted = zoo.animals.sorted(byKeyPath: "weight", ascending: false)
        #expect(sorted.map(\.name) == ["c", "f", "p"] && type(of: sorted[0]) == Creature.self)
        #expect(zoo.animals.sum(ofProperty: "weight") == 6)
        #expect(zoo.animals.index(of: zoo.animals[2]) == 2)
        #expect(zoo.cages.where { $0.name == "p" }.first is Parrot)
        let dynamic = try #require(realm.dynamicObjects("Zoo").first)
        let animals = dynamic.dynamicList("animals").sorted(byKeyPath: "weight")
        #expect(animals.map { $0["name"] as? String } == ["p", "f", "c"])
    }

    @Test("random collections answer as Swift's own do", arguments: [11, 12, 13] as [UInt64])
    func random(_ seed: UInt64) throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open(Kennel.types)
        var random = SeededRandom(seed: seed)
        let kennel = Kennel(value: ["id": 1])
        var dogs: [Hound] = []
        var numbers: [Int] = []
        try realm.write { realm.add(kennel) }
        for round in 0..<60 {
            try realm.write {
                for _ in 0..<random.below(20) {
                    let hound =
                        dogs.isEmpty || random.chance(70)
                        ? Hound(value: ["name": random.text(), "age": random.below(9)])
                        : random.pick(dogs)
                    let place = random.below(dogs.count + 1)
                    dogs.insert(hound, at: place)
                    kennel.dogs.insert(hound, at: place)
                    numbers.append(random.below(40) - 20)
                    kennel.numbers.append(numbers[numbers.count - 1])
                }
                if random.chance(30), !dogs.isEmpty {
                    let place = random.below(dogs.count)
                    dogs.remove(at: place)
                    kennel.dogs.remove(at: place)
                    dogs.randomElement(using: &random)?.age = random.below(9)
                }
            }
            let bound = random.below(9)
            let context: Comment = "seed \(seed), round \(round)"
            let wanted = dogs.filter { $0.age >= bound }
            let found = kennel.dogs.where { $0.age >= bound }
            #expect(found.map(\.name) == wanted.map(\.name), context)
            #expect(found.count == wanted.count && found.first?.name == wanted.first?.name, context)
            let order = wanted.enumerated().sorted {
                ($0.element.age, $0.offset) < ($1.element.age, $1.offset)
            }
            let sorted = found.sorted(by: \.age)
            #expect(sorted.map(\.name) == order.map(\.element.name), context)
            var ages: Set<Int> = []
            let first = order.filter { ages.insert($0.element.age).inserted }
            #expect(sorted.distinct(by: [\.age]).map(\.name) == first.map(\.element.name), context)
            #expect(found.sum(of: \.age) == wanted.reduce(0) { $0 + $1.age }, context)
            let above = kennel.numbers.where { $0 > bound }
            #expect(Array(above) == numbers.filter { $0 > bound }, context)
            #expect(Array(kennel.numbers.sorted()) == numbers.sorted(), context)
            #expect(Set(kennel.numbers.distinct()) == Set(numbers), context)
            #expect(kennel.numbers.distinct().count == Set(numbers).count, context)
        }
        #expect(kennel.numbers.count > 300, "the list must have grown into a tree")
    }
}

enum HoundKind: String, PersistableEnum { case pointer, hound }

class Kennel: Object {
    static let types: [ObjectBase.Type] = [Kennel.self, Hound.self, Basket.self]
    @Persisted(primaryKey: true) var id: Int
    @Persisted var dogs: List<Hound>
    @Persisted var pack: MutableSet<Hound>
    @Persisted var byName: Map<String, Hound?>
    @Persisted var best: Hound?
    @Persisted var numbers: List<Int>
    @Persisted var gaps: List<Int?>
    @Persisted var tags: MutableSet<String>
    @Persisted var scores: Map<String, Double>
    @Persisted var anything: List<AnyRealmValue>
    @Persisted var kinds: List<HoundKind>
    @Persisted var basket: Basket?
    @Persisted var baskets: List<Basket>
}

class Hound: Object, ObjectKeyIdentifiable {
    @Persisted var name: String
    @Persisted var age: Int
    @Persisted var home: Kennel?
    @Persisted(originProperty: "dogs") var kennels: LinkingObjects<Kennel>
    var isOld: Bool { true }
}

class Basket: EmbeddedObject {
    @Persisted var width: Int
}
