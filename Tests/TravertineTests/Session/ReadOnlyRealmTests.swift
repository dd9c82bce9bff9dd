import Foundation
import TestSupport
import Testing
import Travertine
import TravertineStore

@Suite("Read-only realms without objects")
struct ReadOnlyRealmTests {
    let directory = TemporaryDirectory()

    @Test("a realm in memory whose writer has committed nothing yet is read as empty, and followed")
    func emptyInMemoryReader() throws {
        var configuration = Realm.Configuration(
            inMemoryIdentifier: UUID().uuidString, objectTypes: [Ingot.self])
        let realm = try Realm(configuration: configuration)
        configuration.readOnly = true
        let reader = try Realm(configuration: configuration)
        #expect(reader.objects(Ingot.self).isEmpty)
        try realm.write { realm.create(Ingot.self, value: ["id": 1]) }
        reader.refresh()
        #expect(reader.objects(Ingot.self).map(\.id) == [1])
        var unsynced = Realm.Configuration(
            fileURL: directory.url, objectTypes: [Ingot.self], durability: .unsynced)
        let writer = try Realm(configuration: unsynced)
        unsynced.readOnly = true
        #expect(try Realm(configuration: unsynced).objects(Ingot.self).isEmpty)
        withExtendedLifetime(writer) {}
    }

    @Test("a store that no realm was in is not read, and the error reports why")
    func storeWithoutObjects() throws {
        try Store.open(at: directory.url.path).close()
        var configuration = Realm.Configuration(fileURL: directory.url, objectTypes: [Ingot.self])
        configuration.readOnly = true
        let error = #expect(throws: Realm.Error.self) { try Realm(configuration: configuration) }
        #expect(error?.code == .invalidDatabase)
        #expect(error?.message.contains("no realm was in it yet") == true)
        _ = try directory.open([Ingot.self])
        #expect(try Realm(configuration: configuration).objects(Ingot.self).isEmpty)
    }

    @Test("a realm as of a commit shows that one beside the newest, and no index is lost")
    func asOf() throws {
        let writer = try Realm(
            configuration: Realm.Configuration(fileURL: directory.url, objectTypes: [Ingot.self]))
        try writer.write { for id in 0..<10 { writer.create(Ingot.self, value: ["id": id]) } }
        let before = try newestCommit()
        try writer.write {
            writer.delete(writer.objects(Ingot.self).where { $0.id < 4 })
            writer.create(Ingot.self, value: ["id": 77])
        }
        var configuration = Realm.Configuration(
            fileURL: directory.url, readOnly: true, objectTypes: [Ingot.self])
        let newest = try Realm(configuration: configuration)
        configuration.asOf = before
        let earlier = try Realm(configuration: configuration)
        #expect(earlier.configuration.description.contains("asOf = \(before)"))
        #expect(newest.objects(Ingot.self).map(\.id) == [4, 5, 6, 7, 8, 9, 77])
        #expect(earlier.objects(Ingot.self).map(\.id) == Array(0..<10))
        #expect(earlier.object(ofType: Ingot.self, forPrimaryKey: 3) != nil)
        #expect(earlier.object(ofType: Ingot.self, forPrimaryKey: 77) == nil)
        #expect(earlier.objects(Ingot.self).where { $0.weight == 0 }.count == 10)
        try writer.write { writer.deleteAll() }
        #expect(!earlier.refresh())
        #expect(earlier.objects(Ingot.self).count == 10)
        #expect(newest.refresh() && newest.objects(Ingot.self).isEmpty)
    }

    @Test("a commit before both checkpoints is refused where a type has indexes: they may be lost")
    func asOfWithoutIndexes() throws {
        try addIngot(1)
        let before = try newestCommit()
        try addIngot(2)
        try addIngot(3)
        var configuration = Realm.Configuration(
            fileURL: directory.url, readOnly: true, objectTypes: [Ingot.self])
        configuration.asOf = before
        let error = #expect(throws: Realm.Error.self) { try Realm(configuration: configuration) }
        #expect(error?.code == .invalidDatabase)
        #expect(error?.message.contains("two newest checkpoints") == true)
        configuration.asOf = try newestCommit() - 1
        #expect(try Realm(configuration: configuration).objects(Ingot.self).map(\.id) == [1, 2])
    }

    /// Adds an object and closes the realm, which writes a checkpoint.
    private func addIngot(_ id: Int) throws {
        let realm = try Realm(
            configuration: Realm.Configuration(fileURL: directory.url, objectTypes: [Ingot.self]))
        try realm.write { _ = realm.create(Ingot.self, value: ["id": id]) }
    }

    private func newestCommit() throws -> UInt64 {
        let reader = try StoreReader.open(at: directory.url.path)
        defer { reader.close() }
        return reader.lsn
    }

    @Test("only a read-only realm is opened as of a commit, and only of one that there is")
    func asOfMisuse() throws {
        let writer = try directory.open([Ingot.self])
        var configuration = Realm.Configuration(fileURL: directory.url, objectTypes: [Ingot.self])
        configuration.asOf = 1
        let written = #expect(throws: Realm.Error.self) { try Realm(configuration: configuration) }
        #expect(written?.code == .invalidInput && written?.message.contains("read-only") == true)
        configuration.readOnly = true
        configuration.asOf = 1 << 40
        let toCome = #expect(throws: Realm.Error.self) { try Realm(configuration: configuration) }
        #expect(toCome?.code == .invalidInput)
        #expect(toCome?.message.contains("the newest durable one is") == true)
        configuration.asOf = 0
        let empty = #expect(throws: Realm.Error.self) { try Realm(configuration: configuration) }
        #expect(empty?.code == .invalidDatabase)
        withExtendedLifetime(writer) {}
    }
}

class Ingot: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var weight = 0
}
