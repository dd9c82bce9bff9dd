import Foundation
import PostgreSQLClient
import PostgreSQLServer
import Testing
import Travertine

@testable import PostgreSQLSync

/// What is sent to a server is what the document says that all servers accept.
@Suite("Statements and their grammar")
struct StatementGrammarTests {
    private let recorder = StatementRecorder()

    private static func grammar() throws -> StatementGrammar {
        let root = URL(filePath: #filePath)
        let document = (0..<6).reduce(root) { url, _ in url.deletingLastPathComponent() }
            .appending(path: "Documentation/PostgreSQL.md")
        return try StatementGrammar(document: String(contentsOf: document, encoding: .utf8))
    }

    private func fixture(
        _ change: (inout SyncOptions) -> Void = { _ in }
    ) throws -> SyncFixture {
        let fixture = try SyncFixture()
        let recorder = recorder
        fixture.options.statementHandler = { recorder.note($0) }
        change(&fixture.options)
        return fixture
    }

    @Test("each statement of a run with all options is in the grammar, and each form of it occurs")
    func all() throws {
        try copyValues()
        try copyChangedTypes()
        try copySharedTables()
        try rebuild()
        try beginAgainWithinABatch()
        try readRows()
        let grammar = try Self.grammar()
        let statements = recorder.all
        #expect(statements.count > 200)
        for statement in statements {
            #expect(grammar.derives(statement), "not in the grammar: \(statement.prefix(2000))")
        }
        // A form that is not sent would be a promise that nothing checks.
        for (form, reduced) in grammar.reduced {
            #expect(
                statements.contains { !reduced.derives($0) }, "is in the grammar only: \(form)")
        }
    }

    @Test("other statements are not in the grammar")
    func others() throws {
        let grammar = try Self.grammar()
        #expect(grammar.derives("SELECT 1 FROM \"s\".\"t\" LIMIT 1"))
        #expect(grammar.derives("DELETE FROM \"s\".\"t\" WHERE \"a\" IN (E'\\\\x00', 'it''s')"))
        for statement in [
            "", "SELECT 1", "SET LOCAL work_mem = '1GB'",
            "TRUNCATE \"s\".\"t\"", "SET timezone = 'UTC'", "SAVEPOINT a",
            "COPY \"s\".\"t\" (\"a\") FROM STDIN WITH (FORMAT csv)", "BEGIN; COMMIT",
            "DELETE FROM \"s\".\"t\"", "DELETE FROM \"s\".\"t\" WHERE \"a\" IN (5)",
            "INSERT INTO \"s\".\"t\" (\"a\") VALUES ('1')",
            "INSERT INTO \"s\".\"t\" (\"a\") VALUES ('1') ON CONFLICT (\"a\") DO NOTHING "
                + "RETURNING \"a\"",
            "INSERT INTO \"s\".\"t\" (\"a\") VALUES ('1'::int) ON CONFLICT (\"a\") DO NOTHING",
            "CREATE TABLE \"s\".\"t\" (\"a\" jsonb[], PRIMARY KEY (\"a\"))",
            "SELECT pg_advisory_lock(1)", "DROP TABLE \"s\".\"t\" CASCADE", "SELECT 'a",
        ] {
            #expect(!grammar.derives(statement), "\(statement)")
        }
    }

