import Foundation
import RealmSwift
import TestSupport
import Testing

@testable import Travertine

/// Documentation/Live.md, O-L13: who is asked about a change, counted in debug builds.
@Suite("Which observations are asked")
struct InterestTests {
    let directory = try! TemporaryDirectory()
    let reports = Reports()

    private func open() throws -> Realm {
        try directory.open([ObservedPet.self, ObservedOwner.self, ObservedAddress.self])
    }

    private func fill(_ realm: Realm, _ count: Int) throws {
        try realm.write {
            for id in 0..<count {
                let pet = realm.create(ObservedPet.self, value: ["name": "pet \(id)", "age": id])
                let owner = realm.create(
                    ObservedOwner.self, value: ["id": id, "name": "owner \(id)"])
                owner.favourite = pet
                owner.pets.append(pet)
                owner.numbers.append(id)
                owner.tags.insert("tag")
                owner.scores["a"] = id
            }
        }
    }

    /// How many observations are asked after a transaction.
    private func asked(_ realm: Realm, _ change: () -> Void) throws -> Int {
        realm.refresh()
        #if DEBUG
            realm.session.visits.observations = 0
            try realm.write(change)
            realm.refresh()
            return realm.session.visits.observations
        #else
            return 0
        #endif
    }

    #if DEBUG
        @Test("a commit asks none of a thousand results that it can't concern, and one that it can")
        func results() throws {
            let realm = try open()
            try fill(realm, 2)
            let pets = realm.objects(ObservedPet.self)
            let owner = realm.objects(ObservedOwner.self)[0]
            var tokens = (0..<1000).map { age in
                pets.where { $0.age == age }.observe(keyPaths: [String]()) { reports.note($0) }
            }
            tokens.append(
                realm.objects(ObservedOwner.self).where { $0.name == "x" }
                    .observe(keyPaths: ["name"]) { reports.note($0, "owners") })
            realm.refresh()
            _ = reports.take()
            #expect(try asked(realm) { pets[0].name = "other" } == 0)
            #expect(try asked(realm) { owner.numbers.append(1) } == 0)
            #expect(reports.take() == [])
            #expect(try asked(realm) { owner.name = "x" } == 1)
            #expect(reports.take() == ["owners: -[] +[0] ~[]"])
            #expect(try asked(realm) { pets[0].age = 7 } == 1000)
            #expect(reports.take() == ["-[0] +[] ~[]", "-[] +[0] ~[]"])
            #expect(try asked(realm) { _ = realm.create(ObservedPet.self) } == 1000)
            #expect(reports.take() == ["-[] +[0] ~[]"])
            for token in tokens { token.invalidate() }
        }

        @Test("a condition and key paths through links ask about what they lead to")
        func links() throws {
            let realm = try open()
            try fill(realm, 3)
            let pets = realm.objects(ObservedPet.self)
            let owners = realm.objects(ObservedOwner.self)
            let tokens = [
                owners.where { $0.favourite.name == "x" }.observe(keyPaths: [String]()) {
                    reports.note($0, "condition")
                },
                owners.observe(keyPaths: ["pets.age"]) { reports.note($0, "paths") },
                pets.observe(keyPaths: ["owners.name"]) { reports.note($0, "backlinks") },
            ]
            realm.refresh()
            _ = reports.take()
            #expect(try asked(realm) { pets[1].name = "x" } == 1)
            #expect(reports.take() == ["condition: -[] +[0] ~[]"])
            #expect(try asked(realm) { pets[1].age = 100 } == 1)
            #expect(reports.take() == ["paths: -[] +[] ~[1]"])
            #expect(try asked(realm) { owners[2].name = "y" } == 1)
            #expect(reports.take() == ["backlinks: -[] +[] ~[2]"])
            #expect(try asked(realm) { owners[2].pets.removeAll() } == 2)
            #expect(reports.take() == ["paths: -[] +[] ~[2]", "backlinks: -[] +[] ~[2]"])
            #expect(try asked(realm) { realm.delete(owners[0]) } == 3)
            #expect(reports.take() == ["paths: -[0] +[] ~[]", "backlinks: -[] +[] ~[0]"])
            for token in tokens { token.invalidate() }
        }

