import Foundation
import Measurement
import Observation
import Travertine

/// The counted loops over persons that are observed, tracked, frozen and migrated.
struct CountedObservers {
    private static let observerCount = 100
    /// How many persons are stored.
    static let personCount = 10_000
    private let configuration: Realm.Configuration
    private let realm: Realm

    init(directory: String, tracksReads: Bool) throws {
        try CountedPersons(directory: directory, capacity: Self.personCount)
            .insert(count: Self.personCount)
        var configuration = Realm.Configuration(
            fileURL: URL(filePath: directory + "/persons.realm"),
            objectTypes: [CountedPerson.self], durability: .unsynced)
        configuration.tracksReads = tracksReads
        self.configuration = configuration
        realm = try Realm(configuration: configuration)
    }

    private func find(_ id: Int) throws -> CountedPerson {
        guard let found = realm.object(ofType: CountedPerson.self, forPrimaryKey: id) else {
            throw BenchmarkError("A person that was stored is missing.")
        }
        return found
    }

    /// Sets an Int in a transaction, and refreshes, beside results that this does not concern.
    func commit(count: Int, isObserved: Bool) throws {
        let persons = realm.objects(CountedPerson.self)
        let tokens = (0..<(isObserved ? Self.observerCount : 0)).map { number in
            persons.where { $0.name == "Name \(number)" }.observe(keyPaths: [String]()) { _ in }
        }
        _ = realm.refresh()
        for index in 0..<count {
            try realm.write { try find(index % 1000).age = 1000 + index }
            _ = realm.refresh()
        }
        for token in tokens { token.invalidate() }
    }

    /// Reads an Int of a frozen person.
    func readFrozen(count: Int) throws {
        let person = try find(77).freeze()
        var sum = 0
        for _ in 0..<count {
            sum += person.age
            forgetMemory()
        }
        try require(sum == 77 * count, "A property has a wrong value.")
    }

    /// Goes over frozen persons again and again, an Int read of each.
    func iterateFrozen(count: Int) throws {
        let persons = realm.objects(CountedPerson.self).freeze()
        for _ in 0..<count / Self.personCount {
            var sum = 0
            for person in persons { sum += person.age }
            try require(
                sum == Self.personCount / 100 * 4950, "A person that was stored is missing.")
        }
    }

    /// Reads an Int of a person that is tracked, of a thousand alternately.
    func readTracked(count: Int) throws {
        let persons = try (0..<1000).map(find)
        var sum = 0
        withObservationTracking {
            for index in 0..<count { sum += persons[index % 1000].age }
        } onChange: {
        }
        try require(sum >= 0, "A property has a wrong value.")
    }

    /// Sets an Int of scattered persons in one transaction, where another property is tracked.
    func changeTracked(count: Int) throws {
        let person = try find(0)
        withObservationTracking {
            _ = person.score
        } onChange: {
        }
        for start in stride(from: 0, to: count, by: Self.personCount) {
            try realm.write {
                for id in 0..<Self.personCount { try find(id).age = start + 1000 + id }
            }
        }
    }

    /// Sets an Int of each person in a migration.
    func migrate(count: Int) throws {
        realm.invalidate()
        var configuration = configuration
        configuration.fileURL = configuration.fileURL?.deletingLastPathComponent()
            .appendingPathComponent("migrated.realm")
        try Realm(configuration: self.configuration).writeCopy(configuration: configuration)
        configuration.schemaVersion = 1
        configuration.migrationBlock = { migration, _ in
            for _ in 0..<count / Self.personCount {
                migration.enumerateObjects(ofType: "CountedPerson") { old, new in
                    guard let age = old?["age"] as? Int, let now = new?["age"] as? Int else {
                        return
                    }
                    new?["age"] = now + age + 1
                }
            }
        }
        try Realm(configuration: configuration).invalidate()
    }
}
