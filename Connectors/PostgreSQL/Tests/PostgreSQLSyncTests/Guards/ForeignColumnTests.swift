import PostgreSQLServer
import PostgreSQLSync
import Testing
import Travertine

/// Columns that somebody added to the tables of a feed, with names that properties get later.
@Suite("Columns of somebody else in tables of a feed")
struct ForeignColumnTests {
    private let fixture: SyncFixture

    init() throws {
        fixture = try SyncFixture()
        let realm = try fixture.open(FirstSchema.types)
        try FirstSchema.add(0..<3, to: realm)
        try fixture.sync(realm)
    }

    @Test("they are refused together, before anything is changed, and stay as they are")
    func refused() throws {
        try fixture.connection.execute(
            """
            ALTER TABLE "Thing" ADD COLUMN colour text DEFAULT 'mine', \
            ADD COLUMN weight double precision; UPDATE "Thing" SET weight = NULL
            """)
        let columns = try fixture.columns("Thing")
        let realm = try fixture.open(GrownSchema.types, version: 1)
        let refusal = try #require(throws: MappingRefusal.self) { try fixture.sync(realm) }
        #expect(
            refusal.problems.map { $0.prefix { $0 != "," } } == [
                "Thing has a column colour already", "Thing has a column weight already",
            ])
        #expect(try fixture.columns("Thing") == columns)
        #expect(try fixture.lines("SELECT DISTINCT colour, weight FROM \"Thing\"") == ["mine null"])
        try fixture.connection.execute("INSERT INTO \"Thing\" (id) VALUES (9)")
        #expect(try fixture.lines("SELECT colour FROM \"Thing\" WHERE id = 9") == ["mine"])
        try fixture.connection.execute(
            """
            DELETE FROM "Thing" WHERE id = 9; ALTER TABLE "Thing" RENAME COLUMN colour TO mine; \
            ALTER TABLE "Thing" DROP COLUMN weight
            """)
        try fixture.sync(realm)
        #expect(
            try fixture.lines("SELECT DISTINCT mine, colour, weight FROM \"Thing\"") == [
                "mine it's \\ red 1.5"
            ])
    }

    @Test("a name that a property has now is refused, too")
    func renamed() throws {
        try fixture.connection.execute("ALTER TABLE \"Thing\" ADD COLUMN title text")
        let realm = try fixture.open(
            RenamedSchema.types, version: 1,
            migration: { migration, _ in RenamedSchema.rename(migration) })
        let refusal = try #require(throws: MappingRefusal.self) { try fixture.sync(realm) }
        #expect(refusal.problems.count == 1 && refusal.problems[0].contains("column title"))
        try fixture.connection.execute("ALTER TABLE \"Thing\" DROP COLUMN title")
        try fixture.sync(realm)
        #expect(try fixture.lines("SELECT title FROM \"Thing\" WHERE id = 1") == ["n1"])
    }

    @Test(
        "those that an interrupted command has added, or named, are its own",
        arguments: ["ADD COLUMN IF NOT EXISTS \"weight\"", "RENAME COLUMN"])
    func interrupted(statement: String) throws {
        for interception in [FaultProxy.Interception.cut, .cutAfterAnswer] {
            let fixture = try SyncFixture()
            do {
                let realm = try fixture.open(FirstSchema.types)
                try FirstSchema.add(0..<3, to: realm)
                try fixture.sync(realm)
            }
            let isRenaming = statement == "RENAME COLUMN"
            let realm = try fixture.open(
                isRenaming ? RenamedSchema.types : GrownSchema.types, version: 1,
                migration: { migration, _ in if isRenaming { RenamedSchema.rename(migration) } })
            let proxy = try fixture.proxy()
            proxy.intercept(statement) { interception }
            // Cancelled as soon as the connection is lost, so that the next one is another process.
            var isLost = false
            try fixture.sync(
                realm, through: proxy, isCancelled: { isLost },
                report: { if case .retry = $0 { isLost = true } })
            #expect(isLost)
            try fixture.sync(realm)
            let columns = try fixture.columns("Thing")
            #expect(columns.contains(isRenaming ? "title" : "weight") && !columns.contains("_2"))
            let mapping = try #require(try fixture.value("SELECT mapping FROM travertine_sync"))
            #expect(!mapping.contains("pendingColumns"))
        }
    }
}
