import Foundation
import SimulatedDisk
import TestSupport
import Testing

@testable import StoreFixtures
@testable import Travertine
@testable import TravertineStore

/// Documentation/Live.md 2.1, O-L4: what is not synced yet, and what a failed sync takes back, is
/// reported to nobody.
@Suite("Observing a realm whose sync fails, or is not done")
struct FailedSyncTests {
    private let machine = SimulatedMachine(seed: 4)

    /// - Parameter verification: another one makes another realm on this thread.
    private func open(
        _ name: String, _ verification: Realm.Verification = .onFirstRead
    ) throws -> Realm {
        var configuration = Realm.Configuration(
            fileURL: URL(filePath: "/observed-\(name)", directoryHint: .isDirectory),
            objectTypes: [ObservedPet.self, ObservedOwner.self, ObservedAddress.self],
            durability: .commit)
        configuration.verification = verification
        return try Realm(configuration: configuration)
    }

    @Test("neither its own blocks nor those of another realm are called", arguments: [true, false])
    func failing(isOwn: Bool) throws {
        defer { machine.executor.removeAll() }
        try SharedStore.$simulatedOptions.withValue(machine.options()) {
            let (realm, other) = (try open("\(isOwn)"), try open("\(isOwn)", .always))
            #expect(realm.session !== other.session)
            let writer = isOwn ? realm : other
            let pets = realm.objects(ObservedPet.self)
            let pet = try realm.write { realm.create(ObservedPet.self, value: ["name": "a"]) }
            let reports = Reports()
            let tokens = [
                pets.observe { reports.note($0) }, pet.observe { reports.note($0) },
                realm.observe { notification, _ in reports.note("\(notification)") },
            ]
            func change(_ name: String) throws {
                try writer.write {
                    writer.objects(ObservedPet.self)[0].name = name
                    _ = writer.create(ObservedPet.self, value: ["name": name])
                }
            }
            try change("b")
            realm.refresh()
            // All are called for a commit that is synced.
            #expect(Set(reports.take()).isSuperset(of: ["didChange", "name", "initial"]))
            let count = machine.disk.callCount
            try change("c")
            let calls = machine.calls(since: count)
            realm.refresh()
            _ = reports.take()
            // The next commit makes the same calls.
            let sync = try #require(calls.lastIndex { $0.contains("sync") }, "\(calls)")
            machine.disk.setFault(.inputOutput, atCall: sync)
            #expect(throws: Realm.Error.self) { try change("d") }
            machine.disk.clearFaults()
            for _ in 0..<2 {
                realm.refresh()
                #expect(reports.take() == [])
                #expect(pets.count == 3 && pets[0].name == "c")
                // Nothing is committed after that.
                #expect(throws: Realm.Error.self) { try realm.write { pet.age = 1 } }
            }
            for token in tokens { token.invalidate() }
        }
    }

    @Test("a version whose sync is not done is neither shown nor reported by anything")
    func unsynced() throws {
        defer { machine.executor.removeAll() }
        try SharedStore.$simulatedOptions.withValue(machine.options()) {
            let (realm, other) = (try open("unsynced"), try open("unsynced", .always))
            let pets = realm.objects(ObservedPet.self)
            let reports = Reports()
            let tokens = [
                pets.observe { reports.note($0) },
                realm.observe { notification, _ in reports.note("\(notification)") },
            ]
            realm.refresh()
            #expect(reports.take() == ["initial"])
            let first = machine.disk.callCount
            var places: [Int] = []
            beforeSync(of: realm.store, since: first) {
                #expect(!realm.refresh())
                #expect(pets.count == 0)
                realm.beginWrite()
                #expect(pets.count == 1, "transactions build on each other")
                realm.cancelWrite()
                #expect(pets.count == 0)
                #expect(reports.take() == [])
                places.append(machine.disk.callCount - first)
            }
            try other.write { _ = other.create(ObservedPet.self, value: ["name": "a"]) }
            machine.disk.setInterlude(before: machine.fileSystem, nil)
            let calls = machine.calls(since: first)
            #expect(places.contains { Self.isSync(calls[$0]) }, "\(calls)")
            #expect(realm.refresh())
            #expect(reports.take() == ["-[] +[0] ~[]", "didChange"])
            for token in tokens { token.invalidate() }
        }
    }

    /// Calls `body` before each call to the disk that a commit makes after it has left the writer's
    /// gate, up to the sync of its segment.
    private func beforeSync(of store: Store, since first: Int, _ body: @escaping () -> Void) {
        var isInside = false
        machine.disk.setInterlude(before: machine.fileSystem) { [machine] in
            let isFree = capture { () throws(StoreError) in try store.gate.checkNotInside() }
            let isSynced = machine.calls(since: first).contains(where: Self.isSync)
            guard case .success = isFree, !isInside, !isSynced else { return }
            isInside = true
            body()
            isInside = false
        }
    }

    private static func isSync(_ call: String) -> Bool {
        call.hasPrefix("sync ") && call.hasSuffix(".segment")
    }
}
