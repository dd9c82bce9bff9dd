import Foundation
import RealmSwift
import TestSupport
import Testing

@testable import TravertineStore

/// Documentation/Live.md, section 2: when blocks are called, and what they may do.
@Suite("Delivery of changes")
struct DeliveryTests {
    let directory = try! TemporaryDirectory()
    let reports = Reports()

    private func open() throws -> Realm {
        try directory.open([ObservedPet.self, ObservedOwner.self, ObservedAddress.self])
    }

    private var otherConfiguration: Realm.Configuration {
        Realm.Configuration(
            fileURL: directory.url,
            objectTypes: [ObservedPet.self, ObservedOwner.self, ObservedAddress.self],
            durability: .interval(milliseconds: 1000))
    }

    /// Another realm of the same file on the same thread.
    private func openOther() throws -> Realm { try Realm(configuration: otherConfiguration) }

    private func add(_ name: String, to realm: Realm) throws {
        try realm.write { _ = realm.create(ObservedPet.self, value: ["name": name]) }
    }

    @Test("blocks of a realm are called inside commitWrite, and when others have committed")
    func realmBlocks() throws {
        let realm = try open()
        let other = try openOther()
        let token = realm.observe { notification, realm in
            reports.note("\(notification) \(realm.objects(ObservedPet.self).count)")
        }
        try add("a", to: realm)
        #expect(reports.take() == ["didChange 1"])
        try add("b", to: other)
        #expect(reports.take() == [])
        #expect(realm.refresh())
        #expect(reports.take() == ["didChange 2"])
        #expect(!realm.refresh())
        realm.beginWrite()
        try realm.commitWrite()
        #expect(reports.take() == [], "an empty transaction changes nothing")
        token.invalidate()
        try add("c", to: realm)
        #expect(reports.take() == [])
    }

    @Test("beginWrite shows what others committed and reports it before the transaction begins")
    func beginning() throws {
        let realm = try open()
        let other = try openOther()
        let pets = realm.objects(ObservedPet.self)
        let token = pets.observe {
            reports.note($0)
            reports.note("\(realm.isInWriteTransaction) \(pets.count)")
        }
        try add("a", to: other)
        realm.beginWrite()
        #expect(reports.take() == ["initial", "false 1"])
        realm.cancelWrite()
        try add("b", to: other)
        realm.beginWrite()
        #expect(reports.take() == ["-[] +[1] ~[]", "false 2"])
        _ = realm.create(ObservedPet.self)
        realm.cancelWrite()
        #expect(pets.count == 2)
        realm.refresh()
        #expect(reports.take() == [])
        token.invalidate()
    }

    @Test("several commits are reported as one change")
    func several() throws {
        let realm = try open()
        let other = try openOther()
        let token = realm.objects(ObservedPet.self).observe { reports.note($0) }
        realm.refresh()
        _ = reports.take()
        for name in ["a", "b", "c"] { try add(name, to: other) }
        try other.write { other.delete(other.objects(ObservedPet.self)[1]) }
        realm.refresh()
        #expect(reports.take() == ["-[] +[0, 1] ~[]"])
        token.invalidate()
    }

    @Test("withoutNotifying skips the own commit, and nothing that lies before and after it (O-L3)")
    func withoutNotifying() throws {
        let realm = try open()
        let other = try openOther()
        let pets = realm.objects(ObservedPet.self)
        let silent = pets.observe { reports.note($0, "silent") }
        let told = pets.observe { reports.note($0, "other") }
        let block = realm.observe { _, _ in reports.note("realm") }
        realm.refresh()
        _ = reports.take()
        try add("before", to: other)
        try realm.write(withoutNotifying: [silent, block]) {
            #expect(reports.take() == ["silent: -[] +[0] ~[]", "other: -[] +[0] ~[]", "realm"])
            _ = realm.create(ObservedPet.self)
        }
        #expect(reports.take() == [])
        try add("after", to: other)
        realm.refresh()
        #expect(reports.take() == ["silent: -[] +[2] ~[]", "other: -[] +[1, 2] ~[]", "realm"])
        for token in [silent, told, block] { token.invalidate() }
    }

