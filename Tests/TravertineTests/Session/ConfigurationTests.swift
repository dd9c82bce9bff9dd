import Foundation
import Locks
import TestSupport
import Testing
import TravertineStore

@testable import Travertine

private final class Slab: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String

    override static func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// The same type with another kind of property.
private final class OtherSlab: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: Int

    override static func objectTypeName() -> String { "Slab" }

    override static func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// A class that no realm takes.
private final class BrokenSlab: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(primaryKey: true) var name: String

    override static func objectTypeName() -> String { "Slab" }

    override static func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite("Configurations and files of realms")
struct ConfigurationTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = TemporaryDirectory()
        try FileManager.default.createDirectory(
            at: directory.url, withIntermediateDirectories: true)
    }

    private func configuration(_ name: String = "slabs") -> Realm.Configuration {
        Realm.Configuration(
            fileURL: directory.url.appendingPathComponent(name), objectTypes: [Slab.self])
    }

    private func fill(_ configuration: Realm.Configuration, count: Int = 3) throws {
        let realm = try Realm(configuration: configuration)
        try realm.write {
            for id in 0..<count {
                realm.create(Slab.self, value: ["id": id, "name": "slab \(id)"], update: .modified)
            }
        }
    }

    @Test("a place in memory and a place in files exclude each other, and the last one counts")
    func places() {
        var configuration = Realm.Configuration(fileURL: directory.url)
        configuration.inMemoryIdentifier = "m"
        #expect(configuration.fileURL == nil)
        #expect(configuration.description.contains("inMemoryIdentifier = m"))
        configuration.fileURL = directory.url
        #expect(configuration.inMemoryIdentifier == nil)
        #expect(configuration.description.contains("fileURL = \(directory.url.path)"))
        let both = Realm.Configuration(fileURL: directory.url, inMemoryIdentifier: "m")
        #expect(both.fileURL == nil)
    }

    @Test("a realm in memory is shared while it is open, and gone afterwards")
    func inMemory() throws {
        let identifier = "a/../b ✓ \(UUID().uuidString)"
        let configuration = Realm.Configuration(
            inMemoryIdentifier: identifier, objectTypes: [Slab.self])
        do {
            let realm = try Realm(configuration: configuration)
            try realm.write { realm.create(Slab.self, value: ["id": 1]) }
            let other = try Realm(configuration: configuration)
            #expect(other.objects(Slab.self).count == 1)
            #expect(FileManager.default.fileExists(atPath: configuration.directory.path))
        }
        #expect(!FileManager.default.fileExists(atPath: configuration.directory.path))
        let again = try Realm(configuration: configuration)
        #expect(again.objects(Slab.self).isEmpty)
    }

    @Test("a realm in memory that is also read stays until its writer goes, whatever its name")
    func inMemoryReader() throws {
        var configuration = Realm.Configuration(
            inMemoryIdentifier: String(repeating: "long ", count: 200), objectTypes: [Slab.self])
        let realm = try Realm(configuration: configuration)
        try realm.write { realm.create(Slab.self, value: ["id": 1]) }
        configuration.readOnly = true
        do {
            let reader = try Realm(configuration: configuration)
            #expect(reader.objects(Slab.self).count == 1)
        }
        #expect(FileManager.default.fileExists(atPath: configuration.directory.path))
        try realm.write { realm.create(Slab.self, value: ["id": 2]) }
        #expect(try Realm(configuration: configuration).objects(Slab.self).count == 2)
    }

    @Test("what processes left of realms in memory is removed when they are gone")
    func leftOvers() throws {
        for process in [ProcessInfo.processInfo.processIdentifier, .max] {
            let name = "travertine-memory-\(process)-left"
            try fill(self.configuration(name))
        }
        InMemoryDirectory.removeLeftOvers(in: directory.url)
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.url.path)
        #expect(names == ["travertine-memory-\(ProcessInfo.processInfo.processIdentifier)-left"])
    }

    @Test("files exist from the first opening until they are deleted")
    func files() throws {
        let configuration = configuration()
        #expect(!Realm.fileExists(for: configuration))
        #expect(try !Realm.deleteFiles(for: configuration))
        try fill(configuration)
        #expect(Realm.fileExists(for: configuration))
        do {
            let realm = try Realm(configuration: configuration)
            #expect { try Realm.deleteFiles(for: configuration) } throws: {
                let error = $0 as? Realm.Error
                return error?.code == .alreadyOpen
                    && error?.message.contains("notification tokens") == true
            }
            #expect(realm.objects(Slab.self).count == 3)
        }
        #expect(try Realm.deleteFiles(for: configuration))
        #expect(!FileManager.default.fileExists(atPath: configuration.directory.path))
        #expect(try Realm(configuration: configuration).objects(Slab.self).isEmpty)
    }

    @Test("deleting takes a realm's files only, and no directory without a realm")
    func foreignFiles() throws {
        let configuration = configuration()
        try fill(configuration)
        let note = configuration.directory.appendingPathComponent("note.txt")
        try Data("mine".utf8).write(to: note)
        #expect(try Realm.deleteFiles(for: configuration))
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: configuration.directory.path)
                == ["note.txt"])
        #expect { try Realm.deleteFiles(for: configuration) } throws: {
            ($0 as? Realm.Error)?.underlying?.code == .notAStore
        }
        #expect(FileManager.default.fileExists(atPath: note.path))
    }

    @Test(
        "a realm that is only read shows what is there, refuses to be written, and lets others write"
    )
    func readOnly() throws {
        var configuration = configuration()
        configuration.readOnly = true
        #expect { try Realm(configuration: configuration) } throws: {
            ($0 as? Realm.Error)?.code == .fileNotFound
        }
        #expect(!Realm.fileExists(for: configuration))
        try fill(self.configuration())
        let writable = try Realm(configuration: self.configuration())
        let realm = try Realm(configuration: configuration)
        #expect(realm != writable)
        #expect(realm.objects(Slab.self).map(\.name) == ["slab 0", "slab 1", "slab 2"])
        let refusal = #expect(throws: Realm.Error.self) { try realm.write {} }
        #expect(refusal?.message.contains("The realm was opened with `readOnly: true`") == true)
        realm.beginWrite()
        let late = #expect(throws: Realm.Error.self) { try realm.commitWrite() }
        #expect(late?.message == refusal?.message)
        try fill(self.configuration(), count: 5)
        #expect(writable.objects(Slab.self).count == 5)
        #expect(realm.objects(Slab.self).count == 3)
        configuration.objectTypes = [OtherSlab.self]
        #expect { try Realm(configuration: configuration) } throws: {
            ($0 as? Realm.Error)?.code == .schemaMismatch
        }
    }

    @Test("a realm that does not fit is deleted only where the configuration allows it")
    func deletion() throws {
        try fill(configuration())
        var other = configuration()
        other.objectTypes = [OtherSlab.self]
        #expect(throws: Realm.Error.self) { try Realm(configuration: other) }
        try fill(configuration(), count: 4)
        other.deleteRealmIfMigrationNeeded = true
        do {
            let open = try Realm(configuration: configuration())
            #expect { try Realm(configuration: other) } throws: {
                ($0 as? Realm.Error)?.code == .alreadyOpen
            }
            #expect(open.objects(Slab.self).count == 4)
        }
        let realm = try Realm(configuration: other)
        #expect(realm.objects(OtherSlab.self).isEmpty)
    }

    @Test("classes that break rules delete nothing")
    func noDeletion() throws {
        try fill(configuration())
        var broken = configuration()
        broken.objectTypes = [BrokenSlab.self]
        broken.deleteRealmIfMigrationNeeded = true
        #expect { try Realm(configuration: broken) } throws: {
            ($0 as? Realm.Error)?.code == .schemaMismatch
        }
        #expect(try Realm(configuration: configuration()).objects(Slab.self).count == 3)
    }

    @Test("a copy is a separate realm, as of its moment")
    func copies() throws {
        let target = directory.url.appendingPathComponent("copy")
        try fill(configuration())
        let realm = try Realm(configuration: configuration())
        try realm.writeCopy(toFile: target)
        #expect { try realm.writeCopy(toFile: target) } throws: {
            ($0 as? Realm.Error)?.code == .fileExists
        }
        realm.beginWrite()
        #expect {
            try realm.writeCopy(toFile: directory.url.appendingPathComponent("no"))
        } throws: {
            ($0 as? Realm.Error)?.code == .invalidInput
        }
        realm.cancelWrite()
        try realm.write { realm.deleteAll() }
        let copy = try Realm(configuration: configuration("copy"))
        #expect(copy.objects(Slab.self).count == 3)
        try copy.write { copy.create(Slab.self, value: ["id": 9]) }
        #expect(realm.objects(Slab.self).isEmpty)
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.url.path)
        #expect(names.sorted() == ["copy", "slabs"])
    }

    @Test("a realm that is only read is copied, beside its writer too", arguments: [false, true])
    func copyOfReader(hasWriter: Bool) throws {
        try fill(configuration("one"))
        let writer = hasWriter ? try Realm(configuration: configuration("one")) : nil
        var reading = configuration("one")
        reading.readOnly = true
        let reader = try Realm(configuration: reading)
        try writer?.write { writer?.create(Slab.self, value: ["id": 100]) }
        try reader.writeCopy(configuration: configuration("copy"))
        let copy = try Realm(configuration: configuration("copy"))
        #expect(copy.objects(Slab.self).count == (hasWriter ? 4 : 3))
    }

    @Test("a seed is taken the first time, and never touched")
    func seeds() throws {
        try fill(configuration("seed"))
        var seeded = configuration()
        seeded.seedFilePath = configuration("seed").fileURL
        try fill(seeded, count: 5)
        #expect(try Realm(configuration: seeded).objects(Slab.self).count == 5)
        #expect(try Realm(configuration: configuration("seed")).objects(Slab.self).count == 3)
        var missing = configuration("other")
        missing.seedFilePath = directory.url.appendingPathComponent("nothing")
        #expect { try Realm(configuration: missing) } throws: {
            ($0 as? Realm.Error)?.code == .fileAccess
        }
        #expect(!Realm.fileExists(for: missing))
    }

    @Test("a planted seed is a separate store, and only a realm is a seed")
    func seedLineage() throws {
        try fill(configuration("seed"))
        var seeded = configuration()
        seeded.seedFilePath = configuration("seed").fileURL
        // An empty directory is free.
        try FileManager.default.createDirectory(
            at: seeded.directory, withIntermediateDirectories: false)
        for count in [4, 6] {
            try fill(seeded, count: count)
            #expect(try Realm(configuration: seeded).objects(Slab.self).count == count)
        }
        let manifests = try ["seed", "slabs"].map {
            try Data(contentsOf: directory.url.appendingPathComponent("\($0)/manifest"))
        }
        #expect(manifests[0][16..<32] == manifests[1][16..<32])
        #expect(manifests[0][32..<40] != manifests[1][32..<40])
        var other = configuration("other")
        other.seedFilePath = directory.url.appendingPathComponent("plain")
        try FileManager.default.createDirectory(
            at: directory.url.appendingPathComponent("plain"), withIntermediateDirectories: false)
        #expect { try Realm(configuration: other) } throws: {
            ($0 as? Realm.Error)?.code == .fileAccess
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.url.path)
        #expect(names.sorted() == ["plain", "seed", "slabs"])
    }

    @Test("what came to a place in the meantime is not replaced by a copy")
    func occupied() throws {
        try fill(configuration("one"))
        try fill(configuration("two"), count: 5)
        let places = ["one", "two"].map { directory.url.appendingPathComponent($0).path }
        #expect(try !StoreCopy.move(from: places[0], to: places[1]))
        #expect(try Realm(configuration: configuration("one")).objects(Slab.self).count == 3)
        #expect(try Realm(configuration: configuration("two")).objects(Slab.self).count == 5)
    }

    @Test("the launch question is asked once for an opening, of a realm that has something")
    func compaction() throws {
        let asked = Locked<[(Int, Int)]>([])
        var configuration = configuration()
        configuration.shouldCompactOnLaunch = { total, used in
            asked.withLock { $0.append((total, used)) }
            return true
        }
        try fill(configuration)
        #expect(asked.withLock { $0.isEmpty })
        do {
            let realm = try Realm(configuration: configuration)
            _ = try Realm(configuration: configuration)
            #expect(try realm.store.statistics.compaction.passCount > 0)
            #expect(realm.objects(Slab.self).count == 3)
        }
        let (total, used) = try #require(asked.withLock { $0.first })
        #expect(asked.withLock { $0.count } == 1)
        #expect(used > 0 && total >= used)
    }
}
