import Foundation
import TestSupport
import Testing

@testable import TravertineCommand

@Suite("messages and options that all commands have in common")
struct MannerTests {
    private let workspace: Workspace

    init() throws {
        workspace = Workspace()
        try QueriedPlaces.make(in: workspace)
    }

    @Test("every command has --quiet, and every one with output --json or other forms")
    func options() throws {
        func names(_ command: CommandDescription) -> [String] {
            (command.arguments ?? []).flatMap { $0.names ?? [] }.map(\.shown)
        }
        // These print nothing, or nothing but JSON.
        let silent = ["put", "delete", "tail"]
        let commands = try CommandDescription.ofTravertine().listedSubcommands.flatMap {
            $0.listedSubcommands.isEmpty ? [$0] : $0.listedSubcommands
        }
        #expect(commands.count > 20)
        // What these print, other programs do.
        let others = ["studio", "sync", "ship"]
        for command in commands where !others.contains(command.commandName) {
            #expect(names(command).contains("--quiet"), "\(command.commandName)")
            #expect(names(command).contains("-q"), "\(command.commandName)")
            let hasForms = names(command).contains("--json") || names(command).contains("--mode")
            #expect(hasForms || silent.contains(command.commandName), "\(command.commandName)")
        }
    }

    @Test("--quiet leaves out summaries and notes, but no warning and no result")
    func quiet() throws {
        try workspace.write("{\"id\": 1}\nrubbish\n", to: "a.jsonl")
        let arguments = ["import", "store", "a.jsonl", "--key", "id", "--skip-invalid"]
        let loud = try CommandRun(arguments, in: workspace.directory)
        #expect(loud.errors.contains("warning: line 2: ") && loud.errors.contains("1 record,"))
        let quiet = try CommandRun(arguments + ["-q"], in: workspace.directory)
        #expect(quiet.status == 0 && quiet.errors.hasPrefix("warning: line 2: "))
        #expect(quiet.errors.split(separator: "\n").count == 1, "\(quiet.errors)")
        for arguments in [
            ["export", "places", "--type", "QueriedCountry", "-q"], ["dump", "places", "-q"],
            ["scan", "places", "-q"], ["backup", "places", "backup", "-q"],
            ["restore", "backup", "again", "--quiet"], ["verify", "backup", "-q"],
            ["schema", "places", "--diff", "again", "-q"], ["fsck", "again", "-q"],
            ["diff", "again", "places", "--quiet"],
        ] {
            let run = try CommandRun(arguments, in: workspace.directory)
            #expect(run.status == 0 && run.errors.isEmpty, "\(arguments): \(run.errors)")
        }
        // Errors are said.
        #expect(try workspace.run("get", "store", "x", "-q").errors == "error: no such key: x\n")
    }

    @Test("import --json prints counts, of keys too")
    func importCounts() throws {
        try workspace.write("{\"id\": 1}\nrubbish\n", to: "a.jsonl")
        let run = try workspace.run(
            "import", "store", "a.jsonl", "--key", "id", "--skip-invalid", "--json")
        let counts = try #require(try run.json())
        #expect(counts["recordCount"] as? Int == 1 && counts["leftOutCount"] as? Int == 1)
    }

    @Test(
        "errors begin in one way and go to standard error",
        arguments: [
            ["get", "none", "a"], ["stat", "none"], ["show", "none", "A", "1"], ["frob"],
            ["query", "places", "Twon"], ["export", "places", "--type", "Twon"],
            ["edit", "places", "frob"], ["diff", "places", "none"], ["fsck", "none"],
            ["import", "s", "none.jsonl", "--key", "a"], ["delete", "places", "a"],
            ["recover", "none", "target"], ["verify", "none"], ["inspect", "none"],
            ["load", "none", "target"], ["schema", "none"], ["tail", "none"], ["get", "places"],
            ["compact", "none"], ["backup", "none", "b"], ["restore", "none", "b"],
        ])
    func errors(arguments: [String]) throws {
        let run = try CommandRun(arguments, in: workspace.directory)
        #expect(run.status != 0 && run.output.isEmpty, "\(run.output)")
        #expect(run.errors.hasPrefix("error: "), "\(run.errors)")
        #expect(run.errors.hasSuffix("\n"))
    }
}
