import Foundation

/// One run of the built command: its arguments went in, its output and status came out.
struct CommandRun {
    let output: String
    let errors: String
    let status: Int32

    /// Output, line by line.
    var lines: [String] { output.split(separator: "\n").map(String.init) }

    /// Runs the command in a directory, with text on its standard input.
    init(_ arguments: [String], in directory: URL, input: String = "") throws {
        let process = Process()
        process.executableURL = try Self.executable()
        process.arguments = arguments
        process.currentDirectoryURL = directory
        let files = ["output", "errors", "input"].map {
            directory.appendingPathComponent(".\($0)-\(UUID().uuidString)")
        }
        defer { for file in files { try? FileManager.default.removeItem(at: file) } }
        // Files rather than pipes: no output is large enough to block anything.
        try Data().write(to: files[0])
        try Data().write(to: files[1])
        try Data(input.utf8).write(to: files[2])
        process.standardOutput = try FileHandle(forWritingTo: files[0])
        process.standardError = try FileHandle(forWritingTo: files[1])
        process.standardInput = try FileHandle(forReadingFrom: files[2])
        try process.run()
        process.waitUntilExit()
        output = String(decoding: try Data(contentsOf: files[0]), as: UTF8.self)
        errors = String(decoding: try Data(contentsOf: files[1]), as: UTF8.self)
        status = process.terminationStatus
    }

    /// The output as JSON.
    func json() throws -> [String: Any]? {
        try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any]
    }

    /// The built command. It notices control-C, also where the tests are a job in the background of a
    /// script, which has them ignore it.
    static func executable() throws -> URL {
        _ = signal(SIGINT, SIG_DFL)
        let bundles = Bundle.allBundles.map(\.bundleURL).filter { $0.pathExtension == "xctest" }
        let main = Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
        for neighbour in bundles + [main] {
            let candidate = neighbour.deletingLastPathComponent()
                .appendingPathComponent("travertine")
            if FileManager.default.isExecutableFile(atPath: candidate.path) { return candidate }
        }
        throw CocoaError(.fileNoSuchFile)
    }
}

/// A directory of a test's own, with a store and input files; gone when the test is over.
final class Workspace {
    let directory: URL

    init() throws {
        directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("travertine-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    /// Runs the command here.
    func run(_ arguments: String..., input: String = "") throws -> CommandRun {
        try CommandRun(arguments, in: directory, input: input)
    }

    /// Writes a file and imports it with `--key id` and more arguments.
    func importFile(
        _ name: String, _ text: String, _ arguments: String...
    ) throws -> CommandRun {
        try write(text, to: name)
        return try CommandRun(
            ["import", "store", name, "--key", "id"] + arguments, in: directory)
    }

    /// Writes a file.
    func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: directory.appendingPathComponent(name))
    }

    /// Everything in the store: lines of key, tab, value.
    func contents() throws -> [String] { try run("scan", "store").lines }

    /// All keys in the store.
    func keys() throws -> [String] { try run("scan", "store", "--keys-only").lines }
}
