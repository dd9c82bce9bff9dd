import Foundation
import Synchronization

/// A program of the build that runs beside the test.
final class Program: Sendable {
    private struct State {
        var lines: [String] = []
        var partial: [UInt8] = []
        var hasEnded = false
        var status: Int32 = 0
    }

    private let process: Process
    private let condition = NSCondition()
    private let state = Mutex(State())
    private let errors = Pipe()

    /// Starts a program with arguments, and credentials that moto takes.
    init(_ name: String, _ arguments: [String], environment: [String: String] = [:]) throws {
        process = Process()
        process.executableURL = try Self.url(name)
        process.arguments = arguments
        var variables = ProcessInfo.processInfo.environment.filter { name, _ in
            !name.hasPrefix("AWS_") && !name.hasPrefix("TRAVERTINE_")
        }
        variables["AWS_ACCESS_KEY_ID"] = "AKIDTEST"
        variables["AWS_SECRET_ACCESS_KEY"] = "secret"
        process.environment = variables.merging(environment) { $1 }
        let output = Pipe()
        process.standardOutput = output
        process.standardError = errors
        process.standardInput = FileHandle.nullDevice
        try process.run()
        Thread { [self] in
            while true {
                let data = output.fileHandleForReading.availableData
                if data.isEmpty { break }
                note(data)
            }
            process.waitUntilExit()
            state.withLock {
                $0.hasEnded = true
                $0.status = process.terminationStatus
            }
            wake()
        }.start()
    }

    /// Where the build puts a program: beside the tests. One of the system has its path as name.
    static func url(_ name: String) throws -> URL {
        if name.hasPrefix("/") { return URL(filePath: name) }
        let bundles = Bundle.allBundles.map(\.bundleURL).filter { $0.pathExtension == "xctest" }
        let runner = Bundle.main.executableURL ?? URL(filePath: CommandLine.arguments[0])
        for neighbour in bundles + [runner] {
            let url = neighbour.deletingLastPathComponent().appending(path: name)
            if FileManager.default.isExecutableFile(atPath: url.path) { return url }
        }
        throw CocoaError(.fileNoSuchFile, userInfo: [NSFilePathErrorKey: name])
    }

    private func note(_ data: Data) {
        state.withLock { state in
            for byte in data {
                if byte == UInt8(ascii: "\n") {
                    state.lines.append(String(decoding: state.partial, as: UTF8.self))
                    state.partial = []
                } else {
                    state.partial.append(byte)
                }
            }
        }
        wake()
    }

    private func wake() {
        condition.lock()
        condition.broadcast()
        condition.unlock()
    }

    /// Whole lines of standard output so far.
    var lines: [String] { state.withLock { $0.lines } }

    var processIdentifier: Int32 { process.processIdentifier }

    /// Waits until it has ended, or `isEnough` is true of its lines; false if it ended before that.
    func wait(_ isEnough: @escaping @Sendable ([String]) -> Bool) async -> Bool {
        await onThread { [self] in
            condition.lock()
            defer { condition.unlock() }
            while true {
                let (lines, hasEnded) = state.withLock { ($0.lines, $0.hasEnded) }
                if isEnough(lines) { return true }
                if hasEnded { return false }
                _ = condition.wait(until: Date(timeIntervalSinceNow: 1))
            }
        }
    }

    /// Waits for its end, and gives its status: minus the number of the signal that killed it.
    func end() async -> Int32 {
        _ = await wait { _ in false }
        let status = state.withLock { $0.status }
        return process.terminationReason == .uncaughtSignal ? -status : status
    }

    /// Ends it as a lack of memory or an administrator may.
    func kill() { _ = Foundation.kill(process.processIdentifier, SIGKILL) }

    func signal(_ number: Int32) { _ = Foundation.kill(process.processIdentifier, number) }

    /// What it said on standard error, after its end.
    var errorText: String {
        String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    }

    /// Runs a program to its end.
    static func run(
        _ name: String, _ arguments: [String], environment: [String: String] = [:]
    ) async throws -> (status: Int32, lines: [String], errorText: String) {
        let program = try Program(name, arguments, environment: environment)
        let status = await program.end()
        return (status, program.lines, program.errorText)
    }
}

/// Runs `travertine-ship` to its end.
func run(_ arguments: String...) async throws -> (
    status: Int32, lines: [String], errorText: String
) {
    try await Program.run("travertine-ship", arguments)
}

/// Runs what blocks on another thread.
func onThread<Result: Sendable>(
    _ operation: @escaping @Sendable () -> Result
) async -> Result {
    await withCheckedContinuation { continuation in
        Thread { continuation.resume(returning: operation()) }.start()
    }
}
