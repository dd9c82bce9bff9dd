import Foundation
import PostgreSQLServer
import Testing
import Travertine

/// The lines of `sync --json`, which programs read.
@Suite(
    "Events of --json",
    .enabled(if: ProjectProgram.path("travertine-postgres") != nil, "the command was not built"))
struct EventTests {
    /// The fields that the article names for each event.
    private static func documented() throws -> [String: Set<String>] {
        let root = (0..<6).reduce(URL(filePath: #filePath)) { url, _ in
            url.deletingLastPathComponent()
        }
        let article = try String(
            contentsOf: root.appending(path: "Sources/Travertine/Travertine.docc/PostgreSQL.md"),
            encoding: .utf8)
        let section = try #require(article.range(of: "### Events\n"))
        let rest = article[section.upperBound...]
        let end = try #require(rest.range(of: "\n###"))
        var events: [String: Set<String>] = [:]
        for line in rest[..<end.lowerBound].split(separator: "\n")
        where line.hasPrefix("| `") {
            let cells = line.split(separator: "|").map { cell in
                cell.matches(of: /`([a-z]+)`/).map { String($0.1) }
            }
            events[try #require(cells[0].first)] = Set(cells[1])
        }
        return events
    }

    @Test("the article names each event with its fields, and no others")
    func fields() throws {
        let fixture = try SyncFixture()
        let program = try #require(ProjectProgram.path("travertine-postgres"))
        let proxy = try fixture.proxy()
        var found: [String: Set<String>] = [:]
        func run() throws {
            let server = try SharedServer.running().connectionString(port: proxy.port)
            let output = try CommandLineRun([
                program, "sync", fixture.files().path, "--to", server, "--schema",
                fixture.schema, "--once", "--json", "--quiet",
            ]).run()
            for line in output.split(separator: "\n") {
                let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
                var event = try #require(object as? [String: Any])
                let name = try #require(event.removeValue(forKey: "event") as? String)
                found[name, default: []].formUnion(event.keys)
            }
        }
        do {
            let realm = try fixture.open(FirstSchema.types)
            try FirstSchema.add(0..<3, to: realm)
        }
        proxy.intercept("COPY") { .cut }
        try run()
        do {
            // Properties that are gone give a note.
            let realm = try fixture.open(ShrunkSchema.types, version: 1)
            try realm.write {
                realm.dynamicCreate("Thing", value: ["id": 9] as [String: Any])
            }
        }
        try run()
        #expect(try Self.documented() == found)
        _ = try? fixture.connection.execute("DROP SCHEMA \(fixture.schema) CASCADE")
    }
}
