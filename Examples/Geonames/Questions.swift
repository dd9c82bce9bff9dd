import Travertine

/// Asks the database, and compares every answer with what plain Swift finds in the source rows.
struct Questions {
    let realm: Realm
    let rows: SourceRows

    /// Asks everything and reports it.
    func ask(_ report: inout Report) {
        count(&report)
        find(&report)
        filter(&report)
        sort(&report)
        project(&report)
    }

    private func count(_ report: inout Report) {
        report.check(
            "countries", realm.objects(Country.self).count, expected: rows.countries.count)
        report.check("cities", realm.objects(City.self).count, expected: rows.cities.count)
    }

    private func find(_ report: inout Report) {
        guard let row = rows.cities.max(by: { $0.population < $1.population }) else { return }
        let city = realm.object(ofType: City.self, forPrimaryKey: row.geonameid)
        report.check("the largest city, by its key", city?.name, expected: row.name)
        report.check("its coordinates", city?.longitude, expected: row.longitude)
        report.check("its country, by the link", city?.country?.iso, expected: row.countrycode)
        report.check(
            "its other names", city.map { Array($0.alternateNames) },
            expected: row.alternatenames)
        report.check(
            "a key that is not there",
            realm.object(ofType: City.self, forPrimaryKey: -1)?.name, expected: nil)
    }

    private func filter(_ report: inout Report) {
        let cities = realm.objects(City.self)
        report.check(
            "cities above 5 million", cities.where { $0.population > 5_000_000 }.count,
            expected: rows.cities.count { $0.population > 5_000_000 })
        report.check(
            "large cities of the south",
            cities.where { $0.population >= 1_000_000 && $0.latitude < 0 }.count,
            expected: rows.cities.count { $0.population >= 1_000_000 && $0.latitude < 0 })
        report.check(
            "cities on Berlin's time",
            cities.where { $0.timezone == "Europe/Berlin" }.count,
            expected: rows.cities.count { $0.timezone == "Europe/Berlin" })
        report.check(
            "cities that begin with “San ”",
            cities.where { $0.name.starts(with: "San ") }.count,
            expected: rows.cities.count { $0.name.hasPrefix("San ") })
    }

    private func sort(_ report: inout Report) {
        let sorted = realm.objects(Country.self)
            .where { $0.continent == "EU" }
            .sorted(byKeyPath: "areaSquareKilometres", ascending: false)
        let expected = rows.countries.filter { $0.continentcode == "EU" }
            .sorted { $0.areakm2 > $1.areakm2 }
        report.check(
            "Europe's largest countries", sorted.prefix(3).map(\.name),
            expected: expected.prefix(3).map(\.name))
    }

    private func project(_ report: inout Report) {
        let summaries = realm.objects(CitySummary.self)
            .sorted(byKeyPath: "population", ascending: false)
        let countries = Dictionary(
            rows.countries.map { ($0.iso, $0.name) }, uniquingKeysWith: { first, _ in first })
        let expected = rows.cities.sorted {
            ($1.population, $0.geonameid) < ($0.population, $1.geonameid)
        }
        report.check(
            "summaries of the largest cities",
            summaries.prefix(3).map { "\($0.name), \($0.countryName ?? "-")" },
            expected: expected.prefix(3).map { "\($0.name), \(countries[$0.countrycode] ?? "-")" })
    }
}
