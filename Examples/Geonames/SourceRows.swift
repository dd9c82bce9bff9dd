import Foundation

/// A line of `countries.jsonl`.
struct CountryRow: Decodable {
    let iso: String
    let name: String
    let capital: String
    let continentcode: String
    let population: Int
    let areakm2: Double
}

/// A line of `cities.jsonl`.
struct CityRow: Decodable {
    let geonameid: Int
    let name: String
    let alternatenames: [String]
    let population: Int
    let latitude: Double
    let longitude: Double
    let timezone: String
    let countrycode: String
}

/// The rows of both files.
struct SourceRows {
    let countries: [CountryRow]
    let cities: [CityRow]
    let byteCount: Int

    init(directory: URL) throws {
        let countryFile = try Data(
            contentsOf: directory.appendingPathComponent("countries.jsonl"))
        let cityFile = try Data(contentsOf: directory.appendingPathComponent("cities.jsonl"))
        countries = try Self.rows(countryFile)
        cities = try Self.rows(cityFile)
        byteCount = countryFile.count + cityFile.count
    }

    private static func rows<Row: Decodable>(_ file: Data) throws -> [Row] {
        let decoder = JSONDecoder()
        return try file.split(separator: UInt8(ascii: "\n")).map {
            try decoder.decode(Row.self, from: $0)
        }
    }
}
