import Foundation
import RealmSwift

class ZooAddress: EmbeddedObject {
    @Persisted var street: String
    @Persisted var zipCode: Int?

    override class func propertiesMapping() -> [String: String] {
        ["zipCode": "zip-code"]
    }
}
