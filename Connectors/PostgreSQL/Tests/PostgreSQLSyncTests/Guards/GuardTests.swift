import Foundation
import PostgreSQLClient
import PostgreSQLServer
import PostgreSQLSync
import Testing
import Travertine
import TravertineStore

/// What keeps tables from getting what is not theirs.
@Suite("Guards of the tables")
struct GuardTests {
    @Test("a second process with a copy of the realm ends the first one, the second time it moves")
    func otherCopy() throws {
        let fixture = try SyncFixture()
        let realm = try fixture.open(FirstSchema.types)
        try FirstSchema.add(0..<2, to: realm)
        try fixture.sync(realm)
        try FirstSchema.add(2..<4, to: realm)
        let position = try #require(try fixture.value("SELECT position FROM travertine_sync"))
        // Each time when this one begins a transaction, the other one has moved the position.
        let proxy = try fixture.proxy()
        let moved = MovedPosition(
            try fixture.parameters(), "\(fixture.schema).travertine_sync", position)
        let error = try #require(throws: SyncError.self) {
            try fixture.sync(
                realm, through: proxy,
                isCancelled: {
                    proxy.intercept("BEGIN") {
                        moved.move()
                        return .forward
                    }
                    return false
                })
        }
        guard case .otherCopy = error else {
            Issue.record("\(error)")
            return
        }
        #expect("\(error)".contains("copy of this realm"))
        #expect(try fixture.value("SELECT count(*) FROM \"Thing\"") == "2")
        // The other one has ended: this one goes on.
        try fixture.sync(realm)
        #expect(try fixture.differencesFromFreshCopy(realm) == [])
    }

    @Test("a load that begins again within a batch has everything once, in new tables and in old")
    func loadWithinABatch() throws {
        let fixture = try SyncFixture()
        let realm = try fixture.open(FirstSchema.types + [Counted.self])
        let run = try BatchRun(fixture, realm)
        for round in 0..<2 {
            try FirstSchema.add(round * 5..<round * 5 + 5, to: realm)
            try realm.write {
                for id in round * 5..<round * 5 + 5 {
                    realm.create(
                        Counted.self, value: ["id": id, "notes": ["a", "b"]] as [String: Any])
                }
                if round == 1 { realm.delete(realm.dynamicObjects("Thing")[0]) }
            }
            try run.beginAgain()
            #expect(try fixture.differencesFromFreshCopy(realm) == [])
        }
        #expect(try fixture.value("SELECT count(*) FROM \"Counted\"") == "10")
        #expect(try fixture.value("SELECT count(*) FROM \"Thing\"") == "9")
    }

    @Test(
        "a --rebuild that is interrupted is done at the next start, wherever it was",
        arguments: ["DROP TABLE", "SET \"position\" = NULL", "CREATE TABLE", "COPY", "COMMIT"])
    func interruptedRebuild(statement: String) throws {
        for interception in [FaultProxy.Interception.cut, .cutAfterAnswer] {
            let fixture = try SyncFixture()
            let realm = try fixture.open(FirstSchema.types)
            try FirstSchema.add(0..<5, to: realm)
            try fixture.sync(realm)
            try FirstSchema.add(5..<8, to: realm)
            let proxy = try fixture.proxy()
            proxy.intercept(statement) { interception }
            // Cancelled as soon as the connection is lost, so that the next one is another process.
            var isLost = false
            var options = fixture.options
            options.rebuilds = true
            try fixture.sync(
                realm, options, through: proxy, isCancelled: { isLost },
                report: { if case .retry = $0 { isLost = true } })
            #expect(isLost)
            try fixture.sync(realm)
            #expect(try fixture.value("SELECT count(*) FROM \"Thing\"") == "8")
            #expect(try fixture.differencesFromFreshCopy(realm) == [], "\(statement)")
        }
    }

    @Test("a view on a table keeps --rebuild from beginning, and the copy goes on as before")
    func neededTable() throws {
        let fixture = try SyncFixture()
        let realm = try fixture.open(FirstSchema.types)
        try FirstSchema.add(0..<2, to: realm)
        try fixture.sync(realm)
        // Of the last table too, so that those before it would be gone.
        try fixture.connection.execute("CREATE VIEW tagged AS SELECT count(*) FROM \"Thing_tags\"")
        var rebuilding = fixture.options
        rebuilding.rebuilds = true
        for _ in 0..<2 {
            let error = try #require(throws: SyncError.self) { try fixture.sync(realm, rebuilding) }
            guard case .tablesAreNeeded(let needs) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(needs.contains("tagged") && needs.contains("Thing_tags"), "\(needs)")
            #expect("\(error)".contains("DROP VIEW"))
        }
        try FirstSchema.add(2..<3, to: realm)
        #expect(try fixture.sync(realm).putCount == 1)
        #expect(try fixture.lines("SELECT * FROM tagged") == ["6"])
        try fixture.connection.execute("DROP VIEW tagged")
        #expect(try fixture.sync(realm, rebuilding).putCount == 3)
        #expect(try fixture.differencesFromFreshCopy(realm) == [])
    }

    @Test("a type that was deleted and added again is refused, as its table has other objects")
    func addedAgain() throws {
        let fixture = try SyncFixture()
        let added = FirstSchema.types + [GrownSchema.Added.self]
        do {
            let realm = try fixture.open(added)
            try realm.write { realm.add(GrownSchema.Added(value: ["code": "a"])) }
            try fixture.sync(realm)
        }
        do {
            _ = try fixture.open(
                FirstSchema.types, version: 1,
                migration: { migration, _ in migration.deleteData(forType: "Added") })
        }
        let realm = try fixture.open(added, version: 2)
        try realm.write { realm.add(GrownSchema.Added(value: ["code": "b"])) }
        let refusal = try #require(throws: MappingRefusal.self) { try fixture.sync(realm) }
        #expect(refusal.problems == ["Added was deleted and added again, and its table is there."])
        #expect(try fixture.lines("SELECT code FROM \"Added\"") == ["a"])
        fixture.options.rebuilds = true
        try fixture.sync(realm)
        #expect(try fixture.lines("SELECT code FROM \"Added\"") == ["b"])
    }
}

/// Gives the position of a feed another value each time.
private final class MovedPosition: Sendable {
    private let parameters: ConnectionParameters
    private let table: String
    private let position: String

    init(_ parameters: ConnectionParameters, _ table: String, _ position: String) {
        (self.parameters, self.table, self.position) = (parameters, table, position)
    }

    func move() {
        // What is there, as another one would have written it at another time, and back.
        _ = try? Connection(parameters).execute(
            """
            UPDATE \(table) SET position = CASE WHEN position IS NULL THEN '\(position)' \
            ELSE NULL END
            """)
    }
}
