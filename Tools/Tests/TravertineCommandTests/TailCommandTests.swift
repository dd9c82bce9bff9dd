import Foundation
import TestSupport
import Testing
import Travertine

@Suite("tail")
struct TailCommandTests {
    private let workspace: Workspace

    init() throws {
        workspace = Workspace()
        try QueriedPlaces.make(in: workspace)
    }

    /// A `tail` that runs beside the test.
    private final class Following {
        private let process = Process()
        private let output = Pipe()
        private var text = ""

        /// - Parameter isInBackground: whether it is started as shells start jobs with "&": it is
        ///   not meant by control-C.
        init(
            _ arguments: [String], in directory: URL, isInBackground: Bool = false
        ) throws {
            let program = try CommandRun.executable()
            let all = ["tail", "places"] + arguments
            process.executableURL = isInBackground ? URL(filePath: "/bin/sh") : program
            process.arguments =
                isInBackground
                ? ["-c", #"trap '' INT; exec "$0" "$@""#, program.path] + all : all
            process.currentDirectoryURL = directory
            process.standardOutput = output
            try process.run()
        }

        /// The next line, as it comes.
        func line() throws -> [String: Any] {
            while true {
                if let end = text.firstIndex(of: "\n") {
                    let line = String(text[..<end])
                    text = String(text[text.index(after: end)...])
                    let value = try JSONSerialization.jsonObject(with: Data(line.utf8))
                    return try #require(value as? [String: Any])
                }
                let data = output.fileHandleForReading.availableData
                try #require(!data.isEmpty, "it ended")
                text += String(decoding: data, as: UTF8.self)
            }
        }

        func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

        func end(by signal: Int32) -> Int32 {
            send(signal)
            return wait()
        }

        func wait() -> Int32 {
            process.waitUntilExit()
            return process.terminationStatus
        }
    }

    @Test("objects that a program commits are lines, with kind, properties and LSN")
    func following() throws {
        // All that is there first, so that the test knows when it has begun to follow.
        let tail = try Following(["--types", "QueriedNote,QueriedTown"], in: workspace.directory)
        let initial = try (0..<4).map { _ in try tail.line() }
        #expect(initial.allSatisfy { $0["change"] as? String == "initial" })
        #expect(initial.map { $0["type"] as? String ?? "" }.sorted().first == "QueriedNote")
        let realm = try QueriedPlaces.open(in: workspace)
        let towns = realm.objects(QueriedTown.self)
        try realm.write { realm.add(QueriedTown(value: ["id": 7, "name": "Faro"])) }
        let inserted = try tail.line()
        #expect(inserted["change"] as? String == "inserted" && inserted["key"] as? Int == 7)
        #expect((inserted["object"] as? [String: Any])?["name"] as? String == "Faro")
        // Of a type that is not followed.
        try realm.write { realm.objects(QueriedCountry.self).first?.name = "x" }
        try realm.write {
            towns.where { $0.id == 7 }.first?.name = "Farol"
            towns.where { $0.id == 7 }.first?.people = 2
        }
        let modified = try tail.line()
        #expect(modified["change"] as? String == "modified" && modified["key"] as? Int == 7)
        #expect(modified["properties"] as? [String] == ["name", "people"])
        let lsns = try [inserted, modified].map { try #require($0["lsn"] as? Int) }
        #expect(lsns[0] < lsns[1])
        try realm.write { realm.delete(towns.where { $0.id == 7 }) }
        let deleted = try tail.line()
        #expect(deleted["change"] as? String == "deleted")
        #expect((deleted["object"] as? [String: Any])?["name"] as? String == "Farol")
        #expect(tail.end(by: SIGINT) == 0)
    }

    @Test(
        "control-C does not end one in the background, and SIGTERM does",
        arguments: [[], ["--feed", "x"]])
    func background(feed: [String]) throws {
        let tail = try Following(
            ["--type", "QueriedNote"] + feed, in: workspace.directory, isInBackground: true)
        _ = try tail.line()
        let realm = try QueriedPlaces.open(in: workspace)
        for text in ["one", "two"] {
            tail.send(SIGINT)
            // What it prints after the signal.
            try realm.write { realm.add(QueriedNote(value: ["text": text])) }
            var object: [String: Any]?
            while object?["text"] as? String != text {
                object = try tail.line()["object"] as? [String: Any]
            }
        }
        #expect(tail.end(by: SIGTERM) == 0)
    }

    @Test("a tail of a feed that waits keeps no files that compaction retires")
    func keepsNoSnapshot() throws {
        let tail = try Following(
            ["--feed", "x", "--type", "QueriedNote"], in: workspace.directory)
        func readToEnd() throws {
            while try tail.line()["event"] as? String != "reached" {}
        }
        try readToEnd()
        let realm = try QueriedPlaces.open(in: workspace)
        func segments() throws -> Set<String> {
            let path = workspace.url("places").path
            let names = try FileManager.default.contentsOfDirectory(atPath: path)
            return Set(names.filter { $0.hasSuffix(".segment") })
        }
        let first = try segments()
        let deadline = ContinuousClock.now + .seconds(15)
        while try !first.isDisjoint(with: segments()), .now < deadline {
            try realm.write { realm.add(QueriedNote(value: ["text": "a"])) }
            try readToEnd()
            // What this process shows is needed, too.
            realm.invalidate()
            try realm.store.compact()
        }
        #expect(try first.isDisjoint(with: segments()))
        #expect(tail.end(by: SIGTERM) == 0)
    }

    @Test("SIGTERM, --limit and --for end it with 0")
    func ends() throws {
        let tail = try Following([], in: workspace.directory)
        _ = try tail.line()
        #expect(tail.end(by: SIGTERM) == 0)
        let limited = try workspace.run("tail", "places", "-n", "2")
        #expect(limited.status == 0 && limited.lines.count == 2, "\(limited.errors)")
        let timed = try workspace.run("tail", "places", "--from-now", "--for", "0.05")
        #expect(timed.status == 0 && timed.output.isEmpty, "\(timed.errors)")
    }

    @Test("it follows a store that no program has open yet, and one after another")
    func writersComeAndGo() throws {
        let tail = try Following(["--type", "QueriedNote", "-n", "3"], in: workspace.directory)
        _ = try tail.line()
        for text in ["one", "two"] {
            let realm = try QueriedPlaces.open(in: workspace)
            try realm.write { realm.add(QueriedNote(value: ["text": text])) }
            let line = try tail.line()
            #expect((line["object"] as? [String: Any])?["text"] as? String == text)
        }
        #expect(tail.wait() == 0)
    }

    @Test(
        "wrong arguments have their own statuses",
        arguments: [
            (["tail", "none"], 66), (["tail", "places", "--type", "QueriedTwon"], 66),
            (["tail", "places", "--limit", "-1"], 64), (["tail", "places", "--for", "x"], 64),
            (["tail", "places", "--for", "-1"], 64), (["tail", "keys"], 66),
        ] as [([String], Int32)])
    func wrong(arguments: [String], status: Int32) throws {
        _ = try workspace.run("put", "keys", "a", "1")
        let run = try CommandRun(arguments, in: workspace.directory)
        #expect(run.status == status && run.output.isEmpty, "\(run.errors)")
        #expect(run.errors.hasPrefix("error: "))
    }

    @Test("a damaged object ends it with 65")
    func damage() throws {
        try QueriedPlaces.damageLastTown(in: workspace)
        let run = try workspace.run("tail", "places", "--type", "QueriedTown", "--for", "20")
        #expect(run.status == 65 && run.lines.count == 2, "\(run.output)\(run.errors)")
    }
}
