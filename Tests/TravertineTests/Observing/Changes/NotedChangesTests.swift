import Foundation
import RealmSwift
import TestSupport
import Testing

@testable import Travertine
@testable import TravertineStore

/// Documentation/Live.md, O-L13d: what a transaction notes is what comparing its versions finds.
@Suite("What a transaction notes")
struct NotedChangesTests {
    private static let classes: [ObjectBase.Type] = [
        ChangingSubject.self, ChangingKeyed.self, ChangingHouse.self, ChangingRoom.self,
    ]
    private struct Undone: Error {}

    private let directory = TemporaryDirectory()

    private func open() throws -> Realm { try directory.open(Self.classes) }

    /// The changes of one write, by comparing and as they were noted.
    private func changes(
        _ realm: Realm, _ body: () throws -> Void
    ) throws -> (compared: ObjectChanges, noted: ObjectChanges?) {
        realm.refresh()
        let store = realm.session.shared.store
        let older = try store.snapshot()
        try realm.write(body)
        let newer = try store.snapshot()
        let cache = realm.session.shared.storedTypesCache
        let compared = try ObjectChanges(from: older, to: newer, cache: cache)
        guard let commit = realm.session.observations.noted else { return (compared, nil) }
        #expect(commit.leads(from: older, to: newer) && !commit.leads(from: newer, to: older))
        return (
            compared, try ObjectChanges(commit.note, from: older, to: newer, cache: cache)
        )
    }

    /// Observes everything, so that each commit is noted.
    private func observe(_ realm: Realm) -> [NotificationToken] {
        let tokens = [
            realm.objects(ChangingSubject.self).observe { _ in },
            realm.objects(ChangingKeyed.self).observe { _ in },
        ]
        realm.refresh()
        return tokens
    }

    @Test(
        "is what comparing finds, over random transactions",
        arguments: 1...6 as ClosedRange<UInt64>)
    func histories(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let realm = try open()
        try realm.write {
            for _ in 0..<8 { realm.add(ChangingSubject()) }
            for id in 0..<4 { realm.add(ChangingKeyed(value: ["id": id])) }
        }
        let tokens = observe(realm)
        var notedCount = 0
        for step in 0..<80 {
            let (compared, noted) = try changes(realm) {
                for _ in 0..<(1 + random.below(random.chance(20) ? 30 : 4)) {
                    change(realm, &random)
                    if random.chance(1) {
                        try? realm.savepoint {
                            change(realm, &random)
                            throw Undone()
                        }
                    }
                }
            }
            if let noted {
                notedCount += 1
                #expect(noted == compared, "seed \(seed), step \(step)")
            }
        }
        #expect(notedCount > 20, "seed \(seed): transactions are noted")
        for token in tokens { token.invalidate() }
    }

    private func change(_ realm: Realm, _ random: inout SeededRandom) {
        let subjects = realm.objects(ChangingSubject.self)
        let keyed = ChangingKeyed(
            value: ["id": random.below(6), "value": random.pick(["a", "b", "a longer text"])])
        let old = realm.object(ofType: ChangingKeyed.self, forPrimaryKey: keyed.id)
        switch random.below(20) {
        case 0: realm.add(ChangingSubject())
        case 1: if subjects.count > 4 { realm.delete(subjects[random.below(subjects.count)]) }
        case 2: realm.add(keyed, update: random.chance(50) ? .modified : .all)
        case 3:
            if let old { realm.delete(old) } else { realm.add(keyed) }
        case 4:
            if let old {
                realm.delete(old)
                if random.chance(70) { realm.add(keyed) }
            }
        case 5, 6, 7: old?.value = keyed.value
        case 8: subjects[random.below(subjects.count)].house = ChangingHouse()
        default: subjects[random.below(subjects.count)].change(&random, realm)
        }
    }

    @Test("a value set to itself is not noted, and one that is changed back is no change")
    func noChange() throws {
        let realm = try open()
        try realm.write { realm.add(ChangingSubject()) }
        let tokens = observe(realm)
        let subject = realm.objects(ChangingSubject.self)[0]
        try realm.write {
            subject.int = 0
            subject.small = 0
            subject.optional = nil
            subject.text = ""
            #expect(realm.session.scope.note?.types.isEmpty == true)
            subject.small = 4
            subject.small = 0
            #expect(realm.session.scope.note?.types.count == 1)
        }
        for last in [0, 2] as [Int8] {
            let (compared, noted) = try changes(realm) {
                for small in [7, 1, last] { subject.small = small }
                subject.bool.toggle()
                subject.bool.toggle()
            }
            #expect(noted == compared)
            #expect(noted?.isEmpty == (last == 0))
        }
        for token in tokens { token.invalidate() }
    }

    @Test("objects that come and go in one transaction, or come again, are looked up")
    func cameAndWent() throws {
        let realm = try open()
        try realm.write { for id in 0..<3 { realm.add(ChangingKeyed(value: ["id": id])) } }
        let tokens = observe(realm)
        let all = realm.objects(ChangingKeyed.self)
        let (compared, noted) = try changes(realm) {
            // Is gone again, comes again the same, comes again with another value, and goes.
            realm.delete(realm.create(ChangingKeyed.self, value: ["id": 7]))
            for id in 0..<3 { realm.delete(all.first { $0.id == id }!) }
            realm.add(ChangingKeyed(value: ["id": 0]))
            realm.add(ChangingKeyed(value: ["id": 1, "value": "b"]))
            realm.create(ChangingKeyed.self, value: ["id": 5]).value = "c"
        }
        #expect(noted == compared)
        let type = try #require(noted?.types.values.first)
        #expect(type.inserted.count == 1 && type.deleted.count == 1 && type.modified.count == 1)
        for token in tokens { token.invalidate() }
    }

    @Test("where too much is unknown, or a part was undone, versions are compared")
    func unknown() throws {
        let realm = try open()
        try realm.write { for id in 0..<1100 { realm.add(ChangingKeyed(value: ["id": id])) } }
        let tokens = observe(realm)
        let all = realm.objects(ChangingKeyed.self)
        for (count, isKnown) in [(1024, true), (1025, false)] {
            let (compared, noted) = try changes(realm) {
                for object in all.prefix(count) {
                    object.value += "a"
                    object.value += "b"
                }
            }
            #expect((noted == compared) == isKnown && (noted == nil) != isKnown)
        }
        let (_, noted) = try changes(realm) {
            try? realm.savepoint {
                all[0].value = "undone"
                throw Undone()
            }
            all[1].value = "done"
        }
        #expect(noted == nil)
        #expect(realm.session.observations.noted?.note.hasUndone == true)
        realm.refresh()
        #expect(realm.session.observations.noted == nil, "what was reported is released")
        for token in tokens { token.invalidate() }
    }

    @Test("a loop over one object takes no room, and a million events is the most")
    func room() {
        var note = ChangeNote()
        for _ in 0..<100 { note.noteSet(1, ofType: 1, key: 5) }
        #expect(note.types[0].events.count == 1)
        for key in 0..<UInt64(ChangeNote.eventCountMax) - 1 {
            note.noteSet(1, ofType: 2, key: key)
        }
        #expect(!note.lacksEvents && note.types[1].events.count == ChangeNote.eventCountMax - 1)
        note.noteDeleted(ofType: 3, key: 1)
        #expect(note.lacksEvents && note.types.allSatisfy(\.events.isEmpty))
        note.noteSet(70, ofType: 2, key: 1)
        #expect(note.types[1].properties.all == [1, 70] && note.types[2].hasMembership)
    }
}
