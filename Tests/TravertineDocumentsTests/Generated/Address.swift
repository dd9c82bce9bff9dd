import Foundation
import RealmSwift

class Address: EmbeddedObject {
    @Persisted var street: String
    @Persisted var zipCode: Int?

    override class func propertiesMapping() -> [String: String] {
        ["zipCode": "zip-code"]
    }
}
