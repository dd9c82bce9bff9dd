import Foundation
import TestSupport
import Testing
import TravertineStore

@Suite("dump and load")
struct DumpCommandTests {
    private let workspace: Workspace

    init() throws {
        workspace = Workspace()
        let lines = (0..<200).map { "{\"id\": \($0), \"v\": \"Wert \($0) – größer\"}" }
        _ = try workspace.importFile("a.jsonl", lines.joined(separator: "\n"))
    }

    @Test("a store that was dumped and loaded holds the same records")
    func roundTrip() throws {
        let dump = try workspace.run("dump", "store", "-o", "a.dump", "--json")
        #expect(dump.status == 0, "\(dump.errors)")
        #expect(try dump.json()?["recordCount"] as? Int == 200)
        let load = try workspace.run("load", "a.dump", "copy", "--json")
        #expect(load.status == 0, "\(load.errors)")
        #expect(try load.json()?["recordCount"] as? Int == 200)
        #expect(try workspace.run("scan", "copy").output == workspace.run("scan", "store").output)
        #expect(try workspace.run("fsck", "copy").status == 0)
    }

    @Test("a dump goes to standard output, and is loaded from standard input")
    func pipe() throws {
        let dump = try workspace.run("dump", "store", "--keyspace", "default")
        #expect(dump.lines.first?.hasPrefix("{\"travertineDump\":1,") == true)
        let load = try workspace.run("load", "-", "copy", input: dump.output)
        #expect(load.status == 0, "\(load.errors)")
        #expect(try workspace.run("scan", "copy").output == workspace.run("scan", "store").output)
    }

    @Test("a dump that was cut off or changed ends with 65, names the line, and leaves nothing")
    func damaged() throws {
        let dump = try workspace.run("dump", "store").output
        try workspace.write(String(dump.dropLast(20)), to: "cut.dump")
        let cut = try workspace.run("load", "cut.dump", "copy")
        #expect(cut.status == 65)
        #expect(cut.errors.contains("line 203"), "\(cut.errors)")
        let changed = dump.replacingOccurrences(of: "Wert 7 ", with: "Wert 8 ")
        try workspace.write(changed, to: "changed.dump")
        let refused = try workspace.run("load", "changed.dump", "copy")
        #expect(refused.status == 65)
        #expect(refused.errors.contains("checksum"), "\(refused.errors)")
        let names = try FileManager.default.contentsOfDirectory(atPath: workspace.directory.path)
        #expect(!names.contains { $0.hasPrefix("copy") })
    }

    @Test("a store that a process has open is dumped too")
    func openElsewhere() throws {
        let store = try Store.open(at: workspace.directory.appendingPathComponent("store").path)
        try store.write { try $0.put("new", forKey: "while open") }
        let dump = try workspace.run("dump", "store")
        #expect(dump.status == 0, "\(dump.errors)")
        #expect(dump.output.contains("while open"))
        try store.close()
    }

    @Test("a dump is not loaded over something, and a missing keyspace is named")
    func refusals() throws {
        _ = try workspace.run("dump", "store", "-o", "a.dump")
        let over = try workspace.run("load", "a.dump", "store")
        #expect(over.status != 0)
        #expect(over.errors.contains("not empty"), "\(over.errors)")
        let missing = try workspace.run("dump", "store", "--keyspace", "nowhere", "-o", "b.dump")
        #expect(missing.status == 66)
        #expect(try workspace.run("load", "b.dump", "copy").status == 66)
    }
}
