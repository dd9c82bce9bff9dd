import Foundation
import Measurement
import Travertine

/// A person as the benchmark `objects` stores them.
final class CountedPerson: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var name: String
    @Persisted var age: Int
    @Persisted var score: Double
    @Persisted var created: Date
    @Persisted var active: Bool
    @Persisted var email: String?
    @Persisted var friend: CountedPerson?
}

/// The counted loops over objects that link to each other.
struct CountedPersons {
    private let realm: Realm
    private let capacity: Int

    init(directory: String, capacity: Int, keepsColumns: Bool = true) throws {
        self.capacity = capacity
        try DirectoryTree.create(directory)
        var configuration = Realm.Configuration(
            fileURL: URL(filePath: directory + "/persons.realm"),
            objectTypes: [CountedPerson.self], durability: .unsynced)
        if !keepsColumns { configuration.queryMemoryBudget = 0 }
        realm = try Realm(configuration: configuration)
    }

    /// Adds persons from number 0, 1,000 in each transaction; each links to an earlier one.
    func insert(count: Int) throws {
        for start in stride(from: 0, to: count, by: 1000) {
            try realm.write {
                for id in start..<min(start + 1000, count) {
                    let person = CountedPerson()
                    person.id = id
                    person.name = "Name \(id % 100)"
                    person.age = id % 100
                    person.score = Double(id)
                    person.created = Date(timeIntervalSince1970: Double(id))
                    person.active = id & 1 == 0
                    person.email = id & 3 == 0 ? nil : "person\(id)@travertine.example"
                    if id > 0 { person.friend = find(id * 7919 % id) }
                    realm.add(person)
                }
            }
        }
    }

    /// Goes over a thousand persons again and again, an Int read of each.
    func iterate(count: Int) throws {
        for _ in 0..<count / 1000 {
            var sum = 0
            for person in realm.objects(CountedPerson.self) { sum += person.age }
            try require(sum == Self.sumOfAges, "A person that was stored is missing.")
        }
    }

    /// The same with one handle that is lent.
    func lend(count: Int) throws {
        for _ in 0..<count / 1000 {
            var sum = 0
            try realm.objects(CountedPerson.self).forEachLending { sum += $0.age }
            try require(sum == Self.sumOfAges, "A person that was stored is missing.")
        }
    }

    /// Finds half of a thousand persons again and again by an Int without index, and reads it.
    func find(count: Int) throws {
        for _ in 0..<count / 500 {
            var sum = 0
            for person in realm.objects(CountedPerson.self).where({ $0.age >= 50 }) {
                sum += person.age
            }
            try require(sum == 10 * (50..<100).reduce(0, +), "A person was not found.")
        }
    }

    /// Counts those of a thousand persons that are at least as old as another number each time.
    func countOlder(count: Int) throws {
        for round in 0..<count {
            let age = round % 100
            let found = realm.objects(CountedPerson.self).where { $0.age >= age }.count
            try require(found == 10 * (100 - age), "A person was not counted.")
        }
    }

    /// Goes over a thousand persons again and again, an Int read of the friend of each.
    func follow(count: Int) throws {
        for _ in 0..<count / 1000 {
            var found = 0
            for person in realm.objects(CountedPerson.self) where person.friend?.age ?? -1 >= 0 {
                found += 1
            }
            try require(found == 999, "A friend that was stored is missing.")
        }
    }

    /// The same by batches.
    func followInBulk(count: Int) throws {
        for _ in 0..<count / 1000 {
            var found = 0
            try realm.objects(CountedPerson.self).forEachLending(following: \.friend) {
                if $1?.age ?? -1 >= 0 { found += 1 }
            }
            try require(found == 999, "A friend that was stored is missing.")
        }
    }

    /// Sets an Int of scattered persons in one transaction.
    func update(count: Int) throws {
        try realm.write { for index in 0..<count { find(scattered(index))?.age = index % 100 } }
    }

    /// Deletes scattered persons, with their links and those to them, in one transaction.
    func delete(count: Int) throws {
        try realm.write {
            for index in 0..<count {
                guard let person = find(scattered(index)) else { continue }
                realm.delete(person)
            }
        }
    }

    private static let sumOfAges = 10 * (0..<100).reduce(0, +)

    private func find(_ id: Int) -> CountedPerson? {
        realm.object(ofType: CountedPerson.self, forPrimaryKey: id)
    }

    /// A number below the capacity for each index, none twice: the factor is a prime.
    private func scattered(_ index: Int) -> Int { index * 7919 % capacity }
}
