import Foundation
import TestSupport
import Testing
import Travertine

/// With a program in place of `travertine-postgres`, which says what a test wants. What the real
/// one says is tested with a server, in the package of the connector.
@Suite("import of the rows of a query")
struct QueryImportTests {
    private let workspace: Workspace
    private let command: URL

    init() throws {
        workspace = Workspace()
        command = try workspace.copyCommand()
        let realm = try open()
        try realm.write { realm.add(Quay(value: ["code": "old", "name": "Old"])) }
    }

    private func open() throws -> Realm {
        try Realm(
            configuration: Realm.Configuration(
                fileURL: workspace.directory.appendingPathComponent("store"),
                objectTypes: [Quay.self, Crane.self, Post.self]))
    }

    /// Has the program print lines, then run commands of a shell. Its arguments are in a file.
    private func answer(_ lines: [String], then script: String = "exit 0") throws {
        let text = """
            #!/bin/sh
            printf '%s\\n' "$@" > arguments
            cat <<'END'
            \(lines.joined(separator: "\n"))
            END
            \(script)
            """
        try install(text)
    }

    /// Puts a text beside the command as the program that asks the server.
    private func install(_ text: String) throws {
        try workspace.write(text, to: "program")
        // By another process: what a test starts at that moment would keep the file open for
        // writing, and it could not be executed.
        let run = try CommandRun(
            URL(filePath: "/bin/sh"),
            ["-c", "cp program made && chmod 755 made && mv made bin/travertine-postgres"],
            in: workspace.directory)
        try #require(run.status == 0, "\(run.errors)")
    }

    private func run(_ arguments: String...) throws -> CommandRun {
        try CommandRun(
            command,
            ["import", "store", "--from", "postgres://h/d", "--query", "SELECT 1"] + arguments,
            in: workspace.directory)
    }

    private func codes() throws -> [String] {
        try open().objects(Quay.self).map(\.code).sorted()
    }

    @Test("an error of any length is shown in part, and does not keep the program from ending")
    func longError() throws {
        try answer(
            [#"{"code":"a"}"#],
            then: "head -c 300000 /dev/zero | tr '\\0' x >&2; echo '{\"code\":\"b\"}'; exit 69")
        let run = try run("--type", "Quay")
        #expect(run.status == 69)
        #expect(run.errors.contains("xxx") && run.errors.utf8.count < 20_000)
        #expect(try codes() == ["a", "b", "old"])
    }

    @Test("rows become objects; the program gets the server, the query and the form")
    func objects() throws {
        try answer([
            #"{"code":"a","name":"Aa","opened":"2020-01-02T03:04:05.123456Z","#
                + #""depth":{"$numberDecimal":"12.5"},"size":{"$numberDecimal":"77"},"#
                + #""exact":{"$numberDecimal":"1.50"},"days":["2020-01-01T00:00:00Z"],"#
                + #""bytes":{"$binary":{"base64":"AP8=","subType":"00"}},"crane":"c1","#
                + #""id":{"$uuid":"01020304-0506-0708-090a-0b0c0d0e0faf"},"#
                + #""posts":[{"at":"2001-01-01 00:00:00.25+00","bytes":"AP8=","depth":"NaN"}]}"#,
            #"{"code":"old","size":5,"crane":null}"#,
        ])
        let run = try run("--type", "Quay")
        #expect(run.status == 0, "\(run.errors)")
        #expect(
            try workspace.text(of: "arguments")
                == "rows\n--from=postgres://h/d\n--query=SELECT 1\n--form=objects\n--mark-invalid\n"
        )
        let realm = try open()
        let quay = try #require(realm.object(ofType: Quay.self, forPrimaryKey: "a"))
        #expect(quay.name == "Aa" && quay.depth == 12.5 && quay.size == 77 && quay.exact == "1.50")
        #expect(quay.opened?.timeIntervalSinceReferenceDate == 599_627_045.123456)
        #expect(quay.bytes == Data([0, 0xff]))
        #expect(quay.id?.uuidString == "01020304-0506-0708-090A-0B0C0D0E0FAF")
        #expect(quay.days.first?.timeIntervalSince1970 == 1_577_836_800)
        #expect(quay.crane?.code == "c1")
        let post = try #require(quay.posts.first)
        #expect(post.at?.timeIntervalSinceReferenceDate == 0.25 && post.depth.isNaN)
        #expect(post.bytes == Data([0, 0xff]))
        let old = try #require(realm.object(ofType: Quay.self, forPrimaryKey: "old"))
        #expect(old.name == "Old" && old.size == 5 && old.crane == nil)
    }

