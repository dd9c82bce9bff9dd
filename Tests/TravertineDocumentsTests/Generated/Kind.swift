import Foundation
import RealmSwift

class Kind: EmbeddedObject {
    @Persisted var pet: PetDog?
}
