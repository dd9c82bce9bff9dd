import Foundation
import Testing
import Travertine

@Suite("Snippets: the first page")
struct StartSnippets {
    class Country: Object {
        @Persisted(primaryKey: true) var code: String
        @Persisted var name: String
    }

    class City: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var name: String
        @Persisted var population: Int
        @Persisted var country: Country?
    }

    @Test("objects are stored and found")
    func storing() throws {
        let directory = SnippetDirectory()
        let realm = try directory.open([Country.self, City.self])
        try realm.write {
            let portugal = Country(value: ["code": "PT", "name": "Portugal"])
            realm.add(City(value: ["id": 1, "name": "Lisbon", "population": 517_802]))
            realm.add(City(value: [2, "Porto", 249_633, portugal]))
        }
        let large = realm.objects(City.self)
            .where { $0.population > 200_000 }
            .sorted(by: \.name)
        for city in large {
            print(city.name, city.country?.name ?? "-")
        }
        #expect(large.map(\.name) == ["Lisbon", "Porto"])
        #expect(large.last?.country?.name == "Portugal")
    }

    /// Never called: its realm would be in the current directory.
    private func opening() throws -> Realm {
        let realm = try Realm()
        return realm
    }
}
