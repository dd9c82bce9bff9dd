import Foundation
import RealmSwift

class ZooTag: EmbeddedObject {
    @Persisted var name: String
    @Persisted var size: Int?
}
