import Foundation

/// A program beside this one, whose lines of output are counted.
final class Child: @unchecked Sendable {
    private let process = Process()
    private let condition = NSCondition()
    private var count = 0
    private var isOver = false
    private let errorFile: String

    init(_ name: String, _ arguments: [String]) throws {
        let own = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        let directory =
            CommandLine.arguments[0].contains("/")
            ? own.deletingLastPathComponent()
            : Bundle.main.executableURL!.deletingLastPathComponent()
        process.executableURL = directory.appendingPathComponent(name)
        process.arguments = arguments
        errorFile = NSTemporaryDirectory() + "sync-survival-\(UUID().uuidString).log"
        _ = FileManager.default.createFile(atPath: errorFile, contents: nil)
        process.standardError = FileHandle(forWritingAtPath: errorFile)
        let output = Pipe()
        process.standardOutput = output
        output.fileHandleForReading.readabilityHandler = { [weak self] handle in
            let data = handle.availableData
            if data.isEmpty { handle.readabilityHandler = nil }
            self?.take(data)
        }
        try process.run()
    }

    deinit { try? FileManager.default.removeItem(atPath: errorFile) }

    var lineCount: Int { condition.withLock { count } }

    var errors: String { (try? String(contentsOfFile: errorFile, encoding: .utf8)) ?? "" }

    private func take(_ data: Data) {
        condition.withLock {
            if data.isEmpty { isOver = true }
            count += data.count { $0 == UInt8(ascii: "\n") }
            condition.broadcast()
        }
    }

    /// Waits until it has printed so many lines.
    func waitForLines(_ wanted: Int) throws {
        let limit = Date(timeIntervalSinceNow: 60)
        try condition.withLock {
            while count < wanted {
                if isOver {
                    throw Failure("\(process.executableURL!.lastPathComponent) ended: \(errors)")
                }
                if !condition.wait(until: limit) {
                    throw Failure(
                        "\(process.executableURL!.lastPathComponent) does nothing: \(errors)")
                }
            }
        }
    }

    /// Kills it, with no time to end by itself.
    func kill() {
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Waits for its end; its status.
    func wait() -> Int32 {
        process.waitUntilExit()
        return process.terminationStatus
    }
}