    /// Begins a transaction on another thread, which changes the first pet and adds one. It is
    /// committed when somebody waits for the gate.
    ///
    /// - Returns: what is signalled once it has ended.
    private func commitWhenAwaited(_ gate: WriterGate) -> DispatchSemaphore {
        let (hasBegun, hasEnded) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        Thread.detachNewThread { [configuration = otherConfiguration] in
            defer { hasEnded.signal() }
            do {
                let other = try Realm(configuration: configuration)
                other.beginWrite()
                other.objects(ObservedPet.self)[0].age = 7
                _ = other.create(ObservedPet.self, value: ["name": "between"])
                hasBegun.signal()
                let deadline = Deadline(seconds: 60)
                while gate.monitor.withLock({ gate.waiterCount == 0 }), !deadline.isOver {
                    sched_yield()
                }
                try other.commitWrite()
            } catch {
                Issue.record(error)
                hasBegun.signal()
            }
        }
        hasBegun.wait()
        return hasEnded
    }

    @Test("withoutNotifying reports what others committed while it waited for its turn (O-L3)")
    func committedWhileWaiting() throws {
        let realm = try open()
        try add("a", to: realm)
        let pets = realm.objects(ObservedPet.self)
        let tokens = [
            pets.observe { reports.note($0, "pets") }, pets[0].observe { reports.note($0) },
            realm.observe { _, _ in reports.note("realm") },
        ]
        realm.refresh()
        #expect(reports.take() == ["pets: initial"])
        let hasEnded = commitWhenAwaited(realm.store.gate)
        try realm.write(withoutNotifying: tokens) {
            #expect(reports.take() == [], "it was delivered before the other one was committed")
            pets[0].name = "own"
            _ = realm.create(ObservedPet.self, value: ["name": "last"])
        }
        hasEnded.wait()
        #expect(reports.take() == [])
        realm.refresh()
        #expect(reports.take() == ["pets: -[] +[1] ~[0]", "age", "realm"])
        #expect(pets.map(\.name) == ["own", "between", "last"] && pets[0].age == 7)
        for token in tokens { token.invalidate() }
    }

    @Test(
        "what is skipped in a block that was not notified of a commit before it is skipped exactly")
    func skippedInBlock() throws {
        let realm = try open()
        let other = try openOther()
        let pets = realm.objects(ObservedPet.self)
        var token: NotificationToken?
        var writes = 0
        token = pets.observe { change in
            reports.note(change)
            guard writes == 0, pets.count == 2, let token else { return }
            writes += 1
            // Between the two this block can't be notified.
            try! add("missed", to: other)
            try! realm.write(withoutNotifying: [token]) {
                realm.delete(pets[0])
                _ = realm.create(ObservedPet.self, value: ["name": "own"])
            }
        }
        try add("a", to: realm)
        realm.refresh()
        try add("b", to: realm)
        realm.refresh()
        // It knows a and b, and removed a and added its own: missed comes before that.
        #expect(reports.take() == ["initial", "-[] +[0] ~[]", "-[] +[1] ~[]"])
        realm.refresh()
        #expect(reports.take() == ["-[] +[1] ~[]"])
        #expect(pets.map(\.name) == ["b", "missed", "own"])
        token?.invalidate()
    }

