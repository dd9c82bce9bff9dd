import Foundation
import RealmSwift
import TestSupport
import Testing

@Suite("Filtering by a text")
struct FilterTests {
    class FilteredDog: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var name: String
        @Persisted var age: Int?
        @Persisted var owner: FilteredOwner?
    }

    class FilteredOwner: Object {
        @Persisted var name: String
        @Persisted var dogs: List<FilteredDog>
        @Persisted var tags: MutableSet<String>
        @Persisted var scores: Map<String, Int>
    }

    class FilteredPuppy: FilteredDog {
        @Persisted var weight: Double
    }

    @Test("objects of derived classes compare with SELF, and an array of Any is one value")
    func families() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([
            FilteredDog.self, FilteredPuppy.self, FilteredOwner.self,
        ])
        try realm.write {
            for id in 0..<3 {
                realm.add(FilteredDog(value: ["id": id, "age": id]))
                let puppy = FilteredPuppy(value: ["id": id, "age": id])
                puppy.weight = id == 1 ? 4 : .nan
                realm.add(puppy)
            }
        }
        let all = realm.objects(FilteredDog.self, includingSubclasses: true)
        let dog = realm.objects(FilteredDog.self)[1]
        let puppy = realm.objects(FilteredPuppy.self)[1]
        for object in [dog, puppy] {
            #expect(try all.filter(validating: "SELF == %@", object).count == 1)
            #expect(try all.filter(validating: "SELF != %@", object).count == 5)
        }
        #expect(try all.filter(validating: "SELF IN %@", [dog, puppy]).count == 2)
        let ages: [Any] = [1, 2]
        #expect(all.filter("age IN %@", ages).count == 4)
        #expect(all.filter("age BETWEEN %@", ages).count == 4)
        // What is not a number has one section.
        let sections = realm.objects(FilteredPuppy.self).sectioned(by: \.weight)
        #expect(sections.map(\.count) == [2, 1])
    }

    private func realm(in directory: TemporaryDirectory) throws -> Realm {
        let realm = try directory.open([FilteredDog.self, FilteredOwner.self])
        try realm.write {
            let owner = realm.create(FilteredOwner.self, value: ["name": "Ada"])
            for (id, name) in ["Rex", "Bo", "rover", "Zoe"].enumerated() {
                let dog = realm.create(
                    FilteredDog.self,
                    value: ["id": id, "name": name, "age": id == 3 ? nil : id * 2])
                if id < 2 {
                    dog.owner = owner
                    owner.dogs.append(dog)
                }
            }
            owner.tags.insert(objectsIn: ["a", "b"])
            owner.scores["x"] = 1
            owner.scores["y"] = 5
        }
        return realm
    }

    @Test("results, lists, sets and maps are filtered by texts")
    func collections() throws {
        let directory = TemporaryDirectory()
        let realm = try realm(in: directory)
        let dogs = realm.objects(FilteredDog.self)
        #expect(dogs.filter("age > %@", 1).map(\.name) == ["Bo", "rover"])
        #expect(dogs.filter("name BEGINSWITH[c] 'r'").count == 2)
        #expect(dogs.filter("age == nil").map(\.name) == ["Zoe"])
        #expect(dogs.filter("owner.name == %@ SORT(name ASC)", "Ada").map(\.name) == ["Bo", "Rex"])
        let owner = try #require(realm.objects(FilteredOwner.self).first)
        #expect(owner.dogs.filter("name == 'Bo'").count == 1)
        #expect(owner.tags.filter("SELF == 'a'").map { $0 } == ["a"])
        #expect(owner.scores.filter("SELF > 2").map { $0 } == [5])
        #expect(dogs.filter("owner == %@", owner).count == 2)
        #expect(dogs.filter("SELF IN %@", owner.dogs).count == 2)
    }

    @Test("filtering by a closure still is Swift's own")
    func closures() throws {
        let directory = TemporaryDirectory()
        let dogs = try realm(in: directory).objects(FilteredDog.self)
        let named: [FilteredDog] = dogs.filter { $0.name == "Bo" }
        #expect(named.count == 1)
        #expect(dogs.filter { $0.age == nil }.count == 1)
    }

    @Test("positions are found by texts, closures and predicates")
    func positions() throws {
        let directory = TemporaryDirectory()
        let dogs = try realm(in: directory).objects(FilteredDog.self)
        #expect(dogs.index(matching: "name == %@", "rover") == 2)
        #expect(dogs.index(matching: "name == 'nobody'") == nil)
        #expect(dogs.index(matching: { $0.name == "Bo" }) == 1)
        #expect(dogs.index(matching: NSPredicate(format: "age > %@", 2)) == 2)
        let sorted = dogs.sorted(byKeyPath: "name")
        #expect(sorted.index(matching: "name == 'Zoe'") == 2)
    }

    @Test("predicates filter")
    func predicates() throws {
        let directory = TemporaryDirectory()
        let dogs = try realm(in: directory).objects(FilteredDog.self)
        #expect(dogs.filter(NSPredicate(format: "age > %@", 1)).count == 2)
        let both = NSCompoundPredicate(
            andPredicateWithSubpredicates: [
                NSPredicate(format: "age > %@", 1), NSPredicate(format: "name == 'Bo'"),
            ])
        #expect(dogs.filter(both).count == 1)
        #expect(dogs.filter(NSPredicate(value: false)).isEmpty)
    }

    @Test("a text that is wrong or does not fit is thrown with its place")
    func validating() throws {
        let directory = TemporaryDirectory()
        let dogs = try realm(in: directory).objects(FilteredDog.self)
        #expect(try dogs.filter(validating: "age > %@", 1).count == 2)
        #expect(try dogs.filter(validating: "age > %@", arguments: [1]).count == 2)
        let syntax = #expect(throws: Realm.Error.self) {
            try dogs.filter(validating: "age >> 3")
        }
        #expect(syntax?.code == .invalidInput)
        #expect(syntax?.message.hasSuffix("  age >> 3\n       ^") == true)
        let meaning = #expect(throws: Realm.Error.self) {
            try dogs.filter(validating: "name == 'a' AND agee > 3")
        }
        #expect(meaning?.code == .invalidInput)
        #expect(
            meaning?.message.hasSuffix(
                "  name == 'a' AND agee > 3\n                  ^~~~") == true)
    }
}
