import Foundation
import RealmSwift
import TestSupport
import Testing

@Suite("Misuse of frozen things")
struct FrozenMisuseTests {
    private func expect(_ part: String, in result: ExitTest.Result?) {
        let message = result.errorText
        #expect(message.contains(part), "\(message)")
    }

    @Test("a frozen realm can't be written")
    func writing() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let directory = TemporaryDirectory()
            defer { withExtendedLifetime(directory) {} }
            try directory.open(Valley.classes).freeze().write {}
        }
        expect("is frozen", in: result)
        expect("thaw()", in: result)
    }

    @Test("a frozen object can't be changed, also not in a write transaction of its live realm")
    func settingProperty() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let directory = TemporaryDirectory()
            defer { withExtendedLifetime(directory) {} }
            let realm = try directory.open(Valley.classes)
            try realm.write { _ = addValley(realm, 1) }
            let frozen = realm.objects(Valley.self)[0].freeze()
            try realm.write { frozen.name = "x" }
        }
        expect("is frozen", in: result)
    }

    @Test("a frozen list can't be changed on another thread")
    func changingList() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let directory = TemporaryDirectory()
            defer { withExtendedLifetime(directory) {} }
            let realm = try directory.open(Valley.classes)
            try realm.write { _ = addValley(realm, 1) }
            let frozen = Frozen(realm.objects(Valley.self)[0].heights)
            try onThreads(1) { _ in frozen.value.append(1) }
        }
        expect("is frozen", in: result)
    }

    @Test("frozen objects can't be deleted, and a frozen realm can't be invalidated")
    func deleting() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let directory = TemporaryDirectory()
            defer { withExtendedLifetime(directory) {} }
            let realm = try directory.open(Valley.classes)
            try realm.write { _ = addValley(realm, 1) }
            let frozen = realm.freeze()
            frozen.delete(frozen.objects(Valley.self))
        }
        expect("is frozen", in: result)
        let invalidating = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let directory = TemporaryDirectory()
            defer { withExtendedLifetime(directory) {} }
            try directory.open(Valley.classes).freeze().invalidate()
        }
        expect("is frozen", in: invalidating)
    }

    @Test("a frozen object can't be linked to by a live one, or deleted in its realm")
    func linking() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let directory = TemporaryDirectory()
            defer { withExtendedLifetime(directory) {} }
            let realm = try directory.open(Valley.classes)
            try realm.write { _ = addValley(realm, 1) }
            let valley = realm.objects(Valley.self)[0]
            let frozen = valley.glaciers[0].freeze()
            try realm.write { valley.glacier = frozen }
        }
        expect("The Glacier is frozen", in: result)
        let deleting = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let directory = TemporaryDirectory()
            defer { withExtendedLifetime(directory) {} }
            let realm = try directory.open(Valley.classes)
            try realm.write { _ = addValley(realm, 1) }
            let frozen = realm.objects(Valley.self)[0].freeze()
            try realm.write { realm.delete(frozen) }
        }
        expect("The Valley is frozen", in: deleting)
    }

    @Test("freezing inside a write transaction stops")
    func freezingInWrite() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let directory = TemporaryDirectory()
            defer { withExtendedLifetime(directory) {} }
            let realm = try directory.open(Valley.classes)
            try realm.write { _ = addValley(realm, 1).freeze() }
        }
        expect("can't be frozen inside a write transaction", in: result)
    }

    @Test("freezing what is unmanaged or deleted stops")
    func freezingNothing() async {
        let unmanaged = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = Valley().freeze() }
        expect("unmanaged can't be frozen", in: unmanaged)
        let deleted = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let directory = TemporaryDirectory()
            defer { withExtendedLifetime(directory) {} }
            let realm = try directory.open(Valley.classes)
            try realm.write { _ = addValley(realm, 1) }
            let valley = realm.objects(Valley.self)[0]
            try realm.write { realm.delete(valley) }
            _ = valley.freeze()
        }
        expect("can't be frozen or handed over. Check `isInvalidated` first", in: deleted)
    }

    @Test("a reference that was resolved, and one to another realm's object, stops")
    func references() async {
        let twice = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let directory = TemporaryDirectory()
            defer { withExtendedLifetime(directory) {} }
            let realm = try directory.open(Valley.classes)
            try realm.write { _ = addValley(realm, 1) }
            let reference = ThreadSafeReference(to: realm.objects(Valley.self))
            _ = realm.resolve(reference)
            _ = realm.resolve(reference)
        }
        expect("can be resolved once", in: twice)
        let elsewhere = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let (directory, other) = (TemporaryDirectory(), TemporaryDirectory())
            defer { withExtendedLifetime((directory, other)) {} }
            let realm = try directory.open(Valley.classes)
            let reference = ThreadSafeReference(to: realm.objects(Valley.self))
            _ = try other.open(Valley.classes).resolve(reference)
        }
        expect("can't be resolved in the one at", in: elsewhere)
        let unmanaged = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = ThreadSafeReference(to: Valley()) }
        expect("unmanaged can't be frozen", in: unmanaged)
    }

    @Test("a live object on a wrong thread still stops, and says what to do")
    func liveElsewhere() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let directory = TemporaryDirectory()
            defer { withExtendedLifetime(directory) {} }
            let realm = try directory.open(Valley.classes)
            try realm.write { _ = addValley(realm, 1) }
            nonisolated(unsafe) let valley = realm.objects(Valley.self)[0]
            _ = valley.freeze()
            try onThreads(1) { _ in print(valley.name) }
        }
        expect("Realm accessed from incorrect thread", in: result)
    }
}
