import Foundation
import PostgreSQLServer
import Testing
import Travertine

/// What the program says, and the statuses that it ends with.
@Suite(
    "The command sync",
    .enabled(if: ProjectProgram.path("travertine-postgres") != nil, "the command was not built"))
struct SyncCommandTests {
    private let fixture: SyncFixture
    private let program: String

    init() throws {
        fixture = try SyncFixture()
        program = try #require(ProjectProgram.path("travertine-postgres"))
        let realm = try fixture.open(FirstSchema.types)
        try FirstSchema.add(0..<2, to: realm)
    }

    private func arguments(_ more: [String], schema: String? = nil) throws -> [String] {
        [
            program, "sync", fixture.files().path, "--to",
            try SharedServer.running().connectionString, "--once", "--schema",
            schema ?? fixture.schema,
        ] + more
    }

    /// What is printed on both outputs.
    private func sync(_ more: String...) throws -> String {
        try CommandLineRun(arguments(more)).run()
    }

    private func failure(_ body: () throws -> Void) throws -> String {
        "\(try #require(throws: ServerFailure.self) { try body() })"
    }

    private func removeTables() {
        _ = try? fixture.connection.execute("DROP SCHEMA IF EXISTS \(fixture.schema) CASCADE")
    }

    @Test("-q and --quiet leave out summaries and no warnings")
    func quiet() throws {
        defer { removeTables() }
        #expect(try sync("-q") == "")
        do {
            let realm = try fixture.open(FirstSchema.types)
            try realm.write {
                realm.dynamicCreate("Thing", value: ["id": 9, "name": "a\0"] as [String: Any])
            }
        }
        #expect(
            try sync("--quiet", "--replace-nul")
                == "warning: 1 texts had U+0000, which was replaced by U+FFFD.\n")
        #expect(try sync().contains("0 objects put"))
    }

    @Test("an encrypted realm is copied with its key, beside a program that has it open")
    func encrypted() throws {
        defer { removeTables() }
        let key = Data((0..<64).map { UInt8($0) })
        let keyFile = fixture.files("key").path
        try key.write(to: URL(filePath: keyFile))
        let secret = fixture.files("secret")
        let realm = try Realm(
            configuration: Realm.Configuration(
                fileURL: secret, encryptionKey: key, objectTypes: FirstSchema.types))
        for count in 0..<2 {
            try FirstSchema.add(count * 2..<count * 2 + 2, to: realm)
            let text = try CommandLineRun([
                program, "sync", secret.path, "--key-file", keyFile, "--to",
                SharedServer.running().connectionString, "--once", "--schema", fixture.schema,
            ]).run()
            #expect(text.contains("2 objects put"), "\(text)")
        }
    }

    @Test("a command for another schema is refused with 65, and the copy goes on")
    func otherSchema() throws {
        defer { removeTables() }
        _ = try sync("-q")
        let text = try failure {
            _ = try CommandLineRun(arguments(["-q"], schema: fixture.schema + "_other")).run()
        }
        #expect(text.contains("ended with 65") && text.contains("--feed"), "\(text)")
        do { try FirstSchema.add(2..<3, to: fixture.open(FirstSchema.types)) }
        #expect(try sync().contains("1 objects put"))
    }

    @Test("a directory in which the feed can't be stored is named, with what to do")
    func readOnlyDirectory() throws {
        defer { removeTables() }
        let files = FileManager.default
        let realm = fixture.files().path
        for name in try files.contentsOfDirectory(atPath: realm) {
            try files.setAttributes([.posixPermissions: 0o644], ofItemAtPath: "\(realm)/\(name)")
        }
        try files.setAttributes([.posixPermissions: 0o555], ofItemAtPath: realm)
        defer { try? files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: realm) }
        // Where the tests are run by root, another user may not reach what was built.
        guard (try? CommandLineRun.unprivileged([program, "--help"]).run()) != nil else { return }
        let text = try failure {
            _ = try CommandLineRun.unprivileged(arguments(["-q"])).run()
        }
        #expect(text.contains("ended with 77"), "\(text)")
        #expect(text.contains("/realm/postgres.feed") && text.contains("who can write there"))
    }

    @Test("a missing password and a wrong one end with 77, for rows too")
    func password() throws {
        let server = try TemporaryPostgreSQLServer(.password("hush"))
        let address =
            "host=127.0.0.1 port=\(server.port) user=\(TemporaryPostgreSQLServer.user) "
            + "dbname=\(TemporaryPostgreSQLServer.database)"
        for assignment in ["PGPASSFILE=/dev/null", "PGPASSWORD=wrong"] {
            for command in [
                ["rows", "--from", address, "--query", "SELECT 1 AS a"],
                ["sync", fixture.files().path, "--to", address, "--once"],
            ] {
                let text = try failure {
                    _ = try CommandLineRun(
                        ["env", "-u", "PGPASSWORD", assignment, program] + command
                    ).run()
                }
                #expect(text.contains("ended with 77") && text.contains("PGPASSWORD"), "\(text)")
            }
        }
    }
}
