import Foundation
import RealmSwift

class ZooPerson: Object {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var firstName: String
    @Persisted var count: Int
    @Persisted var total: Int?
    @Persisted var `class`: Bool?
    @Persisted var description2: String?
    @Persisted var details: AnyRealmValue
    @Persisted var price: Decimal128?
    @Persisted var photo: Data?
    @Persisted var born: Date?
    @Persisted var token: UUID?
    @Persisted var size: Double?
    @Persisted var tags: MutableSet<String>
    @Persisted var grid: List<AnyRealmValue>
    @Persisted var labels: Map<String, Decimal128>
    @Persisted var address: ZooAddress?
    @Persisted var old: List<ZooAddress>
    @Persisted var byKind: Map<String, ZooKind?>
    @Persisted var dog: PetDog?
    @Persisted var dogs: List<PetDog>
    @Persisted var friends: MutableSet<ZooPerson>
    @Persisted var byName: Map<String, PetDog?>

    override class func propertiesMapping() -> [String: String] {
        [
            "firstName": "first_name",
            "description2": "description",
        ]
    }
}
