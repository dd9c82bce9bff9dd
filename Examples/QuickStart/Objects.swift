import Foundation
import Travertine

final class Country: Object {
    @Persisted(primaryKey: true) var code: String
    @Persisted var name: String
}

final class City: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var population: Int
    @Persisted var alternateNames: List<String>
    @Persisted var country: Country?
}

func storeObjects() throws {
    let realm = try Realm(
        configuration: Realm.Configuration(
            fileURL: URL(fileURLWithPath: "places.realm"),
            objectTypes: [Country.self, City.self]))

    let portugal = Country()
    portugal.code = "PT"
    portugal.name = "Portugal"
    let lisbon = City()
    lisbon.id = 2_267_057
    lisbon.name = "Lisbon"
    lisbon.population = 517_802
    lisbon.alternateNames.append("Lisboa")
    lisbon.country = portugal

    // All of it or nothing, on the disk when `write` returns.
    try realm.write {
        realm.add(lisbon, update: .modified)
    }

    let large = realm.objects(City.self)
        .where { $0.population > 500_000 }
        .sorted(byKeyPath: "population", ascending: false)
    for city in large {
        print(city.name, city.country?.name ?? "-", city.population)
    }
}
