import RealmSwift
import TestSupport
import Testing

@Suite("Groups")
struct GroupedResultsTests {
    @Test("groups have what plain Swift makes of their elements")
    func plainSwift() throws {
        let directory = TemporaryDirectory()
        let realm = try LimitTests.realm(directory, 300, seed: 41)
        for results in [
            realm.objects(Cargo.self), realm.objects(Cargo.self).where { $0.weight > 3 },
            realm.objects(Cargo.self).sorted(by: \.weight).limit(50),
        ] {
            let all = Array(results)
            let byZone = Dictionary(grouping: all, by: \.zone)
            let groups = results.grouped(by: \.zone).aggregates(of: \.weight, \.id)
            #expect(groups.map(\.key) == byZone.keys.sorted { ($0 ?? -1) < ($1 ?? -1) })
            for group in groups {
                let members = try #require(byZone[group.key])
                let weights = members.map(\.weight)
                #expect(group.count == members.count)
                #expect(group.sum(of: \.weight) == weights.reduce(0, +))
                #expect(group.min(of: \.weight) == weights.min())
                #expect(group.max(of: \.id) == members.map(\.id).max())
                let mean = Double(weights.reduce(0, +)) / Double(weights.count)
                #expect(group.average(of: \.weight) == mean)
            }
            // A loop over the groups themselves has their keys and counts.
            var looped: [(Int?, Int)] = []
            for group in results.grouped(by: \.zone) { looped.append((group.key, group.count)) }
            #expect(looped.map(\.0) == groups.map(\.key))
            #expect(looped.map(\.1) == groups.map(\.count))
            let largest = results.grouped(by: \.zone).max { $0.count < $1.count }
            #expect(largest?.count == byZone.values.map(\.count).max())
            let byLabel = Dictionary(grouping: all, by: \.label)
            let counts = results.grouped(by: \.label).counts
            #expect(counts.map(\.key) == byLabel.keys.sorted())
            #expect(counts.allSatisfy { byLabel[$0.key]?.count == $0.count })
            let sums = results.grouped(by: \.label).sums(of: \.weight)
            #expect(sums.reduce(0) { $0 + $1.sum } == all.reduce(0) { $0 + $1.weight })
            let heights = Dictionary(grouping: all, by: { $0.height.isNaN ? -9 : $0.height })
            #expect(
                results.grouped(by: \.height).counts.map(\.count)
                    == heights.keys.sorted().map { heights[$0]?.count })
        }
    }

    @Test("keys are followed through links, and elements of collections are grouped")
    func links() throws {
        let directory = TemporaryDirectory()
        let realm = try LimitTests.realm(directory, 3, seed: 42)
        let parcels = realm.objects(Cargo.self)
        try realm.write {
            for (position, name) in ["a", "b", "c", "d"].enumerated() {
                let depot = realm.create(Harbor.self, value: ["name": name])
                if position < 3 { depot.main = parcels[position % 2] }
                depot.parcels.append(objectsIn: parcels)
            }
        }
        let byMain = realm.objects(Harbor.self).grouped(by: \.main?.id)
        #expect(byMain.keys == [nil, 0, 1])
        #expect(byMain.counts.map(\.count) == [1, 2, 1])
        let byObject = realm.objects(Harbor.self).grouped(by: \.main)
        #expect(byObject.keys.map { $0?.id } == [nil, 0, 1])
        let depot = try #require(realm.objects(Harbor.self).first)
        #expect(depot.parcels.grouped(by: \.id).averages(of: \.id).map(\.average) == [0, 1, 2])
        #expect(parcels.where { $0.id > 5 }.grouped(by: \.id).counts.isEmpty)
    }

    @Test("a sum beyond its type stops the program, and not a sum that comes back")
    func overflow() async throws {
        let directory = TemporaryDirectory()
        let realm = try LimitTests.realm(directory, 0, seed: 43)
        try realm.write {
            for (id, weight) in [Int.max, Int.max, -Int.max, 5].enumerated() {
                realm.create(Cargo.self, value: ["id": id, "weight": weight, "tiny": 100])
            }
        }
        let all = realm.objects(Cargo.self)
        let wide: Int = all.sum(ofProperty: "tiny")
        #expect(wide == 400)
        let real: Double = all.limit(2).sum(ofProperty: "weight")
        #expect(real == 2 * Double(Int.max))
        #expect(all.where { $0.id > 0 }.sum(of: \.weight) == 5)
        #expect(all.where { $0.id == 0 }.sum(of: \.tiny) == 100)
        await #expect(processExitsWith: .failure) {
            let directory = TemporaryDirectory()
            let realm = try LimitTests.realm(directory, 0, seed: 1)
            try realm.write {
                for id in 0..<2 { realm.create(Cargo.self, value: ["id": id, "tiny": 100]) }
            }
            _ = realm.objects(Cargo.self).sum(of: \.tiny)
        }
        await #expect(processExitsWith: .failure) {
            let directory = TemporaryDirectory()
            let realm = try LimitTests.realm(directory, 0, seed: 1)
            try realm.write {
                for id in 0..<2 { realm.create(Cargo.self, value: ["id": id, "weight": Int.max]) }
            }
            _ = realm.objects(Cargo.self).sum(of: \.weight)
        }
    }

    @Test("a group has nothing of a property that was not asked for")
    func misuse() async {
        await #expect(processExitsWith: .failure) {
            let directory = TemporaryDirectory()
            let parcels = try LimitTests.realm(directory, 1, seed: 1).objects(Cargo.self)
            _ = parcels.grouped(by: \.zone).aggregates(of: \.weight)[0].sum(of: \.id)
        }
    }
}
