import Foundation
import Travertine

/// What the first release of the app had on its users' disks.
///
/// Types without a class are made with dynamic objects here, so that both releases fit into one
/// program; an app has only its newest classes.
enum FirstRelease {
    /// The class as it was: its stored name is the same as that of `Contact`.
    final class OldPerson: Object {
        @Persisted(primaryKey: true) var id: UUID
        @Persisted var fullName: String
        @Persisted var company: OldCompany?
        @Persisted var address: OldAddress?
        @Persisted var phones: Map<String, String>

        override static func objectTypeName() -> String { "Person" }

        override static func propertiesMapping() -> [String: String] { ["fullName": "fullname"] }
    }

    final class OldCompany: Object {
        @Persisted(primaryKey: true) var name: String

        override static func objectTypeName() -> String { "Company" }
    }

    final class OldAddress: EmbeddedObject {
        @Persisted var street: String
        @Persisted var city: String

        override static func objectTypeName() -> String { "Address" }
    }

    static func write(to file: URL) throws {
        let realm = try Realm(
            configuration: Realm.Configuration(
                fileURL: file, schemaVersion: 1,
                objectTypes: [OldPerson.self, OldCompany.self, OldAddress.self]))
        try realm.write {
            let works = realm.create(OldCompany.self, value: ["name": "Quarry & Sons"])
            for (name, city) in [("Ada L.", "London"), ("Grace H.", "New York")] {
                let person = OldPerson()
                person.id = UUID()
                person.fullName = name
                person.company = works
                let address = OldAddress()
                address.street = "High Street 1"
                address.city = city
                person.address = address
                person.phones["work"] = "+44 20 0000"
                realm.add(person)
            }
        }
    }
}