    @Test("a grammar that is malformed is an error, not one that has less")
    func malformed() {
        for text in ["statement BEGIN", "a = [ B", "a = \"'\"", ""] {
            let document = text.isEmpty ? "no block" : "```ebnf\n\(text)\n```"
            #expect(throws: StatementGrammar.Malformed.self) {
                try StatementGrammar(document: document)
            }
        }
    }

    @Test("tables that COPY of CockroachDB stores wrongly are filled by INSERT, and are the same")
    func cockroachDB() throws {
        let fixture = try fixture { $0.dialect = .cockroachDB }
        let realm = try fixture.open(ValueModels.types)
        try ValueModels.fill(realm)
        try fixture.sync(realm)
        fixture.options.dialect = nil
        #expect(try fixture.differencesFromFreshCopy(realm) == [])
        let copies = recorder.all.filter { $0.hasPrefix("COPY \"\(fixture.schema)\".") }
        #expect(copies.contains { $0.contains("\"BareTarget\"") })
        for type in ["Everything", "Collected", "Owning"] {
            #expect(!copies.contains { $0.contains(".\"\(type)") }, "\(type)")
        }
        let connection = try Connection(fixture.parameters())
        #expect(Dialect(connection) == .postgreSQL)
    }

    // MARK: Runs

    /// Values of all types by COPY and by INSERT, with all options, and their deletion.
    private func copyValues() throws {
        for collections in MappingOptions.Collections.allCases {
            for embedded in MappingOptions.Embedded.allCases {
                let fixture = try fixture {
                    $0.mapping.collections = collections
                    $0.mapping.embedded = embedded
                    $0.mapping.objectIds = embedded == .columns ? .bytea : .text
                    $0.mapping.source = collections == .jsonb ? "it's \\" : nil
                    $0.loadCommitCount = embedded == .columns ? 3 : nil
                }
                let realm = try fixture.open(ValueModels.types + [Counted.self])
                try ValueModels.fill(realm)
                try fixture.sync(realm)
                try realm.write {
                    for object in realm.objects(Everything.self) { object.flag.toggle() }
                    for object in realm.objects(Linking.self) { object.bares.removeAll() }
                    for object in realm.objects(Collected.self) { object.texts.append("z") }
                    for object in realm.objects(Owning.self) { object.home = nil }
                    realm.create(Measured.self, value: ["celsius": 2.5])
                    realm.create(Counted.self, value: ["id": 1, "notes": ["a"]])
                }
                try fixture.sync(realm)
                try realm.write {
                    realm.create(Counted.self, value: ["id": 2, "notes": ["b"]])
                    realm.deleteAll()
                }
                try fixture.sync(realm)
                // Loaded again, over what is there; objects without primary key would be refused.
                try fixture.connection.execute(
                    "UPDATE travertine_sync SET position = NULL; DELETE FROM \"Measured\"")
                if collections == .tables {
                    try fixture.connection.execute("DELETE FROM \"Measured_notes\"")
                }
                try fixture.sync(realm)
            }
        }
    }

    /// New, renamed and removed properties, of embedded objects too.
    private func copyChangedTypes() throws {
        for (types, migration) in [
            (GrownSchema.types, nil), (EmbeddedGrownSchema.types, nil),
            (RenamedSchema.types, { @Sendable migration, _ in RenamedSchema.rename(migration) }),
        ] as [([ObjectBase.Type], MigrationBlock?)] {
            for source in [nil, "b"] {
                let fixture = try fixture { $0.mapping.source = source }
                do {
                    let realm = try fixture.open(FirstSchema.types)
                    try FirstSchema.add(0..<3, to: realm)
                    try fixture.sync(realm)
                }
                let realm = try fixture.open(types, version: 1, migration: migration)
                try realm.write {
                    realm.dynamicCreate("Thing", value: ["id": 9] as [String: Any])
                }
                try fixture.sync(realm)
            }
        }
    }

    private func copySharedTables() throws {
        let fixture = try fixture()
        for (source, types) in [("a", FirstSchema.types), ("b", GrownSchema.types)] {
            fixture.options.mapping.source = source
            let realm = try fixture.open(types, source)
            try FirstSchema.add(0..<3, to: realm)
            try fixture.sync(realm)
            fixture.options.rebuilds = true
            try fixture.sync(realm)
            fixture.options.rebuilds = false
        }
    }

    private func rebuild() throws {
        let fixture = try fixture()
        let realm = try fixture.open(FirstSchema.types)
        try FirstSchema.add(0..<3, to: realm)
        try fixture.sync(realm)
        fixture.options.rebuilds = true
        try fixture.sync(realm)
    }

    /// Rows of a query, which itself is what a user wants.
    private func readRows() throws {
        let query = "SELECT '{}'::int4range[] AS a, '{}'::int8range[] AS b"
        let recorder = recorder
        var options = ConnectionOptions()
        options.statementHandler = { if $0 != query { recorder.note($0) } }
        let connection = try Connection(SyncFixture().parameters(), options: options)
        var rowCount = 0
        try connection.forEachRow(ofQuery: query, as: .plain) { _, _ in rowCount += 1 }
        #expect(rowCount == 1)
    }

    private func beginAgainWithinABatch() throws {
        let fixture = try fixture()
        let realm = try fixture.open(FirstSchema.types)
        try FirstSchema.add(0..<3, to: realm)
        try BatchRun(fixture, realm).beginAgain()
    }
}
