import Foundation
import Measurement
import Travertine
import TravertineStore

/// The model as an app of Travertine declares it.
final class Person: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var name: String
    @Persisted var age: Int
    @Persisted var score: Double
    @Persisted var created: Date
    @Persisted var active: Bool
    @Persisted var email: String?
    @Persisted var friend: Person?
}

/// Travertine's objects through the public interface.
final class TravertineObjectEngine: ObjectEngine {
    let realm: Realm

    init(directory: String, isDurable: Bool) throws {
        try DirectoryTree.create(directory)
        var configuration = Realm.Configuration()
        configuration.fileURL = URL(filePath: directory + "/objects.realm")
        configuration.objectTypes = [Person.self, WideObject.self, LinkedTask.self]
        if !isDurable { configuration.durability = Realm.Durability.unsynced }
        realm = try Realm(configuration: configuration)
    }

    func close() throws {
        realm.invalidate()
        try realm.store.close()
    }

    func sync() throws { try realm.store.sync() }

    func insert(_ ids: Range<Int>) throws {
        try realm.write {
            for id in ids {
                let facts = PersonFacts(id)
                let person = Person()
                person.id = facts.id
                person.name = facts.name
                person.age = facts.age
                person.score = facts.score
                person.created = Date(timeIntervalSince1970: facts.created)
                person.active = facts.isActive
                person.email = facts.email
                person.friend = facts.friendId.flatMap {
                    realm.object(ofType: Person.self, forPrimaryKey: $0)
                }
                realm.add(person)
            }
        }
    }

    func setAges(_ ids: [Int]) throws {
        try realm.write {
            for id in ids {
                realm.object(ofType: Person.self, forPrimaryKey: id)?.age = 100 + id % 50
            }
        }
    }

    func setAgesTogether(_ ids: [Int]) throws {
        try realm.write {
            try realm.forEachObject(ofType: Person.self, forPrimaryKeys: ids) {
                $1?.age = 100 + $0 % 50
            }
        }
    }

    func read<Result>(_ body: () throws -> Result) throws -> Result {
        realm.refresh()
        return try body()
    }

    func ageAndNameLength(_ id: Int) throws -> Int? {
        realm.object(ofType: Person.self, forPrimaryKey: id).map { $0.age + $0.name.utf8.count }
    }

    func iterateAges() throws -> Int {
        var sum = 0
        for person in realm.objects(Person.self) { sum += person.age }
        return sum
    }

    func sumOfAges() throws -> Int { realm.objects(Person.self).sum(of: \.age) }

    func countOlder(than age: Int) throws -> Int {
        realm.objects(Person.self).where { $0.age > age }.count
    }

    func findOlder(than age: Int) throws -> Int {
        Array(realm.objects(Person.self).where { $0.age > age }).reduce(0) { $0 + $1.age }
    }

    func countNames(containing part: String) throws -> Int {
        realm.objects(Person.self).where { $0.name.contains(part) }.count
    }

    func findNamed(_ name: String) throws -> Int {
        var sum = 0
        for person in realm.objects(Person.self).where({ $0.name == name }) { sum += person.age }
        return sum
    }

    func lowestScores(_ count: Int) throws -> Int {
        realm.objects(Person.self).sorted(byKeyPath: "score").prefix(count)
            .reduce(0) { $0 + $1.id }
    }

    func walk(from id: Int, hopCount: Int) throws -> (ages: Int, hops: Int) {
        var next = realm.object(ofType: Person.self, forPrimaryKey: id)
        var ages = 0
        var hops = 0
        while let person = next, hops < hopCount {
            ages += person.age
            next = person.friend
            hops += 1
        }
        return (ages, hops)
    }

    func followAll() throws -> Int {
        var sum = 0
        for person in realm.objects(Person.self) { sum += person.friend?.age ?? 0 }
        return sum
    }

    func followAllInBulk() throws -> Int {
        var sum = 0
        try realm.objects(Person.self).forEachLending(following: \.friend) { _, friend in
            sum += friend?.age ?? 0
        }
        return sum
    }

    func iterateAgesLending() throws -> Int {
        var sum = 0
        try realm.objects(Person.self).forEachLending { sum += $0.age }
        return sum
    }

    func readAge(_ id: Int, count: Int) throws -> Int {
        guard let person = realm.object(ofType: Person.self, forPrimaryKey: id) else { return 0 }
        var sum = 0
        for _ in 0..<count {
            sum &+= person.age
            forgetMemory()
        }
        return sum
    }

    func delete(_ ids: [Int]) throws {
        try realm.write {
            for id in ids {
                guard let person = realm.object(ofType: Person.self, forPrimaryKey: id) else {
                    continue
                }
                realm.delete(person)
            }
        }
    }

    func insertWide(_ ids: Range<Int>) throws {
        try realm.write {
            for id in ids { realm.add(WideObject(WideFacts(id))) }
        }
    }

    func sumWide() throws -> Int {
        var sum = 0
        for object in realm.objects(WideObject.self) { sum += object.i5 }
        return sum
    }

    func compact() throws {
        realm.invalidate()
        try realm.store.compact()
    }

    /// Written bytes of segments, because the active one is allocated ahead.
    func footprint() throws -> (log: Int, pages: Int)? {
        let statistics = try realm.store.statistics
        let log = statistics.segments.filter { !$0.isRetired }
            .reduce(0) { $0 + $1.writtenByteCount }
        return (log, statistics.pageFileByteCount)
    }
}
