import Foundation
import RealmSwift

/// What `travertine generate-models Guide/Embedded` writes, in its own namespace, as several
/// listings have a class of one name.
enum GeneratedEmbedded {
    typealias Object = HiddenObject
    typealias EmbeddedObject = HiddenEmbeddedObject

    class Contact: Object {
        @Persisted(primaryKey: true) var _id: ObjectId
        @Persisted var name: String
        @Persisted var address: Address?
    }

    class Address: EmbeddedObject {
        @Persisted var street: String?
        @Persisted var postalCode: String?
    }
}
