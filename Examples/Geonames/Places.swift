import Foundation
import Travertine

/// The database of this example: where it is, and how rows become objects.
struct Places {
    private static let batchSize = 1000
    let directory: URL

    /// Opens it; makes it the first time.
    func open() throws -> Realm {
        try Realm(
            configuration: Realm.Configuration(
                fileURL: directory, objectTypes: [Country.self, City.self]))
    }

    /// How many transactions `ingest` makes.
    static func transactionCount(of rows: SourceRows) -> Int {
        1 + (rows.cities.count + batchSize - 1) / batchSize
    }

    /// Adds all rows as objects, a thousand in each transaction; what is there is brought up to
    /// date.
    func ingest(_ rows: SourceRows) throws {
        let realm = try open()
        try realm.write {
            for row in rows.countries { realm.add(country(row), update: .modified) }
        }
        for start in stride(from: 0, to: rows.cities.count, by: Self.batchSize) {
            try realm.write {
                for row in rows.cities[start...].prefix(Self.batchSize) {
                    let city = city(row)
                    city.country = realm.object(
                        ofType: Country.self, forPrimaryKey: row.countrycode)
                    realm.add(city, update: .modified)
                }
            }
        }
    }

    private func country(_ row: CountryRow) -> Country {
        let country = Country()
        country.iso = row.iso
        country.name = row.name
        country.capital = row.capital
        country.continent = row.continentcode
        country.population = row.population
        country.areaSquareKilometres = row.areakm2
        return country
    }

    private func city(_ row: CityRow) -> City {
        let city = City()
        city.id = row.geonameid
        city.name = row.name
        city.alternateNames.append(objectsIn: row.alternatenames)
        city.population = row.population
        city.latitude = row.latitude
        city.longitude = row.longitude
        city.timezone = row.timezone
        return city
    }
}