    @Test("in a block refresh returns false, and a write works and is reported to the others")
    func writingInBlocks() throws {
        let realm = try open()
        let pets = realm.objects(ObservedPet.self)
        let first = pets.observe { change in
            reports.note(change, "first")
            #expect(!realm.refresh())
            if case .update(_, _, let insertions, _) = change, insertions == [0] {
                try! self.add("from the block", to: realm)
            }
        }
        let second = pets.observe {
            reports.note($0, "second")
            reports.note("\(pets.count)")
        }
        realm.refresh()
        _ = reports.take()
        try add("a", to: realm)
        realm.refresh()
        #expect(
            reports.take() == [
                "first: -[] +[0] ~[]", "second: -[] +[0] ~[]", "1", "second: -[] +[1] ~[]", "2",
            ])
        realm.refresh()
        #expect(reports.take() == ["first: -[] +[1] ~[]"])
        first.invalidate()
        second.invalidate()
    }

    @Test("blocks may observe, invalidate any token, and throw the realm away")
    func changingObservations() throws {
        var realm: Realm? = try open()
        var tokens: [NotificationToken] = []
        let pets = realm!.objects(ObservedPet.self)
        let late = Reports()
        tokens.append(
            pets.observe { change in
                reports.note(change, "first")
                guard case .update = change else { return }
                tokens.removeLast()
                realm = nil
                tokens.append(pets.observe { late.note($0) })
            })
        tokens.append(pets.observe { reports.note($0, "second") })
        realm!.refresh()
        _ = reports.take()
        try add("a", to: realm!)
        realm!.refresh()
        #expect(reports.take() == ["first: -[] +[0] ~[]"])
        #expect(realm == nil)
        let again = try open()
        again.refresh()
        #expect(late.take() == ["initial"])
        for token in tokens { token.invalidate() }
    }

    @Test("a token that is let go of ends its observation, and the realm can be closed")
    func lettingGo() throws {
        weak var store: AnyObject?
        do {
            let realm = try open()
            store = realm.store
            _ = realm.objects(ObservedPet.self).observe { reports.note($0) }
            realm.refresh()
            #expect(reports.take() == [])
            let token = realm.objects(ObservedPet.self).observe { reports.note($0) }
            #expect(Set([token, token]).count == 1)
            realm.refresh()
            #expect(reports.take() == ["initial"])
        }
        #expect(store == nil, "nothing keeps the realm open")
    }

    @Test("observations that begin in a transaction are notified from the state before it")
    func beginningInside() throws {
        let realm = try open()
        try add("a", to: realm)
        let pet = realm.objects(ObservedPet.self)[0]
        realm.beginWrite()
        let tokens = [
            pet.observe { reports.note($0) }, realm.observe { _, _ in reports.note("realm") },
            realm.objects(ObservedPet.self).observe { reports.note($0) },
        ]
        pet.name = "b"
        try realm.commitWrite()
        #expect(reports.take() == ["realm"])
        realm.refresh()
        #expect(reports.take() == ["name", "initial"])
        for token in tokens { token.invalidate() }
    }

    @Test("an observation that begins in a transaction reports what was changed before it, too")
    func changedBeforeBeginning() throws {
        let realm = try open()
        try add("a", to: realm)
        let pet = realm.objects(ObservedPet.self)[0]
        realm.beginWrite()
        pet.name = "b"
        let tokens = [
            pet.observe { reports.note($0) }, realm.observe { _, _ in reports.note("realm") },
        ]
        try realm.commitWrite()
        realm.refresh()
        #expect(reports.take().sorted() == ["name", "realm"])
        for token in tokens { token.invalidate() }
    }

    @Test("an observation of the realm that begins after a deletion in a transaction reports it")
    func deletedBeforeBeginning() throws {
        let realm = try open()
        try add("a", to: realm)
        realm.beginWrite()
        realm.delete(realm.objects(ObservedPet.self)[0])
        let token = realm.observe { _, _ in reports.note("realm") }
        try realm.commitWrite()
        realm.refresh()
        #expect(reports.take() == ["realm"])
        token.invalidate()
    }

    @Test("an invalidated realm ends its observations")
    func invalidated() throws {
        let realm = try open()
        try add("a", to: realm)
        let tokens = [
            realm.objects(ObservedPet.self).observe { reports.note($0) },
            realm.objects(ObservedPet.self)[0].observe { reports.note($0) },
        ]
        realm.refresh()
        _ = reports.take()
        realm.invalidate()
        try add("b", to: realm)
        realm.refresh()
        #expect(reports.take() == [])
        for token in tokens { token.invalidate() }
    }

    @Test("what was reported last is kept until the realm is refreshed, as statistics report")
    func keptVersion() throws {
        let realm = try open()
        let other = try openOther()
        try add("a", to: other)
        let token = realm.objects(ObservedPet.self).observe { reports.note($0) }
        realm.refresh()
        func versions() throws -> Set<UInt64> {
            try Set(realm.store.statistics.snapshots.map(\.version))
        }
        let shown = try versions()
        #expect(shown.count == 1)
        for name in ["b", "c", "d"] { try add(name, to: other) }
        #expect(try versions().isSuperset(of: shown))
        realm.refresh()
        #expect(reports.take() == ["initial", "-[] +[1, 2, 3] ~[]"])
        #expect(try versions().isDisjoint(with: shown))
        token.invalidate()
    }

    @Test("compaction and checkpoints are no change")
    func maintenance() throws {
        let realm = try open()
        for name in 0..<50 { try add("\(name)", to: realm) }
        let tokens = [
            realm.objects(ObservedPet.self).observe { reports.note($0) },
            realm.observe { _, _ in reports.note("realm") },
        ]
        realm.refresh()
        #expect(reports.take() == ["initial"])
        #expect(try realm.store.compact().movedRecordCount >= 50)
        try realm.store.checkpoint()
        realm.refresh()
        #expect(reports.take() == [])
        for token in tokens { token.invalidate() }
    }
}
