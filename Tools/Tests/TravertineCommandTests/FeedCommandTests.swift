import Foundation
import TestSupport
import Testing
import TravertineStore

@Suite("tail --feed, and feeds")
struct FeedCommandTests {
    private let workspace = Workspace()

    private func events(_ run: CommandRun) throws -> [[String: Any]] {
        try run.lines.map {
            try #require(
                try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
    }

    @Test("a feed prints a snapshot first, then what came since, and remembers what was printed")
    func follows() throws {
        for key in ["a", "b"] { _ = try workspace.run("put", "store", key, "1 \(key)") }
        if try !FileManager.default.fileExists(atPath: workspace.url("store").path) {
            #expect(try workspace.importFile("a.jsonl", "{\"id\": 1}").status == 0)
        }
        let first = try workspace.run("tail", "store", "--feed", "shell", "--for", "0.5")
        #expect(first.status == 0, "\(first.errors)")
        let shown = try events(first)
        #expect(shown.first?["event"] as? String == "snapshot")
        #expect(shown.first?["reason"] as? String == "new")
        let position = try #require(shown.last?["position"] as? String)
        #expect(FeedPosition(position) != nil)
        #expect(try workspace.run("put", "store", "c", "new").status == 0)
        #expect(try workspace.run("delete", "store", "c").status == 0)
        for attempt in 0..<2 {
            // The second time by the position of the consumer.
            let arguments =
                ["tail", "store", "--feed", "shell", "--for", "0.5"]
                + (attempt == 1 ? ["--after", position] : [])
            let run = try CommandRun(arguments, in: workspace.directory)
            #expect(run.status == 0, "\(run.errors)")
            let found = try events(run)
            #expect(
                found.map { $0["event"] as? String } == ["put", "reached", "delete", "reached"],
                "\(attempt): \(run.output)")
            #expect(found[0]["key"] as? String == "c" && found[0]["value"] as? String == "new")
            #expect(found[0]["keyspace"] as? String == "default")
        }
        let nothing = try workspace.run("tail", "store", "--feed", "shell", "--for", "0.3")
        #expect(nothing.status == 0 && nothing.output == "")
    }

    @Test("--once ends when there is nothing more, at once where there is nothing")
    func once() throws {
        #expect(try workspace.importFile("a.jsonl", "{\"id\": 1}\n{\"id\": 2}\n").status == 0)
        let first = try workspace.run("tail", "store", "--feed", "shell", "--once")
        #expect(first.status == 0, "\(first.errors)")
        let shown = try events(first)
        #expect(shown.count { $0["event"] as? String == "put" } == 2)
        let position = try #require(shown.last?["position"] as? String)
        for options in [[], ["--limit", "1"], ["--after", position, "--limit", "1"]] {
            let run = try CommandRun(
                ["tail", "store", "--feed", "shell", "--once"] + options,
                in: workspace.directory)
            #expect(run.status == 0 && run.output == "", "\(options): \(run.errors)")
        }
        #expect(try workspace.run("put", "store", "c", "new").status == 0)
        let again = try events(workspace.run("tail", "store", "--feed", "shell", "--once"))
        #expect(again.map { $0["event"] as? String } == ["put", "reached"])
        #expect(try workspace.run("tail", "store", "--once").status == 64)
    }

    @Test("what --for ends is printed as a whole, however short the time")
    func shortTime() throws {
        let lines = (0..<5000).map { "{\"id\": \($0)}\n" }.joined()
        #expect(try workspace.importFile("a.jsonl", lines).status == 0)
        var shown: [[String: Any]] = []
        for _ in 0..<3 {
            let run = try workspace.run(
                "tail", "store", "--feed", "shell", "--for", "0.0001", "--limit", "1000000")
            #expect(run.status == 0, "\(run.errors)")
            shown += try events(run)
            // Whatever was begun in that time has ended, and does not come again.
            #expect(shown.last.map { $0["event"] as? String == "reached" } ?? true)
        }
        let keys = shown.compactMap { $0["key"] as? String }
        #expect(Set(keys).count == keys.count)
        #expect(shown.count { $0["event"] as? String == "snapshot" } <= 1)
    }

