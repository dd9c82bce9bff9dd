import Foundation
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

    /// Whether a thread that opens a realm has done so within a minute.
    private func canOpen(_ configuration: Realm.Configuration) -> Bool {
        let isDone = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            do {
                #expect(
                    try Realm(configuration: configuration).objects(OpenedThing.self).count == 1)
            } catch {
                Issue.record(error)
            }
            isDone.signal()
        }
        return isDone.wait(timeout: .now() + 60) == .success
    }

    @Test("while one store is opened, others are, those that are open and those that are not")
    func slowOpening() throws {
        let (open, closed) = (configuration("open"), configuration("closed"))
        var slow = configuration("slow")
        for configuration in [open, closed, slow] { try fill(configuration) }
        let (isAsked, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let isDone = DispatchSemaphore(value: 0)
        slow.shouldCompactOnLaunch = { _, _ in
            isAsked.signal()
            mayGoOn.wait()
            return false
        }
        let kept = try Realm(configuration: open)
        Thread.detachNewThread { [slow] in
            do { _ = try Realm(configuration: slow) } catch { Issue.record(error) }
            isDone.signal()
        }
        isAsked.wait()
        #expect(canOpen(open))
        #expect(canOpen(closed))
        // The store that is being opened is waited for.
        Thread.detachNewThread { mayGoOn.signal() }
        #expect(canOpen(configuration("slow")))
        isDone.wait()
        #expect(kept.objects(OpenedThing.self).count == 1)
    }

    @Test("any realm is refused to a thread that is opening one, though it may be open")
    func openingInside() throws {
        let open = configuration("open")
        var asking = configuration("asking")
        for configuration in [open, asking] { try fill(configuration) }
        let kept = try Realm(configuration: open)
        let codes = Locked<[Realm.Error.Code]>([])
        asking.shouldCompactOnLaunch = { _, _ in
            do {
                _ = try Realm(configuration: open)
            } catch {
                codes.withLock { $0 += ((error as? Realm.Error)?.code).map { [$0] } ?? [] }
            }
            return false
        }
        _ = try Realm(configuration: asking)
        #expect(codes.withLock { $0 } == [.fail])
        #expect(canOpen(open) && kept.objects(OpenedThing.self).count == 1)
    }

    /// A handle that the function releases.
    private struct Held: @unchecked Sendable {
        let realm: Realm
    }
}

final class OpenedThing: Object {
    @Persisted var text = "some text that takes space"
}
