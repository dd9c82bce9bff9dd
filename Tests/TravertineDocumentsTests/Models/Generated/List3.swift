import Foundation
import RealmSwift

class List3: EmbeddedObject {
    @Persisted var a: String?

    override class func objectTypeName() -> String {
        "List"
    }
}
