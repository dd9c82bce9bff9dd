import Testing
import Travertine

@Suite("Snippets: collections")
struct CollectionSnippets {
    class City: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted(indexed: true) var name: String
        @Persisted var population: Int
        @Persisted var alternateNames: List<String>
        @Persisted var postcodes: MutableSet<String>
        @Persisted var namesByLanguage: Map<String, String>
        @Persisted var twins: Map<String, City?>
        @Persisted var country: Country?
    }

    class Country: Object {
        @Persisted(primaryKey: true) var code: String
        @Persisted var name: String
        @Persisted(originProperty: "country") var cities: LinkingObjects<City>
    }

    private func fill(_ realm: Realm) throws -> City {
        let lisbon = City(value: ["id": 1, "name": "Lisbon", "population": 517_802])
        lisbon.country = Country(value: ["PT", "Portugal"])
        let porto = City(value: ["id": 2, "name": "Porto", "population": 249_633])
        porto.country = lisbon.country
        try realm.write {
            realm.add([lisbon, porto])
            realm.add(City(value: ["id": 3, "name": "Lyon", "population": 472_317]))
        }
        return lisbon
    }

    @Test("lists, sets and maps are changed in place")
    func collections() throws {
        let directory = SnippetDirectory()
        let realm = try directory.open([City.self, Country.self])
        let lisbon = try fill(realm)
        try realm.write {
            lisbon.alternateNames.append(objectsIn: ["Lisboa", "Olisipo"])
            lisbon.alternateNames.move(from: 1, to: 0)
            lisbon.postcodes.insert("1000-001")
            lisbon.postcodes.insert("1000-001")
            lisbon.namesByLanguage["fr"] = "Lisbonne"
            lisbon.namesByLanguage["de"] = "Lissabon"
            lisbon.namesByLanguage["fr"] = nil
        }
        assert(Array(lisbon.alternateNames) == ["Olisipo", "Lisboa"])
        assert(lisbon.postcodes.count == 1 && lisbon.postcodes.contains("1000-001"))
        assert(lisbon.namesByLanguage.keys == ["de"])
        #expect(Array(lisbon.alternateNames) == ["Olisipo", "Lisboa"])
        #expect(lisbon.postcodes.count == 1 && lisbon.namesByLanguage.keys == ["de"])
        try realm.write {
            lisbon.alternateNames = ["Lisboa"]  // replaces what the stored list holds
            lisbon["postcodes"] = nil  // empties the set: a collection is never nil
        }
        #expect(Array(lisbon.alternateNames) == ["Lisboa"] && lisbon.postcodes.isEmpty)
        try realm.write {
            lisbon.twins["2019"] = City(value: ["id": 4, "name": "Macau"])
        }
        // An entry may hold nil, so that a look-up has two levels of it.
        let twin: City? = lisbon.twins["2019"] ?? nil
        #expect(twin?.name == "Macau" && realm.objects(City.self).count == 4)
    }

    @Test("results are filtered, sorted and reduced")
    func results() throws {
        let directory = SnippetDirectory()
        let realm = try directory.open([City.self, Country.self])
        let lisbon = try fill(realm)
        let large = realm.objects(City.self)
            .where { $0.population > 250_000 }
            .sorted(by: \.population, ascending: false)
        assert(large.map(\.name) == ["Lisbon", "Lyon"])

        try realm.write { lisbon.population = 1 }
        assert(large.map(\.name) == ["Lyon"])
        #expect(large.map(\.name) == ["Lyon"])
        let cities = realm.objects(City.self)
        let portuguese = cities.where { $0.country.code == "PT" && !($0.population < 1_000) }
        let listed = cities.where { $0.name.in(["Lisbon", "Porto"]) || $0.country == nil }
        let medium = cities.where { $0.population.contains(100_000...500_000) }
        let lis = cities.where { $0.name.starts(with: "lis", options: .caseInsensitive) }
        let pattern = cities.where { $0.name.like("L*on") }
        let renamed = cities.where { $0.alternateNames.contains("Lisboa") }
        let countries = realm.objects(Country.self).where { $0.cities.count > 1 }
        #expect(portuguese.count == 1 && listed.count == 3 && medium.count == 2)
        #expect(lis.count == 1 && pattern.count == 2 && renamed.isEmpty)
        #expect(countries.map(\.code) == ["PT"])
        let sorted = cities.sorted(by: [SortDescriptor(keyPath: "country.name"), "name"])
        #expect(sorted.map(\.name) == ["Lyon", "Lisbon", "Porto"])
        let all = cities.sum(of: \.population)
        let mean = cities.average(of: \.population)
        let greatest: Int? = cities.max(of: \.population)
        #expect(all == 721_951 && greatest == 472_317 && mean.map { Int($0) } == 240_650)
        var total = 0
        try cities.forEachLending { city in
            total += city.population
        }
        #expect(total == all)
        let codes = ["XX", "PT"]
        try realm.write {
            try realm.forEachObject(ofType: Country.self, forPrimaryKeys: codes) { code, country in
                country?.name = "Country \(code)"
            }
        }
        let two = realm.objects(ofType: Country.self, forPrimaryKeys: ["PT", "XX"])
        #expect(two.map { $0?.name } == ["Country PT", nil])
        try realm.write {
            // Goes over the cities as they were when it began.
            let small = realm.objects(City.self).where { $0.population < 10 }
            for city in small { city.population += 100 }
        }
        #expect(lisbon.population == 101)
    }
    @Test("collections are looked into as results are")
    func collectionsAsResults() throws {
        let directory = SnippetDirectory()
        let realm = try directory.open([City.self, Country.self])
        let lisbon = try fill(realm)
        let cities = realm.objects(City.self)
        try realm.write {
            lisbon.postcodes.insert(objectsIn: ["1000-001", "1050-020", "1990-001"])
            lisbon.twins["1"] = cities[2]
        }
        let onePerCountry = cities.sorted(by: \.population, ascending: false)
            .distinct(by: ["country.code"])
        #expect(onePerCountry.map(\.name) == ["Lisbon", "Lyon"])
        let portugal = realm.object(ofType: Country.self, forPrimaryKey: "PT")
        let towns = portugal?.cities.where { $0.population < 300_000 }.sorted(by: \.name)
        let short = lisbon.postcodes.where { $0.starts(with: "10") }.sorted(ascending: false)
        let twins = lisbon.twins.where { $0.population > 0 }
        #expect(towns?.map(\.name) == ["Porto"] && Array(short) == ["1050-020", "1000-001"])
        #expect(twins.map { $0?.name } == ["Lyon"])
        let everywhere = [AnyRealmCollection(cities), AnyRealmCollection(towns ?? cities)]
        #expect(everywhere.map(\.count) == [3, 1])
    }
}
