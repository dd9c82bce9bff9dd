import PostgreSQLClient
import PostgreSQLServer
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

    /// The first statements failed before it was known what the server has.
    @Test("a role that may make no tables leaves no feed; it works when the role may")
    func notAllowed() throws {
        let role = "r\(fixture.schema)"
        try fixture.connection.execute("CREATE SCHEMA \(fixture.schema); CREATE ROLE \(role) LOGIN")
        defer {
            _ = try? fixture.connection.execute(
                "DROP SCHEMA \(fixture.schema) CASCADE; DROP ROLE \(role)")
        }
        let port = try SharedServer.running().port
        let parameters = try ConnectionParameters(
            "host=127.0.0.1 port=\(port) user=\(role) dbname=\(TemporaryPostgreSQLServer.database)")
        let synchronizer = Synchronizer(
            realm, feedName: "sync", types: nil, to: parameters, fixture.options)
        let error = try #require(throws: PostgreSQLError.self) {
            try synchronizer.run(follows: false)
        }
        #expect(error.sqlState?.code == "42501")
        #expect(try feeds() == [])
        try fixture.connection.execute("GRANT USAGE, CREATE ON SCHEMA \(fixture.schema) TO \(role)")
        let again = Synchronizer(
            realm, feedName: "sync", types: nil, to: parameters, fixture.options)
        #expect(try again.run(follows: false).putCount == 3)
        #expect(try feeds() == ["sync"])
    }

    @Test("a table travertine_sync of somebody else leaves no feed")
    func otherState() throws {
        try fixture.connection.execute(
            "CREATE SCHEMA \(fixture.schema); CREATE TABLE travertine_sync (store text)")
        let error = try #require(throws: PostgreSQLError.self) { try fixture.sync(realm) }
        #expect(error.sqlState?.code == "42703")
        #expect(try feeds() == [])
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
