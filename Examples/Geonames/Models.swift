import Travertine

/// A country, as GeoNames describes it.
final class Country: Object {
    /// The two-letter code of ISO 3166.
    @Persisted(primaryKey: true) var iso: String
    @Persisted var name: String
    @Persisted var capital: String
    @Persisted var continent: String
    @Persisted var population: Int
    @Persisted var areaSquareKilometres: Double
}

/// A city with its place, its other names and its country.
final class City: Object {
    /// The GeoNames identifier.
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var alternateNames: List<String>
    @Persisted var population: Int
    /// Degrees, WGS 84.
    @Persisted var latitude: Double
    @Persisted var longitude: Double
    @Persisted var timezone: String
    @Persisted var country: Country?
}

/// What a list of cities on a screen needs: a narrowed view, with the link flattened.
final class CitySummary: Projection<City> {
    @Projected(\City.name) var name: String
    @Projected(\City.population) var population: Int
    @Projected(\City.country?.name) var countryName: String?
}
