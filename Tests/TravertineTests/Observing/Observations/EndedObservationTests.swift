import Dispatch
import Foundation
import TestSupport
import Testing

@testable import Travertine

/// Documentation/Live.md 2.1, O-L5a: observations that have ended.
@Suite("Observations that have ended")
struct EndedObservationTests {
    let directory = try! TemporaryDirectory()

    private func open() throws -> Realm {
        try directory.open([
            ObservedPet.self, ObservedOwner.self, ObservedAddress.self, FollowedOther.self,
        ])
    }

    @Test("that of a deleted object keeps no version, as long as its token may live")
    func deleted() throws {
        let realm = try open()
        let (owner, pet) = try realm.write {
            let owner = realm.create(ObservedOwner.self, value: ["id": 1, "name": "o"])
            owner.pets.append(realm.create(ObservedPet.self, value: ["name": "p"]))
            return (owner, owner.pets[0])
        }
        let reports = Reports()
        let tokens = [
            pet.observe { change in
                if case .deleted = change { reports.note("deleted") } else { reports.note("other") }
            },
            owner.pets.observe { _ in }, owner.numbers.observe { _ in },
        ]
        realm.refresh()
        try realm.write { realm.delete([pet]) }
        realm.refresh()
        #expect(reports.take() == ["deleted"])
        try realm.write { realm.delete(owner) }
        realm.refresh()
        for number in 0..<5 {
            try realm.write { _ = realm.create(ObservedPet.self, value: ["age": number]) }
            realm.refresh()
        }
        #expect(reports.take() == [])
        let versions = try Set(realm.store.statistics.snapshots.map(\.version))
        #expect(versions.count == 1, "what is shown is the only version")
        for token in tokens { token.invalidate() }
    }

    @Test("those of an invalidated realm keep no version, though it is not refreshed")
    func invalidated() throws {
        let realm = try open()
        let pet = try realm.write { realm.create(ObservedPet.self, value: ["name": "p"]) }
        let reports = Reports()
        let tokens = [
            pet.observe { reports.note($0) },
            realm.objects(ObservedPet.self).observe { reports.note($0) },
            realm.objects(ObservedPet.self).sectioned(by: \.name).observe { reports.note($0) },
        ]
        realm.refresh()
        #expect(reports.take() == ["initial", "initial"])
        let told = try #require(realm.session.observations.settledVersion).version
        try realm.write { pet.name = "q" }
        realm.invalidate()
        #expect(try !realm.store.statistics.snapshots.contains { $0.version == told })
        #expect(realm.session.observations.isEmpty)
        realm.refresh()
        #expect(reports.take() == [])
        for token in tokens { token.invalidate() }
    }

    @Test("that of the realm itself goes on after it was invalidated")
    func ofRealm() throws {
        let realm = try open()
        let reports = Reports()
        let token = realm.observe { notification, _ in reports.note("\(notification)") }
        realm.invalidate()
        try realm.write { _ = realm.create(ObservedPet.self) }
        #expect(reports.take() == ["didChange"])
        token.invalidate()
    }

    @Test("an observation of plain values looks at no other type")
    func plainValues() throws {
        let first = try open()
        try first.write {
            let owner = first.create(ObservedOwner.self, value: ["id": 1, "name": "o"])
            owner.numbers.append(1)
            _ = first.create(FollowedOther.self)
        }
        // Another session, which has no table yet.
        let queue = DispatchQueue(label: "other")
        let counts = try queue.sync { () -> (String, Bool) in
            let realm = try Realm(configuration: first.configuration, queue: queue)
            let owner = realm.objects(ObservedOwner.self)[0]
            let reports = Reports()
            let token = owner.numbers.observe { reports.note($0) }
            realm.refresh()
            try realm.write {
                owner.numbers.append(2)
                owner.name = "p"
            }
            realm.refresh()
            defer { token.invalidate() }
            let hasOther = realm.session.registry.all.contains { $0.stored.name == "FollowedOther" }
            return (reports.take().joined(separator: ", "), hasOther)
        }
        #expect(counts == ("initial, -[] +[1] ~[]", false))
    }
}
