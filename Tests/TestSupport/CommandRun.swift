import Foundation

/// One run of a program: its arguments and input went in, its output and status came out.
public struct CommandRun: Sendable {
    /// What it wrote to standard output.
    public let output: String
    /// What it wrote to standard error.
    public let errors: String
    /// The status with which it exited, or the signal that ended it.
    public let status: Int32

    /// Output, line by line; empty lines are left out.
    public var lines: [String] { output.split(separator: "\n").map(String.init) }

    /// Runs a program to its end.
    ///
    /// - Parameter directory: the program's working directory; nil for the test's own.
    public init(
        _ program: URL, _ arguments: [String], in directory: URL? = nil, input: String = ""
    ) throws {
        let files = Workspace()
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        if let directory { process.currentDirectoryURL = directory }
        // Files rather than pipes: no output is large enough to block anything.
        for name in ["output", "errors"] { try files.write("", to: name) }
        try files.write(input, to: "input")
        process.standardOutput = try FileHandle(forWritingTo: files.url("output"))
        process.standardError = try FileHandle(forWritingTo: files.url("errors"))
        process.standardInput = try FileHandle(forReadingFrom: files.url("input"))
        try process.run()
        process.waitUntilExit()
        output = String(decoding: try Data(contentsOf: files.url("output")), as: UTF8.self)
        errors = String(decoding: try Data(contentsOf: files.url("errors")), as: UTF8.self)
        status = process.terminationStatus
    }

    /// Runs a program that is looked for in the path; its status is 127 where there is none.
    public init(found name: String, _ arguments: [String], input: String = "") throws {
        try self.init(URL(filePath: "/usr/bin/env"), [name] + arguments, input: input)
    }
}
