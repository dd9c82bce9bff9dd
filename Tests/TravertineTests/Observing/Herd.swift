import RealmSwift
import TestSupport

/// Pets whose ages have the same sum in every version, whatever is written.
enum Herd {
    static let end = "end"
    static let sum = 200

    static func fill(_ realm: Realm) {
        for number in 0..<20 {
            realm.create(
                ObservedPet.self, value: ["name": "\(number)", "age": 10] as [String: Any])
        }
    }

    /// Lets a pet come, or go, or gives a year of one to another; something differs afterwards.
    static func change(_ realm: Realm, _ name: String, _ random: inout SeededRandom) {
        let pets = realm.objects(ObservedPet.self)
        let first = pets[random.below(pets.count)]
        let second = pets[random.below(pets.count)]
        let kind = first.isSameObject(as: second) ? 0 : random.below(3)
        switch kind {
        case 0:
            realm.create(ObservedPet.self, value: ["name": name])
        case 1 where pets.count > 10:
            second.age += first.age
            realm.delete(first)
        default:
            first.age -= 1
            second.age += 1
        }
    }
}

/// Goes with each change that is reported, and compares with what is shown; used where it is
/// notified.
final class HerdFollower: @unchecked Sendable {
    private let name: String
    private let watch: HerdWatch
    private var names: [String] = []

    init(_ name: String, _ watch: HerdWatch) { (self.name, self.watch) = (name, watch) }

    func take(_ change: RealmCollectionChange<Results<ObservedPet>>) {
        switch change {
        case .initial(let pets):
            names = pets.map(\.name)
            check(pets)
        case .update(let pets, let deletions, let insertions, let modifications):
            guard (deletions + modifications).allSatisfy(names.indices.contains) else {
                return watch.fail("\(name): positions out of bounds")
            }
            for position in deletions.reversed() { names.remove(at: position) }
            for position in insertions where position <= names.count {
                names.insert(pets[position].name, at: position)
            }
            check(pets)
        case .error(let error): watch.fail("\(name): \(error)")
        }
    }

    private func check(_ pets: Results<ObservedPet>) {
        if names != pets.map(\.name) { watch.fail("\(name): the change leads to other objects") }
        let sum = pets.sum(of: \.age)
        if sum != Herd.sum { watch.fail("\(name): the sum is \(sum)") }
        watch.notice()
        if names.contains(Herd.end) { watch.end(name) }
    }
}
