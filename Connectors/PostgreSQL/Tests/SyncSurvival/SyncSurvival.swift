import ArgumentParser
import Foundation
import PostgreSQLClient
import PostgreSQLServer

/// Kills the server, the connector and the writer, at random, again and again, while a realm is
/// copied; then compares the tables with those of a copy that nothing disturbed.
@main
struct SyncSurvival: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync-survival",
        abstract: "Kill server, connector and writer at random, and look whether anything is lost.")

    @Option(help: "How often something is killed.")
    var kills = 9

    @Option(help: "The seed.")
    var seed: UInt64 = .random(in: 0...(.max))

    func run() throws {
        print("seed \(seed)")
        var random = Seeded(state: seed)
        let server = try TemporaryPostgreSQLServer()
        let directory = NSTemporaryDirectory() + "sync-survival-\(getpid())"
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let realm = directory + "/ships.realm"
        var counts = ["server": 0, "connector": 0, "writer": 0]
        var writer = try Child("sync-writer", [realm, "\(random.next())"])
        try writer.waitForLines(1)
        var connector = try sync(realm, server)
        for _ in 0..<kills {
            // A random number of commits later, of one or of the other.
            let wait = Int.random(in: 0..<30, using: &random)
            if Bool.random(using: &random) {
                try writer.waitForLines(writer.lineCount + wait)
            } else {
                try connector.waitForLines(connector.lineCount + wait / 3)
            }
            switch Int.random(in: 0..<3, using: &random) {
            case 0:
                counts["server", default: 0] += 1
                try server.kill9()
                try server.start()
            case 1:
                counts["connector", default: 0] += 1
                connector.kill()
                connector = try sync(realm, server)
            default:
                counts["writer", default: 0] += 1
                writer.kill()
                writer = try Child("sync-writer", [realm, "\(random.next())"])
            }
        }
        writer.kill()
        connector.kill()
        try finish(realm, server, schema: "public", feed: "postgres")
        try finish(realm, server, schema: "fresh", feed: "fresh")
        let problems = try differences(server)
        print(
            "killed \(counts["server"]!) servers, \(counts["connector"]!) connectors, "
                + "\(counts["writer"]!) writers")
        for problem in problems { print(problem) }
        if !problems.isEmpty { throw ExitCode(1) }
    }

    private func sync(_ realm: String, _ server: TemporaryPostgreSQLServer) throws -> Child {
        try Child(
            "travertine-postgres", ["sync", realm, "--to", server.connectionString, "--json"])
    }

    private func finish(
        _ realm: String, _ server: TemporaryPostgreSQLServer, schema: String, feed: String
    ) throws {
        let child = try Child(
            "travertine-postgres",
            [
                "sync", realm, "--to", server.connectionString, "--once", "--schema", schema,
                "--feed", feed,
            ])
        let status = child.wait()
        if status != 0 { throw Failure("the last sync ended with \(status): \(child.errors)") }
    }

    private func differences(_ server: TemporaryPostgreSQLServer) throws -> [String] {
        let connection = try Connection(
            try ConnectionParameters(server.connectionString), options: ConnectionOptions())
        let tables = ["Ship", "Ship_stops", "Port", "Berth", "Log"]
        return try tables.flatMap { table -> [String] in
            func count(_ sql: String) throws -> Int64 { try connection.row(sql)?.int64(0) ?? -1 }
            let (old, new) = (#"public."\#(table)""#, #"fresh."\#(table)""#)
            let total = try count("SELECT count(*) FROM \(new)")
            let own = try count("SELECT count(*) FROM \(old)")
            let lost = try count(
                "SELECT count(*) FROM (SELECT * FROM \(new) EXCEPT SELECT * FROM \(old)) AS lost")
            let more = try count(
                "SELECT count(*) FROM (SELECT * FROM \(old) EXCEPT SELECT * FROM \(new)) AS more")
            print("\(table): \(total) rows")
            var problems: [String] = []
            if total == 0 { problems.append("\(table) is empty") }
            if own != total || lost != 0 || more != 0 {
                problems.append("\(table): \(own) rows, \(lost) are missing and \(more) too many")
            }
            return problems
        }
    }
}

struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// SplitMix64.
struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
