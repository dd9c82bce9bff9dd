import Foundation
import RealmSwift
import TestSupport
import Testing
import TravertineStore

/// Loops that follow links.
extension IterationTests {
    @Test(
        "following a link lends each object with its target, or nil", arguments: [0, 1, 40, 1000])
    func following(count: Int) throws {
        let realm = try open()
        try fill(realm, count)
        if count > 20 {
            try realm.write {
                let victim = realm.object(ofType: Walker.self, forPrimaryKey: 17)
                realm.delete(try #require(victim))
            }
        }
        func expected(_ results: Results<Walker>) -> [String] {
            results.map { "\($0.name) > \($0.next?.name ?? "nobody")" }
        }
        func followed(_ results: Results<Walker>) throws -> [String] {
            var found: [String] = []
            try results.forEachLending(following: \.next) { walker, next in
                found.append("\(walker.name) > \(next?.name ?? "nobody")")
            }
            return found
        }
        let all = realm.objects(Walker.self)
        #expect(try followed(all) == expected(all))
        let some = all.where { $0.id > 5 && $0.id < 90 }.sorted(byKeyPath: "name")
        #expect(try followed(some) == expected(some))
        try realm.write {
            realm.object(ofType: Walker.self, forPrimaryKey: 30)?.name = "changed"
            let found = try followed(all)
            #expect(found == expected(all))
        }
        var lent = 0
        #expect(throws: Stop.self) {
            try all.forEachLending(following: \.next) { _, _ in
                lent += 1
                throw Stop()
            }
            if count == 0 { throw Stop() }
        }
        #expect(lent == min(count, 1))
    }

    @Test("a link that is followed leads to its own object, whatever keys there are")
    func followingScatteredKeys() throws {
        let seed: UInt64 = 19
        var random = SeededRandom(seed: seed)
        let realm = try directory.open([Walker.self, WalkerGuest.self])
        // The low bits of many keys are alike.
        let ids = (0..<1500).map { $0 < 700 ? $0 : $0 << (random.chance(50) ? 12 : 32) }
        try realm.write {
            for id in ids { realm.add(Walker(value: ["id": id, "name": "n\(id)"])) }
            for id in ids where random.chance(80) {
                realm.object(ofType: Walker.self, forPrimaryKey: id)?.next = realm.object(
                    ofType: Walker.self, forPrimaryKey: random.pick(ids))
            }
            for (number, id) in ids.enumerated() {
                let visitor = WalkerGuest()
                visitor.id = number
                visitor.host = realm.object(ofType: Walker.self, forPrimaryKey: id)
                realm.add(visitor)
            }
        }
        var links: [Int: Int] = [:]
        for walker in realm.objects(Walker.self) { links[walker.id] = walker.next?.id }
        var met = 0
        try realm.objects(Walker.self).forEachLending(following: \.next) { walker, next in
            met += 1
            #expect(next?.id == links[walker.id], "seed \(seed)")
            #expect(next.map { "n\($0.id)" } == next?.name, "seed \(seed)")
        }
        #expect(met == 1500)
        for _ in 0..<2 {
            try realm.objects(WalkerGuest.self).forEachLending(following: \.host) { visitor, host in
                met += 1
                #expect(host?.id == ids[visitor.id], "seed \(seed)")
            }
        }
        #expect(met == 4500)
        for walker in realm.objects(Walker.self) {
            #expect(walker.next?.id == links[walker.id], "seed \(seed)")
            #expect(walker.next.map { "n\($0.id)" } == walker.next?.name, "seed \(seed)")
        }
        for guest in realm.objects(WalkerGuest.self) {
            #expect(guest.host?.id == ids[guest.id], "seed \(seed)")
        }
    }

    @Test("a loop that follows links shows what is written at the same time, and deletions")
    func writingWhileFollowing() throws {
        let realm = try open()
        try fill(realm, 2000)
        var (met, written) = (0, 0)
        for walker in realm.objects(Walker.self) {
            met += 1
            if walker.id % 10 == 0 {
                #expect(walker.next == nil)
            } else {
                let isChanged = met > 900 && walker.id % 10 != 1
                let name = (isChanged ? "changed " : "walker ") + "\(walker.id - 1)"
                #expect(walker.next?.name == name, "\(met)")
            }
            if met == 900 {
                written += 1
                try realm.write {
                    for other in realm.objects(Walker.self) where other.id % 10 != 0 {
                        other.name = "changed \(other.id)"
                    }
                }
            } else if met == 1500 {
                written += 1
                try realm.write {
                    for id in stride(from: 1504, to: 2000, by: 10) {
                        realm.delete(
                            try #require(realm.object(ofType: Walker.self, forPrimaryKey: id)))
                    }
                }
                break
            }
        }
        #expect(met == 1500 && written == 2)
        for walker in realm.objects(Walker.self) where walker.id > 1503 {
            let isLinked = walker.id % 10 != 0 && walker.id % 10 != 5
            #expect(walker.next?.id == (isLinked ? walker.id - 1 : nil))
        }
    }
}
