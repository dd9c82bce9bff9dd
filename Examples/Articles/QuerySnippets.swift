import Testing
import Travertine

@Suite("Snippets: queries")
struct QuerySnippets {
    class City: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted(indexed: true) var name: String
        @Persisted var population: Int
        @Persisted var area: Double?
        @Persisted var founded: Int?
        @Persisted var mayor: String?
        @Persisted var isCapital: Bool
        @Persisted var kind: Kind
        @Persisted var country: Country?
        @Persisted var position: Position?
        @Persisted var alternateNames: List<String>
        @Persisted var yearlyGuests: List<Int>
        @Persisted var sights: List<Sight>
        @Persisted var namesByLanguage: Map<String, String>
        @Persisted var note: AnyRealmValue
    }

    class Country: Object {
        @Persisted(primaryKey: true) var code: String
        @Persisted var name: String
        @Persisted(originProperty: "country") var cities: LinkingObjects<City>
    }

    class Sight: Object {
        @Persisted var name: String
        @Persisted var height: Int
        @Persisted var price: Double?
    }

    class Position: EmbeddedObject {
        @Persisted var latitude: Double
        @Persisted var longitude: Double
    }

    enum Kind: String, PersistableEnum { case town, port, resort }

    private func fill(_ realm: Realm) throws {
        let portugal = Country(value: ["PT", "Portugal"])
        let tower = Sight(value: ["Tower", 40, 6.0])
        let arch = Sight(value: ["Arch", 60])
        let lisbon = City(value: [
            "id": 1, "name": "Lisbon", "population": 517_802, "area": 100.0, "isCapital": true,
            "kind": "port", "country": portugal, "mayor": "The mayor of LISBON",
            "position": ["latitude": 38.7, "longitude": -9.1],
            "alternateNames": ["Lisboa", "Olisipo"], "yearlyGuests": [2000, 3000],
            "sights": [tower, arch], "namesByLanguage": ["fr": "Lisbonne", "de": "Lissabon"],
        ])
        lisbon.note = .fromDictionary(["grade": 5, "tags": .fromArray(["coastal"])])
        let porto = City(value: [
            "id": 2, "name": "Porto", "population": 249_633, "founded": 1143, "kind": "port",
            "country": portugal, "alternateNames": ["Oporto"], "yearlyGuests": [500],
            "sights": [["Tower", 76, 8.0]],
        ])
        let evora = City(value: [
            "id": 3, "name": "Évora", "population": 53_591, "area": 1307.0, "founded": 1600,
        ])
        evora.note = .fromArray(["walls", "temple", "UNESCO"])
        try realm.write { realm.add([lisbon, porto, evora]) }
    }

    private func names(_ cities: Results<City>) -> [String] { cities.map(\.name) }

    @Test("conditions find what they say")
    func conditions() throws {
        let directory = SnippetDirectory()
        let realm = try directory.open([
            City.self, Country.self, Sight.self, Position.self,
        ])
        try fill(realm)
        let cities = realm.objects(City.self)
        let large = cities.where { $0.population > 250_000 && $0.country.code == "PT" }
        assert(large.map(\.name) == ["Lisbon"])
        #expect(names(large) == ["Lisbon"])
        let recent = cities.where { $0.founded.contains(1500...1900) || $0.founded == nil }
        let chosen = cities.where { $0.name.in(["Lisbon", "Porto"]) && $0.kind != .resort }
        let capitals = cities.where { $0.isCapital && !($0.area < 50) }
        let ports = cities.where { $0.kind.rawValue.starts(with: "p") }
        #expect(names(recent) == ["Lisbon", "Évora"])
        #expect(names(chosen) == ["Lisbon", "Porto"])
        #expect(names(capitals) == ["Lisbon"])
        #expect(names(ports) == ["Lisbon", "Porto"])
        let dense = cities.where { $0.population > $0.area }
        let selfNamed = cities.where { $0.mayor.contains($0.name, options: .caseInsensitive) }
        #expect(names(dense) == ["Lisbon", "Évora"])
        #expect(names(selfNamed) == ["Lisbon"])
        let year: Int? = 1143
        let ofYear = cities.where { $0.founded == year }
        #expect(names(ofYear) == ["Porto"])
        let there = Position(value: ["latitude": 38.7, "longitude": -9.1])
        let found = cities.where { $0.position == there && $0.country != nil }
        #expect(names(found) == ["Lisbon"])
        let options: StringOptions = [.caseInsensitive, .diacriticInsensitive]
        let evora = cities.where { $0.name.equals("evora", options: options) }
        assert(evora.count == 1)
        let patterned = cities.where { $0.name.like("l?s*", caseInsensitive: true) }
        #expect(names(evora) == ["Évora"])
        #expect(names(patterned) == ["Lisbon"])
        let named = cities.where { $0.alternateNames.contains("Lisboa") }
        let either = cities.where { $0.alternateNames.containsAny(in: ["Lisboa", "Oporto"]) }
        let alwaysBusy = cities.where { $0.yearlyGuests.all > 1000 }
        let noTowers = cities.where { $0.sights.height.none > 100 }
        let manyNames = cities.where { $0.alternateNames.count > 1 }
        let shared = realm.objects(Country.self).where { $0.cities.sights.height > 100 }
        #expect(names(named) == ["Lisbon"])
        #expect(names(either) == ["Lisbon", "Porto"])
        #expect(names(alwaysBusy) == ["Lisbon", "Évora"])
        #expect(names(noTowers) == ["Lisbon", "Porto", "Évora"])
        #expect(names(manyNames) == ["Lisbon"])
        #expect(shared.isEmpty)
        let busy = cities.where { $0.yearlyGuests.avg > 2000 && $0.yearlyGuests.min > 100 }
        let cheap = cities.where { $0.sights.price.max < 10 }
        #expect(names(busy) == ["Lisbon"])
        #expect(names(cheap) == ["Lisbon", "Porto"])
        let apart = cities.where { $0.sights.height > 50 && $0.sights.name == "Tower" }
        let together = cities.where {
            ($0.sights.height > 50 && $0.sights.name == "Tower").count > 0
        }
        assert(apart.count == 2 && together.count == 1)
        #expect(names(apart) == ["Lisbon", "Porto"])
        #expect(names(together) == ["Porto"])
        let french = cities.where { $0.namesByLanguage["fr"] == "Lisbonne" }
        let untranslated = cities.where { $0.namesByLanguage["fr"] == nil }
        let german = cities.where { $0.namesByLanguage.keys.contains("de") }
        let ending = cities.where { $0.namesByLanguage.values.ends(with: "bon") }
        #expect(names(french) == ["Lisbon"])
        #expect(names(untranslated) == ["Porto", "Évora"])
        #expect(names(german) == ["Lisbon"])
        #expect(names(ending) == ["Lisbon"])
        let third = cities.where { $0.note[2] == "UNESCO" }
        let graded = cities.where { $0.note["grade"] > 3 }
        let tagged = cities.where { $0.note["tags"].any.starts(with: "coast") }
        #expect(names(third) == ["Évora"])
        #expect(names(graded) == ["Lisbon"])
        #expect(names(tagged) == ["Lisbon"])
        let outside = cities.where { $0.population.isOutside(100_000, 300_000) }
        let many = objects(cities, with: \.population, above: 300_000)
        #expect(names(outside) == ["Lisbon", "Évora"])
        #expect(names(many) == ["Lisbon"])
        let ordered = cities.where { $0.population > 1000 }
            .sorted(by: [SortDescriptor(keyPath: "country.name"), "name"])
        #expect(names(ordered) == ["Évora", "Lisbon", "Porto"])
    }
}

extension Query where T: _HasPersistedType, T.PersistedType: _QueryNumeric {
    func isOutside(_ lower: T, _ upper: T) -> Query<Bool> { self < lower || self > upper }
}

func objects<Model: Object, Value: _QueryNumeric>(
    _ all: Results<Model>, with property: KeyPath<Model, Value>, above value: Value
) -> Results<Model> {
    all.where { $0[dynamicMember: property] > value }
}
