import Foundation
import RealmSwift
import TestSupport
import Testing

@testable import Travertine
@testable import TravertineStore

/// Which objects and properties differ between two versions.
@Suite struct ObjectChangesTests {
    /// What a version holds: by the stored name of the type, by key, by the stored name of the
    /// property.
    private typealias Contents = [String: [UInt64: [String: String]]]

    /// A version that is held, what it holds, and who owns which embedded object.
    private struct Version {
        let snapshot: Snapshot
        let contents: Contents
        let owners: [String: [UInt64: (type: String, key: UInt64, property: String)]]
    }

    private let directory = TemporaryDirectory()
    private static let classes: [ObjectBase.Type] = [
        ChangingSubject.self, ChangingKeyed.self, ChangingHouse.self, ChangingRoom.self,
    ]

    private func open() throws -> Realm { try directory.open(Self.classes) }

    private func cache(_ realm: Realm) -> StoredTypesCache {
        StoredTypesCache(schemaKeyspace: realm.session.shared.schemaKeyspace)
    }

    /// The changes of one write.
    private func changes(_ realm: Realm, _ body: () throws -> Void) throws -> ObjectChanges {
        let older = try realm.session.shared.store.snapshot()
        try realm.write(body)
        let newer = try realm.session.shared.store.snapshot()
        return try ObjectChanges(from: older, to: newer, links: nil, cache: cache(realm))
    }

    // MARK: A model

    private func text(_ value: Any?) -> String {
        switch value {
        case nil: "nil"
        case let object as ObjectBase: "object \(object.key)"
        case let value?: "\(value)"
        }
    }

    /// The properties of an object as texts, and the embedded objects that it owns.
    private func take(
        _ object: ObjectBase, _ type: String, into version: inout Contents,
        _ owners: inout [String: [UInt64: (type: String, key: UInt64, property: String)]]
    ) {
        var values: [String: String] = [:]
        func own(_ embedded: ObjectBase?, _ name: String, by property: String) {
            guard let embedded else { return }
            owners[name, default: [:]][embedded.key] = (type, object.key, property)
            take(embedded, name, into: &version, &owners)
        }
        switch object {
        case let keyed as ChangingKeyed:
            values = ["id": "\(keyed.id)", "value": keyed.value]
        case let room as ChangingRoom:
            values = ["area": "\(room.area)", "name": text(room.name)]
        case let house as ChangingHouse:
            values = [
                "number": "\(house.number)", "room": text(house.room),
                "guest": text(house.guest),
            ]
            own(house.room, "ChangingRoom", by: "room")
        case let subject as ChangingSubject:
            values = subject.texts(text)
            own(subject.house, "ChangingHouse", by: "house")
            for house in subject.houses { own(house, "ChangingHouse", by: "houses") }
            for (_, house) in subject.named.asKeyValueSequence() {
                own(house, "ChangingHouse", by: "named")
            }
        default: break
        }
        version[type, default: [:]][object.key] = values
    }

    private func take(_ realm: Realm) throws -> Version {
        var contents: Contents = [:]
        var owners: [String: [UInt64: (type: String, key: UInt64, property: String)]] = [:]
        for subject in realm.objects(ChangingSubject.self) {
            take(subject, "ChangingSubject", into: &contents, &owners)
        }
        for keyed in realm.objects(ChangingKeyed.self) {
            take(keyed, "ChangingKeyed", into: &contents, &owners)
        }
        return Version(
            snapshot: try realm.session.shared.store.snapshot(), contents: contents,
            owners: owners)
    }

    private struct Expected: Equatable {
        var inserted: [String: [UInt64]] = [:]
        var deleted: [String: [UInt64]] = [:]
        var modified: [String: [UInt64: Set<String>]] = [:]
        var owned: [String: [UInt64: Set<String>]] = [:]
    }

    private func expected(_ old: Version, _ new: Version) -> Expected {
        var expected = Expected()
        var waiting: [(String, UInt64)] = []
        for type in Set(old.contents.keys).union(new.contents.keys) {
            let (before, after) = (old.contents[type] ?? [:], new.contents[type] ?? [:])
            let inserted = after.keys.filter { before[$0] == nil }.sorted()
            let deleted = before.keys.filter { after[$0] == nil }.sorted()
            if !inserted.isEmpty { expected.inserted[type] = inserted }
            if !deleted.isEmpty { expected.deleted[type] = deleted }
            for (key, values) in after {
                guard let earlier = before[key], earlier != values else { continue }
                expected.modified[type, default: [:]][key] = Set(
                    values.keys.filter { earlier[$0] != values[$0] })
                waiting.append((type, key))
            }
        }
        while let (type, key) = waiting.popLast() {
            guard let owner = new.owners[type]?[key] else { continue }
            if expected.inserted[owner.type]?.contains(owner.key) ?? false { continue }
            expected.owned[owner.type, default: [:]][owner.key, default: []]
                .insert(owner.property)
            waiting.append((owner.type, owner.key))
        }
        return expected
    }

