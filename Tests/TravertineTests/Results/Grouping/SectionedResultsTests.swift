import Foundation
import RealmSwift
import TestSupport
import Testing

@Suite("Sections")
struct SectionedResultsTests {
    @Test("sections have the elements with one value of a property, in its order")
    func properties() throws {
        let directory = TemporaryDirectory()
        let realm = try LimitTests.realm(directory, 100, seed: 31)
        let all = Array(realm.objects(Cargo.self))
        let byZone = realm.objects(Cargo.self).sectioned(by: \.zone, ascending: false)
        #expect(byZone.allKeys == [3, 2, 1, 0, nil])
        #expect(byZone.count == 5 && byZone.realm == realm && !byZone.isInvalidated)
        for section in byZone {
            #expect(section.map(\.id) == all.filter { $0.zone == section.key }.map(\.id))
            #expect(section.id == section.key && section.count == section.map(\.id).count)
        }
        let sorted = realm.objects(Cargo.self).sectioned(
            by: \.weight,
            sortDescriptors: ["weight", SortDescriptor(keyPath: "id", ascending: false)])
        #expect(sorted.allKeys == Array(Set(all.map(\.weight))).sorted())
        #expect(
            sorted[0].map(\.id) == all.filter { $0.weight == sorted[0].key }.map(\.id).reversed())
        #expect(sorted[IndexPath(indexes: [1, 0])] == sorted[1][0])
        #expect(sorted[1] == sorted[1] && sorted[1] != sorted[0] && sorted == sorted)
        #expect(sorted.description.contains("ResultsSection<Cargo> ("))
    }

    @Test("a block gives the keys, and sections come as their keys first occur")
    func blocks() throws {
        let directory = TemporaryDirectory()
        let realm = try LimitTests.realm(directory, 30, seed: 32)
        let sections = realm.objects(Cargo.self).sectioned(
            by: { $0.id % 3 }, sortDescriptors: [SortDescriptor(keyPath: "id", ascending: false)])
        #expect(sections.allKeys == [2, 1, 0])
        #expect(sections[0].map(\.id) == [29, 26, 23, 20, 17, 14, 11, 8, 5, 2])
        #expect(sections.map(\.count) == [10, 10, 10])
        let filtered = realm.objects(Cargo.self).where { $0.id < 4 }
            .sectioned(by: { $0.id % 3 }, sortDescriptors: ["id"])
        #expect(filtered.map { $0.map(\.id) } == [[0, 3], [1], [2]])
    }

    @Test("values of collections are sectioned in their order")
    func values() throws {
        let directory = TemporaryDirectory()
        let realm = try LimitTests.realm(directory, 3, seed: 33)
        let depot = Harbor()
        try realm.write {
            realm.add(depot)
            depot.codes.append(objectsIn: ["beta", "alpha", "gamma", "avocado", "bean"])
            depot.parcels.append(objectsIn: realm.objects(Cargo.self))
        }
        let byInitial = depot.codes.sectioned(by: { String($0.prefix(1)) })
        #expect(byInitial.allKeys == ["a", "b", "g"])
        #expect(
            byInitial.map { Array($0) } == [["alpha", "avocado"], ["bean", "beta"], ["gamma"]])
        #expect(byInitial[1][1] == "beta")
        #expect(depot.codes.sectioned(by: { $0.count }, ascending: false).allKeys == [5, 4, 7])
        #expect(depot.parcels.sectioned(by: \.id).allKeys == [0, 1, 2])
    }

    @Test("sections are live, and one whose key is gone is empty")
    func live() throws {
        let directory = TemporaryDirectory()
        let realm = try LimitTests.realm(directory, 0, seed: 34)
        let sections = realm.objects(Cargo.self).sectioned(by: \.label)
        #expect(sections.isEmpty && sections.allKeys == [])
        try realm.write {
            for id in 0..<6 {
                realm.create(Cargo.self, value: ["id": id, "label": id < 2 ? "b" : "c"])
            }
            #expect(sections.allKeys == ["b", "c"])
        }
        let first = sections[0]
        #expect(first.key == "b" && first.count == 2)
        try realm.write { realm.create(Cargo.self, value: ["id": 10, "label": "a"]) }
        #expect(sections.allKeys == ["a", "b", "c"] && first.map(\.id) == [0, 1])
        try realm.write {
            var visited = 0
            for parcel in first {
                parcel.label = "z"
                visited += 1
            }
            #expect(visited == 2 && first.isEmpty && sections.allKeys == ["a", "c", "z"])
        }
        #expect(first.isEmpty && first.key == "b" && first.first == nil)
    }

    @Test("the first descriptor must be that of the sections, and there must be one")
    func misuse() async {
        await #expect(processExitsWith: .failure) {
            let directory = TemporaryDirectory()
            let parcels = try LimitTests.realm(directory, 1, seed: 1).objects(Cargo.self)
            _ = parcels.sectioned(by: \.zone, sortDescriptors: ["weight"])
        }
        await #expect(processExitsWith: .failure) {
            let directory = TemporaryDirectory()
            let parcels = try LimitTests.realm(directory, 1, seed: 1).objects(Cargo.self)
            _ = parcels.sectioned(by: { $0.id }, sortDescriptors: [])
        }
    }
}
