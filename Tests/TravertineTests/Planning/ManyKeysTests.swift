import Foundation
import RealmSwift
import TestSupport
import Testing
import TravertineStore

@testable import Travertine

/// Objects that are looked up many at a time: by primary keys, from indexes, and back along links.
@Suite("Many keys at a time")
struct ManyKeysTests {
    /// Persons by number, and what of each was stored.
    private struct Model {
        var ages: [Int: Int] = [:]
        var leaders: [Int: Int] = [:]

        mutating func change(_ realm: Realm, _ random: inout SeededRandom, count: Int) {
            for _ in 0..<count {
                let id = random.pick([-1, 1]) * random.below(700)
                if random.chance(20), let known = ages[id] {
                    #expect(realm.object(ofType: Runner.self, forPrimaryKey: id)?.age == known)
                    if let runner = realm.object(ofType: Runner.self, forPrimaryKey: id) {
                        realm.delete(runner)
                    }
                    ages[id] = nil
                    leaders[id] = nil
                    leaders = leaders.filter { $0.value != id }
                } else {
                    let runner = realm.create(
                        Runner.self, value: ["id": id, "code": "runner \(id)"], update: .modified)
                    runner.age = random.below(40)
                    ages[id] = runner.age
                    let other = random.pick([-1, 1]) * random.below(700)
                    let leader = ages[other] == nil ? id : other
                    runner.leader = realm.object(ofType: Runner.self, forPrimaryKey: leader)
                    leaders[id] = leader
                    let entry = realm.create(
                        NamedRunner.self, value: ["code": "runner \(id)"], update: .modified)
                    entry.age = runner.age
                }
            }
        }
    }

