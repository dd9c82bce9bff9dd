import Foundation
import PostgreSQLClient
import PostgreSQLServer
import PostgreSQLSync
import Testing
import Travertine

/// `travertine import --from`, with a server and the real programs.
@Suite(
    "Rows of a server become objects",
    .enabled(if: ProjectProgram.path("travertine") != nil, "the command was not built"))
struct RowImportTests {
    private let fixture: SyncFixture

    init() throws { fixture = try SyncFixture() }

    /// Runs the command, and returns what it printed.
    @discardableResult
    private func run(_ arguments: String...) throws -> String {
        try CommandLineRun([#require(ProjectProgram.path("travertine"))] + arguments).run()
    }

    private var server: String {
        get throws { try SharedServer.running().connectionString }
    }

    /// Imports a query's rows into objects of a realm beside the first one.
    @discardableResult
    private func importRows(_ query: String, _ type: String, _ more: String...) throws -> String {
        try CommandLineRun(
            [
                #require(ProjectProgram.path("travertine")), "import",
                fixture.files("again").path, "--from", server, "--query", query, "--type", type,
            ] + more
        ).run()
    }

    /// Fails unless both realms have the same objects: then the status of `diff` is 0.
    private func requireNoDifference() throws {
        try run("diff", fixture.files().path, fixture.files("again").path)
        let count = try fixture.open(ImportModels.types, "again").objects(ImportModels.Ship.self)
            .count
        #expect(count == 41)
    }

    private func importedPortCount() throws -> Int {
        try fixture.open(ImportModels.types, "again").objects(ImportModels.Port.self).count
    }

    /// What the command says when it fails, and its status.
    private func failure(_ body: () throws -> Void) throws -> String {
        "\(try #require(throws: ServerFailure.self) { try body() })"
    }

    @Test(
        "what is copied to a server and imported again is the same, with each kind of collection",
        arguments: [1, 2])
    func roundTrip(seed: UInt64) throws {
        fixture.options.mapping.collections = .arrays
        fixture.options.mapping.embedded = .jsonb
        fixture.options.mapping.objectIds = seed == 1 ? .text : .bytea
        let realm = try fixture.open(ImportModels.types)
        try ImportModels.fill(realm, random: seed)
        try fixture.sync(realm)
        do { _ = try fixture.open(ImportModels.types, "again") }
        let ships = try fixture.columns("Ship").filter { $0 != "_key" }
            .map { "\"\($0)\"" }.joined(separator: ", ")
        // Targets of links may come later.
        try importRows("SELECT \(ships) FROM \(fixture.schema).\"Ship\"", "Ship")
        try importRows("SELECT code, depth FROM \(fixture.schema).\"Port\"", "Port")
        try requireNoDifference()
    }

    @Test("lists in tables and embedded objects in columns come back by a query that gathers them")
    func tables() throws {
        let realm = try fixture.open(ImportModels.types)
        try ImportModels.fill(realm, random: 3)
        try fixture.sync(realm)
        do { _ = try fixture.open(ImportModels.types, "again") }
        let schema = fixture.schema
        func elements(_ property: String) -> String {
            """
            ARRAY(SELECT value FROM \(schema)."Ship_\(property)" WHERE "Ship_id" = id \
            ORDER BY position) AS \(property)
            """
        }
        let lists = ["ports", "days", "seals", "prices", "makers", "names", "addresses"]
        try importRows(
            """
            SELECT id, number, flag, name, photo, built, draught, length, value, maker, "any", \
            home, counts, dates, \(lists.map(elements).joined(separator: ", ")), \
            CASE WHEN owner_street IS NOT NULL THEN jsonb_build_object('street', owner_street, \
            'since', owner_since, 'seal', encode(owner_seal, 'base64'), 'id', owner_id, \
            'score', owner_score) END AS owner FROM \(schema)."Ship"
            """, "Ship")
        try importRows("SELECT code, depth FROM \(schema).\"Port\"", "Port")
        try requireNoDifference()
    }

    @Test("a type that is not there is made of the columns, and has their values")
    func newType() throws {
        let query = """
            SELECT i AS id, 'n' || i AS name, i % 2 = 0 AS even, i::float8 / 4 AS quarter, \
            i::float4 AS single, i::numeric / 10 AS tenth, decode('00ff', 'hex') AS bytes, \
            '00112233-4455-6677-8899-aabbccddeeff'::uuid AS code, \
            timestamptz '2001-01-01 00:00:00.123456+00' AS at, jsonb_build_object('a', i) AS more, \
            ARRAY[i, 2] AS list, NULL::date AS never FROM generate_series(1, 3) i ORDER BY i
            """
        for (key, status) in [("id", 0), ("tenth", 65), ("none", 65)] {
            if status == 0 {
                try importRows(query, "Made", "--key", key)
                try FileManager.default.moveItem(
                    at: fixture.files("again"), to: fixture.files("made"))
                continue
            }
            let text = try failure { try importRows(query, "Made", "--key", key) }
            #expect(text.contains("ended with \(status)") && text.contains(key), "\(text)")
            #expect(!FileManager.default.fileExists(atPath: fixture.files("again").path))
        }
        let realm = try fixture.open([Made.self], "made")
        #expect(realm.objects(Made.self).count == 3)
        let second = try #require(realm.object(ofType: Made.self, forPrimaryKey: 2))
        #expect(second.name == "n2" && second.even == true && second.quarter == 0.5)
        #expect(second.single == 2 && second.tenth == 0.2 && second.bytes == Data([0, 0xff]))
        #expect(second.code?.uuidString == "00112233-4455-6677-8899-AABBCCDDEEFF")
        #expect(second.at?.timeIntervalSinceReferenceDate == 0.123456 && second.never == nil)
        #expect(second.more.dictionaryValue?["a"]?.intValue == 2)
        #expect(Array(second.list) == [2, 2])
    }

    @Test("a query that the server refuses, or that changes something, fails the import")
    func refused() throws {
        do { _ = try fixture.open(ImportModels.types, "again") }
        let missing = try failure { try importRows("SELECT code FROM nowhere", "Port") }
        #expect(missing.contains("ended with 69") && missing.contains("nowhere"), "\(missing)")
        #expect(missing.contains("Nothing was stored."), "\(missing)")
        try fixture.connection.execute(
            "CREATE SCHEMA IF NOT EXISTS \(fixture.schema); CREATE TABLE stays (code text)")
        defer { _ = try? fixture.connection.execute("DROP SCHEMA \(fixture.schema) CASCADE") }
        let table = "\(fixture.schema).stays"
        try fixture.connection.execute("INSERT INTO \(table) VALUES ('a')")
        for query in ["DELETE FROM \(table) RETURNING code", "SELECT 1; DELETE FROM \(table)"] {
            #expect(try failure { try importRows(query, "Port") }.contains("ended with 69"))
        }
        #expect(try fixture.value("SELECT count(*) FROM \(table)") == "1")
        let none = try failure { try importRows("CREATE TABLE x (a int)", "Port") }
        #expect(none.contains("ended with 65") && none.contains("no rows"), "\(none)")
        #expect(try importedPortCount() == 0)
    }

    @Test("a program that is older than the command, and lacks an option, is said to be")
    func olderProgram() throws {
        do { _ = try fixture.open(ImportModels.types, "again") }
        let files = FileManager.default
        let command = fixture.files("travertine").path
        try files.copyItem(atPath: #require(ProjectProgram.path("travertine")), toPath: command)
        let program = fixture.files("travertine-postgres")
        let newer = try #require(ProjectProgram.path("travertine-postgres"))
        try "#!/bin/sh\nexec '\(newer)' \"$@\" --of-tomorrow\n"
            .write(to: program, atomically: true, encoding: .utf8)
        try files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
        let text = try failure {
            try CommandLineRun([
                command, "import", fixture.files("again").path, "--from", server, "--query",
                "SELECT 'a' AS code", "--type", "Port",
            ]).run()
        }
        #expect(text.contains("ended with 64") && text.contains("may be older"), "\(text)")
        #expect(text.contains("--of-tomorrow"), "\(text)")
    }

    @Test("a query that fails in the middle leaves whole batches, and says how many")
    func failsInTheMiddle() throws {
        do { _ = try fixture.open(ImportModels.types, "again") }
        let text = try failure {
            try importRows(
                "SELECT 'c' || i AS code, 1.0 / (2500 - i) AS depth FROM generate_series(1, 9000) i",
                "Port")
        }
        #expect(text.contains("ended with 69") && text.contains("division by zero"), "\(text)")
        let count = try importedPortCount()
        #expect(count <= 2499 && text.contains("Stopped after"), "\(count) \(text)")
    }

    @Test("a connection that is lost fails the import")
    func lostConnection() throws {
        do { _ = try fixture.open(ImportModels.types, "again") }
        let proxy = try fixture.proxy()
        proxy.cut(.toClient, afterByteCount: 100_000)
        let text = try failure {
            try CommandLineRun([
                #require(ProjectProgram.path("travertine")), "import",
                fixture.files("again").path, "--type", "Port", "--from",
                SharedServer.running().connectionString(port: proxy.port), "--query",
                "SELECT 'c' || i AS code FROM generate_series(1, 100000) i",
            ]).run()
        }
        #expect(text.contains("ended with 69"), "\(text)")
        #expect(text.contains("the server was lost before all rows had come: "), "\(text)")
        #expect(!text.contains("transaction") && !text.contains("statement"), "\(text)")
    }

    @Test("values that no object can have name their row and column")
    func unfit() throws {
        do { _ = try fixture.open(ImportModels.types, "again") }
        let infinite = try failure {
            try importRows("SELECT 'a' AS code, 'infinity'::timestamptz AS t", "Port")
        }
        #expect(infinite.contains("ended with 65") && infinite.contains("row 1: column t"))
        let fraction = try failure {
            try importRows("SELECT gen_random_uuid() AS id, 1.5 AS number", "Ship")
        }
        #expect(fraction.contains("ended with 65") && fraction.contains("row 1"), "\(fraction)")
    }

    @Test("rows with values that no object can have are left out, and those around them are not")
    func leavesOut() throws {
        do { _ = try fixture.open(ImportModels.types, "again") }
        let query = """
            SELECT CASE WHEN i % 3 = 0 THEN 'infinity' ELSE to_timestamp(i) END AS code, \
            i::float8 AS depth FROM generate_series(1, 3000) i ORDER BY depth
            """
        let text = try importRows(query, "Port", "--skip-invalid")
        #expect(text.contains("row 3: column code: an infinite time"), "\(text)")
        #expect(text.contains("1,000 left out"), "\(text)")
        #expect(try importedPortCount() == 2000)
        // Without the command, the status says it.
        let alone = try failure {
            try CommandLineRun([
                #require(ProjectProgram.path("travertine-postgres")), "rows", "--from", server,
                "--query", query,
            ]).run()
        }
        #expect(alone.contains("ended with 65") && alone.contains("row 3, column code"))
    }

    @Test("settings end with the transaction, so that a pooler can share the connection")
    func settings() throws {
        let connection = try Connection(fixture.parameters())
        try connection.execute("SET datestyle = 'SQL, DMY'; SET timezone = 'Asia/Tokyo'")
        var bytes: [UInt8] = []
        for _ in 0..<2 {
            try connection.forEachRow(
                ofQuery: "SELECT '2026-02-01 00:00+00'::timestamptz AS t", as: .plain
            ) { try $1.append($0, to: &bytes) }
        }
        let line = "{\"t\":\"2026-02-01T00:00:00Z\"}\n"
        #expect(String(decoding: bytes, as: UTF8.self) == line + line)
        let names = [
            "datestyle", "timezone", "bytea_output", "extra_float_digits",
            "client_connection_check_interval",
        ]
        let values = try names.map { try connection.query("SHOW \($0)").row(0).string(0) }
        #expect(values == ["SQL, DMY", "Asia/Tokyo", "hex", "1", "0"])
    }

    @Test("prepared statements of two connections have different names, as a pooler needs it")
    func preparedNames() throws {
        let names = try (0..<2).map { _ in
            let connection = try Connection(fixture.parameters())
            _ = try connection.prepare("SELECT 1")
            return try connection.query("SELECT name FROM pg_prepared_statements").row(0).string(0)
        }
        #expect(names[0] != nil && names[0] != names[1])
    }

    @Test("an address with a password is refused, and not repeated")
    func password() throws {
        do { _ = try fixture.open(ImportModels.types, "again") }
        for address in ["postgres://u:hush@127.0.0.1/d", "host=127.0.0.1 password=hush"] {
            let text = try failure {
                try CommandLineRun([
                    #require(ProjectProgram.path("travertine-postgres")), "rows", "--from",
                    address, "--query", "SELECT 1 AS a",
                ]).run()
            }
            #expect(text.contains("ended with 64") && text.contains("PGPASSWORD"), "\(text)")
        }
    }

    @Test("a result of any size needs the memory of some rows")
    func memory() throws {
        // 600 MB of rows; address space for a sixth of them more than for a query of one row.
        let program = try #require(ProjectProgram.path("travertine-postgres"))
        func rows(_ query: String, limit: Int) throws -> String {
            let script = #"(ulimit -v "$3"; exec "$0" rows --from "$1" --query "$2") | wc -c"#
            return try CommandLineRun([
                "bash", "-c", "set -o pipefail; \(script)", program, server, query, "\(limit)",
            ]).run().trimmingCharacters(in: .whitespacesAndNewlines)
        }
        let row = "repeat('x', 100000) AS a"
        let limit = try #require(
            stride(from: 100_000, through: 3_000_000, by: 50_000).first { limit in
                (try? rows("SELECT \(row)", limit: limit)) != nil
            })
        let count = try rows("SELECT \(row) FROM generate_series(1, 6000)", limit: limit + 100_000)
        #expect(count == "\(6000 * (100_000 + 9))")
    }
}

/// As the columns make it.
private class Made: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String?
    @Persisted var even: Bool?
    @Persisted var quarter: Double?
    @Persisted var single: Double?
    @Persisted var tenth: Decimal128?
    @Persisted var bytes: Data?
    @Persisted var code: UUID?
    @Persisted var at: Date?
    @Persisted var more: AnyRealmValue
    @Persisted var list: List<Int>
    @Persisted var never: Date?
    override class func objectTypeName() -> String { "Made" }
}
