import Foundation
import RealmSwift
import Testing

@Suite("Snippets: predicates as text")
struct PredicateSnippets {
    class Owner: Object {
        @Persisted var name: String
        @Persisted var dogs: List<Dog>
    }

    class Dog: Object {
        @Persisted var name: String
        @Persisted var age: Int?
        @Persisted var born: Date?
        @Persisted var tags: MutableSet<String>
        @Persisted(originProperty: "dogs") var owners: LinkingObjects<Owner>
    }

    private func open(_ directory: SnippetDirectory) throws -> Realm {
        let realm = try directory.open([Owner.self, Dog.self])
        try realm.write {
            let rex = realm.create(Dog.self, value: ["name": "Rex", "age": 9])
            let bo = realm.create(Dog.self, value: ["name": "Bo", "age": 1, "born": Date()])
            bo.tags.insert("good")
            realm.create(Owner.self, value: ["name": "Ada", "dogs": [rex]])
        }
        return realm
    }

    @Test("objects are found by texts")
    func texts() throws {
        let directory = SnippetDirectory()
        let realm = try open(directory)
        let dogs = realm.objects(Dog.self)
        let old = dogs.filter("age >= %@ AND name BEGINSWITH[c] %@", 7, "r")
        let owned = dogs.filter("owners.@count > 0 SORT(name ASC) LIMIT(10)")
        let first = dogs.index(matching: "name == 'Rex'")
        #expect(old.map(\.name) == ["Rex"] && owned.count == 1 && first == 0)
    }

    @Test("a text that is wrong is thrown with its place")
    func validating() throws {
        let directory = SnippetDirectory()
        let dogs = try open(directory).objects(Dog.self)
        do {
            _ = try dogs.filter(validating: "name == 'Rex' AND age 3")
        } catch let error as Realm.Error where error.code == .invalidInput {
            print(error.message)
        }
        #expect(throws: Realm.Error.self) {
            try dogs.filter(validating: "name == 'Rex' AND age 3")
        }
    }

    @Test("arguments are values of many types")
    func arguments() throws {
        let directory = SnippetDirectory()
        let dogs = try open(directory).objects(Dog.self)
        let names = ["Rex", "Bo"]
        let named = dogs.filter("name IN %@", names)
        let byName = dogs.filter("%K == %@", "name", "Rex")
        let twice = dogs.filter("name == $0 OR ANY tags == $0", "good")
        let young = dogs.filter("born > %@", Date(timeIntervalSinceNow: -86_400 * 365))
        #expect(named.count == 2 && byName.count == 1 && twice.count == 1 && young.count == 1)
    }

    @Test("NSPredicate is a text with arguments")
    func predicates() throws {
        let directory = SnippetDirectory()
        let dogs = try open(directory).objects(Dog.self)
        let isOld = NSPredicate(format: "age > %d", 7)
        let isRex = NSPredicate(format: "name == %@", "Rex")
        let either = NSCompoundPredicate(orPredicateWithSubpredicates: [isOld, isRex])
        print(dogs.filter(either).count)
        #expect(dogs.filter(either).count == 1)
    }
}