        @Test("objects and collections of values are asked about their own object")
        func objects() throws {
            let realm = try open()
            try fill(realm, 200)
            let owners = Array(realm.objects(ObservedOwner.self))
            var tokens: [NotificationToken] = []
            for owner in owners {
                tokens.append(owner.observe { reports.note($0) })
                tokens.append(owner.numbers.observe { reports.note($0, "numbers") })
                tokens.append(owner.tags.observe { reports.note($0, "tags") })
                tokens.append(owner.scores.observe { reports.note($0) })
                tokens.append(owner.favourite!.owners.observe(keyPaths: [String]()) { _ in })
            }
            realm.refresh()
            _ = reports.take()
            #expect(try asked(realm) { owners[3].numbers.append(9) } == 4)
            #expect(reports.take() == ["numbers", "numbers: -[] +[1] ~[]"])
            #expect(try asked(realm) { owners[4].scores["b"] = 1 } == 4)
            #expect(reports.take() == ["scores", "-[] +[\"b\"] ~[]"])
            #expect(try asked(realm) { realm.delete(owners[5]) } >= 4)
            let told = reports.take()
            #expect(told.first == "deleted" && told.count == 4, "\(told)")
            for token in tokens { token.invalidate() }
        }
    #endif

    @Test("a version is released though an observation is not asked")
    func releasing() throws {
        let realm = try open()
        try fill(realm, 1)
        let token = realm.objects(ObservedPet.self).where { $0.age == 3 }
            .observe(keyPaths: [String]()) { reports.note($0) }
        realm.refresh()
        weak var old = realm.session.observations.settledVersion
        #expect(old != nil)
        for name in ["a", "b"] {
            try realm.write { realm.objects(ObservedPet.self)[0].name = name }
            realm.refresh()
        }
        #expect(old == nil)
        old = realm.session.observations.settledVersion
        #expect(old != nil)
        token.invalidate()
        #expect(realm.session.observations.settledVersion == nil)
        try realm.write { realm.objects(ObservedPet.self)[0].name = "c" }
        realm.refresh()
        #expect(old == nil)
    }

    @Test("what a block commits is reported to those after it, also to who was not asked before")
    func committing() throws {
        let realm = try open()
        try fill(realm, 1)
        let pet = realm.objects(ObservedPet.self)[0]
        let owner = realm.objects(ObservedOwner.self)[0]
        func observeOwners(_ name: String) -> NotificationToken {
            realm.objects(ObservedOwner.self).observe(keyPaths: ["name"]) {
                reports.note($0, name)
            }
        }
        var isFirst = true
        let tokens = [
            observeOwners("before"),
            realm.objects(ObservedPet.self).observe(keyPaths: ["age"]) {
                reports.note($0, "writing")
                guard case .update = $0, isFirst else { return }
                isFirst = false
                try! realm.write { owner.name = "changed" }
            },
            observeOwners("after"),
            pet.observe(keyPaths: ["age"]) { (change: ObjectChange<ObservedPet>) in
                reports.note(change)
            },
        ]
        realm.refresh()
        _ = reports.take()
        try realm.write { pet.age = 50 }
        realm.refresh()
        // The write notifies the others first.
        #expect(reports.take() == ["writing: -[] +[] ~[0]", "age", "after: -[] +[] ~[0]"])
        realm.refresh()
        #expect(reports.take() == ["before: -[] +[] ~[0]"])
        for token in tokens { token.invalidate() }
    }

    @Test("an observation that was not asked about older versions skips and reports as others do")
    func skipping() throws {
        let realm = try open()
        try fill(realm, 1)
        let pets = realm.objects(ObservedPet.self)
        let token = pets.observe(keyPaths: ["age"]) { reports.note($0) }
        realm.refresh()
        _ = reports.take()
        for name in ["a", "b", "c"] { try realm.write { pets[0].name = name } }
        try realm.write(withoutNotifying: [token]) { pets[0].age += 1 }
        realm.refresh()
        #expect(reports.take() == [])
        try realm.write { pets[0].name = "d" }
        try realm.write { pets[0].age += 1 }
        realm.refresh()
        #expect(reports.take() == ["-[] +[] ~[0]"])
        token.invalidate()
    }

