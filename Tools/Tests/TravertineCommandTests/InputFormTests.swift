import Foundation
import TestSupport
import Testing

@Suite("JSON arrays and compressed files as input")
struct InputFormTests {
    private let workspace: Workspace

    init() throws { workspace = Workspace() }

    // MARK: Arrays

    @Test(
        "an array is read whatever lines it has, and its elements lose the space between values",
        arguments: [
            #"[{"id":1,"v":[1, 2]},{"id":2,"v":"a b]"}]"#,
            "\u{feff} [\n  {\n \"id\" : 1,\n \"v\": [1,\n 2]},\n\n{\"id\":2, \"v\":\"a b]\"}\n ]\n\n",
        ])
    func array(text: String) throws {
        let run = try workspace.importFile("a.json", text)
        #expect(run.status == 0, "\(run.errors)")
        #expect(
            try workspace.contents() == [
                "1\t" + #"{"id":1,"v":[1,2]}"#, "2\t" + #"{"id":2,"v":"a b]"}"#,
            ])
    }

    @Test("an empty array has no records")
    func empty() throws {
        for (name, text) in [("a.json", "[]"), ("b.json", " [ \n ] ")] {
            let run = try workspace.importFile(name, text)
            #expect(run.status == 0 && run.errors.hasPrefix("0 records"), "\(run.errors)")
        }
        #expect(try workspace.keys().isEmpty)
    }

    @Test(
        "what is wrong in an array is named by its element, and what precedes it is stored",
        arguments: [
            (#"[{"id": 1}, 2, {"id": 3}]"#, "element 2: an object expected", "--resume-from 2"),
            (#"[{"id": 1},, {"id": 3}]"#, "element 2: there is nothing between", "--resume-from 2"),
            (#"[{"id": 1}, {"no": 1}]"#, "element 2: the record has no field", "--resume-from 2"),
            (#"[{"id": 1}, {"id": 1 2}]"#, "element 2: ", "--resume-from 2"),
            (#"[{"id": 1}, {"id": "x"#, "ends within the array, in element 2", "--resume-from 2"),
            (#"[{"id": 1}"#, "ends within the array, in element 1", "run the same command again"),
            (#"[{"id": 1}] x"#, "something follows the end", "--resume-from 2"),
            (#"[{"id": 1},]"#, "element 2: there is nothing", "--resume-from 2"),
        ])
    func wrong(text: String, reason: String, advice: String) throws {
        let run = try workspace.importFile("a.json", text)
        #expect(run.status == 65)
        #expect(run.errors.contains(reason) && run.errors.contains(advice), "\(run.errors)")
        #expect(try workspace.keys() == (advice.hasPrefix("--resume-from") ? ["1"] : []))
    }

    @Test("--resume-from and --skip-invalid count elements")
    func resuming() throws {
        let text = #"[{"id": 1}, {"no": 2}, {"id": 3}, {"id": 4}]"#
        let skipped = try workspace.importFile("a.json", text, "--skip-invalid")
        #expect(skipped.errors.contains("element 2: ") && skipped.errors.contains("1 left out"))
        #expect(try workspace.keys() == ["1", "3", "4"])
        let other = try workspace.run(
            "import", "other", "a.json", "--key", "id", "--resume-from", "3")
        #expect(other.status == 0 && other.errors.hasPrefix("2 records"), "\(other.errors)")
    }

    // MARK: Compressed files

    private static let records = (0..<3000).map { "{\"id\": \($0), \"v\": \"value \($0)\"}" }

    /// Compresses a file; false where the program is not installed.
    private func compress(_ name: String, with program: String) throws -> Bool {
        let run = try CommandRun(
            found: "sh",
            [
                "-c",
                "cd \"$0\" && command -v \(program) && \(program) -c \(name) > \(name).\(program)",
                workspace.directory.path,
            ])
        return run.status == 0
    }

    @Test(
        "files of gzip and lz4 are decompressed by the endings of their names",
        arguments: [
            ("gzip", "gz"), ("lz4", "lz4"),
        ])
    func compressed(program: String, ending: String) throws {
        try workspace.write(Self.records.joined(separator: "\n") + "\n", to: "a.jsonl")
        guard try compress("a.jsonl", with: program) else { return }
        let data = try Data(contentsOf: workspace.url("a.jsonl." + program))
        let name = "b.jsonl." + ending
        try data.write(to: workspace.url(name))
        let run = try workspace.run("import", "store", name, "--key", "id")
        #expect(run.status == 0, "\(run.errors)")
        #expect(try workspace.keys().count == 3000)
        // Frames and members can follow one another.
        try (data + data).write(to: workspace.url("twice.jsonl." + ending))
        let twice = try workspace.run("import", "twice", "twice.jsonl." + ending, "--key", "id")
        #expect(twice.status == 0 && twice.errors.hasPrefix("6,000 records"), "\(twice.errors)")
        var second = data + data
        second[data.count] ^= 0x55
        try second.write(to: workspace.url("second.jsonl." + ending))
        let half = try workspace.run("import", "half", "second.jsonl." + ending, "--key", "id")
        #expect(half.status == 65, "\(half.errors)")
        try data.prefix(data.count / 2).write(to: workspace.url("cut.jsonl." + ending))
        let cut = try workspace.run("import", "cut", "cut.jsonl." + ending, "--key", "id")
        #expect(cut.status == 65, "\(cut.errors)")
        #expect(cut.errors.contains("can't be decompressed"), "\(cut.errors)")
        // By the program, some of it may have come before the end was missed.
        let isEmpty = cut.errors.hasPrefix("Nothing was stored.")
        #expect(isEmpty || cut.errors.contains("go on with --resume-from"), "\(cut.errors)")
        var damaged = data
        for place in 20..<40 { damaged[place] ^= 0x55 }
        try damaged.write(to: workspace.url("bad.jsonl." + ending))
        #expect(
            try workspace.run("import", "bad", "bad.jsonl." + ending, "--key", "id").status == 65)
        try workspace.write("plain", to: "plain.jsonl." + ending)
        let plain = try workspace.run("import", "bad", "plain.jsonl." + ending, "--key", "id")
        #expect(plain.status == 65 && plain.errors.contains("can't be decompressed"))
        // Under another name it is not taken for text.
        try data.write(to: workspace.url("c.jsonl"))
        let unnamed = try workspace.run("import", "bad", "c.jsonl", "--key", "id")
        #expect(unnamed.status == 65, "\(unnamed.errors)")
        #expect(unnamed.errors.contains("is compressed by \(program)"), "\(unnamed.errors)")
    }

    @Test("a gzip that is not installed is named")
    func noGzip() throws {
        try workspace.write("x", to: "a.jsonl.gz")
        let run = try CommandRun(
            found: "env",
            [
                "PATH=/nowhere", CommandRun.executable().path, "import",
                workspace.url("store").path, workspace.url("a.jsonl.gz").path, "--key", "id",
            ])
        #expect(run.status == 74 && run.errors.contains("gzip is not installed"), "\(run.errors)")
    }

    @Test("compressed documents and CSV are read as well")
    func otherFormats() throws {
        try workspace.write("id,v\n1,a\n2,b\n", to: "a.csv")
        guard try compress("a.csv", with: "lz4") else { return }
        #expect(try workspace.run("import", "store", "a.csv.lz4", "--key", "id").status == 0)
        #expect(try workspace.keys() == ["1", "2"])
        try workspace.write(
            #"{"title": "Dog", "bsonType": "object", "required": ["_id"], "#
                + #""properties": {"_id": {"bsonType": "long"}}}"#, to: "Dog.json")
        try workspace.write(#"[{"_id": 1}, {"_id": 2}]"#, to: "dogs.json")
        guard try compress("dogs.json", with: "lz4") else { return }
        let run = try workspace.run(
            "import", "pets", "dogs.json.lz4", "--documents", "--source", "Dog.json")
        #expect(run.status == 0 && run.errors.hasPrefix("2 objects"), "\(run.errors)")
    }
}
