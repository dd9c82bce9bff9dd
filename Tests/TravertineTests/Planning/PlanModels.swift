import Foundation
import RealmSwift
import TestSupport

@testable import Travertine

class PlannedTown: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var name: String
    @Persisted(indexed: true) var population: Int?
    @Persisted(indexed: true) var founded: Date?
    @Persisted(indexed: true) var isPort: Bool
    @Persisted(indexed: true) var token: UUID?
    @Persisted(indexed: .fullText) var notes: String?
    @Persisted var street: String
    @Persisted var number: Int?
    @Persisted var code: String?
    @Persisted var hash: Data
    @Persisted var anything: AnyRealmValue
    @Persisted var plain: Int
    @Persisted var country: PlannedCountry?
    @Persisted var languages: List<PlannedLanguage>
    @Persisted var twin: PlannedTown?

    override class func indexes() -> [ObjectIndex] {
        [
            ObjectIndex("street", "number", "plain"), ObjectIndex("code", isUnique: true),
            ObjectIndex("hash"), ObjectIndex("anything"),
        ]
    }
}

class PlannedCountry: Object {
    @Persisted(primaryKey: true) var code: String
    @Persisted var name: String
    @Persisted(indexed: true) var area: Int?
    @Persisted var continent: PlannedContinent?
}

class PlannedContinent: Object {
    @Persisted(indexed: true) var name: String
}

class PlannedLanguage: Object {
    @Persisted(indexed: true) var name: String
}

enum PlanData {
    static let types = [
        PlannedTown.self, PlannedCountry.self, PlannedContinent.self, PlannedLanguage.self,
    ]

    static func token(_ number: Int) -> UUID {
        var bytes = [UInt8](repeating: 0, count: 16)
        bytes[15] = UInt8(number % 256)
        bytes[14] = UInt8(number / 256)
        return bytes.withUnsafeBytes { UUID(uuid: $0.load(as: uuid_t.self)) }
    }

    /// Adds countries, languages, and so many towns, whose values follow from their numbers.
    static func add(_ count: Int, to realm: Realm) {
        let continents = (0..<4).map { PlannedContinent(value: ["name": "continent \($0)"]) }
        realm.add(continents)
        let countries = (0..<50).map { number in
            PlannedCountry(
                value: [
                    "code": "c\(number)", "name": "country \(number)", "area": number * 10,
                    "continent": continents[number % 4],
                ])
        }
        realm.add(countries)
        let languages = (0..<40).map { PlannedLanguage(value: ["name": "language \($0)"]) }
        realm.add(languages)
        for id in 0..<count {
            let town = PlannedTown()
            town.id = id
            town.name = "town \(id / 2)"
            town.population = id % 10 == 0 ? nil : id * 7 % count
            town.founded = Date(timeIntervalSinceReferenceDate: Double(id))
            town.isPort = id % 50 == 0
            town.token = token(id)
            town.notes = id % 3 == 0 ? nil : "word\(id % 20) common rare\(id)"
            town.street = "street \(id % 10)"
            town.number = id % 7 == 0 ? nil : id % 100
            town.code = id % 2 == 0 ? nil : "code \(id)"
            town.hash = Data([UInt8(id % 200), 0, UInt8(id % 3)])
            town.anything =
                switch id % 4 {
                case 0: .int(id)
                case 1: .string("text \(id)")
                case 2: .double(Double(id))
                default: .none
                }
            town.plain = id % 5
            town.country = countries[id % 50]
            town.languages.append(languages[id % 40])
            realm.add(town)
        }
    }
}
