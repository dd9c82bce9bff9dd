import Foundation
import TestSupport
import Testing

/// Commands that only read opened a store as its writer where nobody else had it open: they took
/// its lock, and recovered it.
@Suite("commands that only read")
struct ReadingBesideWriterTests {
    private let workspace: Workspace

    init() throws {
        workspace = Workspace()
        try QueriedPlaces.make(in: workspace)
        for arguments in [["backup", "places", "backup"], ["restore", "backup", "older"]] {
            let run = try CommandRun(arguments, in: workspace.directory)
            #expect(run.status == 0, "\(run.errors)")
        }
    }

    /// Commands that read `places`, and the status that each ends with.
    private static let reading: [([String], Int32)] = [
        (["get", "places", "none"], 1), (["get", "places", "-k", "type.1.rows", "none"], 1),
        (["scan", "places", "-k", "type.1.rows"], 0), (["stat", "places"], 0),
        (["stat", "places", "--json", "--measure"], 0), (["dump", "places"], 0),
        (["query", "places", "QueriedTown where people > 1", "--json"], 0),
        (["query", "places", "QueriedTown", "--count", "--explain"], 0),
        (["show", "places", "QueriedTown", "1"], 0), (["show", "places", "QueriedTown"], 0),
        (["shell", "places"], 0), (["export", "places", "--type", "QueriedCountry"], 0),
        (["export", "places", "--type", "QueriedCountry", "--format", "csv", "-n", "1"], 0),
        (["schema", "places", "--json-schema", "--type", "QueriedCountry"], 0),
        (["schema", "places", "--diff", "older"], 0), (["tail", "places", "-n", "2"], 0),
        (["diff", "places", "older"], 0), (["diff", "older", "places"], 0),
        (
            [
                "---completion", "query", "--", "positional@1", "3", "0", "travertine", "query",
                "places", "",
            ], 0
        ),
    ]

    /// The files of the workspace with their contents, but for the file in which readers say what
    /// they need.
    private func files() throws -> [String: Data?] {
        let all = FileManager.default
        var found: [String: Data?] = [:]
        for path in try all.subpathsOfDirectory(atPath: workspace.directory.path)
        where !path.hasSuffix("/lock") {
            found[path] = .some(all.contents(atPath: workspace.url(path).path))
        }
        return found
    }

    @Test("they work beside a writer in another process, which goes on, and change nothing")
    func besideWriter() throws {
        let running = try RunningImport(
            in: workspace.directory,
            arguments: [
                "import", "places", "-", "--format", "jsonl", "--type", "QueriedTown",
                "--batch-size", "1",
            ])
        let before = try files()
        for (arguments, status) in Self.reading {
            let run = try CommandRun(
                arguments, in: workspace.directory, input: ".count QueriedTown\n")
            #expect(run.status == status, "\(arguments): \(run.output)\(run.errors)")
        }
        #expect(try files() == before)
        // Commands that write are refused.
        for arguments in [
            ["put", "places", "a", "b"], ["compact", "places"], ["edit", "places", "delete A 1"],
        ] {
            let run = try CommandRun(arguments, in: workspace.directory)
            #expect(run.status == 75, "\(arguments): \(run.errors)")
        }
        running.feed("{\"id\": 77, \"name\": \"Tomar\"}\n")
        running.waitUntilRead()
        let errors = running.end(by: SIGINT)
        #expect(running.status == 130 && errors.contains("1 record stored"), "\(errors)")
        #expect(try workspace.run("show", "places", "QueriedTown", "77").status == 0)
    }

    @Test("they change nothing of a store that nobody has open")
    func alone() throws {
        let before = try files()
        for (arguments, status) in Self.reading {
            let run = try CommandRun(arguments, in: workspace.directory)
            #expect(run.status == status, "\(arguments): \(run.errors)")
        }
        #expect(try files() == before)
    }

    @Test("they work in a directory that can't be written")
    func readOnly() throws {
        defer { makeWritable() }
        guard try makeReadOnly() else {
            print("A read-only directory was not tested: no user without rights could be had.")
            return
        }
        for (arguments, status) in Self.reading {
            let run = try asOtherUser([CommandRun.executable().path] + arguments)
            #expect(run.status == status, "\(arguments): \(run.errors)")
        }
        let put = try asOtherUser([CommandRun.executable().path, "put", "places", "a", "b"])
        #expect(put.status == 77, "\(put.errors)")
    }

    /// Runs a program as a user who may write nothing here: nobody, if this is the superuser, to
    /// whom nothing is forbidden.
    private func asOtherUser(_ command: [String]) throws -> CommandRun {
        let change = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
        return try CommandRun(
            URL(filePath: "/usr/bin/env"), (geteuid() == 0 ? change : []) + command,
            in: workspace.directory)
    }

    /// Gives the right back, so that the directory can be removed.
    private func makeWritable() {
        for path in [".", "places", "older", "backup"] {
            try? FileManager.default.setAttributes(
                [.posixPermissions: 0o755], ofItemAtPath: workspace.url(path).path)
        }
    }

    /// Takes away the right to write; false where that can't be tested.
    private func makeReadOnly() throws -> Bool {
        let all = FileManager.default
        for path in try all.subpathsOfDirectory(atPath: workspace.directory.path) + ["."] {
            let url = workspace.url(path)
            try all.setAttributes(
                [
                    .posixPermissions: url.hasDirectoryPath || path == "." || !path.contains("/")
                        ? 0o555 : 0o444
                ], ofItemAtPath: url.path)
        }
        let program = try CommandRun.executable().path
        let canRun = try asOtherUser([program, "--version"]).status == 0
        let mayWrite = try asOtherUser(["sh", "-c", "echo x > places/x"]).status == 0
        return canRun && !mayWrite
    }
}
