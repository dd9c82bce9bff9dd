import Foundation
import TestSupport
import Testing

/// The command where the process may have few files open.
@Suite("few descriptors")
struct DescriptorLimitTests {
    private let workspace = Workspace()

    /// Runs the command under `ulimit -n`.
    private func run(_ arguments: [String], limit: Int) throws -> CommandRun {
        let script = "ulimit -n \(limit); exec \"$0\" \"$@\""
        return try CommandRun(
            URL(filePath: "/bin/sh"),
            ["-c", script, try CommandRun.executable().path] + arguments,
            in: workspace.directory)
    }

    // Dispatch ended the process at its first timer; `backup` called the store damaged.
    @Test(
        "the command ends with a message and the documented status",
        arguments: [
            "get store a", "scan store", "stat store", "put store a 1", "compact store",
            "dump store", "backup store copy", "fsck store", "fsck store --deep",
            "import store lines.jsonl --key id",
        ])
    func message(line: String) throws {
        try workspace.write("{\"id\":1}\n", to: "lines.jsonl")
        for key in ["a", "b"] { #expect(try workspace.run("put", "store", key, "1").status == 0) }
        let arguments = line.split(separator: " ").map(String.init)
        let documented: Int32 = arguments[0] == "fsck" ? 8 : 74
        var failureCount = 0
        for limit in 3...64 {
            // With fewer still the system can't load the program.
            guard try run(["--version"], limit: limit).status == 0 else { continue }
            // What a failed backup leaves is not for the next one.
            let found = try run(
                arguments.map { $0 == "copy" ? "copy\(limit)" : $0 }, limit: limit)
            if found.status == 0 { break }
            failureCount += 1
            #expect(found.status == documented, "limit \(limit): \(found.errors)")
            #expect(found.errors.contains("error: "), "limit \(limit): \(found.errors)")
            #expect(found.errors.contains("Too many open files"), "limit \(limit): \(found.errors)")
            #expect(!found.errors.contains("damaged"), "limit \(limit): \(found.errors)")
        }
        #expect(failureCount > 0)
        #expect(try workspace.run("fsck", "store").status == 0)
    }
}
