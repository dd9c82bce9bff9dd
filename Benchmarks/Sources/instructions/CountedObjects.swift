import Foundation
import Measurement
import Travertine

/// What is counted of the object layer: a key, an indexed name, and an Int.
final class CountedObject: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var name: String
    @Persisted var age: Int
}

/// The counted loops over objects.
struct CountedObjects {
    private let realm: Realm

    init(directory: String) throws {
        try DirectoryTree.create(directory)
        realm = try Realm(
            configuration: Realm.Configuration(
                fileURL: URL(filePath: directory + "/objects.realm"),
                objectTypes: [CountedObject.self], durability: .unsynced))
    }

    /// Adds objects from number 0, 1,000 in each transaction.
    func insert(count: Int) throws {
        var done = 0
        while done < count {
            let end = min(done + 1000, count)
            try realm.write {
                while done < end {
                    let object = CountedObject()
                    object.id = done
                    object.name = "Name \(done % 100)"
                    object.age = done % 100
                    realm.add(object)
                    done += 1
                }
            }
        }
    }

    /// Finds objects by key and reads an Int of each.
    func get(count: Int) throws {
        var sum = 0
        for id in 0..<count {
            sum += realm.object(ofType: CountedObject.self, forPrimaryKey: id)?.age ?? -1
        }
        try require(sum == Self.sumOfAges(count), "An object that was stored is missing.")
    }

    /// Reads an Int of one object.
    func read(count: Int) throws {
        guard let object = realm.object(ofType: CountedObject.self, forPrimaryKey: 77) else {
            throw BenchmarkError("An object that was stored is missing.")
        }
        var sum = 0
        for _ in 0..<count {
            sum += object.age
            forgetMemory()
        }
        try require(sum == 77 * count, "A property has a wrong value.")
    }

    private static func sumOfAges(_ count: Int) -> Int {
        (0..<count).reduce(0) { $0 + $1 % 100 }
    }
}
