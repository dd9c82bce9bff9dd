import Foundation
import TestSupport
import Testing

/// An import waited for a line before it looked whether it was interrupted: control-C at an idle
/// pipe did nothing until the next line came, or a second one ended the process silently.
@Suite("interruption of commands")
struct InterruptionTests {
    private let workspace: Workspace

    init() throws { workspace = Workspace() }

    private static let signals: [(Int32, Int32, String)] = [
        (SIGINT, 130, "interrupted"), (SIGTERM, 143, "ended by SIGTERM"),
    ]

    @Test(
        "a signal ends an import that waits for input, stores what was read and says where to go on",
        arguments: signals)
    func waiting(signal: Int32, status: Int32, word: String) throws {
        let running = try RunningImport(in: workspace.directory)
        // The last line has no end: it may be the beginning of a longer one.
        running.feed("{\"id\": 1}\n{\"id\": 2}\n{\"id\": 3}")
        running.waitUntilRead()
        let errors = running.end(by: signal)
        #expect(running.status == status, "\(errors)")
        // It looks for signals after each record, too.
        let keys = try workspace.keys()
        #expect(["1", "2"].starts(with: keys) && !keys.isEmpty)
        let stored = keys.count == 1 ? "1 record stored" : "2 records stored"
        #expect(errors.contains(word) && errors.contains(stored), "\(errors)")
        #expect(errors.contains("--resume-from \(keys.count + 1)"), "\(errors)")
    }

    @Test("a signal ends an import of documents that waits, and what was read is stored")
    func waitingForDocuments() throws {
        try workspace.write(
            #"{"title": "Dog", "bsonType": "object", "required": ["_id"], "#
                + #""properties": {"_id": {"bsonType": "long"}}}"#, to: "Dog.json")
        let running = try RunningImport(
            in: workspace.directory,
            arguments: ["import", "pets", "-", "--documents", "--source", "Dog.json"])
        running.feed("{\"_id\": 1}\n{\"_id\": 2}\n")
        running.waitUntilRead()
        let errors = running.end(by: SIGINT)
        #expect(running.status == 130, "\(errors)")
        #expect(errors.contains("2 documents were read, and are stored"), "\(errors)")
        let export = try workspace.run("export", "pets", "--type", "Dog")
        #expect(export.lines == [#"{"_id":1}"#, #"{"_id":2}"#])
    }

    @Test("a signal ends an import from a named pipe that nobody writes to")
    func namedPipe() throws {
        #expect(mkfifo(workspace.directory.appendingPathComponent("fifo").path, 0o600) == 0)
        let running = try RunningImport(
            in: workspace.directory,
            arguments: ["import", "store", "fifo", "--format", "jsonl", "--key", "id"])
        let errors = running.end(by: SIGINT)
        #expect(running.status == 130, "\(errors)")
        #expect(errors.contains("interrupted"), "\(errors)")
    }

    @Test("a dump into a file that is interrupted removes what it wrote and reports it")
    func dump() throws {
        let records = (1...20_000).map { "{\"id\": \($0)}" }.joined(separator: "\n")
        #expect(try workspace.importFile("a.jsonl", records).status == 0)
        for (name, isThere) in [("new.dump", false), ("old.dump", true)] {
            if isThere { try workspace.write("earlier", to: name) }
            let process = Process()
            process.executableURL = try CommandRun.executable()
            process.arguments = ["dump", "store", "-o", name]
            process.currentDirectoryURL = workspace.directory
            let errors = Pipe()
            process.standardError = errors
            let part = workspace.directory.appendingPathComponent(name + ".part").path
            try process.run()
            while process.isRunning, !FileManager.default.fileExists(atPath: part) {
                sched_yield()
            }
            process.interrupt()
            let text = String(
                decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            #expect(!FileManager.default.fileExists(atPath: part))
            let file = workspace.directory.appendingPathComponent(name)
            let left = try? String(contentsOf: file, encoding: .utf8)
            // It may have been done before the signal came.
            if process.terminationStatus == 0 { continue }
            #expect(process.terminationStatus == 130, "\(text)")
            #expect(left == (isThere ? "earlier" : nil))
            #expect(
                text.contains(isThere ? "is as it was" : "was not made"), "\(text)")
        }
    }

    @Test("a compaction that is interrupted loses nothing and says how to go on")
    func compaction() throws {
        let records = (1...20_000).map { "{\"id\": \($0)}" }.joined(separator: "\n")
        #expect(try workspace.importFile("a.jsonl", records).status == 0)
        let keys = try workspace.keys()
        let process = Process()
        process.executableURL = try CommandRun.executable()
        // Verification would be the first to name itself in the lock.
        process.arguments = ["compact", "--unverified", "store"]
        process.currentDirectoryURL = workspace.directory
        process.standardOutput = FileHandle.nullDevice
        let errors = Pipe()
        process.standardError = errors
        try process.run()
        let lock = workspace.directory.appendingPathComponent("store/lock")
        let holder = Data("process \(process.processIdentifier) ".utf8)
        while process.isRunning, (try? Data(contentsOf: lock))?.starts(with: holder) != true {
            sched_yield()
        }
        process.interrupt()
        let text = String(
            decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        if process.terminationStatus != 0 {
            #expect(process.terminationStatus == 130, "\(text)")
            #expect(text.contains("interrupted"), "\(text)")
            #expect(!text.contains("The store was not changed"), "\(text)")
        }
        #expect(try workspace.keys() == keys)
        #expect(try workspace.run("fsck", "store").status == 0)
        #expect(try workspace.run("compact", "store").status == 0)
    }
}
