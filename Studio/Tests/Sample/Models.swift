import Foundation
import Travertine

/// A point as GeoJSON has it.
class Place: EmbeddedObject {
    @Persisted var type: String = "Point"
    @Persisted var coordinates: List<Double>
}

class Country: Object {
    @Persisted(primaryKey: true) var code: String
    @Persisted var name: String
    @Persisted var population: Int
    @Persisted var flag: Data?
}

class City: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var name: String
    @Persisted var country: Country?
    @Persisted(indexed: true) var population: Int
    @Persisted var elevation: Double?
    @Persisted var isCapital: Bool
    @Persisted var founded: Date?
    @Persisted var place: Place?
    @Persisted var alternateNames: List<String>
    @Persisted var tags: MutableSet<String>
}

class Address: EmbeddedObject {
    @Persisted var street: String
    @Persisted var postcode: String?
    @Persisted var city: City?
    @Persisted var place: Place?
}

class Person: Object {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var name: String
    @Persisted(indexed: true) var email: String?
    @Persisted var born: Date
    @Persisted var address: Address?
    @Persisted var friends: List<Person>
    @Persisted var photo: Data?
    @Persisted var certificate: Data?
    @Persisted var scores: Map<String, Double>
    @Persisted var balance: Decimal128
    @Persisted var device: UUID
    @Persisted var note: AnyRealmValue
}

/// Without a primary key: most of the objects.
class Visit: Object {
    @Persisted var person: Person?
    @Persisted var city: City?
    @Persisted(indexed: true) var time: Date
    @Persisted var rating: Int
    @Persisted var comment: String?
    @Persisted var extra: AnyRealmValue
}

class Telemetry: AsymmetricObject {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var message: String
}

let modelTypes: [ObjectBase.Type] = [
    Place.self, Country.self, City.self, Address.self, Person.self, Visit.self, Telemetry.self,
]
