import Foundation
import RealmSwift

class Map2: EmbeddedObject {
    @Persisted var a: String?

    override class func objectTypeName() -> String {
        "Map"
    }
}
