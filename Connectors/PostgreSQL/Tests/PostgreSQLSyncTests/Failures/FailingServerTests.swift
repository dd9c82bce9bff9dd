import Foundation
import PostgreSQLClient
import PostgreSQLServer
import PostgreSQLSync
import Testing
import Travertine

/// Servers that fail for a while: the copy goes on when they work again, and is whole.
@Suite("Servers that fail for a while")
struct FailingServerTests {
    private func add(_ numbers: Range<Int>, to realm: Realm, data: Data = Data()) throws {
        try realm.write {
            for number in numbers {
                realm.add(Crate(value: ["id": number, "content": data, "marks": [number, 1]]))
            }
        }
    }

    /// Copies, and returns the errors after which it tried again; calls a closure at each.
    private func sync(
        _ fixture: SyncFixture, _ realm: Realm, through proxy: FaultProxy? = nil,
        atFailure: @escaping (Int) throws -> Void
    ) throws -> [PostgreSQLError] {
        var errors: [PostgreSQLError] = []
        var failure: (any Error)?
        let summary = try fixture.sync(
            realm, through: proxy,
            report: { event in
                guard case .retry(let error, _) = event else { return }
                errors.append(error)
                do { try atFailure(errors.count) } catch { failure = error }
            })
        if let failure { throw failure }
        #expect(summary.retryCount == errors.count)
        return errors
    }

    @Test(
        "a server whose disk is full",
        .enabled(if: SmallDisk.isPossible, "nothing can be mounted here"))
    func full() throws {
        let disk = try SmallDisk(megabytes: 16)
        let server = try TemporaryPostgreSQLServer()
        let fixture = try SyncFixture(server)
        try disk.own(as: server.directory)
        try fixture.connection.execute("CREATE TABLESPACE small LOCATION '\(disk.path)'")
        try fixture.connection.execute(
            "ALTER ROLE \(TemporaryPostgreSQLServer.user) SET default_tablespace = small")
        let realm = try fixture.open([Crate.self])
        var random = SeededRandom(seed: 1)
        // Nothing that the server could compress.
        let data = Data((0..<1 << 20).map { _ in UInt8(truncatingIfNeeded: random.next()) })
        try add(0..<30, to: realm, data: data)
        let errors = try sync(fixture, realm) { count in
            if count == 3 { try disk.grow(toMegabytes: 512) }
        }
        #expect(errors.count == 3, "\(errors)")
        #expect(errors.allSatisfy { $0.sqlState?.code == "53100" }, "\(errors)")
        #expect(try fixture.differencesFromFreshCopy(realm) == [])
        withExtendedLifetime(disk) {}
    }

    @Test("a server that reports a full disk in the middle of changes")
    func fullInChanges() throws {
        let fixture = try SyncFixture()
        let realm = try fixture.open([Crate.self])
        try add(0..<5, to: realm)
        try fixture.sync(realm)
        try fixture.connection.execute(
            """
            CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
            RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$; \
            CREATE TRIGGER full_disk BEFORE INSERT ON "Crate_marks" EXECUTE FUNCTION full_disk()
            """)
        try add(5..<10, to: realm)
        try realm.write { realm.delete(realm.objects(Crate.self).where { $0.id < 2 }) }
        let connection = fixture.connection
        let errors = try sync(fixture, realm) { count in
            if count == 2 { try connection.execute("DROP TRIGGER full_disk ON \"Crate_marks\"") }
        }
        #expect(errors.count == 2 && errors.allSatisfy { $0.sqlState?.code == "53100" })
        #expect(try fixture.differencesFromFreshCopy(realm) == [])
    }

    @Test(
        "a server that stalls is given up after the limit, and what it took then counts once",
        arguments: ["COPY", "COMMIT", "INSERT INTO", "BEGIN"])
    func stalls(statement: String) throws {
        let fixture = try SyncFixture()
        fixture.options.timeout = .seconds(1)
        let realm = try fixture.open([Crate.self])
        let proxy = try fixture.proxy()
        for round in 0..<2 {
            try add(round * 5..<round * 5 + 5, to: realm)
            proxy.intercept(statement) { .stall }
            let errors = try sync(fixture, realm, through: proxy) { _ in proxy.pass() }
            proxy.pass()
            // What follows a load has no COPY.
            #expect(errors.isEmpty == (statement == "COPY" && round == 1), "\(errors)")
            let isExpected = errors.allSatisfy { error in
                switch error {
                case .timedOut, .commitOutcomeUnknown(.timedOut): true
                default: false
                }
            }
            #expect(isExpected, "\(errors)")
            #expect(try fixture.value("SELECT count(*) FROM \"Crate\"") == "\(round * 5 + 5)")
        }
        #expect(try fixture.differencesFromFreshCopy(realm) == [])
    }

    @Test("a server that refuses connections, in the beginning and later")
    func refuses() throws {
        let server = try TemporaryPostgreSQLServer()
        let fixture = try SyncFixture(server)
        let realm = try fixture.open([Crate.self])
        for round in 0..<2 {
            try add(round * 5..<round * 5 + 5, to: realm)
            try server.stop()
            let errors = try sync(fixture, realm) { count in
                if count == 3 { try server.start() }
            }
            #expect(errors.count == 3, "\(errors)")
        }
        let fresh = try fixture.freshCopy(realm)
        // The connection of the first fixture ended with the server.
        let looking = try SyncFixture(server)
        #expect(try looking.differences(fixture.schema, fresh) == [])
        #expect(try looking.value("SELECT count(*) FROM \(fresh).\"Crate\"") == "10")
    }
}

private class Crate: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var content: Data
    @Persisted var marks: List<Int>
}
