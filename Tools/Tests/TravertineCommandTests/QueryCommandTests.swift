import Foundation
import TestSupport
import Testing
import Travertine
import TravertineStore

@Suite("query")
struct QueryCommandTests {
    private let workspace: Workspace

    init() throws {
        workspace = Workspace()
        try QueriedPlaces.make(in: workspace)
    }

    private func query(_ query: String, _ options: String...) throws -> CommandRun {
        try CommandRun(["query", "places", query] + options, in: workspace.directory)
    }

    // MARK: Forms

    @Test(
        "lines have the values with tabs between them; nil is nothing, what is no text is escaped")
    func tabs() throws {
        let run = try query("QueriedTown")
        #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
        #expect(
            run.lines == [
                "1\tPorto\t231962\t41.15\tPT\t[\"Oporto\",\"O Porto\"]\t",
                "2\tLisboa\t545796\t38.7\tPT\t[]\t1",
                "3\tTab\\tand, \"quote\"\t\t0.0\t\t[]\t",
            ])
    }

    @Test(
        "conditions, order and limits are those of the predicate text",
        arguments: [
            ("QueriedTown where people > 3e5", ["2"]),
            ("QueriedTown WHERE country.name == 'Portugal' SORT(name DESC)", ["1", "2"]),
            ("QueriedTown SORT(people DESC) LIMIT(1)", ["2"]),
            ("QueriedTown DISTINCT(country)", ["1", "3"]),
            ("  'QueriedTown'\twhere(people == nil)", ["3"]),
            ("\"QueriedTown\" where ANY names == 'Oporto'", ["1"]),
            ("QueriedTown where #\"people\" < 300000", ["1"]),
            ("QueriedTown where name == 'nowhere'", []),
        ])
    func conditions(text: String, keys: [String]) throws {
        let run = try query(text, "--columns", "id")
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.lines == keys)
        let count = try query(text, "--count")
        #expect(count.output == "\(keys.count)\n")
    }

    @Test("--columns chooses properties and their order, --limit cuts what the query finds")
    func columns() throws {
        let run = try query("QueriedTown SORT(id DESC)", "--columns", "people,id", "--limit", "2")
        #expect(run.lines == ["\t3", "545796\t2"], "\(run.errors)")
        #expect(try query("QueriedTown", "-n", "0").output == "")
        #expect(try query("QueriedTown", "--count", "-n", "2").output == "2\n")
    }

    @Test("--json gives what export writes")
    func json() throws {
        let run = try query("QueriedTown", "--json")
        #expect(run.status == 0, "\(run.errors)")
        let lines = run.lines
        #expect(lines.count == 3)
        #expect(
            lines[0]
                == #"{"id":1,"name":"Porto","people":231962,"latitude":41.15,"country":"PT","#
                + #""names":["Oporto","O Porto"],"note":null}"#)
        let chosen = try query("QueriedTown where id == 3", "--json", "--columns", "people,id")
        #expect(chosen.output == "{\"people\":null,\"id\":3}\n")
        let countries = try query("QueriedCountry", "--json")
        let exported = try workspace.run("export", "places", "--type", "QueriedCountry")
        #expect(countries.output == exported.output && countries.lines.count == 1)
    }

    @Test("--csv is RFC 4180: names first, CRLF, quotes where they are needed, nil is nothing")
    func csv() throws {
        let run = try query("QueriedTown where id != 2", "--csv", "--columns", "name,people,names")
        #expect(
            run.output == "name,people,names\r\n"
                + "Porto,231962,\"[\"\"Oporto\"\",\"\"O Porto\"\"]\"\r\n"
                + "\"Tab\tand, \"\"quote\"\"\",,[]\r\n", "\(run.errors)")
        #expect(
            try query("QueriedTown where id == 9", "--csv", "--columns", "id").output == "id\r\n")
    }

    @Test("--explain prints the plan, with --count also what it found")
    func explain() throws {
        let plan = try query("QueriedTown where id == 2", "--explain")
        #expect(plan.status == 0 && plan.output.contains("QueriedTown"), "\(plan.output)")
        #expect(!plan.output.contains("found"))
        let run = try query("QueriedTown where id == 2", "--explain", "--count")
        #expect(run.output.contains("found 1 among"), "\(run.output)")
    }

    @Test("embedded objects, and links to objects without key, can be shown")
    func unkeyed() throws {
        let notes = try query("QueriedNote", "--json")
        #expect(notes.output == "{\"text\":\"hills\"}\n", "\(notes.errors)")
        #expect(
            try query("QueriedTown where note.text == 'hills'", "--columns", "id").lines == ["2"])
        #expect(try query("QueriedCountry", "--columns", "seal").lines == [#"{"colour":"red"}"#])
        #expect(try query("QueriedSeal").lines == ["red"])
    }

    // MARK: Errors

    @Test(
        "a wrong query ends with 64, and a caret is under its place",
        arguments: [
            ("QueriedTwon where id == 1", "QueriedTown", "^~~~~~~~~~"),
            ("QueriedTown where peple > 3", "people", "^~~~~"),
            ("QueriedTown where people >", "end", "^"),
            ("QueriedTown where people > 'x'", "people", "^"),
            ("QueriedTown with people > 3", "WHERE", "            ^~~~"),
            ("QueriedTown where", "no condition", "^"),
            ("'QueriedTown where", "closing quote", "^"),
            ("QueriedTown SORT(nme)", "name", "^"),
            ("QueriedTown where people > %@", "argument", "^"),
        ])
    func wrong(text: String, advice: String, caret: String) throws {
        for options in [[], ["--count"], ["--explain"], ["--json"]] {
            let run = try CommandRun(
                ["query", "places", text] + options, in: workspace.directory)
            #expect(run.status == 64, "\(run.errors)")
            #expect(run.output.isEmpty && run.errors.hasPrefix("error: "))
            #expect(run.errors.contains(advice) && run.errors.contains(caret), "\(run.errors)")
        }
    }

    @Test(
        "wrong options end with 64",
        arguments: [
            ["--columns", "nam"], ["--columns", "name,,id"], ["--columns", "id,id"],
            ["--json", "--csv"], ["--count", "--csv"], ["--explain", "--json"], ["-n", "-1"],
        ])
    func wrongOptions(options: [String]) throws {
        let run = try CommandRun(
            ["query", "places", "QueriedTown"] + options, in: workspace.directory)
        #expect(run.status == 64, "\(run.errors)")
        #expect(run.output.isEmpty && run.errors.hasPrefix("error: "))
    }

    @Test(
        "an empty query, and none, end with 64; a wrong column is an error with the nearest names")
    func empty() throws {
        #expect(try query(" ").status == 64)
        #expect(try workspace.run("query", "places").status == 64)
        let near = try query("QueriedTown", "--columns", "nam")
        #expect(near.errors.contains("'name'"), "\(near.errors)")
    }

    @Test("no store, and a store without objects, end with 66")
    func noStore() throws {
        #expect(try workspace.run("query", "none", "QueriedTown").status == 66)
        _ = try workspace.run("put", "keys", "a", "1")
        let run = try workspace.run("query", "keys", "QueriedTown")
        #expect(run.status == 66 && run.errors.contains("no object types"), "\(run.errors)")
    }

    @Test("a damaged object ends the query with 65, after what precedes it")
    func damage() throws {
        try QueriedPlaces.damageLastTown(in: workspace)
        for (options, output) in [
            ([], "1\n2\n"), (["--json"], "{\"id\":1}\n{\"id\":2}\n"),
            (["--csv"], "id\r\n1\r\n2\r\n"),
        ] {
            let run = try CommandRun(
                ["query", "places", "QueriedTown", "--columns", "id"] + options,
                in: workspace.directory)
            #expect(run.status == 65 && run.output == output, "\(run.output)\(run.errors)")
            #expect(run.errors.hasPrefix("error: "))
        }
        let found = "QueriedTown where latitude > 1"
        #expect(try query(found, "--count").status == 65)
        #expect(try query(found, "--count", "--explain").status == 65)
        #expect(try query("QueriedTown where id == 1", "--columns", "name").output == "Porto\n")
    }

    @Test("a store that a program has open is read as it is durable")
    func openElsewhere() throws {
        let realm = try QueriedPlaces.open(in: workspace)
        try realm.write { realm.add(QueriedTown(value: ["id": 7, "name": "Faro"])) }
        #expect(try query("QueriedTown where id == 7", "--columns", "name").output == "Faro\n")
        withExtendedLifetime(realm) {}
    }

    // MARK: Completion

    private func completions(_ words: String..., column: Bool = false) throws -> [String] {
        let name = column ? "--columns" : "positional@1"
        let run = try CommandRun(
            [
                "---completion", "query", "--", name, "\(words.count - 1)",
                "\(words.last?.count ?? 0)",
            ]
                + words,
            in: workspace.directory)
        return run.lines
    }

    @Test("the shell completes types, properties and columns")
    func completion() throws {
        #expect(
            try completions("travertine", "query", "places", "QueriedT") == ["QueriedTown"])
        #expect(
            try completions("travertine", "query", "places", "QueriedTown where na")
                == ["QueriedTown where name", "QueriedTown where names"])
        #expect(
            try completions(
                "travertine", "query", "places", "QueriedTown", "--columns", "id,na", column: true)
                == ["id,name", "id,names"])
        #expect(
            try completions("travertine", "query", "'places'", "\"QueriedTown where na")
                == ["QueriedTown where name", "QueriedTown where names"])
        #expect(try completions("travertine", "query", "none", "QueriedT") == [])
    }
}

