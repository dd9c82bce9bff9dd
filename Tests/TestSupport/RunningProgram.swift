import Foundation

#if canImport(Glibc)
    import Glibc
#endif

/// A program that runs beside the test, killed with its last reference.
public final class RunningProgram {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    /// What was read and not yet given out as a line.
    private var text = Data()

    /// Starts a program.
    public init(_ program: URL, _ arguments: [String]) throws {
        process.executableURL = program
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    deinit { end() }

    /// Its number among the system's processes.
    public var identifier: Int32 { process.processIdentifier }

    /// Whether it has not ended.
    public var isRunning: Bool { process.isRunning }

    /// Writes a line to its standard input.
    public func writeLine(_ line: String = "") {
        input.fileHandleForWriting.write(Data((line + "\n").utf8))
    }

    /// The next line that it prints; nil when it has ended.
    public func readLine() -> String? {
        while true {
            if let end = text.firstIndex(of: 10) {
                defer { text.removeSubrange(...end) }
                return String(decoding: text[..<end], as: UTF8.self)
            }
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { return nil }
            text.append(more)
        }
    }

    /// Kills it, if it still runs, and waits for its end.
    public func end() {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
    }
}
