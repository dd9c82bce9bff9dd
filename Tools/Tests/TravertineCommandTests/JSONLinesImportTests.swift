import Foundation
import TestSupport
import Testing

@Suite("import of JSON Lines")
struct JSONLinesImportTests {
    private let workspace: Workspace

    init() throws { workspace = Workspace() }

    @Test("each line becomes a value under the key that its field holds")
    func eachLine() throws {
        let run = try workspace.importFile(
            "a.jsonl", #"{"id": "b", "n": 1}"# + "\n\n  " + #"{"id": "a", "n": [1, {"x": null}]}"#)
        #expect(run.status == 0, "\(run.errors)")
        #expect(
            try workspace.contents() == [
                #"a"# + "\t" + #"{"id": "a", "n": [1, {"x": null}]}"#,
                #"b"# + "\t" + #"{"id": "b", "n": 1}"#,
            ])
    }

    @Test("an import that stores nothing leaves no store, unless its file has no records")
    func nothingStored() throws {
        let store = workspace.directory.path + "/store"
        for text in ["rubbish\n", "{\"no\": 1}\n{\"id\": 2}\n"] {
            #expect(try workspace.importFile("a.jsonl", text).status == 65)
            #expect(!FileManager.default.fileExists(atPath: store))
        }
        #expect(try workspace.importFile("a.jsonl", "\n").status == 0)
        #expect(try workspace.contents() == [])
    }

    @Test("a number that is a key keeps its digits, however many")
    func numberKey() throws {
        _ = try workspace.importFile(
            "a.jsonl", "{\"id\": 9007199254740993}\n{\"id\": 1e3}\n{\"id\": true}\n")
        #expect(try workspace.keys() == ["1e3", "9007199254740993", "true"])
    }

    @Test("escapes in a key are undone, surrogate pairs too")
    func escapedKey() throws {
        _ = try workspace.importFile("a.jsonl", #"{"id": "a\"\\\/\u00e9\ud83d\ude00\n"}"#)
        #expect(try workspace.keys() == [#"a"\\/é😀\n"#])
    }

    @Test("an escaped field name is found")
    func escapedName() throws {
        _ = try workspace.importFile("a.jsonl", #"{"\u0069d": "x"}"#)
        #expect(try workspace.keys() == ["x"])
    }

    @Test("several key fields are joined, and --value takes one field")
    func joinedKey() throws {
        try workspace.write(
            #"{"c": "DE", "id": 7, "name": "Ulm"}"# + "\n"
                + #"{"c": "AT", "id": 9, "name": "Linz"}"#,
            to: "a.jsonl")
        let run = try workspace.run(
            "import", "store", "a.jsonl", "--key", "c", "--key", "id", "--value", "name")
        #expect(run.status == 0, "\(run.errors)")
        #expect(try workspace.contents() == ["AT/9\tLinz", "DE/7\tUlm"])
    }

    @Test(
        "a record that can't be used stops the import and is named by its line and reason",
        arguments: [
            (#"{"id": 2"#, "\",\" or \"}\" expected, the end found (column 9)"),
            (#"{"id": 2} x"#, "text after the value"),
            (#"[2]"#, "an object expected"),
            (#"{"id": 02}"#, "no zero before them"),
            (#"{"id": 2.}"#, "digits expected after the point"),
            (#"{"id": "\x"}"#, "there is no such escape"),
            (#"{"id": "\ud800"}"#, "a surrogate without its pair"),
            (#"{"id": "abc}"#, "a text does not end"),
            (#"{"id": nul}"#, "\"null\" expected"),
            (#"{"id": 2,}"#, "a name in quotes expected"),
            (#"{"no": 2}"#, "no field “id”"),
            (#"{"id": null}"#, "no text or number"),
            (#"{"id": [2]}"#, "no text or number"),
            (#"{"id": 2, "id": 3}"#, "occurs twice"),
            ("{\"id\": \"a\tb\"}", "control character"),
            ("{\"id\": \"\(String(repeating: "k", count: 600))\"}", "600 bytes"),
            (String(repeating: "[", count: 600), "an object expected"),
            (#"{"id": "# + String(repeating: "[", count: 600), "more than 511 levels"),
        ])
    func badRecord(line: String, reason: String) throws {
        let text = "{\"id\": 1}\n" + line + "\n{\"id\": 3}\n"
        let run = try workspace.importFile("a.jsonl", text)
        #expect(run.status == 65)
        #expect(run.errors.contains("line 2: "), "\(run.errors)")
        #expect(run.errors.contains(reason), "\(run.errors)")
        #expect(run.errors.contains("--resume-from 2"), "\(run.errors)")
        #expect(try workspace.keys() == ["1"])
    }

    @Test("--skip-invalid leaves bad records out and names them")
    func skipping() throws {
        let run = try workspace.importFile(
            "a.jsonl", "{\"id\": 1}\nrubbish\n{\"id\": 3}\n", "--skip-invalid")
        #expect(run.status == 0)
        #expect(run.errors.contains("line 2: "))
        #expect(run.errors.contains("1 left out"))
        #expect(try workspace.keys() == ["1", "3"])
    }

    @Test("after the line is repaired, --resume-from goes on exactly there")
    func resuming() throws {
        let good = (1...2500).map { "{\"id\": \(10000 + $0)}" }
        var broken = good
        broken[1733] = "{"
        let first = try workspace.importFile("a.jsonl", broken.joined(separator: "\n"))
        #expect(first.status == 65)
        #expect(first.errors.contains("1,733 records before it stored"), "\(first.errors)")
        #expect(first.errors.contains("--resume-from 1734"))
        #expect(try workspace.keys().count == 1733)
        let second = try workspace.importFile(
            "a.jsonl", good.joined(separator: "\n"), "--resume-from", "1734")
        #expect(second.status == 0, "\(second.errors)")
        #expect(second.errors.hasPrefix("767 records"), "\(second.errors)")
        #expect(try workspace.keys().count == 2500)
    }

    @Test("“-” reads standard input")
    func standardInput() throws {
        let run = try workspace.run(
            "import", "store", "-", "--format", "jsonl", "--key", "id", input: "{\"id\": 1}")
        #expect(run.status == 0, "\(run.errors)")
        #expect(try workspace.keys() == ["1"])
    }

    @Test(
        "JSON of another form says what it is, and how to convert it",
        arguments: [
            ("{\n  \"id\": 1\n}\n", "is JSON over several lines", "jq -c '.' a.json"),
            ("\n{\n  \"id\": 1\n}\n", "is JSON over several lines", "--documents"),
        ], [[], ["--skip-invalid"]])
    func otherForms(form: (text: String, name: String, advice: String), flags: [String]) throws {
        try workspace.write(form.text, to: "a.json")
        let run = try CommandRun(
            ["import", "store", "a.json", "--key", "id"] + flags, in: workspace.directory)
        #expect(run.status == 65)
        #expect(run.errors.contains("a.json \(form.name)"), "\(run.errors)")
        #expect(run.errors.contains(form.advice), "\(run.errors)")
    }

    @Test("lines longer than the read buffer are whole")
    func longLine() throws {
        let long = String(repeating: "x", count: 700_000)
        _ = try workspace.importFile("a.jsonl", "{\"id\": 1, \"v\": \"\(long)\"}\n{\"id\": 2}")
        let value = try workspace.run("get", "store", "1").output
        #expect(value == "{\"id\": 1, \"v\": \"\(long)\"}")
        #expect(try workspace.keys() == ["1", "2"])
    }
}
