import Locks
import RealmSwift
import TestSupport
import Testing

/// Code of the application that runs while a realm is opened, or inside the store's own work.
@Suite("Opening beside code of the application")
struct OpeningLockTests {
    let directory = try! TemporaryDirectory()

    private func configuration(_ name: String) -> Realm.Configuration {
        Realm.Configuration(
            fileURL: directory.url.deletingLastPathComponent().appending(path: name),
            objectTypes: [OpenedThing.self], durability: .unsynced)
    }

    private func fill(_ configuration: Realm.Configuration) throws {
        let realm = try Realm(configuration: configuration)
        try realm.write { realm.add(OpenedThing()) }
    }

    @Test("shouldCompactOnLaunch may release the last handle of another realm")
    func releaseInQuestion() throws {
        var opened = configuration("opened")
        try fill(opened)
        let released = configuration("released")
        try fill(released)
        let other = Locked<Held?>(Held(realm: try Realm(configuration: released)))
        opened.shouldCompactOnLaunch = { _, _ in
            let held = other.withLock { other -> Held? in
                defer { other = nil }
                return other
            }
            #expect(held != nil)
            return false
        }
        let realm = try Realm(configuration: opened)
        #expect(realm.objects(OpenedThing.self).count == 1)
        #expect(other.withLock { $0 == nil })
        // It was closed: nothing is in the way of deleting it.
        #expect(try Realm.deleteFiles(for: released))
    }

    @Test("opening a realm in the store's own work that its closing waits for fails")
    func reopening() throws {
        let configuration = configuration("closing")
        try fill(configuration)
        var realm: Realm? = try Realm(configuration: configuration)
        let store = try #require(realm?.store)
        var code: Realm.Error.Code?
        var calls = 0
        // Segments that a compaction rewrites.
        for _ in 0..<3 {
            try realm?.write {
                for _ in 0..<2000 { realm?.add(OpenedThing()) }
            }
            try realm?.write { realm?.deleteAll() }
        }
        try? store.compact { _ in
            calls += 1
            guard calls == 1 else { return }
            realm = nil
            do {
                _ = try Realm(configuration: configuration)
            } catch {
                code = (error as? Realm.Error)?.code
            }
        }
        #expect(calls > 0)
        #expect(code == .fail)
        // The work has ended.
        let again = try Realm(configuration: configuration)
        #expect(again.objects(OpenedThing.self).isEmpty)
    }

    /// A handle that the function releases.
    private struct Held: @unchecked Sendable {
        let realm: Realm
    }
}

final class OpenedThing: Object {
    @Persisted var text = "some text that takes space"
}
