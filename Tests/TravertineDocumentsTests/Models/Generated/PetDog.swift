import Foundation
import RealmSwift

class PetDog: Object {
    @Persisted(primaryKey: true) var _id: Int
    @Persisted var aB: String?

    override class func objectTypeName() -> String {
        "pet_dog"
    }

    override class func propertiesMapping() -> [String: String] {
        ["aB": "a\"b"]
    }
}
