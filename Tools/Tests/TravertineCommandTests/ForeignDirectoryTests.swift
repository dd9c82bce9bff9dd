import Foundation
import TestSupport
import Testing

/// A path that was mistyped led into a directory of something else, and its file `lock` was
/// overwritten, or one was left there, by commands that only read too.
@Suite("directories that are no store")
struct ForeignDirectoryTests {
    private let workspace: Workspace

    init() throws {
        workspace = Workspace()
        try workspace.write("{\"id\": 1}\n", to: "a.jsonl")
    }

    private static let reading = [
        ["get", "dir", "k"], ["scan", "dir"], ["stat", "dir"], ["stat", "dir", "--json"],
        ["dump", "dir"], ["dump", "dir", "-o", "out"], ["backup", "dir", "target"],
        ["delete", "dir", "k"], ["compact", "dir"], ["compact", "dir", "--unverified"],
        ["fsck", "dir"], ["fsck", "dir", "--repair"], ["verify", "dir"], ["inspect", "dir"],
        ["recover", "dir", "target"], ["restore", "dir", "target"], ["schema", "dir"],
        ["export", "dir", "--type", "A"], ["import", "dir", "a.jsonl", "--type", "A"],
        ["import", "dir", "a.jsonl", "--documents"],
    ]
    private static let writing = [
        ["put", "dir", "k", "v"], ["import", "dir", "a.jsonl", "--key", "id"],
    ]

    /// Each file below the workspace with its contents; directories have none.
    private func files() throws -> [String: Data?] {
        let all = FileManager.default
        var found: [String: Data?] = [:]
        for path in try all.subpathsOfDirectory(atPath: workspace.directory.path) {
            let url = workspace.directory.appendingPathComponent(path)
            found[path] = .some(all.contents(atPath: url.path))
        }
        return found
    }

    private func makeDirectory(_ contents: [String: String]) throws {
        let folder = workspace.directory.appendingPathComponent("dir")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (name, text) in contents { try workspace.write(text, to: "dir/" + name) }
    }

    private func expectUnchanged(_ commands: [[String]]) throws {
        let before = try files()
        for arguments in commands {
            let run = try CommandRun(arguments, in: workspace.directory)
            #expect(run.status != 0, "\(arguments)")
            #expect(run.errors.hasPrefix("error: "), "\(arguments): \(run.errors)")
            #expect(try files() == before, "\(arguments)")
        }
    }

    @Test(
        "no command creates or changes anything in a directory of something else",
        arguments: [
            ["notes.txt": "text"], ["notes.txt": "text", "lock": "ours"], ["lock": "ours"],
            ["lock": "process 1 (something)"], ["lock": ""], ["manifest": "ours", "lock": "ours"],
        ])
    func foreign(contents: [String: String]) throws {
        try makeDirectory(contents)
        // A lock that is empty, or has the name of a holder, may be left of a store in the making.
        let lock = contents["lock"] ?? "-"
        let isMaybeOurs = contents.count == 1 && (lock.isEmpty || lock.hasPrefix("process "))
        try expectUnchanged(isMaybeOurs ? Self.reading : Self.reading + Self.writing)
    }

    @Test("commands that read change nothing in a store that was never opened for objects")
    func plainStore() throws {
        #expect(try workspace.run("put", "dir", "k", "v").status == 0)
        // Readers of other processes have places in the lock.
        let before = try files().filter { !$0.key.hasSuffix("lock") }
        let commands = [
            (["schema", "dir"], 66), (["export", "dir", "--type", "A"], 66),
            (["get", "dir", "k"], 0),
            (["scan", "dir"], 0), (["stat", "dir"], 0), (["dump", "dir"], 0),
        ]
        for (arguments, status) in commands {
            let run = try CommandRun(arguments, in: workspace.directory)
            #expect(run.status == status, "\(arguments): \(run.errors)")
            if status == 66 {
                #expect(run.errors.contains("the store holds no object types"), "\(run.errors)")
            }
            #expect(try files().filter { !$0.key.hasSuffix("lock") } == before, "\(arguments)")
        }
    }

    @Test("commands that read create nothing in an empty directory, nor one that is missing")
    func empty() throws {
        try expectUnchanged(Self.reading)
        try makeDirectory([:])
        try expectUnchanged(Self.reading)
    }
}