    private func found(_ changes: ObjectChanges, _ types: StoredTypes) -> Expected {
        var found = Expected()
        for (number, changes) in changes.types {
            guard let type = types[number]?.stored else { continue }
            func names(_ numbers: PropertyNumbers) -> Set<String> {
                Set(type.properties.filter { numbers.contains($0.number) }.map(\.name))
            }
            if !changes.inserted.isEmpty { found.inserted[type.name] = changes.inserted }
            if !changes.deleted.isEmpty { found.deleted[type.name] = changes.deleted }
            #expect(changes.modified.map(\.key) == changes.modified.map(\.key).sorted())
            for modified in changes.modified {
                if !modified.properties.isEmpty {
                    found.modified[type.name, default: [:]][modified.key] = names(
                        modified.properties)
                }
                if !modified.owned.isEmpty {
                    found.owned[type.name, default: [:]][modified.key] = names(modified.owned)
                }
            }
        }
        return found
    }

    @Test(
        "what is found between any two versions is the difference of what a realm shows in them",
        arguments: 1...4 as ClosedRange<UInt64>)
    func randomHistory(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let realm = try open()
        let cache = cache(realm)
        let store = realm.session.shared.store
        var versions = [try take(realm)]
        for step in 0..<50 {
            try realm.write {
                for _ in 0..<(1 + random.below(6)) { change(realm, &random) }
            }
            if random.chance(10) { try store.compact() }
            if random.chance(10) { try store.checkpoint() }
            versions.append(try take(realm))
            if versions.count > 5 { versions.remove(at: random.below(versions.count - 1)) }
            let (old, new) = (random.pick(versions), random.pick(versions))
            let changes = try ObjectChanges(from: old.snapshot, to: new.snapshot, cache: cache)
            #expect(
                found(changes, try cache.types(of: new.snapshot)) == expected(old, new),
                "seed \(seed), step \(step)")
        }
    }

    private func change(_ realm: Realm, _ random: inout SeededRandom) {
        let subjects = realm.objects(ChangingSubject.self)
        guard subjects.count > 3, !random.chance(8) else {
            realm.add(ChangingSubject())
            return
        }
        let subject = subjects[random.below(subjects.count)]
        let keyed = ChangingKeyed(
            value: ["id": random.below(6), "value": random.pick(["a", "b", "a longer text"])])
        switch random.below(14) {
        case 0: realm.delete(subject)
        case 1: realm.add(keyed, update: .modified)
        case 2:
            if let old = realm.object(ofType: ChangingKeyed.self, forPrimaryKey: keyed.id) {
                realm.delete(old)
                if random.chance(50) { realm.add(keyed) }
            }
        case 3, 4:
            subject.house?.number = random.below(3) * 1000
            if let house = subject.houses.first {
                house.room = random.chance(60) ? ChangingRoom() : nil
                house.guest = realm.objects(ChangingKeyed.self).first
            }
        case 5: subject.house = random.chance(70) ? ChangingHouse() : nil
        case 6:
            if subject.houses.count > 3 { subject.houses.remove(at: 1) }
            subject.houses.append(ChangingHouse(value: ["number": random.below(9), "room": [:]]))
        case 7: subject.named["\(random.below(3))"] = random.chance(70) ? ChangingHouse() : nil
        case 8: subject.houses.first?.room?.area = Double(random.below(3))
        default: subject.change(&random, realm)
        }
    }

    // MARK: Single rules

    @Test("a value set to itself, or changed and changed back, is no change")
    func noChange() throws {
        let realm = try open()
        let subject = ChangingSubject()
        try realm.write {
            subject.numbers.append(objectsIn: 0..<1000)
            realm.add(subject)
        }
        let same = try changes(realm) {
            subject.int = subject.int
            subject.text = "another"
            subject.text = ""
            subject.numbers[500] = 500
        }
        #expect(same.isEmpty)
        #expect(try changes(realm) {}.isEmpty)
    }

    @Test("a row that was written again in another layout is no change but of what is different")
    func otherLayout() throws {
        let realm = try open()
        try realm.write { for _ in 0..<2 { realm.add(ChangingSubject()) } }
        let subjects = realm.objects(ChangingSubject.self)
        let wide = try changes(realm) { subjects[0].int = 1 << 40 }
        let type = try #require(wide.types.values.first)
        #expect(wide.types.count == 1 && type.modified.count == 1)
        #expect(type.modified[0].properties.all.count == 1)
        // The other one gets the wide layout too, and then its old value back.
        let other = try changes(realm) {
            subjects[1].int = 1 << 40
            subjects[1].int = 0
        }
        #expect(other.isEmpty)
    }

    @Test("a property that only the older version has does not count (D-L2)")
    func removedProperty() throws {
        var realm: Realm? = try directory.open([FollowedV1.self])
        try realm?.write {
            for id in 1...3 {
                realm?.create(FollowedV1.self, value: ["id": id, "text": "a", "extra": 7])
            }
        }
        let older = try #require(try realm?.store.snapshot())
        realm = nil
        let next = try directory.open([FollowedV0.self], version: 1)
        // Both rows are written without it, and only one has another value.
        for text in ["a longer text", "a"] {
            try next.write { next.objects(FollowedV0.self)[0].text = text }
        }
        try next.write { next.objects(FollowedV0.self)[1].text = "another longer text" }
        let newer = try next.store.snapshot()
        let table = next.session.table(of: FollowedV0.self)
        var layouts: [UInt16] = []
        try next.session.scan(table) { _, row in
            layouts.append(row.loadUnaligned(as: UInt16.self))
            return true
        }
        #expect(layouts[0] != layouts[2] && layouts[1] != layouts[2], "\(layouts)")
        let changes = try ObjectChanges(from: older, to: newer, links: nil, cache: cache(next))
        let type = try #require(changes.types[table.stored.number])
        #expect(changes.types.count == 1 && type.inserted.isEmpty && type.deleted.isEmpty)
        #expect(type.modified.map(\.key) == [next.objects(FollowedV0.self)[1].key])
        let text = table.stored.properties.first { $0.name == "text" }?.number
        #expect(type.modified.first?.properties.all == text.map { [$0] })
    }

    @Test("an object that was deleted and added again under its key is modified")
    func addedAgain() throws {
        let realm = try open()
        try realm.write { realm.add(ChangingKeyed(value: ["id": 1, "value": "a"])) }
        let again = try changes(realm) {
            realm.delete(realm.objects(ChangingKeyed.self))
            realm.add(ChangingKeyed(value: ["id": 1, "value": "b"]))
        }
        let type = try #require(again.types.values.first)
        #expect(again.types.count == 1 && type.inserted.isEmpty && type.deleted.isEmpty)
        #expect(type.modified.count == 1)
    }

    @Test("links that come, go, or come more often are found by the property that links")
    func links() throws {
        let realm = try open()
        let keyed = ChangingKeyed(value: ["id": 1])
        let subject = ChangingSubject()
        try realm.write {
            realm.add(keyed)
            realm.add(subject)
        }
        let first = try changes(realm) { subject.links.append(keyed) }
        let second = try changes(realm) { subject.links.append(keyed) }
        let third = try changes(realm) { subject.links.removeAll() }
        let counts = [first, second, third].map { changes in
            changes.links.values.flatMap { $0.map { [$0.oldCount, $0.newCount] } }
        }
        #expect(counts == [[[0, 1]], [[1, 2]], [[2, 0]]])
        let link = try #require(first.links.values.first?.first)
        #expect(link.target == keyed.key && link.source == subject.key)
    }

    @Test("only the types that are asked for are looked at, owners among them")
    func someTypes() throws {
        let realm = try open()
        let subject = ChangingSubject()
        subject.house = ChangingHouse()
        try realm.write { realm.add(subject) }
        let older = try realm.session.shared.store.snapshot()
        try realm.write {
            subject.house?.number = 7
            realm.add(ChangingKeyed())
        }
        let newer = try realm.session.shared.store.snapshot()
        let types = try cache(realm).types(of: newer)
        func number(_ name: String) throws -> UInt32 {
            try #require(types.schema.type(named: name)?.number)
        }
        let house = try number("ChangingHouse")
        let both: Set = [house, try number("ChangingSubject")]
        for asked in [[house], both] as [Set<UInt32>] {
            let changes = try ObjectChanges(
                from: older, to: newer, types: asked, cache: cache(realm))
            #expect(Set(changes.types.keys) == asked)
        }
        #expect(
            types.reachable(from: [house]).count == 3, "a house has a room, and a guest")
    }

    @Test("property numbers are a set, whatever their size")
    func propertyNumbers() {
        var numbers = PropertyNumbers([70, 3, 64, 0, 70])
        #expect(numbers.all == [0, 3, 64, 70])
        #expect(numbers.contains(64) && !numbers.contains(65) && !numbers.contains(1))
        numbers.formUnion(PropertyNumbers([63, 65]))
        #expect(numbers.all == [0, 3, 63, 64, 65, 70])
        #expect(numbers.intersects(PropertyNumbers([65])))
        #expect(!numbers.intersects(PropertyNumbers([1, 66])))
        #expect(PropertyNumbers().isEmpty && !PropertyNumbers([99]).isEmpty)
    }
}
