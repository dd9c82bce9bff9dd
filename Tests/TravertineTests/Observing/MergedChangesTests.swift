import RealmSwift
import TestSupport
import Testing

@testable import Travertine

/// Many changes at once of results in the order of keys.
struct MergedChangesTests {
    private let directory = try! TemporaryDirectory()
    private let reports = Reports()

    @Test("keys that are merged with many candidates are those of an array")
    func keys() {
        var random = SeededRandom(seed: 21)
        for (count, share) in [(0, 50), (1, 50), (511, 1), (512, 30), (3000, 5), (3000, 90)] {
            var model = (0..<count).map {
                ResultKey(key: UInt64($0 % 2000), part: UInt32($0 / 2000))
            }
            var keys = ResultKeys(model)
            for round in 0..<40 {
                var candidates: [ResultKeys.Candidate] = []
                for part in 0..<UInt32(2) {
                    // Some rounds look at one end only, others at single keys.
                    let first = random.chance(30) ? UInt64(random.below(2500)) : 0
                    let chance = random.chance(30) ? 1 : share
                    for key in first..<2500 where random.chance(chance) {
                        candidates.append(
                            .init(
                                key: ResultKey(key: key, part: part),
                                isMember: random.chance(30) ? nil : random.chance(50),
                                isModified: random.chance(50)))
                    }
                }
                let positions = Dictionary(
                    uniqueKeysWithValues: model.enumerated().map { ($1, $0) })
                var members = Set(model)
                var expected = CollectionDifference()
                for candidate in candidates {
                    let position = positions[candidate.key]
                    if let isMember = candidate.isMember {
                        if isMember {
                            members.insert(candidate.key)
                        } else {
                            members.remove(candidate.key)
                        }
                    }
                    guard let position else { continue }
                    if candidate.isMember == false {
                        expected.deletions.append(position)
                    } else if candidate.isModified {
                        expected.modifications.append(position)
                    }
                }
                model = members.sorted { $0.precedes($1) }
                expected.insertions = model.indices.filter { positions[model[$0]] == nil }
                #expect(keys.merge(candidates) == expected, "count \(count), round \(round)")
                keys.checkInvariants()
                #expect(keys.all == model, "count \(count), round \(round)")
            }
        }
    }

    @Test("many objects that come, go and change in one commit are followed without a query")
    func results() throws {
        let realm = try directory.open([
            ObservedOwner.self, ObservedPet.self, ObservedAddress.self,
        ])
        try realm.write {
            for id in 0..<2000 {
                realm.create(ObservedOwner.self, value: ["id": 2 * id, "name": "\(id)"])
            }
        }
        let named = realm.objects(ObservedOwner.self).where { $0.name != "hidden" }
        let token = named.observe { reports.note($0) }
        realm.refresh()
        _ = reports.take()
        let observation = try #require(token.observation as? ResultsObservation)
        let old = named.map(\.id)
        try realm.write {
            for id in stride(from: 0, to: 2000, by: 3) { named[id].numbers.append(1) }
            for owner in named where owner.id % 40 == 0 { owner.name = "hidden" }
            realm.delete(realm.objects(ObservedOwner.self).where { $0.id > 3900 })
            for id in 0..<50 { realm.create(ObservedOwner.self, value: ["id": 20 * id + 1]) }
        }
        let modified = Set(old.enumerated().filter { $0.offset % 3 == 0 }.map(\.element))
        let new = named.map(\.id)
        realm.refresh()
        let (before, after) = (Set(old), Set(new))
        let deletions = old.indices.filter { !after.contains(old[$0]) }
        let insertions = new.indices.filter { !before.contains(new[$0]) }
        let modifications = old.indices.filter {
            modified.contains(old[$0]) && after.contains(old[$0])
        }
        #expect(deletions.count == 147 && insertions.count == 50 && modifications.count > 600)
        #expect(reports.take() == ["-\(deletions) +\(insertions) ~\(modifications)"])
        #expect(observation.followedCount == 1)
        try realm.write { for owner in named { owner.name += "!" } }
        realm.refresh()
        #expect(reports.take() == ["-[] +[] ~\(Array(new.indices))"])
    }
}
