import Foundation
import TestSupport

extension CommandRun {
    /// Runs the built command `travertine` in a directory, with text on its standard input.
    init(_ arguments: [String], in directory: URL, input: String = "") throws {
        try self.init(Self.executable(), arguments, in: directory, input: input)
    }

    /// The output as JSON.
    func json() throws -> [String: Any]? {
        try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any]
    }

    /// The built command. It notices control-C, also where the tests are a job in the background of
    /// a script, which has them ignore it.
    static func executable() throws -> URL {
        _ = signal(SIGINT, SIG_DFL)
        return try BuiltProgram.url("travertine")
    }
}

extension Workspace {
    /// Runs the command here.
    func run(_ arguments: String..., input: String = "") throws -> CommandRun {
        try CommandRun(arguments, in: directory, input: input)
    }

    /// A copy of the command in the directory `bin`, beside which no other program was built.
    func copyCommand() throws -> URL {
        let programs = directory.appendingPathComponent("bin")
        try FileManager.default.createDirectory(at: programs, withIntermediateDirectories: true)
        let copy = programs.appendingPathComponent("travertine")
        // By another process: a test that starts one while the copy is open for writing would keep
        // it open, and it could not be executed.
        _ = try CommandRun(
            URL(fileURLWithPath: "/bin/cp"), [CommandRun.executable().path, copy.path],
            in: directory)
        return copy
    }

    /// Writes a file and imports it with `--key id` and more arguments.
    func importFile(
        _ name: String, _ text: String, _ arguments: String...
    ) throws -> CommandRun {
        try write(text, to: name)
        return try CommandRun(
            ["import", "store", name, "--key", "id"] + arguments, in: directory)
    }

    /// Everything in the store: lines of key, tab, value.
    func contents() throws -> [String] { try run("scan", "store").lines }

    /// All keys in the store.
    func keys() throws -> [String] { try run("scan", "store", "--keys-only").lines }
}
