import Foundation
import RealmSwift

/// What `travertine generate-models Guide/Inverse` writes, in its own namespace, as several
/// listings have a class of one name.
enum GeneratedInverse {
    typealias Object = HiddenObject
    typealias EmbeddedObject = HiddenEmbeddedObject

    class Dog: Object {
        @Persisted(primaryKey: true) var _id: ObjectId
        @Persisted var name: String?
        @Persisted var age: Int?
    }

    class Person: Object {
        @Persisted(primaryKey: true) var _id: ObjectId
        @Persisted var name: String?
        @Persisted var dogs: List<Dog>
    }
}
