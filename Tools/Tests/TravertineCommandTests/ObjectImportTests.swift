import Foundation
import TestSupport
import Testing
import Travertine

@Suite("import into an object type")
struct ObjectImportTests {
    private let workspace: Workspace

    init() throws { workspace = Workspace() }

    private func open() throws -> Realm {
        try Realm(
            configuration: Realm.Configuration(
                fileURL: workspace.directory.appendingPathComponent("store"),
                objectTypes: [Harbour.self, Berth.self]))
    }

    private func prepare() throws {
        let realm = try open()
        try realm.write { realm.add(Harbour(value: ["code": "old", "name": "Old", "depth": 3])) }
    }

    @Test("each record becomes an object, its nested ones embedded objects and collections")
    func jsonLines() throws {
        try prepare()
        try workspace.write(
            """
            {"code": "a", "name": "Aa", "depth": 12.5, "opened": "2020-01-02T03:04:05Z", \
            "berths": [{"number": 1}, {"number": 2}], "tags": ["x", "y", "x"], "extra": {"k": [1]}}
            {"code": "old", "depth": 4}
            {"code": "b", "opened": {"$date": {"$numberLong": "0"}}, "size": 9007199254740993}
            """, to: "a.jsonl")
        let run = try workspace.run("import", "store", "a.jsonl", "--type", "Harbour")
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.errors.contains("1 new object without a field “depth”"), "\(run.errors)")
        #expect(run.errors.contains("1 new object without a field “size”"))
        let realm = try open()
        let first = try #require(realm.object(ofType: Harbour.self, forPrimaryKey: "a"))
        #expect(first.depth == 12.5 && first.berths.map(\.number) == [1, 2])
        #expect(first.opened == Date(timeIntervalSince1970: 1_577_934_245))
        #expect(Array(first.tags) == ["x", "y"])
        #expect(first.extra.dictionaryValue?["k"]?.listValue?.first == 1)
        let old = try #require(realm.object(ofType: Harbour.self, forPrimaryKey: "old"))
        #expect(old.name == "Old" && old.depth == 4)
        let last = try #require(realm.object(ofType: Harbour.self, forPrimaryKey: "b"))
        #expect(last.size == 9_007_199_254_740_993 && last.opened?.timeIntervalSince1970 == 0)
        #expect(realm.objects(Harbour.self).where { $0.size == 0 }.count == 2)
    }

    @Test("fields of a CSV file are read as the types of the properties")
    func csv() throws {
        try prepare()
        try workspace.write("code,depth,size,opened\nc,1.5,77,\n", to: "a.csv")
        let run = try workspace.run("import", "store", "a.csv", "--type", "Harbour")
        #expect(run.status == 0, "\(run.errors)")
        let harbour = try #require(
            try open().object(ofType: Harbour.self, forPrimaryKey: "c"))
        #expect(harbour.depth == 1.5 && harbour.size == 77 && harbour.opened == nil)
    }

    @Test("an empty text and nil stay what they are through CSV")
    func emptyTexts() throws {
        try prepare()
        try workspace.write("code,remark,size\na,\"\",1\nb,,2\n\"\",x,3\n", to: "a.csv")
        let run = try workspace.run("import", "store", "a.csv", "--type", "Harbour")
        #expect(run.status == 0, "\(run.errors)")
        do {
            let realm = try open()
            func remark(_ code: String) -> String?? {
                realm.object(ofType: Harbour.self, forPrimaryKey: code).map(\.remark)
            }
            #expect(remark("a") == .some("") && remark("b") == .some(nil) && remark("") == "x")
        }
        let csv = try workspace.run(
            "query", "store", "Harbour where size > 0", "--csv", "--columns", "code,remark,size")
        try workspace.write(csv.output, to: "b.csv")
        let before = try workspace.run("export", "store", "--type", "Harbour").lines
        let again = try workspace.run("import", "store", "b.csv", "--type", "Harbour")
        #expect(again.status == 0, "\(csv.output)\(again.errors)")
        #expect(try workspace.run("export", "store", "--type", "Harbour").lines == before)
    }

    @Test("a record that does not fit stops the import; what stands before it is stored")
    func invalid() throws {
        try prepare()
        try workspace.write(
            "{\"code\": \"a\"}\n{\"code\": \"b\", \"size\": \"many\"}\n{\"code\": \"c\"}\n",
            to: "a.jsonl")
        let run = try workspace.run("import", "store", "a.jsonl", "--type", "Harbour")
        #expect(run.status == 65)
        #expect(run.errors.contains("line 2") && run.errors.contains("Harbour.size"))
        #expect(try open().objects(Harbour.self).map(\.code) == ["old", "a"])
        let rest = try workspace.run(
            "import", "store", "a.jsonl", "--type", "Harbour", "--skip-invalid")
        #expect(rest.status == 0)
        #expect(try open().objects(Harbour.self).map(\.code) == ["old", "a", "c"])
    }

    @Test("a null that a collection can't have is named by its object, property and place")
    func nullElement() throws {
        try prepare()
        try workspace.write(
            """
            {"code": "a", "tags": ["x"]}
            {"code": "b", "tags": ["x", null]}
            {"code": "c", "tags": ["y"]}
            """, to: "a.jsonl")
        let run = try workspace.run("import", "store", "a.jsonl", "--type", "Harbour")
        #expect(run.status == 65)
        #expect(
            run.errors.contains("line 2: element 2 of “Harbour.tags” of the object b is null"),
            "\(run.errors)")
        let rest = try workspace.run(
            "import", "store", "a.jsonl", "--type", "Harbour", "--skip-invalid")
        #expect(rest.status == 0)
        #expect(try open().objects(Harbour.self).map(\.code) == ["old", "a", "c"])
    }

    @Test("a store without the type says how to make it, and that works")
    func newType() throws {
        try workspace.write(
            """
            {"code": "a", "depth": 1.5, "tags": ["x"]}
            {"code": "b", "depth": null, "tags": []}
            """, to: "FILE")
        func refused() throws -> CommandRun {
            try workspace.run("import", "new", "FILE", "--format", "jsonl", "--type", "Quarter")
        }
        let run = try refused()
        #expect(run.status == 66 && run.errors.contains("no such store"), "\(run.errors)")
        let program = try CommandRun.executable().path
        let lines = run.errors.split(separator: "\n").filter { $0.hasPrefix("  travertine ") }
        #expect(lines.count == 2, "\(run.errors)")
        for line in lines {
            // The key is the user's to name.
            let command = line.replacing("FIELD", with: "code")
                .replacing("travertine", with: program)
            let step = try CommandRun(
                URL(filePath: "/bin/sh"), ["-c", String(command)], in: workspace.directory)
            #expect(step.status == 0, "\(command)\n\(step.errors)")
        }
        #expect(try refused().status == 0)
        #expect(
            try workspace.run("export", "new", "--type", "Quarter").lines == [
                #"{"code":"a","depth":1.5,"tags":["x"]}"#, #"{"code":"b","depth":null,"tags":[]}"#,
            ])
        let other = try workspace.run(
            "import", "new", "FILE", "--format", "jsonl", "--type", "Pier")
        #expect(other.status == 66 && other.errors.contains("It has: Quarter."))
        #expect(other.errors.contains("--title Pier --key FIELD > Pier.json"), "\(other.errors)")
    }

    @Test("a type that the store does not have is reported with those that it has")
    func unknownType() throws {
        try prepare()
        try workspace.write("{}", to: "a.jsonl")
        let run = try workspace.run("import", "store", "a.jsonl", "--type", "Ship")
        #expect(run.status == 66 && run.errors.contains("Berth, Harbour"))
    }
}

class Harbour: Object {
    @Persisted(primaryKey: true) var code: String
    @Persisted var name: String
    @Persisted var depth: Double
    @Persisted(indexed: true) var size: Int
    @Persisted var opened: Date?
    @Persisted var berths: List<Berth>
    @Persisted var tags: MutableSet<String>
    @Persisted var extra: AnyRealmValue
    @Persisted var remark: String?
}

class Berth: EmbeddedObject {
    @Persisted var number: Int
}
