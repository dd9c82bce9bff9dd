import Foundation
import PostgreSQLClient
import PostgreSQLServer
import Testing

struct ServerTests {
    @Test func aServerIsStoppedStartedAndRemoved() throws {
        let directory: String
        do {
            let server = try TemporaryPostgreSQLServer()
            directory = server.directory
            let parameters = try ConnectionParameters(server.connectionString)
            let connection = try Connection(parameters)
            try connection.execute("CREATE TABLE t (a int)")
            try server.restart()
            #expect(try failure { try connection.execute("SELECT 1") }?.sqlState == .adminShutdown)
            #expect(try Connection(parameters).query("SELECT * FROM t").rowCount == 0)
            try server.stop()
            guard case .connectionFailed = try failure({ _ = try Connection(parameters) }) else {
                Issue.record("the server still runs")
                return
            }
            try server.start()
            let version = try CommandLineRun([
                server.psql, "--no-psqlrc", "--tuples-only", "--no-align", "--command", "SELECT 1",
                server.connectionString,
            ]).run()
            #expect(version == "1\n")
        }
        #expect(!FileManager.default.fileExists(atPath: directory))
    }

    @Test func aServerEndsWithTheProcessThatStartedIt() async throws {
        let note = "/tmp/tpg-note-\(UUID().uuidString.prefix(8))"
        defer { try? FileManager.default.removeItem(atPath: note) }
        await #expect(processExitsWith: .signal(SIGKILL)) { [note = note as String] in
            let server = try TemporaryPostgreSQLServer()
            try server.directory.write(toFile: note, atomically: true, encoding: .utf8)
            kill(getpid(), SIGKILL)
        }
        let directory = try String(contentsOfFile: note, encoding: .utf8)
        let end = ContinuousClock.now + .seconds(60)
        while FileManager.default.fileExists(atPath: directory), ContinuousClock.now < end {
            await Task.yield()
        }
        #expect(!FileManager.default.fileExists(atPath: directory))
    }
}
