import Foundation
import RealmSwift

class Date2: EmbeddedObject {
    @Persisted var a: String?

    override class func objectTypeName() -> String {
        "Date"
    }
}
