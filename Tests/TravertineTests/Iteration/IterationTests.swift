import Foundation
import RealmSwift
import TestSupport
import Testing
import TravertineStore

/// Going over results: which objects a loop meets, and that a handle which serves for several
/// objects is never seen to do so.
@Suite("Iteration")
struct IterationTests {
    let directory = TemporaryDirectory()

    func open() throws -> Realm {
        try directory.open([Walker.self, NoteKeeper.self, Tagged.self])
    }

    /// Walkers 0..<count; each links to the one before it, except every tenth.
    func fill(_ realm: Realm, _ count: Int) throws {
        try realm.write {
            var before: Walker?
            for id in 0..<count {
                let walker = Walker()
                walker.id = id
                walker.name = "walker \(id)"
                if id % 10 != 0 { walker.next = before }
                realm.add(walker)
                before = walker
            }
        }
    }

    @Test("a loop that keeps no object makes one handle for all")
    func oneHandle() throws {
        let realm = try directory.open([Counted.self])
        try realm.write { for id in 0..<500 { realm.add(Counted(value: ["id": id])) } }
        Counted.madeCount = 0
        var sum = 0
        for counted in realm.objects(Counted.self) { sum += counted.id }
        #expect(sum == 500 * 499 / 2)
        #expect(Counted.madeCount == 1)
        try realm.write {
            for counted in realm.objects(Counted.self) { counted.id2 = counted.id + 1 }
        }
        #expect(Counted.madeCount == 2)
        #expect(realm.objects(Counted.self).sum(of: \.id2) == 500 * 501 / 2)
    }

    @Test(
        "objects that a loop keeps stay the objects that they were", arguments: [1, 2, 3, 7, 100])
    func keptObjects(every: Int) throws {
        let realm = try open()
        try fill(realm, 300)
        var kept: [Int: Walker] = [:]
        for walker in realm.objects(Walker.self) where walker.id % every == 0 {
            kept[walker.id] = walker
        }
        #expect(kept.count == (300 + every - 1) / every)
        for (id, walker) in kept {
            #expect(walker.id == id)
            #expect(walker.name == "walker \(id)")
        }
        #expect(Set(kept.values.map { ObjectIdentifier($0) }).count == kept.count)
        let all = Array(realm.objects(Walker.self))
        #expect(all.map(\.id) == Array(0..<300))
        #expect(realm.objects(Walker.self).map { $0 }.map(\.id) == Array(0..<300))
    }

