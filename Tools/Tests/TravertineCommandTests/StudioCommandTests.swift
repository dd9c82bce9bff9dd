import Foundation
import TestSupport
import Testing

@Suite("travertine studio, and other programs that are built apart")
struct StudioCommandTests {
    private let workspace: Workspace
    /// The command in an empty directory, beside which no studio was built.
    private let command: URL

    init() throws {
        workspace = Workspace()
        command = try workspace.copyCommand()
    }

    /// Runs the command with these directories in `PATH`.
    private func run(_ arguments: String..., path: String = "/nowhere") throws -> CommandRun {
        try run(arguments, path: path)
    }

    private func run(_ arguments: [String], path: String = "/nowhere") throws -> CommandRun {
        try CommandRun(
            URL(fileURLWithPath: "/usr/bin/env"), ["PATH=\(path)", command.path] + arguments,
            in: workspace.directory)
    }

    /// Makes a program in place of the studio, which prints its name and its arguments.
    private func makeStudio(
        in directory: String, named name: String, program: String = "travertine-studio"
    ) throws {
        let program = workspace.directory.appendingPathComponent("\(directory)/\(program)")
        try FileManager.default.createDirectory(
            at: program.deletingLastPathComponent(), withIntermediateDirectories: true)
        try "#!/bin/sh\necho \(name) \"$@\"\n".write(to: program, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o755], ofItemAtPath: program.path)
    }

    @Test("without the program it says how to build it, and ends with 69")
    func missingProgram() throws {
        let run = try run("studio", "a.realm")
        #expect(run.status == 69)
        #expect(run.output.isEmpty)
        #expect(run.errors.contains("swift build -c release --package-path Studio"))
    }

    @Test("the program beside it comes before those in PATH, and gets the arguments")
    func programs() throws {
        try makeStudio(in: "other", named: "path")
        let path = workspace.directory.appendingPathComponent("other").path
        #expect(try run("studio", "a.realm", path: path).lines == ["path a.realm"])
        try makeStudio(in: "bin", named: "beside")
        let run = try run(
            "studio", "a.realm", "--port", "8080", "--write", "--no-open", path: path)
        #expect(run.status == 0)
        #expect(run.lines == ["beside a.realm --port 8080 --write --no-open"])
    }

    @Test("sync is such a program too: all that is given goes to it")
    func sync() throws {
        let missing = try run("sync", "a.realm", "--to", "postgres://x/y")
        #expect(missing.status == 69)
        #expect(missing.errors.contains("--package-path Connectors/PostgreSQL"))
        let help = try run("sync", "--help")
        #expect(help.status == 0 && help.output.hasPrefix("OVERVIEW: "))
        try makeStudio(in: "bin", named: "beside", program: "travertine-postgres")
        let run = try run("sync", "a.realm", "--to", "postgres://x/y", "--once", "--types", "A,B")
        #expect(
            run.lines == ["beside sync a.realm --to postgres://x/y --once --types A,B"])
        #expect(try self.run("sync", "--help").lines == ["beside sync --help"])
    }

    @Test("ship and restore from S3 start the program for object storage")
    func ship() throws {
        let missing = try run("ship", "a.store", "s3://b/c")
        #expect(missing.status == 69)
        #expect(missing.errors.contains("--package-path Connectors/ObjectStorage"))
        try makeStudio(in: "bin", named: "beside", program: "travertine-ship")
        #expect(
            try run("ship", "a.store", "s3://b/c", "--every", "1s").lines
                == ["beside ship a.store s3://b/c --every 1s"])
        #expect(try run("ship", "points", "s3://b/c").lines == ["beside points s3://b/c"])
        #expect(
            try run("restore", "s3://b/c", "a.store", "--at", "42").lines
                == ["beside restore s3://b/c a.store --at 42"])
        let options = "--point 7 --allow-insecure --key-file k --json --quiet"
        let restored = try run(
            ["restore", "s3://b/c", "a.store"] + options.split(separator: " ").map(String.init))
        #expect(restored.lines == ["beside restore s3://b/c a.store \(options)"])
        for (backup, options) in [
            ("backup", ["--at", "42"]), ("backup", ["--point", "7"]),
            ("backup", ["--allow-insecure"]), ("s3://b/c", ["--at", "42", "--point", "7"]),
            ("s3://b/c", ["--unverified"]), ("s3://b/c", ["--rate", "1"]),
        ] {
            let wrong = try run(["restore", backup, "a.store"] + options)
            #expect(wrong.status == 64, "\(backup) \(options)")
        }
    }

    @Test("--read-only and --write exclude each other")
    func contradiction() throws {
        #expect(try run("studio", "a.realm", "--read-only", "--write").status == 64)
    }
}
