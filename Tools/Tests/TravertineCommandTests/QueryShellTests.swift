import Foundation
import TestSupport
import Testing
import Travertine

@testable import TravertineCommand

@Suite("shell")
struct QueryShellTests {
    private let workspace: Workspace

    init() throws {
        workspace = Workspace()
        try QueriedPlaces.make(in: workspace)
    }

    private func shell(_ input: String, _ options: String...) throws -> CommandRun {
        try CommandRun(["shell", "places"] + options, in: workspace.directory, input: input)
    }

    @Test("lines from a pipe are queries and commands, without a prompt")
    func pipe() throws {
        let run = try shell(
            """
            # a comment
            -- another
            QueriedCountry

            .count QueriedTown where people > 3e5
            .mode json
            QueriedTown where name == 'a;b'; QueriedNote
            .mode csv
            QueriedNote where \\
              text == 'hills'
            .quit
            QueriedTown
            """)
        #expect(run.status == 0, "\(run.errors)")
        #expect(
            run.output == "PT\tPortugal\t{\"colour\":\"red\"}\n1\n{\"text\":\"hills\"}\n"
                + "text\r\nhills\r\n")
        #expect(!run.output.contains(">") && !run.output.contains("Lisboa"))
    }

    @Test(".types and .schema say what there is, .explain prints plans")
    func describing() throws {
        let run = try shell(".types\n.schema QueriedTown\n.explain on\nQueriedTown where id == 2\n")
        #expect(run.status == 0, "\(run.errors)")
        #expect(
            run.lines.prefix(4) == [
                "QueriedCountry\t1", "QueriedNote\t1", "QueriedSeal\t1\tembedded", "QueriedTown\t3",
            ])
        for line in [
            "id\tint\tprimary key", "people\tint?", "country\tQueriedCountry",
            "names\tlist<string>",
        ] {
            #expect(run.lines.contains(line), "\(run.output)")
        }
        #expect(run.output.contains("id == 2"), "\(run.output)")
        #expect(run.lines.last?.hasPrefix("2\tLisboa") == true)
    }

    @Test("errors don't end the shell; the status is that of the first one, with its line")
    func errors() throws {
        let run = try shell(
            "QueriedTwon\nQueriedTown where id == 2\n.mode loud\n.explain\n.frob\n.schema x\n",
            "--mode", "json")
        #expect(run.status == 64)
        #expect(run.lines.count == 1 && run.output.contains("Lisboa"))
        for place in ["line 1: error: ", "line 3: ", "line 4: ", "line 5: ", "line 6: "] {
            #expect(run.errors.contains(place), "\(run.errors)")
        }
        #expect(run.errors.contains("'QueriedTown'") && run.errors.contains("^~~~~~~~~~~"))
    }

    @Test("--bail ends at the first error")
    func bail() throws {
        let run = try shell("QueriedCountry\nno\nQueriedCountry\n", "--bail")
        #expect(run.status == 64 && run.lines.count == 1, "\(run.output)")
    }

    @Test("damage has its own status, and the next queries are run")
    func damage() throws {
        try QueriedPlaces.damageLastTown(in: workspace)
        let run = try shell(".mode json\nQueriedTown\nQueriedNote\n")
        #expect(run.status == 65, "\(run.errors)")
        #expect(run.lines.last == #"{"text":"hills"}"#)
    }

    @Test("no store, and wrong arguments, end the command itself")
    func noStore() throws {
        #expect(try workspace.run("shell", "none").status == 66)
        #expect(try workspace.run("shell", "places", "--mode", "loud").status == 64)
        #expect(try workspace.run("shell").status == 64)
        #expect(try shell("").status == 0)
    }

    @Test("what a program commits in the meantime is seen by the next query")
    func openElsewhere() throws {
        let realm = try QueriedPlaces.open(in: workspace)
        try realm.write { realm.add(QueriedNote(value: ["text": "sea"])) }
        #expect(try shell(".count QueriedNote\n").output == "2\n")
        withExtendedLifetime(realm) {}
    }

    // `script` is the terminal; a system without it, or with another one, has no such test.
    @Test(
        "on a terminal there are a prompt, a table that fits, and the status 0",
        .enabled(if: hasScript))
    func terminal() throws {
        let program = try CommandRun.executable().path
        let command = "stty cols 60; NO_COLOR=1 '\(program)' shell --plain places"
        let run = try CommandRun(
            found: "sh",
            [
                "-c",
                "cd \"$0\" && (sleep 1; printf 'QueriedTown\\nfrob\\n.quit\\n'; sleep 1)"
                    + " | script -qec \"$1\" /dev/null",
                workspace.directory.path, command,
            ])
        #expect(run.status == 0, "\(run.output)\(run.errors)")
        #expect(run.output.contains("> ") && run.output.contains("──"), "\(run.output)")
        #expect(run.output.contains("231962") && run.output.contains("nil"), "\(run.output)")
        #expect(run.output.contains("error: Type 'frob' not found"), "\(run.output)")
        let table = run.output.split(whereSeparator: \.isNewline).filter { $0.contains("──") }
        #expect(table.allSatisfy { $0.count <= 60 }, "\(run.output)")
    }

    private static var hasScript: Bool {
        let run = try? CommandRun(found: "script", ["--version"])
        return run?.output.contains("util-linux") ?? false
    }

    @Test(
        "a line is cut at semicolons outside quotes",
        arguments: [
            ("A; B ;", ["A", "B"]), ("A where x == 'a;b'; B", ["A where x == 'a;b'", "B"]),
            (#"A where x == "a\";b"; B"#, [#"A where x == "a\";b""#, "B"]), ("# A; B", []),
            ("-- A", []), (" ; ; ", []), ("A where x == 'a; B", ["A where x == 'a; B"]),
        ])
    func statements(line: String, statements: [String]) {
        #expect(QueryShell.statements(line) == statements)
    }
}
