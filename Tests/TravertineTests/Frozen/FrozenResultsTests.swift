import Foundation
import RealmSwift
import TestSupport
import Testing

@Suite("Frozen results")
struct FrozenResultsTests {
    private func valleys(_ directory: TemporaryDirectory) throws -> Realm {
        let realm = try directory.open(Valley.classes)
        try realm.write { for id in 0..<300 { _ = addValley(realm, id) } }
        return realm
    }

    private func changeEverything(_ realm: Realm) throws {
        try realm.write {
            realm.delete(realm.objects(Valley.self).where { $0.id > 100 })
            for valley in realm.objects(Valley.self) { valley.depth = -1 }
            _ = addValley(realm, 1000)
        }
    }

    @Test("results, made before or after, show the frozen version on every thread")
    func results() throws {
        let directory = TemporaryDirectory()
        let realm = try valleys(directory)
        let live = realm.objects(Valley.self)
        let deep = live.where { $0.depth >= 100 }.sorted(by: \.name, ascending: false)
        let indexed = live.where { $0.name == "valley 7" }
        let limited = live.limit(5)
        let named: Results<Valley> = live.filter(
            "ANY words == 'a8' AND glacier.name BEGINSWITH 'g8'")
        let frozen = Frozen(live)
        let (frozenDeep, frozenIndexed) = (Frozen(deep), Frozen(indexed))
        let (frozenLimited, frozenNamed) = (Frozen(limited), Frozen(named))
        try changeEverything(realm)
        @Sendable func check() {
            #expect(frozen.value.count == 300 && frozen.value.isFrozen && !frozen.value.isEmpty)
            #expect(frozen.value[299].id == 299 && frozen.value.last?.id == 299)
            #expect(frozen.value.map(\.id) == Array(0..<300))
            #expect(frozenDeep.value.count == 100 && frozenDeep.value.first?.name == "valley 299")
            #expect(Array(frozenDeep.value.prefix(2)).map(\.id) == [299, 298])
            #expect(
                frozenIndexed.value.map(\.id) == [7] && frozenLimited.value.map(\.id).count == 5)
            #expect(frozenNamed.value.map(\Valley.id) == [8])
            // Made of the frozen ones.
            let narrowed = frozenDeep.value.where { $0.id < 210 }
            #expect(narrowed.count == 10 && narrowed.isFrozen && narrowed[0].isFrozen)
            #expect(frozen.value.sum(of: \.id) == 299 * 150)
            #expect(frozen.value.max(of: \.depth) == 149.5)
            #expect(frozen.value.distinct(by: ["depth"]).count == 300)
            #expect(frozen.value.index(of: frozenIndexed.value[0]) == 7)
            #expect(frozen.value.grouped(by: \Valley.hut?.beds).counts.count == 300)
            #expect(frozen.value[5].glaciers.where { $0.length > 0 }.count == 2)
            #expect(frozen.value[5].heights.sorted(ascending: false).map(\.self) == [6, 5])
            #expect(frozen.value[5].streams.where { $0.flow == 5 }.count == 1)
        }
        check()
        try onThreads(3) { _ in for _ in 0..<3 { check() } }
        check()
        #expect(live.count == 102 && deep.map(\.id) == [1000])
        #expect(frozenDeep.thaw()?.map(\.id) == [1000])
        #expect(frozen.thaw()?.count == 102)
    }

    @Test("a frozen realm is read on every thread")
    func frozenRealm() throws {
        let directory = TemporaryDirectory()
        let realm = try valleys(directory)
        nonisolated(unsafe) let frozen = realm.freeze()
        try changeEverything(realm)
        #expect(frozen.refresh() == false)
        try onThreads(3) { _ in
            #expect(frozen.objects(Valley.self).count == 300 && !frozen.isEmpty && frozen.isFrozen)
            #expect(frozen.object(ofType: Valley.self, forPrimaryKey: 200)?.name == "valley 200")
            #expect(frozen.object(ofType: Valley.self, forPrimaryKey: 1000) == nil)
            #expect(frozen.dynamicObjects("Glacier").count == 900)
            #expect(frozen.dynamicObject(ofType: "Valley", forPrimaryKey: 2)?.depth as? Double == 1)
            #expect(frozen.schema["Valley"] != nil && frozen.hasType("Hut"))
            #expect(!frozen.isInWriteTransaction && frozen.objects(OldStyle.self).isEmpty)
            #expect(frozen.objects(ValleyView.self)[4].glacierName == "g4.0")
        }
        #expect(throws: Realm.Error.self) {
            try frozen.writeCopy(toFile: URL(filePath: directory.path("copy")))
        }
    }

    @Test("sections are frozen, each and all of them")
    func sections() throws {
        let directory = TemporaryDirectory()
        let realm = try valleys(directory)
        let sections = realm.objects(Valley.self).sectioned(
            by: { String($0.name.suffix(1)) }, sortDescriptors: [SortDescriptor(keyPath: "id")])
        let byGlacier = realm.objects(Stream.self).sectioned(by: \.flow, ascending: true)
        let (frozen, section) = (Frozen(sections), Frozen(sections[3]))
        let frozenFlows = Frozen(byGlacier)
        try changeEverything(realm)
        @Sendable func check() {
            #expect(frozen.value.count == 10 && frozen.value.allKeys.first == "0")
            #expect(section.value.key == "3" && section.value.count == 30)
            #expect(section.value.map(\.id).first == 3 && section.value.isFrozen)
            #expect(section.value[2].isFrozen && frozen.value[3][2].id == 23)
            #expect(frozenFlows.value.count == 300 && frozenFlows.value[7].key == 7)
            #expect(frozen.value.map { $0.count } == [Int](repeating: 30, count: 10))
        }
        check()
        try onThreads(3) { _ in for _ in 0..<3 { check() } }
        #expect(section.thaw()?.count == 10 && frozen.value == frozen.value)
    }

    @Test("projections and projected collections are frozen")
    func projections() throws {
        let directory = TemporaryDirectory()
        let realm = try valleys(directory)
        let view = try #require(realm.objects(ValleyView.self).first { $0.name == "valley 150" })
        let (frozen, lengths) = (Frozen(view), Frozen(view.lengths))
        let any = Frozen(AnyRealmCollection(realm.objects(Valley.self)))
        try changeEverything(realm)
        try onThreads(2) { _ in
            #expect(frozen.value.name == "valley 150" && frozen.value.isFrozen)
            #expect(
                frozen.value.glacierName == "g150.0" && Array(frozen.value.lengths) == [0, 1, 2])
            #expect(Array(lengths.value) == [0, 1, 2] && lengths.value.isFrozen)
            #expect(any.value.count == 300 && any.value.isFrozen && any.value[9].id == 9)
        }
        #expect(frozen.thaw() == nil && lengths.thaw() == nil && any.thaw()?.count == 102)
    }

    @Test("a condition on an object is on the frozen one, and on the live one when thawed")
    func objectsInConditions() throws {
        let directory = TemporaryDirectory()
        let realm = try valleys(directory)
        let glacier = try #require(
            realm.object(ofType: Valley.self, forPrimaryKey: 20)?.glaciers[1])
        let holders = realm.objects(Valley.self).where { $0.glaciers.contains(glacier) }
        let streams = realm.objects(Stream.self).where { $0.valley.glacier != glacier }
        let (frozen, frozenStreams) = (Frozen(holders), Frozen(streams))
        try realm.write {
            realm.object(ofType: Valley.self, forPrimaryKey: 30)?.glaciers.append(glacier)
        }
        try onThreads(2) { _ in
            #expect(frozen.value.map(\.id) == [20] && frozenStreams.value.count == 300)
        }
        #expect(frozen.value.map(\.id) == [20] && frozen.thaw()?.map(\.id) == [20, 30])
        try realm.write { realm.delete(glacier) }
        #expect(frozen.value.map(\.id) == [20] && frozen.thaw()?.isEmpty == true)
    }

    @Test("a loop over frozen results may go on on another thread")
    func movingLoops() throws {
        let directory = TemporaryDirectory()
        let realm = try valleys(directory)
        for sorted in [false, true] {
            let results =
                sorted ? realm.objects(Valley.self).sorted(by: \.depth) : realm.objects(Valley.self)
            nonisolated(unsafe) var iterator = results.freeze().makeIterator()
            nonisolated(unsafe) var found: [Frozen<Valley>] = []
            for _ in 0..<5 {
                try onThreads(1) { _ in
                    for _ in 0..<50 { if let next = iterator.next() { found.append(Frozen(next)) } }
                }
                if let next = iterator.next() { found.append(Frozen(next)) }
            }
            #expect(found.map(\.value.id) == Array(0..<255))
            #expect(found.allSatisfy { $0.value.glacier?.length == 0 })
        }
    }

    @Test("derived classes are among frozen results, and classes used later are not there")
    func otherClasses() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Peak.self, HighPeak.self, Camp.self])
        try realm.write {
            realm.add(Peak(value: ["height": 1]))
            realm.add(HighPeak(value: ["height": 9]))
            realm.create(Camp.self, value: ["peak": realm.objects(HighPeak.self)[0]])
        }
        let peaks = Frozen(realm.objects(Peak.self, includingSubclasses: true))
        let camp = Frozen(realm.objects(Camp.self)[0])
        try realm.write { realm.deleteAll() }
        try onThreads(2) { _ in
            #expect(peaks.value.map(\.height) == [1, 9] && peaks.value[1] is HighPeak)
            #expect(peaks.value.where { $0.height > 5 }.count == 1)
            #expect(camp.value.peak is HighPeak && camp.value.peak?.height == 9)
        }
    }

    @Test("realms in memory and read-only ones can be frozen")
    func kinds() throws {
        let memory = try Realm(
            configuration: .init(
                inMemoryIdentifier: "frozen-kinds", objectTypes: Valley.classes))
        try memory.write { _ = addValley(memory, 1) }
        let frozen = Frozen(memory.objects(Valley.self)[0])
        try memory.write { memory.deleteAll() }
        try onThreads(2) { _ in #expect(frozen.value.glaciers.count == 3) }

        let directory = TemporaryDirectory()
        do { try directory.open(Valley.classes).write {} }
        do {
            let realm = try directory.open(Valley.classes)
            try realm.write { _ = addValley(realm, 5) }
            try realm.store.sync()
        }
        let reader = try Realm(
            configuration: .init(
                fileURL: directory.url, readOnly: true, objectTypes: Valley.classes))
        let read = Frozen(reader.objects(Valley.self))
        try onThreads(2) { _ in
            #expect(read.value.map(\.name) == ["valley 5"] && read.value[0].thaw()?.id == 5)
        }
    }

    @Test("an object of a loop that anybody keeps, on any thread, stays the object that it is")
    func keptInLoops() throws {
        let directory = TemporaryDirectory()
        let frozen = Frozen(try valleys(directory).objects(Valley.self))
        @Sendable func check() {
            var kept: [Valley] = []
            weak var before: Valley?
            for (id, valley) in frozen.value.enumerated() {
                #expect(valley.id == id && valley.heights[0] == id && valley.heights.count == 2)
                // One that a weak reference leads to does not become the next.
                #expect(before == nil || before?.id == id - 1)
                before = id % 3 == 1 ? valley : nil
                if id % 3 == 2 { kept.append(valley) }
            }
            #expect(kept.map(\.id) == (0..<300).filter { $0 % 3 == 2 })
            #expect(kept.map { $0.heights[1] } == kept.map { $0.id + 1 })
        }
        check()
        try onThreads(2) { _ in check() }
        // The same handle is read by another thread, while the loop goes on.
        var others: [Frozen<Valley>] = []
        for valley in frozen.value where valley.id % 2 == 0 { others.append(Frozen(valley)) }
        let passed = others
        try onThreads(2) { _ in
            #expect(passed.map(\.value.id) == (0..<300).filter { $0 % 2 == 0 })
        }
    }
}

class Peak: Object { @Persisted var height: Int }
class HighPeak: Peak { @Persisted var rope = 0 }
class Camp: Object { @Persisted var peak: Peak? }