    private func check(_ realm: Realm, _ model: Model, _ random: inout SeededRandom, _ note: String)
        throws
    {
        let note: Comment = "\(note)"
        let runners = realm.objects(Runner.self)
        for countMax in [1, 5, 40, 600] {
            let keys = (0..<(1 + random.below(countMax))).map { _ in
                random.pick([-1, 1]) * random.below(900)
            }
            let wanted = Set(keys)
            let expected = wanted.filter { model.ages[$0] != nil }.sorted()
            for prefersIndexes in [true, false] {
                QueryPlanning.$prefersIndexes.withValue(prefersIndexes) {
                    let found = runners.where { $0.id.in(keys) }
                    #expect(found.count == expected.count, note)
                    #expect(found.map(\.id) == expected, note)
                    #expect(found.first?.id == expected.first, note)
                    #expect(runners.where { $0.id.in(keys) }.first?.id == expected.first, note)
                    #expect(runners.where { $0.id.in(keys) }.last?.id == expected.last, note)
                    #expect(runners.where { $0.id.in(keys) }.isEmpty == expected.isEmpty, note)
                    let limited = runners.where { $0.id.in(keys) }.limit(7)
                    #expect(limited.map(\.id) == Array(expected.prefix(7)), note)

                    let age = random.below(40)
                    let either = runners.where { $0.id.in(keys) || $0.age == age }
                    let eitherIds = model.ages.filter { wanted.contains($0.key) || $0.value == age }
                    #expect(either.map(\.id) == eitherIds.keys.sorted(), note)
                    #expect(
                        runners.where { $0.id.in(keys) || $0.age == age }.count == eitherIds.count,
                        note)
                    let both = runners.where { $0.id.in(keys) && $0.age >= age }
                    let bothIds = expected.filter { model.ages[$0, default: -1] >= age }
                    #expect(both.map(\.id) == bothIds, note)
                    #expect(
                        runners.where { $0.id.in(keys) && $0.age >= age }.count
                            == bothIds.count, note)
                    let range = runners.where { $0.age.contains(age..<(age + 9)) }
                    let rangeIds = model.ages.filter { (age..<(age + 9)).contains($0.value) }
                    #expect(range.map(\.id) == rangeIds.keys.sorted(), note)
                    let led = runners.where { $0.leader.age >= age }
                    let ledIds = model.leaders.filter {
                        model.ages[$0.value, default: -1] >= age
                    }
                    #expect(led.map(\.id) == ledIds.keys.sorted(), note)
                }
            }
            var visited: [Int] = []
            try realm.forEachObject(ofType: Runner.self, forPrimaryKeys: keys) { key, runner in
                visited.append(key)
                #expect(runner?.id == (model.ages[key] == nil ? nil : key), note)
                #expect(runner?.age == model.ages[key], note)
            }
            #expect(visited == keys, note)
            let codes = keys.map { "runner \($0)" }
            try realm.forEachObject(ofType: NamedRunner.self, forPrimaryKeys: codes) {
                let id = Int($0.dropFirst("runner ".count))
                #expect(id.flatMap { model.ages[$0] } != nil || $1 == nil || $1?.age != nil, note)
                #expect($1 == nil || $1?.code == $0, note)
            }
            let objects = realm.objects(ofType: Runner.self, forPrimaryKeys: keys)
            #expect(objects.map { $0?.age } == keys.map { model.ages[$0] }, note)
            #expect(
                realm.objects(ofType: NamedRunner.self, forPrimaryKeys: codes).map { $0?.code }
                    == codes.map {
                        realm.object(ofType: NamedRunner.self, forPrimaryKey: $0)?.code
                    }, note)
        }
    }

    @Test(
        "give what single look-ups and scans give, with staged rows and after opening again",
        arguments: [31, 32] as [UInt64])
    func histories(seed: UInt64) throws {
        let directory = TemporaryDirectory()
        var random = SeededRandom(seed: seed)
        var model = Model()
        do {
            let realm = try directory.open([Runner.self, NamedRunner.self])
            for round in 0..<2 {
                try realm.write {
                    model.change(realm, &random, count: 250)
                    try check(realm, model, &random, "seed \(seed), in transaction \(round)")
                    model.change(realm, &random, count: 50)
                }
                try check(realm, model, &random, "seed \(seed), after \(round)")
            }
        }
        let realm = try directory.open([Runner.self, NamedRunner.self])
        try check(realm, model, &random, "seed \(seed), reopened")
        try check(realm.freeze(), model, &random, "seed \(seed), frozen")
    }

    private func fill(_ count: Int) throws -> (TemporaryDirectory, Realm) {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Runner.self, NamedRunner.self])
        try realm.write {
            for id in 0..<count {
                realm.create(Runner.self, value: ["id": id, "code": "r\(id)", "age": id])
                realm.create(NamedRunner.self, value: ["code": "r\(id)", "age": id])
            }
        }
        return (directory, realm)
    }

    @Test("each object is the one at its turn: changed, deleted or added by the block before")
    func writingInBlock() throws {
        let (directory, realm) = try fill(100)
        defer { withExtendedLifetime(directory) {} }
        let keys = Array(0..<60) + [500, 3, 3, 59]
        for isInTransaction in [false, true] {
            func change(_ body: () -> Void) throws {
                if isInTransaction { body() } else { try realm.write(body) }
            }
            func visit() throws {
                var found: [Int?] = []
                try realm.forEachObject(ofType: Runner.self, forPrimaryKeys: keys) { key, runner in
                    found.append(runner?.age)
                    if key == 2 { try change { runner?.age = 1002 } }
                    if key == 4 {
                        try change {
                            if let fifth = realm.object(ofType: Runner.self, forPrimaryKey: 5) {
                                realm.delete(fifth)
                            }
                            realm.create(Runner.self, value: ["id": 500, "age": 7])
                            realm.object(ofType: Runner.self, forPrimaryKey: 3)?.age = 1003
                        }
                    }
                }
                var expected: [Int?] = keys.map { $0 == 500 ? 7 : $0 == 5 ? nil : $0 }
                expected[61] = 1003
                expected[62] = 1003
                #expect(found == expected, "in transaction: \(isInTransaction)")
            }
            func restore() {
                for (id, age) in [(2, 2), (3, 3), (5, 5)] {
                    realm.create(
                        Runner.self, value: ["id": id, "code": "r\(id)", "age": age],
                        update: .modified)
                }
                if let added = realm.object(ofType: Runner.self, forPrimaryKey: 500) {
                    realm.delete(added)
                }
            }
            if isInTransaction {
                try realm.write {
                    try visit()
                    restore()
                }
            } else {
                try visit()
                try realm.write { restore() }
            }
        }
    }

    @Test("objects of a string as primary key that the block adds and deletes are found so")
    func writingStringKeys() throws {
        let (directory, realm) = try fill(40)
        defer { withExtendedLifetime(directory) {} }
        var found: [Int?] = []
        try realm.write {
            let keys = ["r1", "new", "r2", "r1"]
            try realm.forEachObject(ofType: NamedRunner.self, forPrimaryKeys: keys) { key, runner in
                found.append(runner?.age)
                guard found.count == 1, let runner else { return }
                realm.create(NamedRunner.self, value: ["code": "new", "age": 77])
                realm.delete(runner)
            }
        }
        #expect(found == [1, 77, 2, nil])
    }

    @Test("handles that the block keeps stay those of their objects")
    func kept() throws {
        let (directory, realm) = try fill(100)
        defer { withExtendedLifetime(directory) {} }
        var kept: [Runner] = []
        func keep() throws {
            try realm.forEachObject(ofType: Runner.self, forPrimaryKeys: 0..<100) { key, runner in
                if key % 3 == 0, let runner { kept.append(runner) }
            }
        }
        try keep()
        try realm.write { try keep() }
        #expect(kept.map(\.id) == Array(stride(from: 0, to: 100, by: 3)) * 2)
        let objects = realm.objects(ofType: Runner.self, forPrimaryKeys: [5, 400, 5, 99])
        #expect(objects.map { $0?.id } == [5, nil, 5, 99])
        #expect(objects[0] !== objects[2])
    }

    @Test("what the block throws ends the loop")
    func throwing() throws {
        struct Stopped: Error {}
        let (directory, realm) = try fill(40)
        defer { withExtendedLifetime(directory) {} }
        var count = 0
        #expect(throws: Stopped.self) {
            try realm.forEachObject(ofType: Runner.self, forPrimaryKeys: 0..<40) { key, _ in
                count += 1
                if key == 20 { throw Stopped() }
            }
        }
        #expect(count == 21)
        #expect(realm.objects(ofType: Runner.self, forPrimaryKeys: [Int]()).isEmpty)
        try realm.write {
            try realm.forEachObject(ofType: Runner.self, forPrimaryKeys: 0..<40) {
                $1?.age = $0 + 1
            }
        }
        #expect(realm.objects(Runner.self).map(\.age) == Array(1...40))
    }

    @Test("damage is thrown where it is, and what is before it is found")
    func damage() throws {
        let (directory, realm) = try fill(200)
        defer { withExtendedLifetime(directory) {} }
        let table = realm.session.table(of: Runner.self)
        let key = StoredObjectType.objectKey(ofPrimaryKey: 150)
        let transaction = try realm.store.beginWrite()
        try withObjectKey(key) { (key) throws(StoreError) in
            try [UInt8](repeating: 0xFF, count: 30).withBytes { (value) throws(StoreError) in
                try transaction.put(rawKey: key, rawValue: value, in: table.stored.rows)
            }
        }
        try transaction.commit()
        realm.refresh()
        var count = 0
        #expect(throws: Realm.Error.self) {
            try realm.forEachObject(ofType: Runner.self, forPrimaryKeys: 0..<200) { key, runner in
                #expect(runner?.age == key)
                count += 1
            }
        }
        #expect(count == 150)
        realm.session.damage = nil
        let runners = realm.objects(Runner.self)
        // Ages are compared in no row that comes before.
        #expect(runners.where { $0.id.in(Array(0..<160)) && $0.code != "" }.limit(150).count == 150)
        #expect(realm.session.damage == nil)
        #expect(runners.where { $0.id.in(Array(0..<160)) && $0.code != "" }.isEmpty == false)
        #expect(realm.session.damage == nil)
        _ = runners.where { $0.id.in(Array(0..<160)) && $0.code != "" }.count
        #expect(realm.session.damage != nil)
        realm.session.damage = nil
    }

    @Test("the union of ascending arrays has each key once, in order", arguments: 1...20)
    func union(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let parts = (0..<random.below(9)).map { _ in
            let keys = (0..<random.below(60)).map { _ in
                random.chance(5) ? UInt64.max - UInt64(random.below(3)) : UInt64(random.below(80))
            }
            return Set(keys).sorted()
        }
        #expect(SortedKeys.union(parts) == Set(parts.joined()).sorted(), "seed \(seed)")
        var keys = (0..<random.below(900)).map { _ in
            random.next() >> UInt64(random.below(64))
        }
        let expected = Set(keys).sorted()
        SortedKeys.normalise(&keys)
        #expect(keys == expected, "seed \(seed)")
    }

    @Test("a plan by values of the primary key reads no index, and counts only rows that are there")
    func planOfKeys() throws {
        let (directory, realm) = try fill(2000)
        defer { withExtendedLifetime(directory) {} }
        let runners = realm.objects(Runner.self).where { $0.id.in([7, 5000, 7, 3, -1]) }
        #expect(
            runners.explain()
                == "primary key Runner(id): id IN {7, 5000, 7, 3, … 1 more} (≈ 4)")
        #expect(runners.count == 2)
        #expect(runners.map(\.id) == [3, 7])
    }
}

private func * <Element>(elements: [Element], count: Int) -> [Element] {
    Array(repeatElement(elements, count: count).joined())
}

final class Runner: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var code: String
    @Persisted(indexed: true) var age: Int
    @Persisted var leader: Runner?
}

final class NamedRunner: Object {
    @Persisted(primaryKey: true) var code: String
    @Persisted var age: Int
}
