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
}

class Ingot: Object {
    @Persisted(primaryKey: true) var id: Int
}
