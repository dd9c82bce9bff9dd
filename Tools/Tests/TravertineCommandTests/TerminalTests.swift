import Foundation
import TestSupport
import Testing

@testable import TravertineCommand

@Suite("on a terminal")
struct TerminalTests {
    private let workspace: Workspace

    init() throws {
        workspace = Workspace()
        try QueriedPlaces.make(in: workspace)
    }

    private static let hasEditor = ["libedit.so.2", "libedit.so.0", "libreadline.so.8"]
        .contains { (name: String) in dlopen(name, RTLD_NOW) != nil }

    @Test(
        "the tab key completes types, properties and commands in the shell", .enabled(if: hasEditor)
    )
    func completion() throws {
        let shell = try PseudoTerminal(["shell", "places"], in: workspace.directory)
        #expect(shell.wait(for: "> "), "\(shell.text)")
        // The editor writes a space after the only continuation. Without continuations none of
        // these would be a query or command.
        shell.type("QueriedTo\twhere peo\t> 300000\n")
        #expect(shell.wait(for: "545796"), "\(shell.text)")
        #expect(shell.wait(for: "> "), "\(shell.text)")
        shell.type(".sch\tQueriedN\t\n")
        #expect(shell.wait(for: "text\tstring"), "\(shell.text)")
        #expect(shell.wait(for: "> "), "\(shell.text)")
        shell.type(".quit\n")
        #expect(!shell.readToEnd().contains("error:") && shell.status == 0)
    }

    @Test("errors and differences are coloured, unless NO_COLOR is set or the terminal is dumb")
    func colours() throws {
        let red = "\u{1b}[31m"
        let wrong = ["show", "places", "QueriedTown", "9"]
        let coloured = try PseudoTerminal(wrong, in: workspace.directory)
        #expect(coloured.readToEnd().contains(red + "error:\u{1b}[0m no such object"))
        for environment in [["NO_COLOR": "1"], ["TERM": "dumb"]] {
            let plain = try PseudoTerminal(
                wrong, in: workspace.directory, environment: environment)
            #expect(plain.readToEnd() == "error: no such object: QueriedTown 9\n")
        }
        let empty = try PseudoTerminal(
            wrong, in: workspace.directory, environment: ["NO_COLOR": ""])
        #expect(empty.readToEnd().contains(red))
        let edit = try PseudoTerminal(
            ["edit", "places", "delete QueriedTown 1", "--dry-run"], in: workspace.directory)
        #expect(edit.readToEnd().contains(red + "- QueriedTown 1"))
        // Only the descriptor that is a terminal counts.
        let piped = try workspace.run("edit", "places", "delete QueriedTown 1", "--dry-run")
        #expect(piped.output == "- QueriedTown 1\n")
    }

    @Test("a job of many records shows how far it is, unless it is quiet or in CI")
    func progress() throws {
        let lines = (0..<60_000).map { "{\"id\": \($0), \"v\": \"value \($0)\"}" }
        try workspace.write(lines.joined(separator: "\n"), to: "a.jsonl")
        func run(_ options: [String], _ environment: [String: String] = [:]) throws -> String {
            let command = ["import", "store", "a.jsonl", "--key", "id"] + options
            return try PseudoTerminal(
                command, in: workspace.directory, environment: environment, errorsOnly: true
            ).readToEnd()
        }
        let shown = try run([])
        #expect(
            shown.contains("import ") && shown.contains("░") && shown.contains(" %"), "\(shown)")
        #expect(shown.contains("60,000 records"))
        #expect(try run(["--quiet"]).isEmpty)
        #expect(try !run([], ["CI": "1"]).contains("░"))
    }

    @Test(
        "times that are left are said as people say them",
        arguments: [
            (0.2, "1 s"), (59, "59 s"), (60, "1 min 0 s"), (200, "3 min 20 s"), (7500, "2 h 5 min"),
        ])
    func times(seconds: Double, text: String) {
        #expect(ProgressBar.time(seconds) == text)
    }
}