    @Test("a type that is not there is made of the columns, with the store, and kept if rows came")
    func newType() throws {
        let schema =
            #"{"title":"Lock","bsonType":"object","required":["no"],"properties":"#
            + #"{"no":{"bsonType":"long"},"name":{"bsonType":"string"}}}"#
        func answerBoth(_ rows: String, _ end: String = "exit 0") throws {
            try answer(
                [],
                then: """
                    case "$*" in
                    *--title=Lock*--key=no*) echo '\(schema)' ;;
                    *) printf '%s\\n' '\(rows)'; \(end) ;;
                    esac
                    """)
        }
        func importLocks(_ more: String...) throws -> CommandRun {
            try CommandRun(
                command,
                [
                    "import", "new", "--from", "postgres://h/d", "--query", "SELECT 1", "--type",
                    "Lock",
                ] + more, in: workspace.directory)
        }
        func isThere() -> Bool { FileManager.default.fileExists(atPath: workspace.url("new").path) }
        try answerBoth(#"{"no":1,"name":"A"}"#)
        let bare = try importLocks()
        #expect(bare.status == 66 && bare.errors.contains("with --key COLUMN"), "\(bare.errors)")
        // Nothing came: the store that was made for it goes with it.
        try answerBoth(#""column no: bad""#, "exit 69")
        #expect(try importLocks("--key", "no").status == 65)
        #expect(!isThere())
        try answerBoth(#"{"no":1,"name":"A"}"#)
        let made = try importLocks("--key", "no")
        #expect(made.status == 0, "\(made.errors)")
        // It is there now: with the key or without, as long as that is the key.
        try answerBoth(#"{"no":2,"name":null}"#)
        #expect(try importLocks("--key", "no").status == 0)
        #expect(try importLocks().status == 0)
        #expect(try importLocks("--key", "name").status == 64)
        #expect(
            try workspace.run("export", "new", "--type", "Lock").lines == [
                #"{"no":1,"name":"A"}"#, #"{"no":2,"name":null}"#,
            ])
        // In a store with other types, which stay.
        let added = try run("--type", "Lock", "--key", "no")
        #expect(added.status == 0, "\(added.errors)")
        #expect(try codes() == ["old"])
    }

    @Test("keys and documents are asked for in their forms")
    func forms() throws {
        try answer([#"{"code":"a","n":1.50}"#, #"{"code":"b","n":2}"#])
        let keys = try CommandRun(
            command,
            [
                "import", "keys", "--from", "postgres://h/d", "--query", "SELECT 1", "--key",
                "code",
            ], in: workspace.directory)
        #expect(keys.status == 0, "\(keys.errors)")
        #expect(try workspace.text(of: "arguments").contains("--form=plain\n"))
        #expect(
            try workspace.run("scan", "keys").lines
                == ["a\t{\"code\":\"a\",\"n\":1.50}", "b\t{\"code\":\"b\",\"n\":2}"])
        try answer([
            #"{"code":"x","opened":{"$date":"2001-01-01T00:00:00.250Z"},"name":"","depth":1.0,"size":2}"#
        ])
        let documents = try run("--documents", "--type", "Quay", "--json")
        #expect(documents.status == 0, "\(documents.errors)")
        #expect(try documents.json()?["insertedCount"] as? Int == 1)
        #expect(try workspace.text(of: "arguments").contains("--form=documents\n"))
        let opened = try open().object(ofType: Quay.self, forPrimaryKey: "x")?.opened
        #expect(opened?.timeIntervalSinceReferenceDate == 0.25)
        try answer([#"{"code":"y","size":"many","name":"","depth":1.0}"#])
        let check = try run("--documents", "--type", "Quay", "--check")
        #expect(check.status == 1 && check.output.contains("size"), "\(check.output)")
        #expect(try codes() == ["old", "x"])
    }

    @Test("a program that fails, or is killed, fails the import, which says what is stored")
    func failures() throws {
        let rows = [#"{"code":"a"}"#, #"{"code":"b"}"#]
        try answer(rows, then: "echo 'error: the server: no' >&2; exit 69")
        var run = try run("--type", "Quay")
        #expect(run.status == 69)
        #expect(run.errors.contains("error: the server: no\n"), "\(run.errors)")
        #expect(run.errors.contains("Stopped after 2 records") && !run.errors.contains("records/s"))
        #expect(run.errors.contains("--resume-from 3, if the query has ORDER BY"))
        #expect(try codes() == ["a", "b", "old"])
        try answer(rows, then: "kill -9 $$")
        run = try self.run("--type", "Quay")
        #expect(run.status == 74)
        #expect(run.errors.contains("ended by signal 9"), "\(run.errors)")
        // A line that was cut off is no row.
        try answer([#"{"code":"c"}"#], then: "printf '{\"code\":\"d\"}'; exit 3")
        run = try self.run("--type", "Quay")
        #expect(run.status == 3 && run.errors.contains("ended with status 3"), "\(run.errors)")
        #expect(try codes() == ["a", "b", "c", "old"])
        try answer([], then: "echo 'error: gone' >&2; exit 69")
        run = try self.run("--documents", "--type", "Quay")
        #expect(run.status == 69 && run.errors.contains("error: gone\n"), "\(run.errors)")
        let empty = try CommandRun(
            command,
            [
                "import", "new", "--from", "postgres://h/d", "--query", "SELECT 1", "--key",
                "code",
            ], in: workspace.directory)
        #expect(empty.status == 69)
        #expect(
            empty.errors
                == "Nothing was stored. Once the cause below is gone, run the same command again.\n"
                + "error: gone\n")
    }

    @Test("a row that the program refuses is left out with its reason, and those around it are not")
    func refusedRows() throws {
        let rows = [
            #"{"code":"a","name":"","depth":1.0,"size":2}"#, #""column t: an \"infinite\" time""#,
            #"{"code":"c","name":"","depth":1.0,"size":2}"#, #""column t: again""#,
        ]
        try answer(rows)
        let stopped = try run("--type", "Quay")
        #expect(stopped.status == 65)
        #expect(
            stopped.errors.contains("row 2: column t: an \"infinite\" time.\n1 record before it"),
            "\(stopped.errors)")
        #expect(try codes() == ["a", "old"])
        let skipping = try run("--type", "Quay", "--skip-invalid", "--json")
        #expect(skipping.status == 0, "\(skipping.errors)")
        #expect(skipping.errors.contains("row 2: column t: an \"infinite\" time; left out"))
        #expect(skipping.errors.contains("row 4: column t: again; left out"))
        #expect(try skipping.json()?["leftOutCount"] as? Int == 2)
        #expect(try codes() == ["a", "c", "old"])
        // The same as documents, and as values of keys.
        let documents = try run("--documents", "--type", "Quay", "--skip-invalid")
        #expect(documents.status == 1)
        #expect(documents.errors.contains("document 2: column t: an \"infinite\" time; left out"))
        #expect(documents.errors.contains("document 4: column t: again; left out"))
        let check = try run("--documents", "--type", "Quay", "--check")
        #expect(check.status == 1 && check.output.contains("column t: again"), "\(check.output)")
        let all = try run("--documents", "--type", "Quay")
        #expect(all.status == 65 && all.errors.contains("document 2: column t: an"))
        let keys = try CommandRun(
            command,
            [
                "import", "keys", "--from", "postgres://h/d", "--query", "SELECT 1", "--key",
                "code", "--skip-invalid",
            ], in: workspace.directory)
        #expect(keys.status == 0 && keys.errors.contains("row 2: column t"), "\(keys.errors)")
        #expect(try workspace.run("scan", "keys", "--keys-only").lines == ["a", "c"])
    }

    @Test("a row that can't be used is named, and ends a program that has more of them")
    func badRow() throws {
        try answer(
            [#"{"code":"a"}"#, #"{"code":"b","size":"many"}"#],
            then: #"exec yes '{"code":"z"}'"#)
        let run = try run("--type", "Quay")
        #expect(run.status == 65)
        #expect(run.errors.contains("row 2: ") && run.errors.contains("Correct the row"))
        #expect(try codes() == ["a", "old"])
        try answer([#"{"code":"a"}"#, #"{"code":"b","size":"many"}"#, #"{"code":"c"}"#])
        let skipping = try self.run("--type", "Quay", "--skip-invalid", "--resume-from", "2")
        #expect(skipping.status == 0)
        #expect(skipping.errors.contains("row 2: "), "\(skipping.errors)")
        #expect(try codes() == ["a", "c", "old"])
    }

    /// The command crashed when it ended a program that had not begun.
    @Test("a program that can't be started is named")
    func unusableProgram() throws {
        try install("\u{1}")
        let run = try run("--type", "Quay")
        #expect(run.status == 69, "\(run.errors)")
        #expect(run.errors.contains("bin/travertine-postgres can't be started"), "\(run.errors)")
    }

    @Test("without the program it says how to build it")
    func missingProgram() throws {
        let run = try CommandRun(
            URL(fileURLWithPath: "/usr/bin/env"),
            [
                "PATH=/nowhere", command.path, "import", "store", "--type", "Quay", "--from",
                "postgres://h/d", "--query", "SELECT 1",
            ], in: workspace.directory)
        #expect(run.status == 69)
        #expect(run.errors.contains("--package-path Connectors/PostgreSQL"))
    }

    @Test("a file and a query exclude each other, and a query needs a server")
    func contradictions() throws {
        try answer([])
        func status(_ arguments: String...) throws -> Int32 {
            try CommandRun(
                command, ["import", "store", "--type", "Quay"] + arguments,
                in: workspace.directory
            ).status
        }
        #expect(try status() == 64)
        #expect(try status("--from", "postgres://h/d") == 64)
        #expect(try status("--query", "SELECT 1") == 64)
        #expect(try status("a.jsonl", "--from", "postgres://h/d", "--query", "SELECT 1") == 64)
        #expect(try status("--from", "postgres://h/d", "--query", "") == 64)
        let csv = ["--from", "postgres://h/d", "--query", "SELECT 1", "--format", "csv"]
        #expect(
            try CommandRun(
                command, ["import", "store", "--type", "Quay"] + csv, in: workspace.directory
            ).status == 64)
        #expect(try status("--from", "postgres://h/d", "--query", "SELECT 1") == 0)
    }
}

class Crane: Object {
    @Persisted(primaryKey: true) var code: String
}

class Post: EmbeddedObject {
    @Persisted var at: Date?
    @Persisted var bytes: Data?
    @Persisted var depth: Double
}

class Quay: Object {
    @Persisted(primaryKey: true) var code: String
    @Persisted var name: String
    @Persisted var opened: Date?
    @Persisted var depth: Double
    @Persisted var size: Int
    @Persisted var exact: Decimal128?
    @Persisted var bytes: Data?
    @Persisted var id: UUID?
    @Persisted var days: List<Date>
    @Persisted var crane: Crane?
    @Persisted var posts: List<Post>
}
