import Testing
import Travertine

@Suite("Snippets: sorting and grouping")
struct SortingSnippets {
    class City: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var name: String
        @Persisted var population: Int
        @Persisted var area: Double?
        @Persisted var country: String
        @Persisted var grades: AnyRealmValue
    }

    private func cities(_ directory: SnippetDirectory) throws -> Results<City> {
        let realm = try directory.open([City.self])
        try realm.write {
            for (id, (name, population, country)) in [
                ("Lisbon", 517_802, "PT"), ("évora", 53_591, "PT"), ("Lyon", 472_317, "FR"),
                ("Évreux", 47_289, "FR"),
            ].enumerated() {
                let city = City(value: [
                    "id": id, "name": name, "population": population, "country": country,
                ])
                city.grades = .dictionary(["air": .int(id)])
                realm.add(city)
            }
        }
        return realm.objects(City.self)
    }

    @Test("descriptors have options, and key paths keys in brackets")
    func sorting() throws {
        let directory = SnippetDirectory()
        let cities = try cities(directory)
        let sorted = cities.sorted(by: [
            SortDescriptor(keyPath: \City.country),
            SortDescriptor(
                keyPath: \City.name, options: [.caseInsensitive, .diacriticInsensitive]),
        ])
        #expect(sorted.map(\.name) == ["Évreux", "Lyon", "évora", "Lisbon"])
        let byGrade = cities.sorted(byKeyPath: "grades[\"air\"]", ascending: false)
        #expect(byGrade.map(\.id) == [3, 2, 1, 0])
    }

    @Test("limits leave the first elements, or the others")
    func limits() throws {
        let directory = SnippetDirectory()
        let cities = try cities(directory)
        let largest = cities.sorted(by: \.population, ascending: false).limit(10)
        let secondPage = cities.sorted(by: \.name).offset(20).limit(20)
        #expect(largest.first?.name == "Lisbon" && largest.count == 4 && secondPage.isEmpty)
        let chosen = cities.randomSample(3)
        #expect(chosen.count == 3)
    }

    @Test("sections have a key and elements")
    func sections() throws {
        let directory = SnippetDirectory()
        let cities = try cities(directory)
        let sections = cities.sectioned(by: \.country)
        for section in sections {
            print(section.key, section.count)
            for city in section { print("-", city.name) }
        }
        #expect(sections.allKeys == ["FR", "PT"])
        let byInitial = cities.sectioned(
            by: { String($0.name.prefix(1)) },
            sortDescriptors: [SortDescriptor(keyPath: \City.name)])
        let titles = byInitial.allKeys
        #expect(titles == ["L", "É", "é"] && byInitial[0].map(\.name) == ["Lisbon", "Lyon"])
    }

    @Test("groups are counted and added up")
    func groups() throws {
        let directory = SnippetDirectory()
        let cities = try cities(directory)
        for group in cities.grouped(by: \.country).aggregates(of: \.population, \.area) {
            print(group.key, group.count, group.sum(of: \.population), group.max(of: \.area) ?? 0)
        }
        let counts = cities.grouped(by: \.country).counts
        #expect(counts.map(\.key) == ["FR", "PT"] && counts.map(\.count) == [2, 2])
        let total: Double = cities.sum(ofProperty: "population")
        #expect(total == 1_090_999)
    }
}
