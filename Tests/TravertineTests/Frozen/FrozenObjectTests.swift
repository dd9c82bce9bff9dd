import Foundation
import RealmSwift
import TestSupport
import Testing

@Suite("Frozen objects and collections")
struct FrozenObjectTests {
    /// A realm with ten valleys, and the live one with the number 3.
    private func valleys(_ directory: TemporaryDirectory) throws -> (realm: Realm, valley: Valley) {
        let realm = try directory.open(Valley.classes)
        try realm.write { for id in 0..<10 { _ = addValley(realm, id) } }
        return (realm, try #require(realm.object(ofType: Valley.self, forPrimaryKey: 3)))
    }

    /// What everything of the frozen valley 3 must be, on whatever thread it is read.
    private static func check(_ valley: Valley) {
        #expect(valley.isFrozen && !valley.isInvalidated && valley.realm?.isFrozen == true)
        #expect(valley.id == 3 && valley.name == "valley 3" && valley.depth == 1.5)
        #expect(valley.note == nil)
        #expect(valley.glacier?.name == "g3.0" && valley.glacier?.isFrozen == true)
        #expect(valley.glaciers.map(\.length) == [0, 1, 2] && valley.glaciers.isFrozen)
        #expect(Array(valley.heights) == [3, 4] && valley.heights[1] == 4)
        #expect(valley.words.contains("a3") && valley.words.count == 2 && valley.words.isFrozen)
        #expect(valley.measures["snow"] == 3 && valley.measures.isFrozen)
        #expect(valley.nearest["first"]??.name == "g3.1")
        #expect(valley.hut?.beds == 3 && valley.hut?.parent as? Valley == valley)
        #expect(valley.huts.map(\.beds) == [1, 2])
        #expect(valley.streams.count == 1 && valley.streams[0].flow == 3)
        #expect(valley.streams.isFrozen && valley.glaciers[0].valleys.first == valley)
        let anything = valley.anything.listValue
        #expect(anything?.isFrozen == true && anything?[0] == .int(3) && anything?.count == 3)
        #expect(anything?[2].object(Glacier.self)?.name == "g3.2")
        #expect(valley["name"] as? String == "valley 3")
        #expect(valley.value(forKeyPath: "glacier.name") as? String == "g3.0")
        #expect(valley.description.contains("g3.1"))
        let copy = valley.detached()
        #expect(copy.realm == nil && copy.glaciers.count == 3 && copy.hut?.beds == 3)
        #expect(valley.dynamicList("glaciers").first?["name"] as? String == "g3.0")
    }

    /// Changes everything that `check` looks at.
    private func changeEverything(_ realm: Realm, _ valley: Valley) throws {
        try realm.write {
            valley.name = "other"
            valley.depth = -1
            valley.note = "changed"
            valley.glaciers[1].length = 77
            valley.heights.removeAll()
            valley.words.insert("new")
            valley.measures["snow"] = 0
            valley.nearest["first"] = .some(nil)
            valley.hut?.beds = 0
            valley.huts.append(Hut(value: ["beds": 9]))
            valley.anything = .none
            realm.create(Stream.self, value: ["valley": valley])
            realm.delete(realm.objects(Glacier.self))
        }
    }

    @Test("a frozen object shows the version that it was frozen in, on the thread that froze it")
    func shown() throws {
        let directory = TemporaryDirectory()
        let (realm, valley) = try valleys(directory)
        let frozen = valley.freeze()
        try changeEverything(realm, valley)
        Self.check(frozen)
        try realm.write { realm.delete(valley) }
        Self.check(frozen)
        #expect(frozen.thaw() == nil && valley.isInvalidated)
    }

    @Test("a frozen object shows that version on other threads, with all that it leads to")
    func shownElsewhere() throws {
        let directory = TemporaryDirectory()
        let (realm, valley) = try valleys(directory)
        let frozen = Frozen(valley)
        try changeEverything(realm, valley)
        try onThreads(3) { _ in for _ in 0..<20 { Self.check(frozen.value) } }
        Self.check(frozen.value)
    }

    @Test("what a frozen object led to on one thread is read on others")
    func passedOn() throws {
        let directory = TemporaryDirectory()
        let (realm, valley) = try valleys(directory)
        let frozen = Frozen(valley)
        try changeEverything(realm, valley)
        nonisolated(unsafe) var glaciers: [Frozen<Glacier>] = []
        nonisolated(unsafe) var heights: [Frozen<List<Int>>] = []
        try onThreads(1) { _ in
            glaciers = frozen.value.glaciers.map { Frozen($0) }
            heights = [Frozen(frozen.value.heights)]
        }
        let (known, list) = (glaciers, heights[0])
        try onThreads(2) { _ in
            #expect(known.map(\.value.length) == [0, 1, 2])
            #expect(known[1].value.valleys.first?.name == "valley 3")
            #expect(Array(list.value) == [3, 4])
        }
        #expect(known[0].value == frozen.value.glaciers[0])
        #expect(known[2].value.name == "g3.2" && Array(list.value) == [3, 4])
    }

    @Test("freezing what is frozen, and thawing what is live, gives the same thing")
    func again() throws {
        let directory = TemporaryDirectory()
        let (realm, valley) = try valleys(directory)
        let frozen = valley.freeze()
        #expect(frozen.freeze() === frozen && valley.thaw() === valley)
        #expect(realm.freeze() == realm.freeze() && realm.freeze().freeze() == realm.freeze())
        #expect(realm.freeze() != realm && realm.thaw() == realm && realm.freeze().thaw() == realm)
        #expect(realm.freeze(valley) == frozen && frozen.realm == realm.freeze())
        let list = valley.heights.freeze()
        #expect(list.freeze() === list && valley.heights.thaw() === valley.heights)
        try realm.write { valley.depth = 0 }
        #expect(realm.freeze() != frozen.realm)
    }

    @Test("a thawed object is the live one, and shows what is newer than the frozen one")
    func thawed() throws {
        let directory = TemporaryDirectory()
        let (realm, valley) = try valleys(directory)
        let frozen = Frozen(valley)
        try realm.write { valley.name = "newer" }
        let thawed = try #require(frozen.value.thaw())
        #expect(thawed == valley && !thawed.isFrozen && thawed.name == "newer")
        try realm.write {
            thawed.depth = 8
            #expect(frozen.value.thaw()?.depth == 8)
            #expect(frozen.value.heights.thaw().map { Array($0) } == [3, 4])
        }
        let newer = Frozen(valley)
        try onThreads(1) { _ in
            let here = try #require(frozen.value.thaw()?.realm)
            #expect(here.isFrozen == false)
            let live = try #require(newer.thaw())
            try here.write { live.name += "!" }
        }
        realm.refresh()
        #expect(valley.name == "newer!" && newer.value.name == "newer")
    }

    @Test("a thaw shows at least the version that is thawed")
    func thawRefreshes() throws {
        let directory = TemporaryDirectory()
        let (realm, valley) = try valleys(directory)
        let url = directory.url
        #expect(realm.objects(Valley.self).count == 10)
        nonisolated(unsafe) var made: Frozen<Valley>?
        try onThreads(1) { _ in
            let other = try Realm(
                configuration: .init(
                    fileURL: url, objectTypes: Valley.classes, durability: .unsynced))
            try other.write { _ = addValley(other, 11) }
            made = Frozen(try #require(other.object(ofType: Valley.self, forPrimaryKey: 11)))
        }
        #expect(realm.object(ofType: Valley.self, forPrimaryKey: 11) == nil)
        #expect(made?.thaw()?.name == "valley 11")
        #expect(realm.object(ofType: Valley.self, forPrimaryKey: 11) != nil)
        #expect(valley.name == "valley 3")
    }

    @Test("frozen objects are equal if they are one object in one version")
    func equality() throws {
        let directory = TemporaryDirectory()
        let (realm, valley) = try valleys(directory)
        let glacier = try #require(valley.glacier)
        let (first, second) = (glacier.freeze(), Frozen(glacier))
        #expect(first == second.value && first.hashValue == second.value.hashValue)
        #expect(first !== second.value && first != glacier && !first.isSameObject(as: glacier))
        try realm.write { glacier.length = 5 }
        #expect(glacier.freeze() != first && glacier.freeze() == glacier.freeze())
        #expect(valley.freeze().glaciers.index(of: glacier.freeze()) == 0)
        let frozen = realm.freeze()
        #expect(frozen.objects(Glacier.self).index(of: glacier.freeze()) != nil)
        #expect(frozen.objects(Glacier.self).index(of: glacier) == nil)
        let (held, glaciers) = (Frozen(glacier), Frozen(valley.glaciers))
        try onThreads(2) { _ in
            #expect(glaciers.value.index(of: held.value) == 0)
            #expect(glaciers.value[0] == held.value)
            #expect(Set([glaciers.value[0], held.value]).count == 1)
            #expect(glaciers.value == held.value.valleys[0].glaciers)
        }
    }

    @Test("properties without wrapper are frozen as others are")
    func oldStyle() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open(Valley.classes)
        let old = OldStyle()
        try realm.write {
            realm.add(old)
            old.numbers.append(objectsIn: [1, 2])
            old.count.value = 4
            old.friends.append(old)
        }
        let frozen = Frozen(old)
        try realm.write {
            old.numbers.removeAll()
            old.count.value = nil
            old.friends.removeAll()
        }
        @Sendable func check(_ old: OldStyle) {
            #expect(Array(old.numbers) == [1, 2] && old.numbers.isFrozen)
            #expect(old.count.value == 4 && old.friends.first == old && old.backs.count == 1)
            #expect(old.friends.where { $0.numbers.count == 2 }.count == 1)
        }
        check(frozen.value)
        try onThreads(3) { _ in for _ in 0..<20 { check(frozen.value) } }
        #expect(frozen.thaw()?.numbers.isEmpty == true)
    }

    @Test("rows that are older than a property have its default, also frozen")
    func olderRows() throws {
        let directory = TemporaryDirectory()
        do {
            let realm = try directory.open([NarrowValley.self])
            try realm.write { realm.create(NarrowValley.self, value: ["id": 1, "name": "old"]) }
            let frozen = Frozen(try #require(realm.dynamicObjects("Valley").first))
            try onThreads(2) { _ in
                #expect(frozen.value["name"] as? String == "old" && frozen.value.isFrozen)
                #expect(frozen.value.id as? Int == 1)
            }
        }
        let realm = try directory.open(Valley.classes, version: 1)
        let frozen = Frozen(realm.objects(Valley.self)[0])
        try onThreads(2) { _ in
            #expect(frozen.value.id == 1 && frozen.value.name == "old" && frozen.value.note == nil)
            #expect(frozen.value.glaciers.isEmpty && frozen.value.anything == .none)
        }
    }
}
