import PostgreSQLClient
import PostgreSQLSync
import Testing
import Travertine
import TravertineStore

/// A feed keeps log for its consumer: one that never had anything must not leave it.
@Suite("Attempts that fail before anything is copied")
struct FirstAttemptTests {
    private let fixture: SyncFixture
    private let realm: Realm

    init() throws {
        fixture = try SyncFixture()
        realm = try fixture.open(FirstSchema.types)
        try FirstSchema.add(0..<3, to: realm)
        fixture.options.retries.limit = .time(.milliseconds(50))
    }

    private func feeds() throws -> [String] { try realm.store.feeds.map(\.name) }

    @Test("a server that is not there leaves no feed")
    func unreachable() throws {
        let nowhere = try ConnectionParameters("host=127.0.0.1 port=1 dbname=x user=x")
        let synchronizer = Synchronizer(
            realm, feedName: "sync", types: nil, to: nowhere, fixture.options)
        #expect(throws: PostgreSQLError.self) { try synchronizer.run(follows: false) }
        #expect(try feeds() == [])
    }

    @Test("tables of somebody else, and texts that can't be stored, leave no feed; later it works")
    func refused() throws {
        try fixture.connection.execute(
            "CREATE SCHEMA \(fixture.schema); CREATE TABLE \"Thing\" (id int)")
        #expect(throws: SyncError.self) { try fixture.sync(realm) }
        #expect(try feeds() == [])
        try fixture.connection.execute("DROP TABLE \"Thing\"")
        try realm.write {
            realm.dynamicCreate("Thing", value: ["id": 9, "name": "a\0"] as [String: Any])
        }
        #expect(throws: SyncError.self) { try fixture.sync(realm) }
        #expect(try feeds() == [])
        fixture.options.replacesNUL = true
        #expect(try fixture.sync(realm).putCount == 4)
        #expect(try feeds() == ["sync"])
    }

    @Test("a feed that the server has something of stays, whatever fails then")
    func laterFailure() throws {
        try fixture.sync(realm)
        try realm.write {
            realm.dynamicCreate("Thing", value: ["id": 9, "name": "a\0"] as [String: Any])
        }
        #expect(throws: SyncError.self) { try fixture.sync(realm) }
        #expect(try feeds() == ["sync"])
        var options = fixture.options
        options.mapping.collections = .arrays
        #expect(throws: MappingRefusal.self) { try fixture.sync(realm, options) }
        #expect(try feeds() == ["sync"])
        // Other types begin the feed anew; the server has something of it even so.
        let chosen = Synchronizer(
            realm, feedName: "sync", types: ["Thing"], to: try fixture.parameters(), options)
        #expect(throws: MappingRefusal.self) { try chosen.run(follows: false) }
        #expect(try feeds() == ["sync"])
    }
}
