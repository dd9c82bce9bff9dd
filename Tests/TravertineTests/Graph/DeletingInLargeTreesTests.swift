import RealmSwift
import TestSupport
import Testing

@testable import Travertine

/// Deleting asks for the leaves of what goes with an object once trees are large; what is deleted
/// is the same.
@Suite("Deleting in large trees")
struct DeletingInLargeTreesTests {
    private static let count = 21_000
    private let directory = TemporaryDirectory()

    /// What is left after deletions, in memory.
    private struct Model {
        var links: [Int: Int] = [:]
        var names: [Int: Int] = [:]

        mutating func delete(_ id: Int) {
            links[id] = nil
            names[id] = nil
            for (source, target) in links where target == id { links[source] = nil }
        }
    }

    @Test(
        "takes out what a model takes out, whatever the links", arguments: [11, 12] as [UInt64])
    func random(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let realm = try directory.open([Barge.self])
        var model = Model()
        try realm.write {
            for id in 0..<Self.count {
                let barge = Barge()
                barge.id = id
                barge.number = random.below(5000)
                // Some link to themselves, and many to the same few.
                let target = random.chance(5) ? id : random.below(random.chance(20) ? 50 : id + 1)
                if target < id {
                    barge.tow = realm.object(ofType: Barge.self, forPrimaryKey: target)
                }
                realm.add(barge)
                if target == id { barge.tow = barge }
                model.names[id] = barge.number
                model.links[id] = barge.tow?.id
            }
        }
        var before = model
        for round in 0..<4 {
            let isUndone = round == 1
            do {
                try realm.write {
                    for _ in 0..<40 {
                        let id = random.chance(30) ? random.below(50) : random.below(Self.count)
                        guard let barge = realm.object(ofType: Barge.self, forPrimaryKey: id) else {
                            #expect(model.names[id] == nil, "seed \(seed)")
                            continue
                        }
                        // Known to the handle or not.
                        if random.chance(50) { #expect(barge.number == model.names[id]) }
                        realm.delete(barge)
                        model.delete(id)
                    }
                    if isUndone { throw Stop() }
                }
            } catch is Stop {
                model = before
            }
            before = model
        }
        var (names, links): ([Int: Int], [Int: Int]) = ([:], [:])
        for barge in realm.objects(Barge.self) {
            names[barge.id] = barge.number
            links[barge.id] = barge.tow?.id
        }
        #expect(names == model.names && links == model.links, "seed \(seed)")
        #expect(try realm.brokenInvariants() == [], "seed \(seed)")
    }
}

final class Barge: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var number: Int
    @Persisted var tow: Barge?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
