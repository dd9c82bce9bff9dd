import Foundation
import PostgreSQLServer
import Testing
import Travertine

/// A query must not go on at the server for an import that was killed.
@Suite(
    "Queries of imports that are killed",
    .enabled(if: ProjectProgram.path("travertine") != nil, "the command was not built"))
struct EndedImportTests {
    private let fixture: SyncFixture

    init() throws {
        fixture = try SyncFixture()
        _ = try fixture.open(ImportModels.types)
    }

    /// How many of the server's processes run the query.
    private func runningCount(_ query: String) throws -> Int {
        let count = try fixture.value(
            """
            SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query = '\(query)'
            """)
        return Int(count ?? "") ?? 0
    }

    /// Starts a program that runs a long query, kills it, and waits for the end of the query.
    private func kill(_ program: String, _ arguments: (String) throws -> [String]) throws {
        let query = "SELECT pg_sleep(3600) AS \(fixture.schema)"
        let command = Process()
        command.executableURL = URL(filePath: try #require(ProjectProgram.path(program)))
        command.arguments = try arguments(query)
        command.standardOutput = FileHandle.nullDevice
        command.standardError = FileHandle.nullDevice
        try command.run()
        defer { command.waitUntilExit() }
        do {
            try Deadline.wait(for: "the query") { try runningCount(query) == 1 }
        } catch {
            Foundation.kill(command.processIdentifier, SIGKILL)
            throw error
        }
        Foundation.kill(command.processIdentifier, SIGKILL)
        try Deadline.wait(for: "the end of the query") { try runningCount(query) == 0 }
    }

    @Test("the server ends the query of a program that was killed")
    func program() throws {
        let server = try SharedServer.running().connectionString
        try kill("travertine-postgres") { ["rows", "--from", server, "--query", $0] }
    }

    @Test("the program ends with the command that reads its rows")
    func command() throws {
        let server = try SharedServer.running().connectionString
        try kill("travertine") {
            ["import", fixture.files().path, "--type", "Port", "--from", server, "--query", $0]
        }
    }
}
