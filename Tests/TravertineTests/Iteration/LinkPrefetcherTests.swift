import RealmSwift
import TestSupport
import Testing
import TravertineStore

@testable import Travertine

/// Loops look ahead of the links that they follow; nothing of it may be seen but how long it takes.
@Suite("Looking ahead of links")
struct LinkPrefetcherTests {
    private let directory = TemporaryDirectory()

    /// What a rower was given, by ids.
    private struct Facts {
        var mate: Int?
        var rival: Int?
        var dock: Int?
    }

    /// 1,200 rowers with scattered ids and links of all kinds, the first half of them stored when
    /// the class had fewer properties; some rows are longer than what is known of rows can say.
    private func fill(_ seed: UInt64) throws -> (realm: Realm, facts: [Int: Facts]) {
        var random = SeededRandom(seed: seed)
        let ids = (0..<1200).map { $0 < 500 ? $0 : $0 << (random.chance(50) ? 12 : 32) }
        do {
            let realm = try directory.open([EarlyRower.self, RowingDock.self])
            try realm.write {
                for id in ids.prefix(600) { realm.add(EarlyRower(value: ["id": id])) }
            }
        }
        let realm = try directory.open([Rower.self, RowingDock.self], version: 1)
        var facts: [Int: Facts] = [:]
        try realm.write {
            for number in 0..<400 { realm.add(RowingDock(value: ["number": number << 20])) }
            for id in ids.dropFirst(600) {
                let text = String(repeating: "r", count: random.chance(2) ? 70_000 : 5)
                realm.add(Rower(value: ["id": id, "text": text]))
            }
            for id in ids {
                let given = Facts(
                    mate: random.chance(80) ? random.pick(ids) : nil,
                    rival: random.chance(50) ? random.pick(ids) : nil,
                    dock: random.chance(90) ? random.below(400) << 20 : nil)
                // Half of the early rows stay in the layout of their time.
                if random.chance(50) && id < 500 { continue }
                facts[id] = given
                let rower = try #require(realm.object(ofType: Rower.self, forPrimaryKey: id))
                rower.mate = given.mate.flatMap { self.rower($0, realm) }
                rower.rival = given.rival.flatMap { self.rower($0, realm) }
                rower.dock = given.dock.flatMap {
                    realm.object(ofType: RowingDock.self, forPrimaryKey: $0)
                }
            }
        }
        return (realm, facts)
    }

    private func rower(_ id: Int, _ realm: Realm) -> Rower? {
        realm.object(ofType: Rower.self, forPrimaryKey: id)
    }

