import Foundation
import RealmSwift
import TestSupport
import Testing

@testable import TravertineStore

@Suite("Opening realms while others write")
struct OpeningOrderTests {
    private let directory = TemporaryDirectory()

    /// What threads signal to each other.
    private final class Signals: @unchecked Sendable {
        let isDone = DispatchSemaphore(value: 0)
        let hasInstalled = DispatchSemaphore(value: 0)
        var outcome: Result<Int, any Error>?
        var installed: Result<[Int], any Error>?
    }

    // The one who installed held the lock of openings and waited for the transaction, whose thread
    // waited for that lock.
    @Test("a realm opens inside a write transaction while another thread waits to install a schema")
    func whileInstalling() throws {
        let signals = Signals()
        let url = directory.url
        do { try directory.open([Anvil.self, Forge.self]).write {} }
        Thread.detachNewThread {
            signals.outcome = Result {
                let realm = try Realm(
                    configuration: Realm.Configuration(
                        fileURL: url, objectTypes: [Anvil.self, Forge.self], durability: .unsynced))
                realm.beginWrite()
                realm.create(Anvil.self, value: ["weight": 3])
                Thread.detachNewThread {
                    signals.installed = Result {
                        let other = try Realm(
                            configuration: Realm.Configuration(
                                fileURL: url, schemaVersion: 1,
                                objectTypes: [Bellows.self], durability: .unsynced))
                        try other.write { other.create(Bellows.self, value: ["size": 1]) }
                        return other.objects(Bellows.self).map(\.size)
                    }
                    signals.hasInstalled.signal()
                }
                // Now it is under way, and must wait for the transaction.
                let gate = realm.store.gate
                let deadline = Date(timeIntervalSinceNow: 60)
                while !gate.letWaiterBeNext(), Date() < deadline {
                    Thread.sleep(forTimeInterval: 0.001)
                }
                let second = try Realm(
                    configuration: Realm.Configuration(
                        fileURL: url, objectTypes: [Anvil.self], durability: .unsynced))
                #expect(second != realm && second.objects(Anvil.self).isEmpty)
                try realm.commitWrite()
                second.refresh()
                return second.objects(Anvil.self).count
            }
            signals.isDone.signal()
        }
        try #require(signals.isDone.wait(timeout: .now() + 60) == .success, "a deadlock")
        try #require(signals.hasInstalled.wait(timeout: .now() + 60) == .success, "a deadlock")
        #expect(try signals.outcome?.get() == 1)
        #expect(try signals.installed?.get() == [1])
    }

    @Test("a realm that must change the schema does not open inside of a write transaction")
    func insideTransaction() throws {
        let realm = try directory.open([Anvil.self])
        try realm.write {
            realm.create(Anvil.self, value: ["weight": 3])
            let error = #expect(throws: Realm.Error.self) { try directory.open([Forge.self]) }
            #expect(error?.message.contains("inside a write transaction") == true)
        }
        #expect(realm.objects(Anvil.self).map(\.weight) == [3])
        #expect(try directory.open([Forge.self]).objects(Forge.self).isEmpty)
    }

    @Test("code that is asked while a realm opens gets an error when it opens one")
    func insideOpening() throws {
        final class Caught: @unchecked Sendable {
            var errors: [Realm.Error] = []
        }
        let caught = Caught()
        let url = directory.url
        do { try directory.open([Anvil.self]).write {} }
        let attempt: @Sendable () -> Void = {
            do {
                _ = try Realm(
                    configuration: Realm.Configuration(fileURL: url, objectTypes: [Anvil.self]))
            } catch let error as Realm.Error {
                caught.errors.append(error)
            } catch {
                Issue.record("\(error)")
            }
        }
        do {
            let realm = try Realm(
                configuration: Realm.Configuration(
                    fileURL: url, schemaVersion: 1, migrationBlock: { _, _ in attempt() },
                    shouldCompactOnLaunch: { _, _ in
                        attempt()
                        return false
                    }, objectTypes: [Anvil.self], durability: .unsynced))
            #expect(realm.isEmpty)
        }
        #expect(caught.errors.count == 2, "\(caught.errors)")
        #expect(caught.errors.allSatisfy { $0.message.contains("can't be opened in") })
    }
}

class Anvil: Object {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    @Persisted var weight: Int
}

class Forge: Object {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    @Persisted var name: String
}

class Bellows: Object {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    @Persisted var size: Int
}
