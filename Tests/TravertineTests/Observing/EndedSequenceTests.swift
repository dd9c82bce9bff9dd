import Foundation
import RealmSwift
import TestSupport
import Testing

/// Documentation/Live.md 2.1, O-L5a: loops over changes of what is invalidated with its realm.
@Suite("Sequences of an invalidated realm")
struct EndedSequenceTests {
    let directory = try! TemporaryDirectory()

    private actor Looper {
        enum Kind: CaseIterable { case results, list, map, object, values, sections }

        private var realm: Realm?
        /// How many loops observe, and how many have ended.
        private(set) var beginCount = 0
        private(set) var endCount = 0

        func open(_ configuration: Realm.Configuration) async throws {
            let realm = try await Realm.open(configuration: configuration)
            try realm.write {
                let owner = realm.create(ObservedOwner.self, value: ["id": 1])
                owner.pets.append(ObservedPet(value: ["name": "a"]))
            }
            self.realm = realm
        }

        private func drain<Changes: AsyncSequence>(_ changes: Changes) async
        where Changes.Failure == Never {
            // The observation begins before the loop waits.
            beginCount += 1
            for await _ in changes {}
            endCount += 1
        }

        func loop(_ kind: Kind) async {
            guard let realm, let owner = realm.objects(ObservedOwner.self).first else { return }
            switch kind {
            case .results: await drain(realm.objects(ObservedPet.self).changes)
            case .list: await drain(owner.pets.changes)
            case .map: await drain(owner.scores.changes)
            case .object: await drain(owner.changes)
            case .values: await drain(owner.values(of: \.name))
            case .sections:
                await drain(realm.objects(ObservedPet.self).sectioned(by: \.age).changes)
            }
        }

        func invalidate() { realm?.invalidate() }
        func close() { realm = nil }
    }

    @Test("they end though nobody commits and nothing is refreshed")
    func end() async throws {
        let looper = Looper()
        try await looper.open(
            Realm.Configuration(
                fileURL: directory.url,
                objectTypes: [ObservedPet.self, ObservedOwner.self, ObservedAddress.self],
                durability: .unsynced))
        let tasks = Looper.Kind.allCases.map { kind in Task { await looper.loop(kind) } }
        #expect(try await wait { await looper.beginCount == tasks.count })
        await looper.invalidate()
        #expect(try await wait { await looper.endCount == tasks.count }, "some loops go on")
        for task in tasks { task.cancel() }
        await looper.close()
    }

    private func wait(_ condition: () async -> Bool) async throws -> Bool {
        let deadline = Deadline(seconds: 60)
        while await !condition() {
            if deadline.isOver { return false }
            try await Task.sleep(for: .milliseconds(2))
        }
        return true
    }
}
