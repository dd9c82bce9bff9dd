import Foundation
import RealmSwift

class ZooKind: EmbeddedObject {
    @Persisted var pet: PetDog?
}