/// A small database to be queried.
enum QueriedPlaces {
    static func open(in workspace: Workspace) throws -> Realm {
        try Realm(
            configuration: Realm.Configuration(
                fileURL: workspace.url("places"),
                objectTypes: [
                    QueriedTown.self, QueriedCountry.self, QueriedNote.self, QueriedSeal.self,
                ]))
    }

    static func make(in workspace: Workspace) throws {
        let realm = try open(in: workspace)
        try realm.write {
            let portugal = QueriedCountry(value: ["code": "PT", "name": "Portugal"])
            portugal.seal = QueriedSeal(value: ["colour": "red"])
            realm.add(portugal)
            let porto = QueriedTown(
                value: ["id": 1, "name": "Porto", "people": 231_962, "latitude": 41.15])
            porto.names.append(objectsIn: ["Oporto", "O Porto"])
            porto.country = portugal
            let lisboa = QueriedTown(
                value: ["id": 2, "name": "Lisboa", "people": 545_796, "latitude": 38.7])
            lisboa.country = portugal
            lisboa.note = QueriedNote(value: ["text": "hills"])
            let other = QueriedTown(value: ["id": 3, "name": "Tab\tand, \"quote\""])
            realm.add([porto, lisboa, other])
        }
    }

    /// Replaces the row of the last town by bytes that are no row.
    static func damageLastTown(in workspace: Workspace) throws {
        let store = try Store.open(at: workspace.url("places").path)
        let rows = try #require(
            try store.keyspaces.first { keyspace in
                try keyspace.name.hasSuffix(".rows") && store.snapshot().count(in: keyspace) == 3
            })
        let cursor = try store.snapshot().cursor(in: rows)
        #expect(try cursor.seekToLast())
        let key = cursor.key
        try store.write { try $0.put([0xff, 0xff, 0xff], forKey: key, in: rows) }
        try store.close()
    }
}

class QueriedTown: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var name = ""
    @Persisted var people: Int?
    @Persisted var latitude = 0.0
    @Persisted var country: QueriedCountry?
    @Persisted var names: List<String>
    @Persisted var note: QueriedNote?
}

class QueriedCountry: Object {
    @Persisted(primaryKey: true) var code = ""
    @Persisted var name = ""
    @Persisted var seal: QueriedSeal?
}

class QueriedNote: Object {
    @Persisted var text = ""
}

class QueriedSeal: EmbeddedObject {
    @Persisted var colour = ""
}
