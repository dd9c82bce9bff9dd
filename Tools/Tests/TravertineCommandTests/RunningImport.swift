import Foundation
import TestSupport

#if canImport(Glibc)
    import Glibc
#endif

/// An import from standard input that has opened its store and waits for lines.
struct RunningImport {
    private let process = Process()
    private let input = Pipe()
    private let errors = Pipe()

    var status: Int32 { process.terminationStatus }

    init(
        in directory: URL,
        arguments: [String] = ["import", "store", "-", "--format", "jsonl", "--key", "id"]
    ) throws {
        process.executableURL = try CommandRun.executable()
        process.arguments = arguments
        process.currentDirectoryURL = directory
        process.standardInput = input
        process.standardError = errors
        try process.run()
        // Its name in the lock, and the manifest, say that it has opened the store.
        let store = directory.appendingPathComponent(arguments[1])
        let holder = Data("process \(process.processIdentifier) ".utf8)
        wait {
            let lock = try? Data(contentsOf: store.appendingPathComponent("lock"))
            let manifest = store.appendingPathComponent("manifest").path
            return lock?.starts(with: holder) == true
                && FileManager.default.fileExists(atPath: manifest)
        }
    }

    func feed(_ text: String) { input.fileHandleForWriting.write(Data(text.utf8)) }

    /// Waits until it has read all that it was fed, so that it waits for more.
    func waitUntilRead() {
        let descriptor = input.fileHandleForWriting.fileDescriptor
        wait {
            var count: Int32 = 0
            return ioctl(descriptor, UInt(FIONREAD), &count) == 0 && count == 0
        }
    }

    /// Sends a signal, with standard input still open, and waits for the end.
    ///
    /// - Returns: what it says.
    func end(by signal: Int32) -> String {
        kill(process.processIdentifier, signal)
        let text = String(
            decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        try? input.fileHandleForWriting.close()
        return text
    }

    private func wait(_ condition: () -> Bool) {
        let deadline = ContinuousClock.now + .seconds(30)
        while process.isRunning, ContinuousClock.now < deadline, !condition() { sched_yield() }
    }
}
