import Foundation
import TestSupport
import Testing
import TravertineStore

@Suite("stat and fsck")
struct StoreInspectionTests {
    private let workspace: Workspace

    init() throws {
        workspace = Workspace()
        let lines = (0..<500).map { "{\"id\": \($0), \"v\": \"value \($0)\"}" }
        _ = try workspace.importFile("a.jsonl", lines.joined(separator: "\n"))
    }

    @Test("stat shows the keys and names every part")
    func stat() throws {
        let run = try workspace.run("stat", "store")
        #expect(run.status == 0, "\(run.errors)")
        for word in [
            "keys", "live bytes", "space amplification", "segment", "default", "500", "bounded",
            "disk ÷ keys + values", "page files ÷ live", "index mapped",
        ] {
            #expect(run.output.contains(word), "\(word) is missing in\n\(run.output)")
        }
    }

    @Test("compact leaves a damaged store as it is, unless an option says not to verify")
    func compactOfDamage() throws {
        for round in 0..<4 {
            let value = String(repeating: "\(round)", count: 1000)
            let lines = (0..<700).map { "{\"id\": \($0), \"v\": \"\(value)\"}" }
            _ = try workspace.importFile("\(round).jsonl", lines.joined(separator: "\n"))
        }
        let store = workspace.directory.path + "/store/"
        func segments() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: store)
                .filter { $0.hasSuffix(".segment") }.sorted()
        }
        let names = try segments()
        let path = store + (try #require(names.first))
        var bytes = try Data(contentsOf: URL(filePath: path))
        for place in 100_000..<100_100 { bytes[place] ^= 0x55 }
        try bytes.write(to: URL(filePath: path))
        let refused = try workspace.run("compact", "store")
        #expect(refused.status == 65, "\(refused.output)\(refused.errors)")
        #expect(refused.errors.contains("travertine recover store NEW"), "\(refused.errors)")
        #expect(try segments() == names)
        let forced = try workspace.run("compact", "store", "--unverified")
        #expect(forced.status == 65, "\(forced.output)\(forced.errors)")
        #expect(forced.output.contains("segments compacted"))
        #expect(FileManager.default.fileExists(atPath: path))
    }

    @Test("stat --json is JSON with the same figures")
    func statJSON() throws {
        let statistics = try #require(try workspace.run("stat", "store", "--json").json())
        let keyspaces = try #require(statistics["keyspaces"] as? [[String: Any]])
        #expect(keyspaces.first?["keyCount"] as? Int == 500)
        #expect((statistics["segments"] as? [[String: Any]])?.isEmpty == false)
        #expect(try #require(statistics["liveByteCount"] as? Int) > 500 * 20)
        #expect(statistics["boundedSpaceAmplification"] as? Double == 0)
        #expect(statistics["writeAmplification"] as? Double == 0)
        #expect(statistics["spaceFloorByteCount"] as? Int == 4 << 20)
        let measured = try #require(statistics["measured"] as? [String: Any])
        // The keys are the numbers as text.
        #expect(measured["keyByteCount"] as? Int == 10 + 90 * 2 + 400 * 3)
        #expect(try #require(measured["amplification"] as? Double) > 1)
        #expect(try #require(measured["pageAmplification"] as? Double) >= 1)
    }

    @Test("stat counts the segments that lie before the checkpoint that was opened")
    func statOfManySegments() throws {
        let value = String(repeating: "x", count: 1000)
        let lines = (0..<4000).map { "{\"id\": \(10000 + $0), \"v\": \"\(value)\"}" }
        _ = try workspace.importFile("large.jsonl", lines.joined(separator: "\n"))
        let statistics = try #require(try workspace.run("stat", "store", "--json").json())
        let segments = try #require(statistics["segments"] as? [[String: Any]])
        #expect(segments.count >= 4)
        #expect(try #require(statistics["allocatedByteCount"] as? Int) >= 4_000_000)
        #expect(try #require(statistics["spaceAmplification"] as? Double) >= 1)
    }

    @Test("stat --html writes one whole page that loads nothing and says the same numbers")
    func statPage() throws {
        let run = try workspace.run("stat", "store", "--html", "page.html")
        #expect(run.status == 0, "\(run.errors)")
        let page = try String(
            contentsOf: workspace.directory.appendingPathComponent("page.html"), encoding: .utf8)
        #expect(page.hasPrefix("<!DOCTYPE html>") && page.hasSuffix("</html>\n"))
        for word in [
            "<svg", "prefers-color-scheme:dark", "default", ">500<", "live records",
            "keys and values", "live pages", "mapped pages",
        ] {
            #expect(page.contains(word), "\(word) is missing")
        }
        for word in ["http:", "https:", "src=", "<script", "@import", "url("] {
            #expect(!page.contains(word), "\(word) is there")
        }
    }

    @Test("inspect shows manifest, segment, batch and record")
    func inspect() throws {
        let directory = workspace.directory.appendingPathComponent("store")
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
        let segment = "store/" + (try #require(names.first { $0.hasSuffix(".segment") }))
        let manifest = try workspace.run("inspect", "store/manifest")
        #expect(manifest.output.contains("closed cleanly"), "\(manifest.output)")
        let overview = try workspace.run("inspect", segment)
        #expect(overview.output.contains("batch, LSN 1, 500 records"), "\(overview.output)")
        let batch = try workspace.run("inspect", segment, "--lsn", "1")
        #expect(batch.output.contains("value 499"), "\(batch.errors)")
        let record = try workspace.run("inspect", segment, "--offset", "200", "--json")
        #expect((try record.json()?["parts"] as? [[String: Any]])?.count == 2)
        #expect(try workspace.run("inspect", segment, "--lsn", "99999").status != 0)
        #expect(try workspace.run("inspect", "nothing").status == 66)
        let first = try workspace.run("inspect", segment, "--limit", "1")
        #expect(first.output.contains("batch, LSN 1, 500 records"), "\(first.output)")
        #expect(try workspace.run("inspect", segment, "--limit", "\(Int.max)").status == 0)
        // What is no file of a store, unless a batch is in it.
        try workspace.write(String(repeating: "notes\n", count: 900), to: "notes.txt")
        let foreign = try workspace.run("inspect", "notes.txt")
        #expect(foreign.status == 66 && foreign.errors.contains("no batch"), "\(foreign.errors)")
        #expect(try workspace.run("inspect", "store").status != 0)
        try Data(contentsOf: workspace.directory.appendingPathComponent(segment)).dropFirst(64)
            .write(to: workspace.directory.appendingPathComponent("rest"))
        #expect(try workspace.run("inspect", "rest").status == 0)
        #expect(try workspace.run("inspect", segment, "--lsn", "1", "--offset", "1").status == 64)
    }

    @Test("inspect shows the key hashes of a segment, and that they are damaged")
    func inspectKeyHashes() throws {
        var bytes = Array("TRVKEYHS".utf8) + [UInt8](repeating: 0, count: 64)
        bytes[8] = 1
        bytes[12] = 5
        bytes[56] = 1
        bytes[64] = 0xAB
        try Data(bytes).write(
            to: workspace.directory.appendingPathComponent("store/0000000005.keys"))
        let run = try workspace.run("inspect", "store/0000000005.keys")
        #expect(run.status == 0, "\(run.errors)")
        for text in ["the key hashes of a segment, 72 bytes", "000000ab", "DAMAGED: its checksum"] {
            #expect(run.output.contains(text), "\(text) is missing in\n\(run.output)")
        }
    }

    @Test("compact gives back what was overwritten, and keeps every record")
    func compact() throws {
        for round in 0..<3 {
            let lines = (0..<500).map { "{\"id\": \($0), \"v\": \"round \(round) of \($0)\"}" }
            _ = try workspace.importFile("again.jsonl", lines.joined(separator: "\n"))
        }
        let before = try #require(try workspace.run("stat", "store", "--json").json())
        let report = try #require(try workspace.run("compact", "store", "--json").json())
        let after = try #require(try workspace.run("stat", "store", "--json").json())
        #expect(report["movedRecordCount"] as? Int == 500)
        func written(_ statistics: [String: Any]) throws -> Int {
            let segments = try #require(statistics["segments"] as? [[String: Any]])
            return segments.compactMap { $0["writtenByteCount"] as? Int }.reduce(0, +)
        }
        #expect(try written(after) < written(before) / 2)
        #expect(try workspace.run("get", "store", "77").output.contains("round 2 of 77"))
        #expect(try workspace.run("fsck", "store").status == 0)
        #expect(try workspace.run("compact", "store").output.contains("copied"))
    }

    @Test("fsck of a sound store ends with 0 and prints a message")
    func fsckSound() throws {
        let run = try workspace.run("fsck", "store")
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.lines.last == "sound")
        let report = try #require(try workspace.run("fsck", "store", "--json").json())
        #expect(report["isSound"] as? Bool == true)
        #expect(report["recordCount"] as? Int ?? 0 >= 500)
        #expect(try workspace.run("fsck", "store", "--quiet").output.isEmpty)
    }

    #if os(Linux)
        // With 74 it would have been a status that fsck(8) does not know.
        @Test(
            "output that can't be written ends with the status that the command has for that",
            arguments: [("fsck", 8), ("stat", 74), ("scan", 74)])
        func fullOutput(subcommand: String, status: Int32) throws {
            let process = Process()
            process.executableURL = try CommandRun.executable()
            process.arguments = [subcommand, "store"]
            process.currentDirectoryURL = workspace.directory
            process.standardOutput = try #require(FileHandle(forWritingAtPath: "/dev/full"))
            process.standardError = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            #expect(process.terminationStatus == status)
        }
    #endif

    @Test("fsck of a store with a changed byte ends with 4, names the place, and gives advice")
    func fsckDamaged() throws {
        let directory = workspace.directory.appendingPathComponent("store")
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
        let name = try #require(names.first { $0.hasSuffix(".segment") })
        let segment = directory.appendingPathComponent(name)
        var bytes = try Data(contentsOf: segment)
        bytes[4000] ^= 0x10
        try bytes.write(to: segment)
        let run = try workspace.run("fsck", "store")
        #expect(run.status == 4, "\(run.output)\(run.errors)")
        #expect(run.output.contains("error: "), "\(run.output)")
        #expect(run.output.contains(name), "\(run.output)")
        #expect(run.output.contains("DAMAGED"), "\(run.output)")
        let json = try workspace.run("fsck", "store", "--json")
        #expect(json.status == 4)
        let report = try #require(try json.json())
        #expect(report["isSound"] as? Bool == false)
        #expect((report["findings"] as? [[String: Any]])?.isEmpty == false)
    }

    @Test("fsck --repair rebuilds a damaged checkpoint, ends with 1, and says where the old one is")
    func fsckRepair() throws {
        let directory = workspace.directory.appendingPathComponent("store")
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
        let pages = directory.appendingPathComponent(
            try #require(names.last { $0.hasSuffix(".pages") }))
        var bytes = try Data(contentsOf: pages)
        bytes[5000] ^= 0x10
        try bytes.write(to: pages)
        #expect(try workspace.run("fsck", "store").status == 4)
        #expect(try workspace.run("fsck", "store", "--deep").status == 4)
        let run = try workspace.run("fsck", "store", "--repair")
        #expect(run.status == 1, "\(run.output)\(run.errors)")
        #expect(run.output.contains("before-repair-1"), "\(run.output)")
        for level in [["--quick"], [], ["--deep"], ["--repair"]] {
            let again = try CommandRun(["fsck", "store"] + level, in: workspace.directory)
            #expect(again.status == 0, "\(level): \(again.output)\(again.errors)")
        }
        #expect(try workspace.keys().count == 500)
        #expect(try workspace.run("fsck", "store", "--quick", "--deep").status == 16)
    }

    @Test("fsck of something that is no store ends with 8")
    func fsckOfNothing() throws {
        #expect(try workspace.run("fsck", "nowhere").status == 8)
        #expect(try workspace.run("fsck", "a.jsonl").status == 8)
        try FileManager.default.createDirectory(
            at: workspace.directory.appendingPathComponent("empty"),
            withIntermediateDirectories: true)
        #expect(try workspace.run("fsck", "empty").status == 8)
    }

    @Test("wrong arguments end with 16 for fsck")
    func fsckUsage() throws {
        #expect(try workspace.run("fsck").status == 16)
        #expect(try workspace.run("fsck", "store", "--frob").status == 16)
        #expect(try workspace.run("fsck", "--help").status == 0)
    }

    // The page was written beside the path and renamed: what stood there was replaced.
    @Test("stat --html writes into what a symbolic link leads to")
    func htmlTargets() throws {
        let directory = workspace.directory
        try workspace.write("old", to: "target.html")
        let link = directory.appendingPathComponent("link.html").path
        try FileManager.default.createSymbolicLink(
            atPath: link, withDestinationPath: "target.html")
        #expect(try workspace.run("stat", "store", "--html", "link.html").status == 0)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "target.html")
        let page = try String(
            contentsOf: directory.appendingPathComponent("target.html"), encoding: .utf8)
        #expect(page.hasSuffix("</html>\n"))
        #expect(try workspace.run("stat", "store", "--html", "none/page.html").status == 74)
    }

    @Test("a named pipe in a store is not waited for")
    func namedPipe() throws {
        let manifest = workspace.directory.appendingPathComponent("store/manifest").path
        let pipe = workspace.directory.appendingPathComponent("store/pipe").path
        try #require(mkfifo(pipe, 0o600) == 0)
        let recovered = try workspace.run("recover", "store", "new")
        #expect(recovered.status == 0, "\(recovered.output)\(recovered.errors)")
        #expect(recovered.output.contains("pipe could not be opened"), "\(recovered.output)")
        try FileManager.default.removeItem(atPath: manifest)
        try FileManager.default.moveItem(atPath: pipe, toPath: manifest)
        #expect(try workspace.run("stat", "store").status == 74)
        #expect(try workspace.run("fsck", "store").status == 8)
        #expect(try workspace.run("inspect", "store/manifest").status != 0)
    }

    @Test("a store that another process has open is named as such")
    func locked() throws {
        let path = workspace.directory.appendingPathComponent("store").path
        let store = try Store.open(at: path)
        for arguments in [["compact", "store"], ["put", "store", "a", "b"]] {
            let run = try CommandRun(arguments, in: workspace.directory)
            #expect(run.status == 75, "\(arguments): \(run.errors)")
            #expect(run.errors.contains("Another process has the store open"), "\(run.errors)")
        }
        let refused = try workspace.run("fsck", "store")
        #expect(refused.status == 8 && refused.errors.contains("travertine backup"))
        try store.close()
        #expect(try workspace.run("stat", "store").status == 0)
    }
}