    @Test("a loop that follows links, these or those, finds what lookups find", arguments: 1...6)
    func followsAsLookupsDo(seed: UInt64) throws {
        let (realm, facts) = try fill(seed)
        let rowers = realm.objects(Rower.self)
        func check(_ id: Int, _ mate: Int?, _ text: String?, at place: String) {
            #expect(mate == facts[id]?.mate, "seed \(seed), \(place), \(id)")
            #expect(
                text == mate.flatMap { rower($0, realm)?.text }, "seed \(seed), \(place), \(id)")
        }
        for rower in rowers {
            check(rower.id, rower.mate?.id, rower.mate?.text, at: "mate")
        }
        for (number, rower) in rowers.enumerated() {
            #expect(rower.dock?.number == facts[rower.id]?.dock, "seed \(seed)")
            #expect(rower.rival?.id == facts[rower.id]?.rival, "seed \(seed)")
            // Now each, now every third, now none for a while.
            if number < 400 || number % 3 == 0 || number > 900 {
                check(rower.id, rower.mate?.id, rower.mate?.text, at: "some")
            }
        }
        for rower in rowers {
            let second = facts[rower.id]?.mate.flatMap { facts[$0]?.mate }
            #expect(rower.mate?.mate?.id == second, "seed \(seed)")
        }
        try rowers.forEachLending(following: \.mate) { rower, mate in
            check(rower.id, mate?.id, mate?.text, at: "lending")
        }
        try rowers.forEachLending(following: \.dock) { rower, dock in
            #expect(dock?.number == facts[rower.id]?.dock, "seed \(seed)")
        }
        // A copy of an iterator looks ahead by itself.
        var iterator = rowers.makeIterator()
        for _ in 0..<700 { _ = iterator.next()?.mate?.id }
        var copy = iterator
        while let rower = iterator.next() {
            check(rower.id, rower.mate?.id, rower.mate?.text, at: "iterator")
            let next = copy.next()
            let other = try #require(next)
            #expect(other.id == rower.id)
            check(other.id, other.mate?.id, other.mate?.text, at: "copy")
        }
    }

    @Test("what is written in a loop counts from then on, looked ahead or not", arguments: 1...4)
    func writing(seed: UInt64) throws {
        let (realm, facts) = try fill(seed)
        var random = SeededRandom(seed: seed)
        let rowers = realm.objects(Rower.self)
        for isLending in [false, true] {
            var expected = facts
            let writeAt = Set((0..<3).map { _ in random.below(1200) })
            var number = 0
            func meet(_ rower: Rower, _ mate: Rower?) throws {
                if rower.isInvalidated { return }
                let id = rower.id
                #expect(mate?.id == expected[id]?.mate, "seed \(seed), \(number)")
                if writeAt.contains(number) {
                    try realm.write {
                        for other in realm.objects(Rower.self) where other.id % 5 == number % 5 {
                            other.mate = self.rower(id, realm)
                            expected[other.id, default: Facts()].mate = id
                        }
                    }
                }
                number += 1
            }
            if isLending {
                try rowers.forEachLending(following: \.mate) { try meet($0, $1) }
            } else {
                for rower in rowers { try meet(rower, rower.mate) }
            }
            #expect(number == 1200)
            try realm.write {
                for rower in rowers {
                    rower.mate = facts[rower.id]?.mate.flatMap { self.rower($0, realm) }
                }
            }
        }
    }

    @Test("damage that a loop does not reach is not reported; what is before it is lent")
    func damage() throws {
        let (realm, facts) = try fill(7)
        let keys = realm.objects(Rower.self).map(\.key)
        let table = realm.session.table(of: Rower.self)
        // Of each kind: an unknown layout, and none at all.
        for (position, bytes) in [(1150, [UInt8](repeating: 0xFF, count: 30)), (1190, [1])] {
            let transaction = try realm.store.beginWrite()
            try withObjectKey(keys[position]) { (key) throws(StoreError) in
                try bytes.withBytes { (value) throws(StoreError) in
                    try transaction.put(rawKey: key, rawValue: value, in: table.stored.rows)
                }
            }
            try transaction.commit()
        }
        realm.refresh()
        let damaged = Set([keys[1150], keys[1190]])
        var count = 0
        for rower in realm.objects(Rower.self) {
            if count == 1149 { break }
            count += 1
            let mate = facts[rower.id]?.mate.map { UInt64(bitPattern: Int64($0)) ^ 1 << 63 }
            if let mate, damaged.contains(mate) { continue }
            #expect(rower.mate?.id == facts[rower.id]?.mate)
        }
        #expect(realm.session.damage == nil)
        count = 0
        #expect(throws: Realm.Error.self) {
            try realm.objects(Rower.self).forEachLending(following: \.rival) { _, _ in count += 1 }
        }
        // The first that is damaged, as an object or as a target.
        let first = keys.indices.first { position in
            let rival = facts[Int(Int64(bitPattern: keys[position] ^ 1 << 63))]?.rival
            let key = rival.map { UInt64(bitPattern: Int64($0)) ^ 1 << 63 }
            return damaged.contains(keys[position]) || key.map(damaged.contains) == true
        }
        #expect(count == first)
        realm.session.damage = nil
    }
}

final class Rower: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var text: String
    @Persisted var mate: Rower?
    @Persisted var rival: Rower?
    @Persisted var dock: RowingDock?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    override class func objectTypeName() -> String { "RowerOfLinks" }
}

final class EarlyRower: Object {
    @Persisted(primaryKey: true) var id: Int

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    override class func objectTypeName() -> String { "RowerOfLinks" }
}

final class RowingDock: Object {
    @Persisted(primaryKey: true) var number: Int

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