    @Test("a weak reference to an object of a loop never shows another object")
    func weakReferences() throws {
        let realm = try open()
        try fill(realm, 200)
        weak var seen: Walker?
        var seenId = -1
        for walker in realm.objects(Walker.self) {
            if let seen { #expect(seen.id == seenId) }
            if walker.id % 3 == 0 {
                seen = walker
                seenId = walker.id
            }
        }
        if let seen { #expect(seen.id == seenId) }
    }

    @Test("what an object of a loop keeps itself is its own")
    func ownState() throws {
        let realm = try open()
        try realm.write {
            for id in 0..<100 { realm.add(NoteKeeper(value: ["id": id])) }
        }
        for keeper in realm.objects(NoteKeeper.self) {
            #expect(keeper.note == nil)
            keeper.note = "seen \(keeper.id)"
        }
    }

    @Test("a list that was taken from an object of a loop stays that object's list")
    func lists() throws {
        let realm = try open()
        try realm.write {
            for id in 0..<100 {
                let tagged = Tagged()
                tagged.id = id
                tagged.tags.append(objectsIn: ["a\(id)", "b\(id)"])
                realm.add(tagged)
            }
        }
        var lists: [Int: List<String>] = [:]
        for tagged in realm.objects(Tagged.self) {
            #expect(Array(tagged.tags) == ["a\(tagged.id)", "b\(tagged.id)"])
            if tagged.id % 2 == 0 { lists[tagged.id] = tagged.tags }
        }
        for (id, list) in lists { #expect(Array(list) == ["a\(id)", "b\(id)"]) }
    }

    @Test("links that a loop follows, and objects that a write looks up, share handles")
    func sharedHandles() throws {
        let realm = try directory.open([CountedWalker.self])
        try realm.write {
            for id in 0..<300 {
                let walker = CountedWalker()
                walker.id = id
                walker.next = realm.object(ofType: CountedWalker.self, forPrimaryKey: id / 2)
                realm.add(walker)
            }
        }
        CountedWalker.madeCount = 0
        var sum = 0
        for walker in realm.objects(CountedWalker.self) { sum += walker.next?.id ?? 0 }
        #expect(sum == (1..<300).reduce(0) { $0 + $1 / 2 })
        #expect(CountedWalker.madeCount == 2)
        try realm.write {
            for id in 0..<300 {
                realm.object(ofType: CountedWalker.self, forPrimaryKey: id)?.steps = id + 7
            }
            // A walk holds one while it looks for the next.
            var walker = realm.object(ofType: CountedWalker.self, forPrimaryKey: 299)
            var ids: [Int] = []
            while let current = walker, current.id > 0 {
                ids.append(current.id)
                #expect(current.steps == current.id + 7)
                walker = current.next
            }
            #expect(ids == [299, 149, 74, 37, 18, 9, 4, 2, 1])
        }
        #expect(CountedWalker.madeCount <= 5)
        #expect(realm.objects(CountedWalker.self).map(\.steps) == (0..<300).map { $0 + 7 })
    }

    @Test("objects that a loop or a write keeps, in any way, stay what they were")
    func keptTargets() throws {
        let realm = try open()
        try fill(realm, 200)
        var kept: [Int: Walker] = [:]
        weak var seen: Walker?
        var seenId: Int?
        for walker in realm.objects(Walker.self) {
            let next = walker.next
            if let seen { #expect(seen.id == seenId) }
            if let next, next.id % 3 == 0 { kept[next.id] = next }
            if walker.id % 7 == 0 {
                seen = next
                seenId = next?.id
            }
        }
        try realm.write {
            for id in 0..<200 {
                let walker = try #require(
                    realm.object(ofType: Walker.self, forPrimaryKey: 199 - id))
                if id % 5 == 0 { kept[walker.id] = walker }
                walker.name += "!"
                let other = realm.object(ofType: Walker.self, forPrimaryKey: id)
                #expect(walker.id == 199 - id && other?.id == id)
            }
        }
        for (id, walker) in kept {
            #expect(walker.id == id)
            #expect(walker.name == "walker \(id)!")
        }
        #expect(Set(kept.values.map { ObjectIdentifier($0) }).count == kept.count)
    }

    @Test("a loop that is left, or a write that throws, keeps no realm open")
    func leftLoops() throws {
        let configuration: Realm.Configuration
        do {
            let realm = try open()
            configuration = realm.configuration
            try fill(realm, 200)
            var met = 0
            for walker in realm.objects(Walker.self) {
                if walker.next?.id == 60 { break }
                met += 1
            }
            #expect(met == 61)
            var iterator = realm.objects(Walker.self).makeIterator()
            for _ in 0..<70 { _ = iterator.next()?.next?.id }
            #expect(throws: Stop.self) {
                try realm.write {
                    for id in 0..<20 {
                        realm.object(ofType: Walker.self, forPrimaryKey: id)?.next?.name = "x"
                    }
                    throw Stop()
                }
            }
            let names = [iterator.next()?.next?.name, iterator.next()?.next?.name]
            #expect(names == [nil, "walker 70"])
        }
        // Nobody has it open any more; else this throws.
        #expect(try Realm.deleteFiles(for: configuration))
        #expect(try open().isEmpty)
    }

    @Test("a copy of an iterator goes on by itself", arguments: [0, 1, 63, 64, 65, 150, 300])
    func copiedIterators(start: Int) throws {
        let realm = try open()
        try fill(realm, 300)
        let all = realm.objects(Walker.self)
        for results in [all, all.where { $0.id >= 0 }] {
            var first = results.makeIterator()
            for _ in 0..<start { _ = first.next() }
            var second = first
            var third = first
            let expected = Array(start..<300)
            var found: [[Int]] = [[], [], []]
            if let walker = second.next() { found[1].append(walker.id) }
            while let walker = first.next() { found[0].append(walker.id) }
            try realm.write { realm.add(Walker(value: ["id": 1000]), update: .modified) }
            while let walker = second.next() {
                found[1].append(walker.id)
                if let other = third.next() { found[2].append(other.id) }
            }
            while let walker = third.next() { found[2].append(walker.id) }
            #expect(found == [expected, expected, expected])
            #expect(first.next() == nil && second.next() == nil && third.next() == nil)
            var ended = first
            #expect(ended.next() == nil)
            try realm.write { realm.delete(all.where { $0.id == 1000 }) }
        }
    }

    @Test("a loop goes over the objects of its start, whatever is written at the same time")
    func writingInALoop() throws {
        let realm = try open()
        try fill(realm, 300)
        var (metCount, goneCount) = (0, 0)
        for walker in realm.objects(Walker.self) {
            metCount += 1
            if walker.isInvalidated {
                goneCount += 1
                continue
            }
            let isChanged = walker.id % 50 == 0
            if isChanged {
                try realm.write {
                    walker.name = "changed"
                    realm.add(Walker(value: ["id": 1000 + walker.id]))
                    if let other = realm.object(
                        ofType: Walker.self, forPrimaryKey: walker.id + 150)
                    {
                        realm.delete(other)
                    }
                }
            }
            #expect(walker.name == (isChanged ? "changed" : "walker \(walker.id)"))
        }
        #expect(metCount == 300)
        #expect(goneCount == 3)
        #expect(realm.objects(Walker.self).count == 300)
        try realm.write {
            for walker in realm.objects(Walker.self) { walker.name = "n\(walker.id)" }
        }
        for walker in realm.objects(Walker.self) { #expect(walker.name == "n\(walker.id)") }
        try realm.write {
            for walker in realm.objects(Walker.self) { realm.delete(walker) }
        }
        #expect(realm.objects(Walker.self).isEmpty)
    }

    @Test("rows that compaction put together are read, changed and deleted like others")
    func packedRows() throws {
        var realm: Realm? = try open()
        try fill(try #require(realm), 2000)
        try realm?.store.compact()
        let names = try #require(realm).objects(Walker.self).map(\.name)
        #expect(names == (0..<2000).map { "walker \($0)" })
        let rows = try #require(
            realm?.store.statistics.keyspaces.first { $0.name == "type.1.rows" })
        #expect(rows.compression == .packed)
        try realm?.write {
            for id in stride(from: 0, to: 2000, by: 3) {
                realm?.object(ofType: Walker.self, forPrimaryKey: id)?.name = "new \(id)"
            }
            for id in stride(from: 1, to: 2000, by: 3) {
                if let walker = realm?.object(ofType: Walker.self, forPrimaryKey: id) {
                    realm?.delete(walker)
                }
            }
        }
        try realm?.store.compact()
        realm = nil
        let again = try open()
        #expect(again.objects(Walker.self).count == 2000 - 667)
        for walker in again.objects(Walker.self) {
            #expect(walker.name == (walker.id % 3 == 0 ? "new" : "walker") + " \(walker.id)")
            let isLinked = walker.id % 3 == 0 && walker.id % 10 != 0
            #expect(walker.next?.id == (isLinked ? walker.id - 1 : nil))
        }
    }
}

final class Walker: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var name: String
    @Persisted var next: Walker?
}

final class Counted: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var id2: Int

    nonisolated(unsafe) static var madeCount = 0

    override init() {
        super.init()
        Self.madeCount += 1
    }
}

final class CountedWalker: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var steps: Int
    @Persisted var next: CountedWalker?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    nonisolated(unsafe) static var madeCount = 0

    override init() {
        super.init()
        Self.madeCount += 1
    }
}

final class WalkerGuest: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var host: Walker?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

final class NoteKeeper: Object {
    @Persisted(primaryKey: true) var id: Int
    var note: String?
}

final class Tagged: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var tags: List<String>
}
