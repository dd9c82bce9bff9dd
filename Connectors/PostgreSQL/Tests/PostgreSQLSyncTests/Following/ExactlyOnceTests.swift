import Foundation
import PostgreSQLClient
import PostgreSQLServer
import PostgreSQLSync
import Testing
import Travertine
import TravertineStore

/// Whatever fails, and when, every change is in the tables once.
@Suite("Every change arrives once")
struct ExactlyOnceTests {
    private func add(_ numbers: Range<Int>, to realm: Realm) throws {
        try realm.write {
            for number in numbers {
                realm.create(
                    HistoryModels.Reading.self, value: ["number": number, "parts": [1, 2]])
                realm.dynamicCreate("Person", value: ["id": number, "marks": [3]] as [String: Any])
            }
        }
    }

    private func check(_ fixture: SyncFixture, _ count: Int) throws {
        for (table, factor) in [("Reading", 1), ("Reading_parts", 2), ("Person", 1)] {
            #expect(try fixture.value("SELECT count(*) FROM \"\(table)\"") == "\(count * factor)")
        }
        #expect(
            try fixture.value("SELECT count(DISTINCT number) FROM \"Reading\"") == "\(count)")
    }

    @Test("a process that dies after the server's commit, and before its own note of it")
    func notAcknowledged() throws {
        let fixture = try SyncFixture()
        let realm = try fixture.open(HistoryModels.types)
        struct Death: Error {}
        for round in 0..<3 {
            try add(round * 5..<round * 5 + 5, to: realm)
            // The server has the position, and the feed has not: as if it had died just then.
            let before = try realm.feed(named: "sync").acknowledged
            try fixture.sync(realm)
            let feed = try realm.feed(named: "sync")
            if let before { try feed.resume(after: before) } else { try feed.startOver() }
            feed.close()
            let summary = try fixture.sync(realm)
            #expect(summary.putCount == 0)
            try check(fixture, round * 5 + 5)
        }
    }

    @Test("a commit whose answer is lost is not repeated, in a load and after it")
    func lostAnswer() throws {
        let fixture = try SyncFixture()
        let realm = try fixture.open(HistoryModels.types)
        let proxy = try fixture.proxy()
        for round in 0..<3 {
            try add(round * 5..<round * 5 + 5, to: realm)
            proxy.intercept("COMMIT") { .cutAfterAnswer }
            let summary = try fixture.sync(realm, through: proxy)
            #expect(summary.retryCount == 1)
            try check(fixture, round * 5 + 5)
        }
        #expect(try fixture.differencesFromFreshCopy(realm) == [])
    }

    @Test("a commit that did not reach the server is repeated")
    func lostCommit() throws {
        let fixture = try SyncFixture()
        let realm = try fixture.open(HistoryModels.types)
        let proxy = try fixture.proxy()
        for round in 0..<2 {
            try add(round * 5..<round * 5 + 5, to: realm)
            proxy.intercept("COMMIT") { .cut }
            let summary = try fixture.sync(realm, through: proxy)
            #expect(summary.retryCount == 1)
            try check(fixture, round * 5 + 5)
        }
    }

    @Test(
        "a position that somebody else moved in the meantime is read again, and goes on from there")
    func moved() throws {
        let fixture = try SyncFixture()
        let realm = try fixture.open(HistoryModels.types)
        try add(0..<5, to: realm)
        try fixture.sync(realm)
        let old = try #require(
            try fixture.value("SELECT position FROM travertine_sync"))
        try add(5..<10, to: realm)
        try fixture.sync(realm)
        try add(10..<15, to: realm)
        // Just when it begins, the row has the position of an earlier time, as after the repair of
        // a server; what it has not to do is to go on from what it believes.
        let proxy = try fixture.proxy()
        let statement = "UPDATE \(fixture.schema).travertine_sync SET position = '\(old)'"
        let parameters = try fixture.parameters()
        proxy.intercept("BEGIN") {
            _ = try? Connection(parameters).execute(statement)
            return .forward
        }
        try fixture.sync(realm, through: proxy)
        try check(fixture, 15)
        #expect(try fixture.differencesFromFreshCopy(realm) == [])
    }

    @Test("a row of the feed that is deleted in between ends it, with what to do")
    func deletedState() throws {
        let fixture = try SyncFixture()
        let realm = try fixture.open(HistoryModels.types)
        try add(0..<5, to: realm)
        try fixture.sync(realm)
        try add(5..<10, to: realm)
        let proxy = try fixture.proxy()
        let statement = "DELETE FROM \(fixture.schema).travertine_sync"
        let parameters = try fixture.parameters()
        proxy.intercept("BEGIN") {
            _ = try? Connection(parameters).execute(statement)
            return .forward
        }
        let error = try #require(throws: SyncError.self) {
            try fixture.sync(realm, through: proxy)
        }
        guard case .stateIsGone = error else {
            Issue.record("\(error)")
            return
        }
        try check(fixture, 5)
    }

    @Test("a server that restarts in the middle of a load gets all of it once")
    func restart() throws {
        let server = try TemporaryPostgreSQLServer()
        let fixture = try SyncFixture(server)
        let realm = try fixture.open(HistoryModels.types)
        try add(0..<300, to: realm)
        let proxy = try fixture.proxy()
        let restarts = OnceRestart(server)
        proxy.intercept("COPY") {
            restarts.run()
            return .forward
        }
        let summary = try fixture.sync(realm, through: proxy)
        #expect(summary.retryCount > 0)
        let looking = try Connection(fixture.parameters())
        let count = try looking.query("SELECT count(*) FROM \(fixture.schema).\"Reading\"").row(0)
        #expect(try count.string(0) == "300")
    }

    @Test("a database that was put back to a backup of itself is brought up to date from there")
    func olderBackup() throws {
        for compacts in [false, true] {
            let fixture = try SyncFixture()
            let realm = try fixture.open(HistoryModels.types)
            try add(0..<5, to: realm)
            try fixture.sync(realm)
            try fixture.connection.execute(
                """
                CREATE TABLE backup AS SELECT * FROM travertine_sync; \
                CREATE TABLE people AS SELECT * FROM "Person"
                """)
            try add(5..<10, to: realm)
            try realm.write { realm.delete(realm.dynamicObjects("Person")[0]) }
            try fixture.sync(realm)
            if compacts {
                try realm.store.compact()
                try add(10..<12, to: realm)
                try realm.store.compact()
            }
            try fixture.connection.execute(
                """
                DELETE FROM travertine_sync; INSERT INTO travertine_sync SELECT * FROM backup; \
                DELETE FROM "Person"; INSERT INTO "Person" SELECT * FROM people; \
                DELETE FROM "Person_marks" WHERE "Person_id" > 4; \
                DELETE FROM "Reading" WHERE number > 4; \
                DELETE FROM "Reading_parts" WHERE "Reading__key" NOT IN (SELECT _key FROM "Reading"); \
                DROP TABLE backup; DROP TABLE people
                """)
            try fixture.sync(realm)
            #expect(try fixture.differencesFromFreshCopy(realm) == [], "compacts \(compacts)")
        }
    }

    @Test("a load that is cut off between its commits begins again, and nothing is there twice")
    func loadCommits() throws {
        let fixture = try SyncFixture()
        let realm = try fixture.open(HistoryModels.types)
        try add(0..<100, to: realm)
        fixture.options.loadCommitCount = 7
        let proxy = try fixture.proxy()
        for byteCount in [6_000, 9_000, 12_000] {
            // Cancelled as soon as the connection is lost, so that the next one is another process.
            var isLost = false
            proxy.cut(.toServer, afterByteCount: byteCount)
            try fixture.sync(
                realm, through: proxy, isCancelled: { isLost },
                report: { if case .retry = $0 { isLost = true } })
            #expect(isLost)
            let count = try fixture.value("SELECT count(*) FROM \"Reading\"")
            #expect(try fixture.value("SELECT position FROM travertine_sync") == nil)
            #expect(count != "100")
        }
        try fixture.sync(realm)
        try check(fixture, 100)
        #expect(try fixture.differencesFromFreshCopy(realm) == [])
    }

    @Test("one that follows copies what comes, and stores its place when it is cancelled")
    func follows() throws {
        let fixture = try SyncFixture()
        let realm = try fixture.open(HistoryModels.types)
        try add(0..<5, to: realm)
        var commitCount = 0
        let synchronizer = try fixture.synchronizer(
            realm, isCancelled: { commitCount == 3 },
            report: { event in
                guard case .committed = event else { return }
                commitCount += 1
                if commitCount < 3 {
                    _ = try? add(commitCount * 5..<commitCount * 5 + 5, to: realm)
                }
            })
        let summary = try synchronizer.run(follows: true)
        #expect(summary.commitCount == 3)
        try check(fixture, 15)
    }

    @Test("a change without objects moves the position, so that the log need not be kept for it")
    func emptyChange() throws {
        let fixture = try SyncFixture()
        var realm: Realm? = try fixture.open(HistoryModels.types)
        try add(0..<5, to: #require(realm))
        try fixture.sync(#require(realm))
        let old = try fixture.value("SELECT position FROM travertine_sync")
        realm = nil
        realm = try fixture.open(HistoryModels.Later.types, version: 1)
        try fixture.sync(#require(realm))
        let new = try fixture.value("SELECT position FROM travertine_sync")
        let feed = try #require(realm).feed(named: "sync")
        #expect(feed.acknowledged?.description == new)
        #expect(new != old)
    }
}

/// Restarts a server, once.
private final class OnceRestart: @unchecked Sendable {
    private let server: TemporaryPostgreSQLServer

    init(_ server: TemporaryPostgreSQLServer) { self.server = server }

    func run() { try? server.restart() }
}
