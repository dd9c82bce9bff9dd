import Foundation
import Measurement
import Travertine

/// The model as an app of Travertine declares it.
final class Resident: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var name: String
    @Persisted var age: Int
    @Persisted var points: Int
    @Persisted(indexed: true) var year: Int
    @Persisted var score: Double
    @Persisted var rank: Double
    @Persisted var friend: Resident?
    @Persisted var friends: List<Resident>
    @Persisted(originProperty: "friend") var followers: LinkingObjects<Resident>

    override class func indexes() -> [ObjectIndex] { [ObjectIndex("rank")] }
}

/// Queries through the public interface.
final class TravertineQueryEngine: QueryEngine {
    let realm: Realm
    private var count = 0

    init(directory: String) throws {
        try DirectoryTree.create(directory)
        var configuration = Realm.Configuration()
        configuration.fileURL = URL(filePath: directory + "/residents.realm")
        configuration.objectTypes = [Resident.self]
        configuration.durability = Realm.Durability.unsynced
        realm = try Realm(configuration: configuration)
        count = residents.count
    }

    func close() throws {
        realm.invalidate()
        try realm.store.close()
    }

    private var residents: Results<Resident> { realm.objects(Resident.self) }

    private func find(_ id: Int) -> Resident? {
        realm.object(ofType: Resident.self, forPrimaryKey: id)
    }

    func insert(_ ids: Range<Int>) throws {
        try realm.write {
            for id in ids {
                let facts = ResidentFacts(id)
                let resident = Resident()
                resident.id = id
                resident.name = ResidentFacts.name(facts.nameIndex)
                resident.age = facts.age
                resident.points = facts.points
                resident.year = facts.year
                resident.score = facts.score
                resident.rank = facts.rank
                resident.friend = facts.friendId.flatMap { find($0) }
                resident.friends.append(objectsIn: facts.friendIds.compactMap { find($0) })
                realm.add(resident)
            }
        }
        count += ids.count
    }

    func finishLoading() throws {
        // Its version keeps segments that compaction is done with.
        realm.invalidate()
        try realm.store.sync()
        try realm.store.waitUntilAtRest()
    }

    func setAge(_ id: Int, to age: Int) throws {
        try realm.write {
            let resident = find(id)
            resident?.age = age
            resident?.points = age
        }
    }

    func run(_ query: QueryWorkload, _ variant: Int) throws -> Int {
        let age = QueryConstants.age(variant)
        let name = QueryConstants.name(variant)
        let years = QueryConstants.years(variant)
        switch query {
        case .count: return residents.where { $0.age > age }.count
        case .sum: return residents.sum(of: \.points)
        case .min: return residents.min(of: \.points) ?? -1
        case .max: return residents.max(of: \.points) ?? -1
        case .averageScore: return Int((residents.average(of: \.score) ?? 0) * 1e9)
        case .findSome:
            let found = residents.where { $0.age > age }
            let count = found.count
            return stride(from: 0, to: count, by: 1000).reduce(count) { $0 + found[$1].age }
        case .findAges: return ages(residents.where { $0.age > age })
        case .contains:
            return residents.where { $0.name.contains(ResidentFacts.namePart) }.count
        case .containsFolded:
            return residents.where {
                $0.name.contains(
                    ResidentFacts.namePart, options: [.caseInsensitive, .diacriticInsensitive])
            }.count
        case .name: return ages(residents.where { $0.name == name })
        case .yearRange: return ages(residents.where { $0.year.contains(years) })
        case .namePrefix:
            return ages(residents.where { $0.name.starts(with: ResidentFacts.namePrefix) })
        case .keys:
            let keys = QueryConstants.keys(variant, of: count)
            return ages(residents.where { $0.id.in(keys) })
        case .both:
            return ages(
                residents.where { $0.name == name && $0.year.contains(QueryConstants.manyYears) })
        case .either:
            return ages(residents.where { $0.name == name || $0.year == years.lowerBound })
        case .lowestScores:
            return residents.sorted(by: \.score).limit(100).reduce(0) { $0 + $1.id }
        case .lowestRanks:
            return residents.sorted(by: \.rank).limit(100).reduce(0) { $0 + $1.id }
        case .sortedNames:
            let sorted = residents.sorted(by: [
                SortDescriptor(keyPath: \Resident.name, ascending: variant.isMultiple(of: 2)),
                SortDescriptor(keyPath: \Resident.id),
            ])
            return stride(from: 0, to: count, by: 1000).reduce(0) { $0 + sorted[$1].id }
        case .friendName: return ages(residents.where { $0.friend.name == name })
        case .anyFriend: return residents.where { $0.friends.age > 98 }.count
        case .followers: return residents.where { $0.followers.count > 3 }.count
        case .position: return residents[count / 2].age
        case .first: return residents.first?.age ?? -1
        case .isEmpty: return residents.isEmpty ? 1 : 0
        case .groups:
            return residents.grouped(by: \.age).aggregates(of: \.score).reduce(0) {
                $0 + $1.count * $1.key + Int(($1.average(of: \.score) ?? 0) * 1e6)
            }
        }
    }

    private func ages(_ found: Results<Resident>) -> Int {
        var sum = 0
        for resident in found { sum += resident.age }
        return sum
    }
}