    @Test("an object that is deleted ends its observation though nothing else concerned it")
    func deleting() throws {
        let realm = try open()
        try fill(realm, 2)
        let pets = realm.objects(ObservedPet.self)
        let token = pets[1].observe(keyPaths: ["age"]) { (change: ObjectChange<ObservedPet>) in
            reports.note(change)
        }
        realm.refresh()
        try realm.write { pets[0].age = 9 }
        realm.refresh()
        #expect(reports.take() == [])
        try realm.write { realm.delete(pets[1]) }
        realm.refresh()
        #expect(reports.take() == ["deleted"])
        #expect(realm.session.observations.isEmpty)
        token.invalidate()
    }

    /// Whether the versions were not compared for a transaction: what is settled knows its version
    /// before anything was delivered.
    private func isNoted(_ realm: Realm, _ change: () throws -> Void) throws -> Bool {
        realm.refresh()
        try realm.write(change)
        let session = realm.session
        return try session.observations.settledVersion?.isSameVersion(as: session.shownVersion())
            ?? false
    }

    @Test("an own commit that notes what it changes is compared only if that can concern somebody")
    func noting() throws {
        let realm = try open()
        try fill(realm, 100)
        let (pets, owners) = (realm.objects(ObservedPet.self), realm.objects(ObservedOwner.self))
        let observed = pets[99]
        let tokens = [
            owners.where { $0.favourite.age > 1000 }.observe(keyPaths: ["name"]) {
                reports.note($0, "owners")
            },
            observed.observe(keyPaths: ["name"]) { reports.note($0) },
        ]
        realm.refresh()
        _ = reports.take()
        #expect(try isNoted(realm) { pets[0].name = "a" })
        #expect(try isNoted(realm) { for pet in pets.prefix(60) { pet.name += "b" } })
        #expect(try isNoted(realm) { _ = realm.create(ObservedPet.self) })
        #expect(try isNoted(realm) { realm.delete(pets[pets.count - 1]) })
        #expect(try isNoted(realm) { for pet in pets.prefix(99) { pet.name += "b" } })
        #expect(reports.take() == [])
        #expect(try !isNoted(realm) { observed.name = "c" })
        realm.refresh()
        #expect(reports.take() == ["name"])
        #expect(try !isNoted(realm) { owners[0].name = "d" })
        realm.refresh()
        #expect(reports.take() == [])
        #expect(try !isNoted(realm) { pets[1].age = 2000 })
        realm.refresh()
        #expect(reports.take() == ["owners: -[] +[0] ~[]"])
        for token in tokens { token.invalidate() }
    }

    @Test("what a note can't have is found by comparing versions")
    func incompleteNotes() throws {
        let realm = try open()
        try fill(realm, 2)
        let pets = realm.objects(ObservedPet.self)
        let owners = realm.objects(ObservedOwner.self)
        let token = owners.where { $0.name == "x" }.observe(keyPaths: ["scores"]) {
            reports.note($0)
        }
        realm.refresh()
        _ = reports.take()
        let address = try realm.write {
            owners[0].address = ObservedAddress()
            owners[0].address?.city = "a"
            owners[0].name = "x"
            return owners[0].address
        }
        realm.refresh()
        #expect(reports.take() == ["-[] +[0] ~[]"])
        // An owner may be concerned.
        #expect(try !isNoted(realm) { address?.city = "b" })
        // The new object may have the key of the other.
        #expect(
            try !isNoted(realm) {
                realm.delete(pets[0])
                _ = realm.create(ObservedPet.self)
            })
        #expect(
            try !isNoted(realm) {
                _ = realm.create(
                    ObservedOwner.self, value: ["id": 1, "name": "other"], update: .modified)
            })
        // Nodes of a large list.
        #expect(try !isNoted(realm) { pets[0].owners.first?.numbers.append(objectsIn: 0..<5000) })
        #expect(try !isNoted(realm) { realm.delete(pets) })
        // A commit of another thread came before.
        realm.refresh()
        let other = realm.configuration
        try Self.onThread {
            let realm = try Realm(configuration: other)
            try realm.write { _ = realm.create(ObservedPet.self, value: ["name": "other"]) }
        }
        #expect(try isNoted(realm) { pets[0].name = "own" })
        #expect(reports.take() == [])
        token.invalidate()
    }

    private static func onThread(_ body: @escaping @Sendable () throws -> Void) throws {
        nonisolated(unsafe) var failure: (any Error)?
        let isDone = DispatchSemaphore(value: 0)
        let thread = Thread {
            do { try body() } catch { failure = error }
            isDone.signal()
        }
        thread.start()
        isDone.wait()
        if let failure { throw failure }
    }
}
