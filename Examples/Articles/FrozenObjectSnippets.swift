import Foundation
import Testing
import Travertine

@Suite("Snippets: frozen objects")
struct FrozenObjectSnippets {
    class City: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var name: String
        @Persisted var population: Int
    }

    private func city(_ directory: SnippetDirectory) throws -> (realm: Realm, city: City) {
        let realm = try directory.open([City.self])
        try realm.write {
            realm.create(City.self, value: ["id": 1, "name": "Lisboa", "population": 559])
            realm.create(City.self, value: ["id": 2, "name": "Porto", "population": 249])
        }
        return (realm, try #require(realm.object(ofType: City.self, forPrimaryKey: 1)))
    }

    @Test("what is frozen stays, and is live again when it is thawed")
    func freezing() throws {
        let directory = SnippetDirectory()
        let (realm, city) = try city(directory)
        let frozen = city.freeze()
        try realm.write { city.population += 1 }
        print(frozen.population, city.population)  // 559 560
        #expect(frozen.population == 559 && city.population == 560)
        if let live = frozen.thaw() {
            try live.realm?.write { live.population = 561 }
        }
        #expect(city.population == 561)
    }

    @Test("frozen results go to another task")
    func sending() async throws {
        let directory = SnippetDirectory()
        let configuration = Realm.Configuration(
            fileURL: directory.url, objectTypes: [City.self], durability: .unsynced)
        #expect(try await namesOfLargest(configuration) == ["Lisboa", "Porto"])
        withExtendedLifetime(directory) {}
    }

    @MainActor
    private func namesOfLargest(_ configuration: Realm.Configuration) async throws -> [String] {
        let realm = try await Realm(configuration: configuration)
        try realm.write {
            realm.create(City.self, value: ["id": 2, "name": "Porto", "population": 249])
            realm.create(City.self, value: ["id": 1, "name": "Lisboa", "population": 559])
        }
        let largest = Frozen(realm.objects(City.self).sorted(by: \.population, ascending: false))
        let names = await Task.detached {
            largest.value.prefix(2).map(\.name)
        }.value
        return names
    }

    @Test("references and variables are live on the other thread")
    func references() throws {
        let directory = SnippetDirectory()
        let (realm, city) = try city(directory)
        let configuration = realm.configuration
        let queue = DispatchQueue(label: "cities")
        let reference = ThreadSafeReference(to: city)
        queue.async {
            do {
                let realm = try Realm(configuration: configuration)
                if let city = realm.resolve(reference) {  // nil if it was deleted
                    try realm.write { city.name = "Lisbon" }
                }
            } catch {
                print(error)
            }
        }
        queue.sync {}
        realm.refresh()
        #expect(city.name == "Lisbon")
        func show(_ city: City, on queue: DispatchQueue) {
            @ThreadSafe var shared: City? = city
            let variable = $shared
            queue.async {
                // The city of this thread's realm.
                print(variable.wrappedValue?.name ?? "deleted")
            }
        }
        show(city, on: queue)
        queue.sync {}
    }
}
