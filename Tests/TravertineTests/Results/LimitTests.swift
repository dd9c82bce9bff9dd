import RealmSwift
import TestSupport
import Testing

@testable import Travertine

@Suite("Limits")
struct LimitTests {
    /// A realm with parcels 0 to `count` - 1, their weights at random.
    static func realm(_ directory: TemporaryDirectory, _ count: Int, seed: UInt64) throws -> Realm {
        let realm = try directory.open([
            Cargo.self, HeavyCargo.self, Harbor.self, QuayForm.self,
        ])
        var random = SeededRandom(seed: seed)
        try realm.write {
            for id in 0..<count {
                let parcel = Cargo()
                parcel.id = id
                parcel.weight = random.below(9)
                parcel.height = random.pick([0.5, 2, .nan, -1, 7])
                parcel.zone = random.chance(30) ? nil : random.below(4)
                parcel.label = "parcel \(random.below(30))"
                realm.add(parcel)
            }
        }
        return realm
    }

    @Test("limits and offsets take what slices of arrays take", arguments: [1, 2] as [UInt64])
    func slices(seed: UInt64) throws {
        let directory = TemporaryDirectory()
        let realm = try Self.realm(directory, 120, seed: seed)
        let queries: [(String, Results<Cargo>)] = [
            ("all", realm.objects(Cargo.self)),
            ("filtered", realm.objects(Cargo.self).where { $0.weight > 4 }),
            ("sorted", realm.objects(Cargo.self).sorted(by: \.weight, ascending: false)),
            (
                "filtered and sorted",
                realm.objects(Cargo.self).where { $0.weight < 6 }
                    .sorted(by: ["zone", SortDescriptor(keyPath: "label", ascending: false)])
            ),
            ("distinct", realm.objects(Cargo.self).distinct(by: ["label"])),
            ("distinct by two", realm.objects(Cargo.self).distinct(by: ["zone", "weight"])),
        ]
        for (name, query) in queries {
            let all = query.map(\.id)
            for offset in [0, 1, 7, 119, 200] {
                for limit in [0, 1, 2, 13, 500] {
                    let expected = Array(all.dropFirst(offset).prefix(limit))
                    let found = query.offset(offset).limit(limit)
                    let hint = "\(name), offset \(offset), limit \(limit), seed \(seed)"
                    #expect(found.count == expected.count, "\(hint)")
                    #expect(found.isEmpty == expected.isEmpty, "\(hint)")
                    #expect(found.first?.id == expected.first, "\(hint)")
                    #expect(query.offset(offset).limit(limit).last?.id == expected.last, "\(hint)")
                    #expect(found.map(\.id) == expected, "\(hint)")
                    #expect(found.indices.map { found[$0].id } == expected, "\(hint)")
                    let before = query.limit(limit).offset(offset)
                    #expect(
                        before.map(\.id) == Array(all.prefix(limit).dropFirst(offset)), "\(hint)")
                }
            }
        }
    }

    @Test("what follows a limit is on the elements that it leaves")
    func later() throws {
        let directory = TemporaryDirectory()
        let realm = try Self.realm(directory, 60, seed: 3)
        let first = realm.objects(Cargo.self).limit(10)
        let expected = first.map { $0 }.sorted { ($0.weight, -$0.id) < ($1.weight, -$1.id) }
        let sorted = first.sorted(by: ["weight", SortDescriptor(keyPath: "id", ascending: false)])
        #expect(sorted.map(\.id) == expected.map(\.id))
        #expect(sorted.count == 10 && sorted.last?.id == expected.last?.id)
        #expect(sorted.limit(3).map(\.id) == expected.prefix(3).map(\.id))
        #expect(first.distinct(by: ["weight"]).count == Set(first.map(\.weight)).count)
        let sum: Int = first.sum(of: \.weight)
        #expect(sum == first.reduce(0) { $0 + $1.weight })
        try realm.write { realm.delete(first) }
        #expect(realm.objects(Cargo.self).count == 50 && first.first?.id == 10)
    }

    @Test("limited results are live")
    func live() throws {
        let directory = TemporaryDirectory()
        let realm = try Self.realm(directory, 20, seed: 4)
        let heaviest = realm.objects(Cargo.self).sorted(by: \.weight, ascending: false).limit(2)
        #expect(heaviest.count == 2)
        try realm.write {
            realm.create(Cargo.self, value: ["id": 100, "weight": 99])
            #expect(heaviest.first?.id == 100 && heaviest.count == 2)
        }
        #expect(heaviest.map(\.weight).first == 99)
    }

    @Test("collections are limited, of objects and of values")
    func collections() throws {
        let directory = TemporaryDirectory()
        let realm = try Self.realm(directory, 10, seed: 5)
        let depot = Harbor()
        try realm.write {
            realm.add(depot)
            depot.parcels.append(objectsIn: realm.objects(Cargo.self).reversed())
            depot.codes.append(objectsIn: ["d", "a", "c", "b", "a"])
        }
        #expect(depot.parcels.limit(3).map(\.id) == [9, 8, 7])
        #expect(depot.parcels.offset(8).map(\.id) == [1, 0])
        #expect(depot.parcels.where { $0.id < 5 }.limit(2).map(\.id) == [4, 3])
        #expect(Array(depot.codes.limit(2)) == ["d", "a"])
        #expect(Array(depot.codes.offset(3)) == ["b", "a"])
        #expect(Array(depot.codes.sorted().offset(1).limit(3)) == ["a", "b", "c"])
        #expect(Array(depot.codes.limit(3).sorted(ascending: false)) == ["d", "c", "a"])
        #expect(Array(depot.codes.distinct().limit(3).sorted()) == ["a", "c", "d"])
        #expect(depot.codes.limit(2).last == "a" && depot.codes.limit(0).isEmpty)
        #expect(depot.codes.sorted().limit(2).count == 2 && depot.codes.sorted()[4] == "d")
        let parcel = try #require(realm.objects(Cargo.self).first)
        #expect(parcel.depots.limit(1).count == 1 && parcel.depots.offset(1).isEmpty)
    }

    @Test("derived classes and projections are limited, found from both ends, and grouped")
    func otherElements() throws {
        let directory = TemporaryDirectory()
        let realm = try Self.realm(directory, 10, seed: 6)
        try realm.write {
            for id in 50..<55 { realm.create(HeavyCargo.self, value: ["id": id, "weight": 50]) }
        }
        let all = realm.objects(Cargo.self, includingSubclasses: true)
        #expect(all.count == 15 && all.last?.id == 54 && !all.isEmpty)
        #expect(all.limit(12).map(\.id) == Array(0..<10) + [50, 51])
        #expect(all.where { $0.weight < 50 }.last?.id == 9)
        #expect(all.where { $0.weight >= 50 }.limit(2).map(\.id) == [50, 51])
        #expect(
            all.sorted(by: \.id, ascending: false).limit(6).map(\.id) == [54, 53, 52, 51, 50, 9])
        #expect(all.grouped(by: \.weight).counts.last?.count == 5)
        #expect(all.sectioned(by: \.weight).last?.map(\.id) == [50, 51, 52, 53, 54])
        #expect(all.distinct(by: ["weight"]).filter { $0.weight == 50 }.count == 1)
        let views = realm.objects(CargoView.self)
        let expected = realm.objects(Cargo.self).sorted(byKeyPath: "weight").map(\.weight)
        #expect(
            views.sorted(byKeyPath: "weight").limit(4).map(\.grams) == Array(expected.prefix(4)))
        #expect(views.last?.rootObject.id == 9)
        let sections = views.sectioned(
            by: { $0.grams > 4 }, sortDescriptors: [SortDescriptor(keyPath: "weight")])
        #expect(sections.reduce(0) { $0 + $1.count } == 10)
        #expect(sections.allKeys.first == (expected[0] > 4))
    }

    @Test("values that are stored as embedded objects are sorted, limited, sectioned and listed")
    func embeddedForms() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Cargo.self, Harbor.self, QuayForm.self])
        let harbor = Harbor()
        try realm.write {
            realm.add(harbor)
            for length in [30, 10, 40, 20] { harbor.quays.append(Quay(length: length)) }
            realm.create(Harbor.self, value: ["name": "other"])
        }
        #expect(harbor.quays.sorted(byKeyPath: "length").limit(2).map(\.length) == [10, 20])
        #expect(harbor.quays.limit(2).sorted(byKeyPath: "length").map(\.length) == [10, 30])
        #expect(harbor.quays.where { $0.length > 15 }.offset(1).map(\.length) == [40, 20])
        #expect(harbor.quays.sorted(byKeyPath: "length").last?.length == 40)
        let sections = harbor.quays.sectioned(
            by: { $0.length > 20 }, sortDescriptors: [SortDescriptor(keyPath: "length")])
        #expect(sections.map { $0.map(\.length) } == [[10, 20], [30, 40]])
        #expect(Set(harbor.quays.randomSample(4).map(\.length)) == [10, 20, 30, 40])
        let names = try realm.objects(Harbor.self).sorted(byKeyPath: "name", ascending: false)
            .limit(1).values(as: HarborName.self)
        #expect(names.map(\.name) == ["other"])
    }

    @Test("no more rows are looked at than the answer needs")
    func visits() throws {
        let directory = TemporaryDirectory()
        let realm = try Self.realm(directory, 1000, seed: 7)
        #if DEBUG
            let session = realm.session
            func expectVisits(
                _ countMax: Int, at location: SourceLocation = #_sourceLocation,
                _ isRight: () -> Bool
            ) {
                session.visits.rows = 0
                #expect(isRight(), sourceLocation: location)
                #expect(session.visits.rows <= countMax, sourceLocation: location)
            }
            let all = realm.objects(Cargo.self)
            expectVisits(15) { all.limit(5).map(\.id).count == 5 }
            expectVisits(2) { !all.isEmpty && all.limit(9).count == 9 }
            expectVisits(5) { !all.where { $0.id >= 3 }.isEmpty }
            expectVisits(4) { all.where { $0.id < 998 }.last?.id == 997 }
            expectVisits(4) { all.where { $0.weight >= 0 }.limit(3).count == 3 }
            expectVisits(0) { all.sorted(by: \.weight).count == 1000 }
            expectVisits(257) { realm.objects(Cargo.self)[999].id == 999 }
            expectVisits(257) { realm.objects(Cargo.self)[3].id == 3 }
        #endif
    }

    @Test("positions of a type are right, whatever is asked for and changed in between")
    func positions() throws {
        let directory = TemporaryDirectory()
        let realm = try Self.realm(directory, 1500, seed: 8)
        var random = SeededRandom(seed: 9)
        let all = realm.objects(Cargo.self)
        for _ in 0..<300 {
            let position = random.below(1500)
            #expect(all[position].id == position)
        }
        for position in stride(from: 0, to: 1500, by: 97) {
            #expect(realm.objects(Cargo.self)[position].id == position)
        }
        #expect(all.indices.allSatisfy { all[$0].id == $0 })
        let other = realm.objects(Cargo.self)
        #expect(other[700].id == 700)
        try realm.write {
            other[700].weight = 77
            #expect(other[700].weight == 77 && other[701].id == 701)
            realm.delete(other[10])
            #expect(other[10].id == 11 && other[1000].id == 1001 && other[1498].id == 1499)
            realm.create(Cargo.self, value: ["id": 10])
            #expect(other[10].id == 10 && other[1499].id == 1499)
        }
        #expect(other[1499].id == 1499 && other[256].id == 256 && other[255].id == 255)
        #expect(Array(other).count == 1500)
        #if DEBUG
            realm.session.visits.rows = 0
        #endif
        try realm.write {
            for id in 0..<20 {
                #expect(other[0].id == id)
                realm.delete(other[0])
            }
        }
        #if DEBUG
            // A block each time, not all rows.
            #expect(realm.session.visits.rows < 20 * 2 * 300)
        #endif
        try realm.write { for id in 0..<20 { realm.create(Cargo.self, value: ["id": id]) } }
        let slice = other[510..<515]
        #expect(slice.map(\.id) == [510, 511, 512, 513, 514])
    }

    @Test("what is distinct after a limit depends on the order, for isEmpty too")
    func distinctAfterLimit() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Cargo.self, HeavyCargo.self, Harbor.self, QuayForm.self])
        try realm.write {
            for id in 0..<400 { realm.create(Cargo.self, value: ["id": id, "weight": id % 10]) }
        }
        // The 20 heaviest weigh the same; the first 20 do not.
        let heaviest = realm.objects(Cargo.self).sorted(by: \.weight, ascending: false).limit(20)
        let distinct = { heaviest.distinct(by: ["weight"]) }
        #expect(distinct().count == 1 && distinct().map(\.weight) == [9])
        #expect(distinct().offset(1).isEmpty && distinct().offset(1).count == 0)
        #expect(!distinct().isEmpty && distinct().offset(1).first == nil)
    }

    @Test("negative limits and offsets stop the program, and so does a position beyond a limit")
    func misuse() async {
        await #expect(processExitsWith: .failure) {
            let directory = TemporaryDirectory()
            _ = try LimitTests.realm(directory, 1, seed: 1).objects(Cargo.self).limit(-1)
        }
        await #expect(processExitsWith: .failure) {
            let directory = TemporaryDirectory()
            _ = try LimitTests.realm(directory, 1, seed: 1).objects(Cargo.self).offset(-1)
        }
        await #expect(processExitsWith: .failure) {
            let directory = TemporaryDirectory()
            _ = try LimitTests.realm(directory, 9, seed: 1).objects(Cargo.self).limit(3)[3]
        }
        await #expect(processExitsWith: .failure) {
            let directory = TemporaryDirectory()
            _ = try LimitTests.realm(directory, 9, seed: 1).objects(Cargo.self)[9]
        }
    }

    @Test("a sample has different elements, as many as there are, and is repeatable")
    func samples() throws {
        let directory = TemporaryDirectory()
        let realm = try Self.realm(directory, 200, seed: 10)
        let all = realm.objects(Cargo.self)
        var counts = [Int](repeating: 0, count: 200)
        var random = SeededRandom(seed: 11)
        for _ in 0..<400 {
            let sample = all.randomSample(10, using: &random).map(\.id)
            #expect(Set(sample).count == 10)
            for id in sample { counts[id] += 1 }
        }
        // Each is expected 20 times.
        #expect(counts.allSatisfy { (3...50).contains($0) }, "\(counts)")
        var (first, second) = (SeededRandom(seed: 12), SeededRandom(seed: 12))
        #expect(all.randomSample(5, using: &first) == all.randomSample(5, using: &second))
        #expect(all.where { $0.id < 3 }.randomSample(10).count == 3)
        #expect(all.limit(2).randomSample(10).count == 2 && all.randomSample(0).isEmpty)
        #expect(Set(all.randomSample(300).map(\.id)).count == 200)
    }
}

class Cargo: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var weight: Int
    @Persisted var height: Double
    @Persisted var zone: Int?
    @Persisted var label: String
    @Persisted var tiny: Int8
    @Persisted var extra: AnyRealmValue
    @Persisted(originProperty: "parcels") var depots: LinkingObjects<Harbor>
}

class HeavyCargo: Cargo {
    @Persisted var pallet: Int
}

class Harbor: Object {
    @Persisted var name: String
    @Persisted var main: Cargo?
    @Persisted var parcels: List<Cargo>
    @Persisted var codes: List<String>
    @Persisted var quays: List<Quay>
}

class QuayForm: EmbeddedObject {
    @Persisted var length: Int
}

struct Quay: CustomPersistable, Hashable {
    var length: Int

    init(length: Int) { self.length = length }

    init(persistedValue: QuayForm) { length = persistedValue.length }

    var persistableValue: QuayForm { QuayForm(value: ["length": length]) }
}

struct HarborName: PersistedStruct {
    var name: String

    static func objectTypeName() -> String { "Harbor" }
}

class CargoView: Projection<Cargo> {
    @Projected(\Cargo.weight) var grams
}
