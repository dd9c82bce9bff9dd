import RealmSwift
import TestSupport
import Testing

@testable import Travertine

@Suite("Sorting")
struct SortingTests {
    private func fill(_ realm: Realm, _ labels: [String]) throws {
        try realm.write {
            for (id, label) in labels.enumerated() {
                realm.create(Cargo.self, value: ["id": id, "label": label])
            }
        }
    }

    private func labels(_ realm: Realm, _ options: Travertine.SortDescriptor.Options) -> [String] {
        realm.objects(Cargo.self)
            .sorted(by: [SortDescriptor(keyPath: \Cargo.label, options: options)]).map(\.label)
    }

    @Test("options make letters alike, and numbers in texts compare by value")
    func options() throws {
        let directory = TemporaryDirectory()
        let realm = try LimitTests.realm(directory, 0, seed: 1)
        try fill(
            realm,
            [
                "file10", "File9", "file9", "Éclair", "eclair", "zebra", "Zebra", "file009b",
                "file", "file 1", "file100000000000000000000", "file2a10", "file2a9", "9", "10",
                "Ünder", "under",
            ])
        #expect(
            labels(realm, [.numeric]) == [
                "9", "10", "File9", "Zebra", "eclair", "file", "file 1", "file2a9", "file2a10",
                "file9", "file009b", "file10", "file100000000000000000000", "under", "zebra",
                "Éclair", "Ünder",
            ])
        #expect(
            labels(realm, [.caseInsensitive, .diacriticInsensitive, .numeric]) == [
                "9", "10", "Éclair", "eclair", "file", "file 1", "file2a9", "file2a10", "File9",
                "file9", "file009b", "file10", "file100000000000000000000", "Ünder", "under",
                "zebra", "Zebra",
            ])
        #expect(
            labels(realm, [.caseInsensitive]).filter { $0.lowercased() == "zebra" }
                == ["zebra", "Zebra"])
        let reversed = realm.objects(Cargo.self).sorted(by: [
            SortDescriptor(keyPath: "label", options: [.caseInsensitive]).reversed(), "id",
        ])
        let expected = realm.objects(Cargo.self).map(\.label)
            .sorted { Array($0.lowercased().utf8).lexicographicallyPrecedes($1.lowercased().utf8) }
        #expect(
            reversed.map { $0.label.lowercased() } == expected.reversed().map { $0.lowercased() })
    }

    @Test(
        "sorting, its first ones and its last one agree with plain Swift",
        arguments: [1, 2, 3] as [UInt64])
    func plainSwift(seed: UInt64) throws {
        let directory = TemporaryDirectory()
        let realm = try LimitTests.realm(directory, 700, seed: seed)
        let all = Array(realm.objects(Cargo.self))
        let keys: [(String, (Cargo, Cargo) -> Int)] = [
            ("weight", { $0.weight - $1.weight }),
            ("zone", { ($0.zone ?? -1) - ($1.zone ?? -1) }),
            (
                "height",
                {
                    let (left, right) = ($0.height, $1.height)
                    if left.isNaN || right.isNaN {
                        return (left.isNaN ? 0 : 1) - (right.isNaN ? 0 : 1)
                    }
                    return left == right ? 0 : left < right ? -1 : 1
                }
            ),
            ("label", { $0.label == $1.label ? 0 : $0.label < $1.label ? -1 : 1 }),
            ("id", { $0.id - $1.id }),
        ]
        var random = SeededRandom(seed: seed + 100)
        for _ in 0..<30 {
            let chosen = (0...random.below(3)).map { _ in (random.pick(keys), random.chance(50)) }
            let descriptors = chosen.map {
                SortDescriptor(keyPath: $0.0.0, ascending: $0.1)
            }
            let expected = all.sorted { left, right in
                for ((_, compare), ascending) in chosen {
                    let order = compare(left, right)
                    if order != 0 { return (order < 0) == ascending }
                }
                return left.id < right.id
            }.map(\.id)
            let hint = "\(descriptors), seed \(seed)"
            let sorted = realm.objects(Cargo.self).sorted(by: descriptors)
            #expect(sorted.last?.id == expected.last, "\(hint)")
            #expect(sorted.first?.id == expected.first, "\(hint)")
            #expect(sorted.limit(20).map(\.id) == Array(expected.prefix(20)), "\(hint)")
            #expect(sorted.map(\.id) == expected, "\(hint)")
        }
    }

    @Test("key paths lead through links, and into values of any type by quoted keys")
    func keyPaths() throws {
        let directory = TemporaryDirectory()
        let realm = try LimitTests.realm(directory, 4, seed: 2)
        let parcels = realm.objects(Cargo.self)
        try realm.write {
            for (parcel, number) in zip(parcels, [3, 1, 2]) {
                parcel.extra = .dictionary(["a.b": .int(number), "list": .list([.int(-number)])])
            }
            for (name, parcel) in zip(["x", "y", "z"], [2, 0, 1]) {
                realm.create(Harbor.self, value: ["name": name, "main": parcels[parcel]])
            }
            realm.create(Harbor.self, value: ["name": "none"])
        }
        #expect(parcels.sorted(byKeyPath: "extra[\"a.b\"]").map(\.id) == [3, 1, 2, 0])
        #expect(parcels.sorted(byKeyPath: "extra['list'][0]").map(\.id) == [3, 0, 2, 1])
        let depots = realm.objects(Harbor.self)
        #expect(depots.sorted(byKeyPath: "main.id").map(\.name) == ["none", "y", "z", "x"])
        #expect(
            depots.sorted(byKeyPath: "main.extra[\"a.b\"]").map(\.name) == ["none", "z", "x", "y"])
    }

    @Test("the text of a key path is split at dots that are in no key")
    func keyPathTexts() {
        func steps(_ text: String) -> [PropertyPath.Step] { KeyPathSteps.path(of: text).steps }
        #expect(steps("name") == [.property("name")])
        #expect(steps("friend.name") == [.property("friend"), .property("name")])
        #expect(
            steps("a['b.c'][2].d")
                == [.property("a"), .key("b.c"), .position(2), .property("d")])
        #expect(steps("a[\"it's ]\"]") == [.property("a"), .key("it's ]")])
        #expect(steps("a[*]") == [.property("a"), .each])
    }

    @Test("what is no key path, and options on what is no string, stop the program")
    func misuse() async {
        await #expect(processExitsWith: .failure) { _ = KeyPathSteps.path(of: "a..b") }
        await #expect(processExitsWith: .failure) { _ = KeyPathSteps.path(of: "a[b]") }
        await #expect(processExitsWith: .failure) { _ = KeyPathSteps.path(of: "a['b]") }
        await #expect(processExitsWith: .failure) { _ = KeyPathSteps.path(of: "") }
        await #expect(processExitsWith: .failure) {
            let directory = TemporaryDirectory()
            let parcels = try LimitTests.realm(directory, 2, seed: 1).objects(Cargo.self)
            _ = parcels.sorted(by: [SortDescriptor(keyPath: "weight", options: .numeric)]).first
        }
    }

    @Test("prefixes are sorted as plain Swift sorts them, equal ones in their order")
    func prefixes() {
        var random = SeededRandom(seed: 21)
        for count in [0, 1, 2, 47, 48, 49, 50, 300, 5000] {
            for mask in [UInt64.max, 3, 0xFF00, 0xFF << 56, 0] {
                let items = (0..<count).map {
                    PrefixSort.Item(prefix: random.next() & mask, position: $0)
                }
                let expected = items.sorted { ($0.prefix, $0.position) < ($1.prefix, $1.position) }
                var (sorted, scratch) = (items, items)
                sorted.withUnsafeMutableBufferPointer { items in
                    scratch.withUnsafeMutableBufferPointer { PrefixSort.sort(items, $0) }
                }
                #expect(
                    sorted.map(\.position) == expected.map(\.position), "\(count), \(mask)")
            }
        }
    }

    @Test("a descriptor describes itself")
    func descriptions() {
        let descriptor = SortDescriptor(
            keyPath: "name", ascending: false, options: [.caseInsensitive, .numeric])
        #expect(descriptor.description.contains("options: caseInsensitive, numeric;"))
        #expect(!("name" as Travertine.SortDescriptor).description.contains("options"))
        #expect(descriptor != "name" && descriptor.reversed().reversed() == descriptor)
    }
}
