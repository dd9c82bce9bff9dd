import Foundation
import Travertine

/// The models of an address book's second release.
///
/// The first one, which `FirstRelease` writes, had other names: a property `fullname`, and a class
/// `Person`. Files are unchanged by the Swift names: `objectTypeName()` and `propertiesMapping()`
/// say what is stored.
final class Contact: Object {
    @Persisted(primaryKey: true) var id: UUID
    @Persisted var displayName: String
    @Persisted var company: Company?
    @Persisted var address: Address?
    @Persisted var phones: Map<String, String>
    /// New in this release: contacts that were stored before have the default.
    @Persisted var isFavorite: Bool = false

    override static func objectTypeName() -> String { "Person" }

    override static func propertiesMapping() -> [String: String] { ["displayName": "full_name"] }
}

final class Company: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted(originProperty: "company") var staff: LinkingObjects<Contact>
}

/// An address belongs to its contact.
final class Address: EmbeddedObject {
    @Persisted var street: String
    @Persisted var city: String
}

/// What a list of contacts shows: no more is read, and the screen depends on no model.
final class ContactLine: Projection<Contact> {
    @Projected(\Contact.displayName) var name
    @Projected(\Contact.company?.name) var companyName
    @Projected(\Contact.address?.city) var city
    @Projected(\Contact.isFavorite) var isFavorite
}
