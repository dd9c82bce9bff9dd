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
        await #expect(processExitsWith: .failure) { _ = List<Int>().observe { _ in } }
        await #expect(processExitsWith: .failure) {
            let realm = try ObservingMisuseTests.open(try TemporaryDirectory())
            let pet = try realm.write { realm.create(ObservedPet.self) }
            try realm.write { realm.delete(pet) }
            _ = pet.observe { _ in }
        }
    }

    @Test("a key path that the type lacks is refused with one that it has")
    func keyPaths() async {
        let outcome = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let realm = try ObservingMisuseTests.open(try TemporaryDirectory())
            _ = realm.objects(ObservedOwner.self).observe(keyPaths: ["pets.nam"]) { _ in }
        }
        #expect(outcome.errorText.contains("Can't observe 'pets.nam'"))
        #expect(outcome.errorText.contains("'name'"))
        await #expect(processExitsWith: .failure) {
            let realm = try ObservingMisuseTests.open(try TemporaryDirectory())
            let owner = try realm.write { realm.create(ObservedOwner.self) }
            _ = owner.numbers.observe(keyPaths: ["name"]) { _ in }
        }
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

    @Test("tokens of other realms and frozen collections are refused")
    func others() async {
        let outcome = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let realm = try ObservingMisuseTests.open(try TemporaryDirectory())
            let other = try ObservingMisuseTests.open(try TemporaryDirectory())
            let token = realm.observe { _, _ in }
            try other.write(withoutNotifying: [token]) {}
        }
        #expect(outcome.errorText.contains("A token of another realm"))
        await #expect(processExitsWith: .failure) {
            let realm = try ObservingMisuseTests.open(try TemporaryDirectory())
            _ = realm.objects(ObservedPet.self).freeze().observe { _ in }
        }
    }
}
