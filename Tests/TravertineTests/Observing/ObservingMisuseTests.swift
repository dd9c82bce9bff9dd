import Foundation
import RealmSwift
import TestSupport
import Testing

@Suite("Misuse of observing")
struct ObservingMisuseTests {
    private static func open(_ directory: TemporaryDirectory) throws -> Realm {
        try directory.open([ObservedOwner.self, ObservedPet.self, ObservedAddress.self])
    }

    @Test("what is unmanaged or deleted can't be observed")
    func unmanaged() async {
        let outcome = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            _ = ObservedPet().observe { _ in }
        }
        #expect(outcome.errorText.contains("Only managed objects can be observed"))
        let list = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = List<Int>().observe { _ in } }
        #expect(list.errorText.contains("for a managed list only"))
        let deleted = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let directory = try TemporaryDirectory()
            let realm = try ObservingMisuseTests.open(directory)
            let pet = try realm.write { realm.create(ObservedPet.self) }
            try realm.write { realm.delete(pet) }
            withExtendedLifetime(directory) { _ = pet.observe { _ in } }
        }
        #expect(deleted.errorText.contains("has been deleted or invalidated"))
    }

    @Test("a key path that the type lacks is refused with one that it has")
    func keyPaths() async {
        let outcome = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let directory = try TemporaryDirectory()
            let realm = try ObservingMisuseTests.open(directory)
            withExtendedLifetime(directory) {
                _ = realm.objects(ObservedOwner.self).observe(keyPaths: ["pets.nam"]) { _ in }
            }
        }
        #expect(outcome.errorText.contains("Can't observe 'pets.nam'"))
        #expect(outcome.errorText.contains("'name'"))
        let values = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let directory = try TemporaryDirectory()
            let realm = try ObservingMisuseTests.open(directory)
            let owner = try realm.write { realm.create(ObservedOwner.self) }
            withExtendedLifetime(directory) {
                _ = owner.numbers.observe(keyPaths: ["name"]) { _ in }
            }
        }
        #expect(values.errorText.contains("Can't observe key paths of values"))
    }

    private actor Asker {
        private var iterator: ChangeSequence<Realm.Notification>.Iterator?

        /// Two tasks ask for the next change, of which there is none.
        func askTwice() async throws {
            let directory = try TemporaryDirectory()
            let realm = try await Realm.open(
                configuration: Realm.Configuration(
                    fileURL: directory.url, objectTypes: [ObservedAddress.self]))
            iterator = realm.changes.makeAsyncIterator()
            let first = Task { await ask() }
            await ask()
            await first.value
        }

        private func ask() async { _ = await iterator?.next(isolation: self) }
    }

    @Test("two tasks that ask one iterator for its next change are stopped with what to do")
    func sharedIterator() async {
        let outcome = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { try await Asker().askTwice() }
        #expect(outcome.errorText.contains("Give each task an iterator"))
    }

    @Test("a block that leaves a write transaction open is stopped where another is to begin")
    func openTransaction() async {
        let outcome = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let directory = try TemporaryDirectory()
            let realm = try ObservingMisuseTests.open(directory)
            let token = realm.objects(ObservedPet.self).observe { _ in realm.beginWrite() }
            try withExtendedLifetime((token, directory)) {
                try realm.write { _ = realm.create(ObservedPet.self) }
            }
        }
        #expect(outcome.errorText.contains("left a write transaction open: commit or cancel it"))
    }

    @Test("tokens of other realms and frozen collections are refused")
    func others() async {
        let outcome = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let directories = (try TemporaryDirectory(), try TemporaryDirectory())
            let realm = try ObservingMisuseTests.open(directories.0)
            let other = try ObservingMisuseTests.open(directories.1)
            let token = realm.observe { _, _ in }
            try withExtendedLifetime(directories) {
                try other.write(withoutNotifying: [token]) {}
            }
        }
        #expect(outcome.errorText.contains("A token of another realm"))
        let frozen = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let directory = try TemporaryDirectory()
            let realm = try ObservingMisuseTests.open(directory)
            withExtendedLifetime(directory) {
                _ = realm.objects(ObservedPet.self).freeze().observe { _ in }
            }
        }
        #expect(frozen.errorText.contains("The realm is frozen"))
    }
}
