import Foundation
import TestSupport
import Testing

@Suite("faults of the disk and of pipes")
struct FaultTests {
    private let workspace = Workspace()

    /// Runs the command where a file may have so many blocks of 512 bytes.
    private func limited(_ blocks: Int, _ line: String) throws -> CommandRun {
        try CommandRun(
            URL(filePath: "/bin/sh"),
            [
                "-c", "ulimit -f \(blocks); exec \"$0\" \"$@\"",
                try CommandRun.executable().path,
            ] + line.split(separator: " ").map(String.init), in: workspace.directory)
    }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: workspace.directory.path).sorted()
    }

    @Test(
        "a file that may not grow ends a command with 74 and what to do, and loses nothing",
        arguments: [
            ("import store more.jsonl --key id", "run the same command again"),
            ("export realm --type Dog -o out.jsonl", "out.jsonl.part can't be"),
            ("dump store -o out.dump", "out.dump"),
            ("import realm dogs.jsonl --documents --type Dog", "ulimit -f"),
        ])
    func limit(line: String, words: String) throws {
        let text = (1...9_000).map { "{\"id\": \($0)}" }.joined(separator: "\n")
        #expect(try workspace.importFile("more.jsonl", text).status == 0)
        try workspace.write(
            #"{"title": "Dog", "bsonType": "object", "required": ["_id"], "#
                + #""properties": {"_id": {"bsonType": "long"}}}"#, to: "Dog.json")
        try workspace.write(text.replacing("id", with: "_id"), to: "dogs.jsonl")
        let dogs = try workspace.run(
            "import", "realm", "dogs.jsonl", "--documents", "--source", "Dog.json")
        #expect(dogs.status == 0, "\(dogs.errors)")
        let before = try (workspace.contents(), names())
        let run = try limited(64, line)
        #expect(run.status == 74, "\(run.errors)")
        #expect(run.errors.contains("error: "), "\(run.errors)")
        #expect(run.errors.contains("File too large"), "\(run.errors)")
        if !line.contains("-o") { #expect(run.errors.contains(words), "\(run.errors)") }
        #expect(try (workspace.contents(), names()) == before)
        #expect(try workspace.run("query", "realm", "Dog", "--count").lines == ["9000"])
        for store in ["store", "realm"] {
            #expect(try workspace.run("fsck", store).status == 0)
        }
    }

    @Test("a backup that failed reports what is there, and the same command goes on with it")
    func backup() throws {
        let text = (1...9_000).map { "{\"id\": \($0)}" }.joined(separator: "\n")
        #expect(try workspace.importFile("a.jsonl", text).status == 0)
        let failed = try limited(64, "backup store copy --method copy")
        #expect(failed.status == 74, "\(failed.errors)")
        #expect(failed.errors.contains("holds no backup yet"), "\(failed.errors)")
        #expect(try workspace.run("verify", "copy").status != 0)
        #expect(try workspace.run("backup", "store", "copy", "--method", "copy").status == 0)
        #expect(try workspace.run("verify", "copy").status == 0)
        #expect(try workspace.run("put", "store", "x", "y").status == 0)
        let again = try limited(64, "backup store copy --method copy")
        #expect(again.status == 74, "\(again.errors)")
        #expect(again.errors.contains("earlier backup in copy is as it was"), "\(again.errors)")
        #expect(try workspace.run("verify", "copy").status == 0)
    }

    @Test("an error message that can't be written does not change the status")
    func fullErrors() throws {
        let run = try CommandRun(
            found: "sh",
            ["-c", "\"$0\" stat none 2>/dev/full", CommandRun.executable().path])
        #expect(run.status == 66)
    }

    @Test("a key that begins with a minus sign is refused with the way to write it")
    func negative() throws {
        let run = try workspace.run("get", "s", "-5")
        #expect(run.status == 64 && run.errors.contains("-- -5"), "\(run.errors)")
        let option = try workspace.run("scan", "s", "--from", "-5")
        #expect(option.status == 64 && option.errors.contains("--from=-5"), "\(option.errors)")
    }

    @Test("an output whose name says that it is compressed is refused", arguments: ["gz", "lz4"])
    func compressedOutput(ending: String) throws {
        for command in ["export", "dump"] {
            let run = try workspace.run(command, "s", "-o", "a.jsonl." + ending)
            #expect(run.status == 64 && run.errors.contains("not compressed"), "\(run.errors)")
        }
    }

    @Test("a named pipe of compressed records is read when its writer comes")
    func compressedPipe() throws {
        #expect(mkfifo(workspace.url("a.jsonl.gz").path, 0o600) == 0)
        let running = try RunningProgram(
            URL(filePath: "/bin/sh"),
            [
                "-c", "cd \"$1\" && \"$0\" import store a.jsonl.gz --key id; echo $?",
                try CommandRun.executable().path, workspace.directory.path,
            ])
        let writer = try CommandRun(
            found: "sh",
            [
                "-c", "seq 1 3000 | sed 's/.*/{\"id\":&}/' | gzip > \"$0\"",
                workspace.url("a.jsonl.gz").path,
            ])
        #expect(writer.status == 0)
        #expect(running.readLine() == "0")
        #expect(try workspace.keys().count == 3_000)
    }

    @Test("tail ends when nobody reads it any more, and when its store is removed")
    func tail() throws {
        try QueriedPlaces.make(in: workspace)
        // The shell waits for both ends of the pipe.
        let closed = try CommandRun(
            found: "sh",
            [
                "-c",
                "timeout 60 \"$0\" tail \"$1\" | head -n 1; timeout 60 \"$0\" tail \"$1\" "
                    + "--from-now | true",
                CommandRun.executable().path,
                workspace.url("places").path,
            ])
        #expect(closed.lines.count == 1, "\(closed.errors)")
        #expect(closed.errors.isEmpty)
        let running = try RunningProgram(
            URL(filePath: "/bin/sh"),
            [
                "-c", "timeout 60 \"$0\" tail \"$1\"; echo $?", CommandRun.executable().path,
                workspace.url("places").path,
            ])
        _ = running.readLine()
        try FileManager.default.removeItem(at: workspace.url("places"))
        var last: String?
        while let line = running.readLine() { last = line }
        #expect(last == "66")
    }
}
