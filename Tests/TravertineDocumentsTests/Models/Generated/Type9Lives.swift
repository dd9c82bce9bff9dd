import Foundation
import RealmSwift

class Type9Lives: EmbeddedObject {
    @Persisted var a: String?

    override class func objectTypeName() -> String {
        "9 lives"
    }
}
