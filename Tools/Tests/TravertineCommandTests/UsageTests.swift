import Foundation
import TestSupport
import Testing

@Suite("help, usage and statuses")
struct UsageTests {
    private let workspace: Workspace

    init() throws { workspace = Workspace() }

    @Test(
        "help teaches by example",
        arguments: ["import", "get", "scan", "put", "stat", "fsck"])
    func help(subcommand: String) throws {
        let run = try workspace.run(subcommand, "--help")
        #expect(run.status == 0)
        #expect(run.output.contains("  travertine \(subcommand) "), "\(run.output)")
        #expect(run.errors.isEmpty)
    }

    @Test(
        "help has a sentence, an example and the statuses",
        arguments: [
            "import", "get", "scan", "put", "delete", "stat", "compact", "fsck", "recover",
            "inspect", "dump", "load", "backup", "restore", "verify", "schema print", "schema dev",
            "generate-models", "export", "query", "show", "shell", "diff", "tail", "edit",
            "studio", "sync", "ship", "manual",
        ])
    func contents(command: String) throws {
        let words = command.split(separator: " ").map(String.init)
        let run = try CommandRun(words + ["--help"], in: workspace.directory)
        let name = command == "schema print" ? "schema" : command
        #expect(run.output.hasPrefix("OVERVIEW: "), "\(run.output)")
        #expect(run.output.contains("\n  travertine \(name) "), "\(run.output)")
        #expect(run.output.contains("\nStatuses"), "\(run.output)")
    }

    @Test("the first help shows the first things to try")
    func firstHelp() throws {
        let run = try workspace.run()
        #expect(run.status == 0)
        #expect(run.output.contains("travertine import places.store cities.jsonl"))
    }

    @Test("--version prints the name, and the version of the newest release in the changelog")
    func version() throws {
        let run = try workspace.run("--version")
        #expect(run.status == 0)
        let changelog = try String(
            contentsOf: ProjectFiles.url("CHANGELOG.md"), encoding: .utf8)
        let release = try #require(
            changelog.split(separator: "\n").first { $0.hasPrefix("## ") && $0 != "## Unreleased" })
        let version = try #require(release.dropFirst(3).split(separator: " ").first)
        #expect(run.lines == ["travertine \(version)"])
    }

    @Test(
        "wrong arguments end with 64 and say what is right",
        arguments: [
            ["frob"], ["get", "store"], ["import", "store", "a.jsonl"],
            ["import", "store", "a.unknown", "--key", "id"],
            ["import", "store", "a.jsonl", "--key", "id", "--batch-size", "0"],
            ["import", "store", "a.jsonl", "--key", "id", "--delimiter", ";"],
            ["import", "store", "a.csv", "--key", "id", "--delimiter", ";;"],
            ["scan", "store", "--limit", "-1"],
        ])
    func wrongArguments(arguments: [String]) throws {
        let run = try CommandRun(arguments, in: workspace.directory)
        #expect(run.status == 64, "\(run.errors)")
        #expect(run.errors.hasPrefix("error: "), "\(run.errors)")
        #expect(run.output.isEmpty)
    }

    @Test("a command that is mistyped is refused with the nearest one")
    func mistyped() throws {
        let run = try workspace.run("exprot", "a.realm")
        #expect(run.status == 64)
        #expect(run.errors.contains("Did you mean `travertine export`?"), "\(run.errors)")
        let other = try workspace.run("manula")
        #expect(!other.errors.contains("Did you mean"), "\(other.errors)")
        #expect(try workspace.run("help", "export").status == 0)
        #expect(try workspace.run("---completion").status != 70)
    }

    @Test("a store that is not there is not made by reading it")
    func missingStore() throws {
        for arguments in [
            ["stat", "s"], ["scan", "s"], ["get", "s", "k"], ["delete", "s", "k"],
        ] {
            let run = try CommandRun(arguments, in: workspace.directory)
            #expect(run.status == 66, "\(arguments): \(run.errors)")
            #expect(run.errors.hasPrefix("error: "))
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: workspace.directory.path) == [])
    }

    @Test("a file that is not there, or a directory, is refused")
    func missingFile() throws {
        #expect(try workspace.run("import", "s", "a.jsonl", "--key", "id").status == 66)
        let run = try workspace.run("import", "s", ".", "--format", "csv", "--key", "id")
        #expect(run.status == 66)
        #expect(run.errors.contains("directory"))
    }
}
