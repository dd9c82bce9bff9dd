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