    @Test(
        "a feed of a realm prints objects, each once up to “reached”, of the types that are named")
    func objects() throws {
        let schema = #"""
            {"title": "Dog", "bsonType": "object", "required": ["_id"],
             "properties": {"_id": {"bsonType": "long"}, "name": {"bsonType": "string"}}}
            """#
        try workspace.write(schema, to: "Dog.json")
        func bring(_ lines: String) throws {
            try workspace.write(lines, to: "dogs.jsonl")
            let run = try workspace.run(
                "import", "pets.realm", "dogs.jsonl", "--documents", "--source", "Dog.json")
            #expect(run.status == 0, "\(run.errors)")
        }
        try bring(#"{"_id": 1, "name": "Rex"}"# + "\n")
        let tail = ["tail", "pets.realm", "--feed", "shell", "--type", "Dog", "--for", "0.5"]
        let first = try events(try CommandRun(tail, in: workspace.directory))
        #expect(
            first.map { $0["event"] as? String } == ["snapshot", "schema", "put", "reached"])
        #expect(first.first { $0["event"] as? String == "put" }?["key"] as? Int == 1)
        let position = try #require(first.last?["position"] as? String)
        try bring(#"{"_id": 1, "name": "Max"}"# + "\n")
        #expect(try workspace.run("edit", "pets.realm", "delete Dog 1").status == 0)
        let second = try events(try CommandRun(tail, in: workspace.directory))
        #expect(second.map { $0["event"] as? String } == ["schema", "delete", "reached"])
        #expect(second[1]["key"] as? Int == 1 && second[1]["type"] as? String == "Dog")
        // Of other types, or of a position of these, it begins anew.
        let all = ["tail", "pets.realm", "--feed", "shell", "--for", "0.5", "--after", position]
        let third = try events(try CommandRun(all, in: workspace.directory))
        #expect(third.first?["reason"] as? String == "otherTypes")
        let wrong = try workspace.run("tail", "pets.realm", "--feed", "shell", "--type", "Dot")
        #expect(wrong.status == 66 && wrong.errors.contains("'Dog'"), "\(wrong.errors)")
    }

    @Test("feeds are listed and removed; wrong arguments are refused")
    func lists() throws {
        #expect(try workspace.importFile("a.jsonl", "{\"id\": 1}").status == 0)
        let none = try workspace.run("feeds", "store")
        #expect(none.status == 0 && none.errors.contains("no feeds"))
        #expect(try workspace.run("tail", "store", "--feed", "x", "--limit", "1").status == 0)
        let list = try workspace.run("feeds", "store")
        #expect(list.status == 0 && list.output.contains("x ") && list.output.contains("yes"))
        let json = try workspace.run("feeds", "store", "--json")
        #expect(json.output.contains("\"x\""), "\(json.output)")
        #expect(try workspace.run("feeds", "store", "--remove", "y").status == 66)
        #expect(try workspace.run("feeds", "store", "--remove", "x").status == 0)
        #expect(try workspace.run("feeds", "store", "--json").output.contains("x") == false)
        for arguments in [
            ["--after", "1"], ["--feed", "x", "--after", "nonsense"],
            ["--feed", "x", "--from-now"], ["--feed", "a/b"], ["--feed", ""],
        ] {
            let run = try CommandRun(["tail", "store"] + arguments, in: workspace.directory)
            #expect(run.status == 64, "\(arguments): \(run.status) \(run.errors)")
        }
        #expect(try workspace.run("tail", "missing", "--feed", "x").status == 66)
        let store = try Store.open(at: workspace.url("store").path)
        let feed = try store.feed(named: "taken")
        #expect(try workspace.run("tail", "store", "--feed", "taken").status == 75)
        #expect(try workspace.run("feeds", "store", "--remove", "taken").status == 75)
        feed.close()
        try store.close()
    }
}
