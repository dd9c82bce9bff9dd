import Foundation

#if canImport(Glibc)
    import Glibc
#endif

/// An import from standard input that has opened its store and waits for lines.
struct RunningImport {
    private let process = Process()
    private let input = Pipe()
    private let errors = Pipe()

    var status: Int32 { process.terminationStatus }

    init(in directory: URL) throws {
        process.executableURL = try CommandRun.executable()
        process.arguments = ["import", "store", "-", "--format", "jsonl", "--key", "id"]
        process.currentDirectoryURL = directory
        process.standardInput = input
        process.standardError = errors
        try process.run()
        // It notices control-C before it opens the store, or makes it: its name in the lock, and the
        // manifest, are the sign to go on.
        let store = directory.appendingPathComponent("store")
        let holder = Data("process \(process.processIdentifier) ".utf8)
        let deadline = ContinuousClock.now + .seconds(30)
        while process.isRunning, ContinuousClock.now < deadline {
            let lock = try? Data(contentsOf: store.appendingPathComponent("lock"))
            let manifest = store.appendingPathComponent("manifest").path
            if lock?.starts(with: holder) == true, FileManager.default.fileExists(atPath: manifest)
            {
                return
            }
            sched_yield()
        }
    }

    func feed(_ text: String) { input.fileHandleForWriting.write(Data(text.utf8)) }

    /// Interrupts it, gives it more lines so that it wakes up, and waits for its end.
    func interrupt(thenFeed text: String) -> String {
        process.interrupt()
        feed(text)
        try? input.fileHandleForWriting.close()
        let text = String(
            decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return text
    }
}
