import Foundation
import TestSupport
import Testing
import TravertineStore

@Suite("get, scan, put, delete")
struct ReadingTests {
    private let workspace: Workspace

    init() throws {
        workspace = Workspace()
        for (key, value) in [("a", "1"), ("b/1", "2"), ("b/2", "3"), ("c", "4")] {
            _ = try workspace.run("put", "store", key, value)
        }
    }

    @Test("get prints the bytes of the value and nothing else")
    func get() throws {
        let run = try workspace.run("get", "store", "b/1")
        #expect(run.status == 0)
        #expect(run.output == "2")
        #expect(run.errors.isEmpty)
    }

    @Test("get of a key that is not there prints nothing and ends with 1")
    func getMissing() throws {
        let run = try workspace.run("get", "store", "b")
        #expect(run.status == 1)
        #expect(run.output.isEmpty)
        #expect(run.errors.contains("no such key: b"))
    }

    @Test("get and scan show what is durable of a store that a program has open")
    func openElsewhere() throws {
        let store = try Store.open(at: workspace.directory.appendingPathComponent("store").path)
        try store.write { try $0.put("5", forKey: "d") }
        #expect(try workspace.run("get", "store", "d").output == "5")
        #expect(try workspace.run("get", "store", "e").status == 1)
        #expect(try workspace.keys() == ["a", "b/1", "b/2", "c", "d"])
        #expect(try workspace.run("scan", "store", "--keyspace", "none").status == 66)
        let statistics = try #require(try workspace.run("stat", "store", "--json").json())
        #expect(statistics["lastLSN"] as? Int == 5 && statistics["durableLSN"] as? Int == 5)
        #expect((statistics["measured"] as? [String: Any])?["valueByteCount"] as? Int == 5)
        try store.close()
    }

    @Test(
        "scan gives the keys of a range, both ways",
        arguments: [
            (["--prefix", "b/"], ["b/1", "b/2"]),
            (["--prefix", "b/", "--reverse"], ["b/2", "b/1"]),
            (["--from", "b/2"], ["b/2", "c"]),
            (["--to", "b/2"], ["a", "b/1"]),
            (["--to", "b/2", "--reverse", "--limit", "1"], ["b/1"]),
            (["--from", "b", "--to", "b/2"], ["b/1"]),
            (["--prefix", "b/", "--from", "b/2"], ["b/2"]),
            (["--reverse"], ["c", "b/2", "b/1", "a"]),
            (["--limit", "0"], []),
            (["--prefix", "z"], []),
            (["--prefix", "z", "--reverse"], []),
            (["--from", "c", "--to", "a"], []),
        ])
    func ranges(arguments: [String], keys: [String]) throws {
        let run = try CommandRun(
            ["scan", "store", "--keys-only"] + arguments, in: workspace.directory)
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.lines == keys)
    }

    @Test("scan --json gives one JSON object a line")
    func json() throws {
        let run = try workspace.run("scan", "store", "--json", "--limit", "1")
        #expect(try run.json() as? [String: String] == ["key": "a", "value": "1"])
    }

    @Test("bytes that are not text go in and out as hexadecimal digits")
    func hexadecimal() throws {
        _ = try workspace.run("put", "store", "--hex", "ff00", "0a5cfe")
        #expect(try workspace.run("get", "store", "--hex", "FF00").output == "0a5cfe\n")
        let scan = try workspace.run("scan", "store", "--reverse", "--limit", "1")
        #expect(scan.output == "\\xff\\x00\t\\x0a\\\\\\xfe\n")
        let json = try workspace.run("get", "store", "--hex", "ff00", "--json")
        #expect(try json.json() as? [String: String] == ["keyHex": "ff00", "valueHex": "0a5cfe"])
        #expect(try workspace.run("get", "store", "--hex", "xyz").status == 64)
    }

    @Test("control characters are shown as escapes, other characters as they are")
    func escapes() throws {
        _ = try workspace.run("put", "store", "é\u{a0}ñ", "a\tb\u{1}\u{85}ç")
        let scan = try workspace.run("scan", "store", "--reverse", "--limit", "1")
        #expect(scan.output == "é\u{a0}ñ\ta\\tb\\x01\\xc2\\x85ç\n")
    }

    @Test("put takes the value from standard input, and an empty key and value are stored")
    func input() throws {
        _ = try workspace.run("put", "store", "note", input: "two\nlines\n")
        #expect(try workspace.run("get", "store", "note").output == "two\nlines\n")
        #expect(try workspace.run("put", "store", "", "").status == 0)
        let run = try workspace.run("get", "store", "")
        #expect(run.status == 0)
        #expect(run.output.isEmpty)
    }

    @Test("delete deletes once")
    func delete() throws {
        #expect(try workspace.run("delete", "store", "a").status == 0)
        #expect(try workspace.run("delete", "store", "a").status == 1)
        #expect(try workspace.keys() == ["b/1", "b/2", "c"])
    }

    @Test("keyspaces that belong to objects are not changed")
    func objectKeyspaces() throws {
        let store = try Store.open(at: workspace.directory.appendingPathComponent("store").path)
        try store.write { transaction in
            _ = try transaction.keyspace(named: "travertine.schema")
            let rows = try transaction.keyspace(named: "type.1.rows")
            try transaction.put("row", forKey: "1", in: rows)
        }
        try store.close()
        for name in ["travertine.schema", "type.1.rows", "type.2.rows"] {
            let put = try workspace.run("put", "store", "-k", name, "1", "x")
            #expect(put.status == 65)
            #expect(put.errors.contains("belongs to objects"), "\(put.errors)")
        }
        #expect(try workspace.run("delete", "store", "-k", "type.1.rows", "1").status == 65)
        #expect(try workspace.run("get", "store", "-k", "type.1.rows", "1").output == "row")
    }

    @Test("keyspaces are separate, and a wrong name lists the right ones")
    func keyspaces() throws {
        _ = try workspace.run("put", "store", "--keyspace", "towns", "a", "other")
        #expect(try workspace.run("get", "store", "-k", "towns", "a").output == "other")
        #expect(try workspace.run("get", "store", "a").output == "1")
        let run = try workspace.run("scan", "store", "-k", "town")
        #expect(run.status == 66)
        #expect(run.errors.contains("default, towns"), "\(run.errors)")
    }
}
