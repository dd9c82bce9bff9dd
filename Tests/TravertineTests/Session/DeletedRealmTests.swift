import Foundation
import Locks
import TestSupport
import Testing
import TravertineStore

@testable import Travertine

private final class Ledger: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String

    override static func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// The same type with another kind of property.
private final class OtherLedger: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: Int

    override static func objectTypeName() -> String { "Ledger" }

    override static func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// `deleteRealmIfMigrationNeeded`: beside other processes, and interrupted.
@Suite("Realms that are deleted because they don't fit")
struct DeletedRealmTests {
    private let directory = TemporaryDirectory()

    /// Opens the realm with classes that it does not fit.
    private var other: Realm.Configuration {
        Realm.Configuration(
            fileURL: directory.url, deleteRealmIfMigrationNeeded: true,
            objectTypes: [OtherLedger.self])
    }

    private func fill() throws {
        let realm = try directory.open([Ledger.self])
        try realm.write {
            for id in 0..<3 { realm.create(Ledger.self, value: ["id": id, "name": "a"]) }
        }
    }

    private func count() throws -> Int {
        try directory.open([Ledger.self]).objects(Ledger.self).count
    }

    /// A process that reads or writes the directory's store, until it is ended.
    private func child(_ arguments: String...) throws -> RunningProgram {
        let child = try RunningProgram(
            BuiltProgram.url("store-crash-writer"), [directory.url.path] + arguments)
        child.writeLine()
        // It has the store open when it has said something.
        _ = try #require(child.readLine())
        return child
    }

    @Test("a realm that another process reads is not deleted, and the error names the process")
    func reader() throws {
        try fill()
        let process = try child("follow")
        let configuration = other
        let error = #expect(throws: Realm.Error.self) { try Realm(configuration: configuration) }
        #expect(error?.code == .alreadyOpen)
        #expect(error?.message.contains("process \(process.identifier)") == true)
        let deleted = #expect(throws: Realm.Error.self) {
            try Realm.deleteFiles(for: configuration)
        }
        #expect(deleted?.code == .alreadyOpen)
        #expect(deleted?.message.contains("process \(process.identifier)") == true)
        #expect(try count() == 3)
        process.end()
        #expect(try Realm(configuration: configuration).objects(OtherLedger.self).isEmpty)
    }

    @Test("a realm that another process writes is not deleted, and the error names the process")
    func writer() throws {
        try fill()
        let process = try child("1")
        let configuration = other
        let error = #expect(throws: Realm.Error.self) { try Realm(configuration: configuration) }
        #expect(error?.code == .alreadyOpen)
        #expect(error?.message.contains("process \(process.identifier)") == true)
        #expect(error?.message.contains("store-crash-writer") == true)
        process.end()
        #expect(try count() == 3)
        #expect(try Realm(configuration: configuration).objects(OtherLedger.self).isEmpty)
    }

    @Test("a realm that this process only reads is not deleted")
    func ownReader() throws {
        try fill()
        let configuration = other
        do {
            let reader = try Realm(
                configuration: Realm.Configuration(
                    fileURL: directory.url, readOnly: true, objectTypes: [Ledger.self]))
            let error = #expect(throws: Realm.Error.self) {
                try Realm(configuration: configuration)
            }
            #expect(error?.code == .alreadyOpen)
            #expect(error?.message.contains("by this process") == true)
            #expect(reader.objects(Ledger.self).count == 3)
        }
        #expect(try Realm(configuration: configuration).objects(OtherLedger.self).isEmpty)
    }

    @Test("a realm that other code made fit in the meantime is not deleted")
    func changedMeanwhile() throws {
        try fill()
        let unfit = try directory.open([Ledger.self]).session.shared.schema
        let configuration = other
        _ = try Realm(configuration: configuration)
        #expect(try SharedStore.remove(configuration, ifStill: unfit) == false)
        #expect(try SharedStore.remove(configuration, ifStill: StoredSchema()) == false)
        let known = try Realm(configuration: configuration).session.shared.schema
        #expect(try SharedStore.remove(configuration, ifStill: known) == true)
        #expect(!Realm.fileExists(for: configuration))
        #expect(try SharedStore.remove(configuration, ifStill: known) == false)
        #expect(try count() == 0)
    }

    @Test("threads that find at once that a realm does not fit delete it once, and all open it")
    func threads() throws {
        for round in 0..<10 {
            if round > 0 { try FileManager.default.removeItem(at: directory.url) }
            try fill()
            let configuration = other
            let failures = Locked<[String]>([])
            DispatchQueue.concurrentPerform(iterations: 6) { thread in
                do {
                    let realm = try Realm(configuration: configuration)
                    // What one has stored no other one deletes.
                    try realm.write { realm.create(OtherLedger.self, value: ["id": thread]) }
                } catch {
                    failures.withLock { $0.append("\(error)") }
                }
            }
            let found = failures.withLock { $0 }
            #expect(found.isEmpty, "round \(round)")
            let realm = try Realm(configuration: configuration)
            #expect(realm.objects(OtherLedger.self).count == 6, "round \(round)")
        }
    }

    @Test(
        "an interrupted deletion is finished by the next open of the realm", arguments: [0, 1, 2])
    func interrupted(removedCount: Int) throws {
        try fill()
        let manager = FileManager.default
        let manifest = directory.url.appendingPathComponent("manifest")
        let mark = directory.url.appendingPathComponent("manifest.removed")
        try manager.moveItem(at: manifest, to: mark)
        let names = try manager.contentsOfDirectory(atPath: directory.url.path).sorted()
            .filter { $0.hasSuffix(".segment") || $0.hasSuffix(".pages") }
        for name in names.prefix(removedCount) {
            try manager.removeItem(at: directory.url.appendingPathComponent(name))
        }
        #expect(!Realm.fileExists(for: other))
        #expect(try Realm(configuration: other).objects(OtherLedger.self).isEmpty)
        #expect(!manager.fileExists(atPath: mark.path))
    }

    @Test("a seed takes the place of a realm whose deletion was interrupted")
    func seeded() throws {
        let seed = TemporaryDirectory()
        let realm = try seed.open([OtherLedger.self])
        try realm.write { realm.create(OtherLedger.self, value: ["id": 7]) }
        try realm.store.close()
        try fill()
        try FileManager.default.moveItem(
            at: directory.url.appendingPathComponent("manifest"),
            to: directory.url.appendingPathComponent("manifest.removed"))
        var configuration = other
        configuration.seedFilePath = seed.url
        #expect(try Realm(configuration: configuration).objects(OtherLedger.self).map(\.id) == [7])
    }
}
