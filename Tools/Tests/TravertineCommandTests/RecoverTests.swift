import Foundation
import TestSupport
import Testing
import TravertineStore

@Suite("recover")
struct RecoverTests {
    private let workspace: Workspace

    init() throws {
        workspace = Workspace()
        let lines = (0..<300).map { "{\"id\": \($0), \"v\": \"value \($0)\"}" }
        _ = try workspace.importFile("a.jsonl", lines.joined(separator: "\n"))
    }

    private var segment: URL {
        get throws {
            let store = workspace.directory.appendingPathComponent("store")
            let names = try FileManager.default.contentsOfDirectory(atPath: store.path).sorted()
            return store.appendingPathComponent(
                try #require(names.first { $0.hasSuffix(".segment") }))
        }
    }

    // `lost+found` and what else users put there was counted as bytes of the store.
    @Test("a directory in the store's is ignored, as that of a mount")
    func subdirectory() throws {
        try FileManager.default.createDirectory(
            at: workspace.directory.appendingPathComponent("store/lost+found"),
            withIntermediateDirectories: false)
        let run = try workspace.run("recover", "store", "new")
        #expect(run.status == 0, "\(run.output)\(run.errors)")
    }

    @Test("a sound store is copied whole, and the status is 0")
    func sound() throws {
        let run = try workspace.run("recover", "store", "new")
        #expect(run.status == 0, "\(run.output)\(run.errors)")
        #expect(run.lines.last == "nothing is lost")
        #expect(
            try workspace.run("scan", "new").output == workspace.run("scan", "store").output)
        #expect(try workspace.run("fsck", "new").status == 0)
    }

    @Test("without its manifest, and with a damaged record, the rest comes back with status 4")
    func damaged() throws {
        var bytes = try Data(contentsOf: segment)
        let place = try #require(bytes.range(of: Data("value 100".utf8)))
        bytes[place.lowerBound] ^= 0x20
        try bytes.write(to: segment)
        try FileManager.default.removeItem(
            at: workspace.directory.appendingPathComponent("store/manifest"))
        let run = try workspace.run("recover", "store", "new")
        #expect(run.status == 4, "\(run.output)\(run.errors)")
        #expect(run.output.contains("“100”"), "\(run.output)")
        #expect(run.lines.last?.contains("LOST") == true)
        #expect(try workspace.run("scan", "new").lines.count == 299)
        let json = try workspace.run("recover", "store", "newer", "--json")
        let report = try #require(try json.json())
        #expect(report["isComplete"] as? Bool == false)
        #expect((report["lostVersions"] as? [[String: Any]])?.count == 1)
    }

    @Test("of a segment that is gone the keys are named, in the text only the first few")
    func missingSegment() throws {
        let value = String(repeating: "x", count: 1000)
        let lines = (0..<3000).map { "{\"id\": \(10000 + $0), \"v\": \"\(value)\"}" }
        _ = try workspace.importFile("large.jsonl", lines.joined(separator: "\n"))
        try FileManager.default.removeItem(at: segment)
        let run = try workspace.run("recover", "store", "new")
        #expect(run.status == 4, "\(run.output)\(run.errors)")
        let gone = run.lines.filter { $0.hasPrefix("gone: ") }
        #expect(gone.count == 20 && gone[0].contains("none was found"), "\(gone)")
        #expect(run.output.contains("more: --json lists them"))
        let report = try #require(try workspace.run("recover", "store", "newer", "--json").json())
        let count = try #require(report["lostVersionCount"] as? Int)
        #expect(count >= 300 && (report["lostVersions"] as? [Any])?.count == count)
        #expect(try workspace.run("scan", "new").lines.count == 3300 - count)
    }

    @Test("an image of a disk is enough")
    func image() throws {
        let image = workspace.directory.appendingPathComponent("image")
        try (Data(repeating: 7, count: 12_345) + Data(contentsOf: segment)).write(to: image)
        let run = try workspace.run("recover", "-", "new", "--scan", "image")
        #expect(try workspace.run("scan", "new").lines.count == 300)
        // Nothing shows that no segment followed, until a manifest is found.
        #expect(run.status == 4, "\(run.output)\(run.errors)")
        #expect(run.lines.last?.contains("COMMITS AT THE END") == true)
        let manifest = workspace.directory.appendingPathComponent("store/manifest")
        try (Data(contentsOf: image) + Data(contentsOf: manifest)).write(to: image)
        let whole = try workspace.run("recover", "-", "whole", "--scan", "image")
        #expect(whole.status == 0, "\(whole.output)\(whole.errors)")
    }

    @Test("a target that holds something is refused with 8, wrong arguments end with 16")
    func refusals() throws {
        #expect(try workspace.run("recover", "store", "store").status == 8)
        #expect(try workspace.run("recover", "store", "store/new").status == 8)
        #expect(try workspace.run("recover", "nowhere", "new").status == 8)
        #expect(try workspace.run("recover", "a.jsonl", "new").status == 8)
        #expect(try workspace.run("recover", "store").status == 16)
        #expect(try workspace.run("recover", "-", "new").status == 16)
        #expect(try workspace.run("recover", "store", "new", "--prefer", "all").status == 16)
        #expect(try workspace.run("recover", "store", "new", "--store", "xyz").status == 16)
        let store = try Store.open(at: workspace.directory.appendingPathComponent("store").path)
        #expect(try workspace.run("recover", "store", "new").status == 8)
        try store.close()
    }
}
