import Foundation
import TestSupport
import Testing

@Suite("documents and schemas, at the edges")
struct DocumentEdgeTests {
    private let workspace: Workspace

    init() throws { workspace = Workspace() }

    private func makeDogs() throws {
        try workspace.write(
            """
            {"title": "Dog", "bsonType": "object", "required": ["_id", "name"], "properties": {
             "_id": {"bsonType": "long"}, "name": {"bsonType": "string"},
             "tags": {"bsonType": "array", "items": {"bsonType": "string"}}}}
            """, to: "Dog.json")
        try workspace.write("{\"_id\": 1, \"name\": \"Rex\", \"tags\": null}\n", to: "dogs.jsonl")
        let run = try workspace.run(
            "import", "a.realm", "dogs.jsonl", "--documents", "--source", "Dog.json", "--json")
        #expect(run.status == 0, "\(run.errors)")
        #expect(try run.json()?["defaultedFields"] as? [String: Int] == ["tags": 1])
    }

    // MARK: Output

    @Test(
        "what the process has open is written from where it is, by any name",
        arguments: ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "link"])
    func openOutput(path: String) throws {
        #if !os(Linux)
            if path.hasPrefix("/proc") { return }
        #endif
        try makeDogs()
        try FileManager.default.createSymbolicLink(
            atPath: workspace.directory.appendingPathComponent("link").path,
            withDestinationPath: "/dev/stdout")
        let executable = try CommandRun.executable().path
        for target in ["> out.txt", ">> out.txt", "| cat > out.txt"] {
            try workspace.write("", to: "out.txt")
            let script =
                "{ echo before; \"$0\" export a.realm --type Dog -o \(path) --json 2>errors; "
                + "echo after; } " + target
            _ = try CommandRun(
                URL(filePath: "/bin/sh"), ["-c", script, executable], in: workspace.directory)
            let errors = try workspace.text(of: "errors")
            #expect(errors.contains("\"objectCount\" : 1"))
            #expect(
                try workspace.text(of: "out.txt")
                    == "before\n{\"_id\":1,\"name\":\"Rex\",\"tags\":[]}\nafter\n",
                "\(path) \(target): \(errors)")
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: workspace.directory.path)
        #expect(!files.contains { $0.hasSuffix(".part") })
    }

    @Test(
        "an empty path is a wrong argument",
        arguments: [
            ["export", "a.realm", "--type", "Dog", "-o", ""], ["dump", "a.realm", "-o", ""],
            ["stat", "a.realm", "--html", ""],
        ])
    func emptyPath(arguments: [String]) throws {
        try makeDogs()
        let run = try CommandRun(arguments, in: workspace.directory)
        #expect(run.status == 64 && run.errors.contains("must name a file"), "\(run.errors)")
    }

    @Test(
        "what the shell has opened is written by all commands, not replaced",
        arguments: ["dump a.realm -o /dev/stdout", "stat a.realm --html /dev/stdout"])
    func openOutputOfStores(command: String) throws {
        try makeDogs()
        let script = "{ echo before; \"$0\" \(command) 2>errors; echo after; } > out.txt"
        _ = try CommandRun(
            URL(filePath: "/bin/sh"), ["-c", script, CommandRun.executable().path],
            in: workspace.directory)
        let lines = try workspace.text(of: "out.txt").split(separator: "\n")
        let errors = try workspace.text(of: "errors")
        #expect(lines.first == "before" && lines.last == "after", "\(errors)")
        #expect(lines.count > 3)
    }

    @Test("an existing file is replaced when the export is complete, and stays if it is refused")
    func replacedOutput() throws {
        try makeDogs()
        try workspace.write("old", to: "out.jsonl")
        try workspace.write(
            """
            {"title": "Dog", "bsonType": "object", "required": ["_id"], "properties": {
             "_id": {"bsonType": "long"}, "tags": {"bsonType": "array", "minItems": 1,
             "items": {"bsonType": "string"}}}}
            """, to: "strict.json")
        let arguments = ["export", "a.realm", "--type", "Dog", "-o", "out.jsonl"]
        let refused = try CommandRun(
            arguments + ["--source", "strict.json"], in: workspace.directory)
        #expect(refused.status == 65)
        #expect(try workspace.text(of: "out.jsonl") == "old")
        #expect(try CommandRun(arguments, in: workspace.directory).status == 0)
        #expect(try workspace.text(of: "out.jsonl") == "{\"_id\":1,\"name\":\"Rex\",\"tags\":[]}\n")
    }

    @Test("what could not be exported is refused by the import and by its check")
    func constraints() throws {
        try workspace.write(
            """
            {"title": "Dog", "bsonType": "object", "required": ["_id"], "properties": {
             "_id": {"bsonType": "long"}, "tags": {"bsonType": "array", "minItems": 1,
             "items": {"bsonType": "string"}}}}
            """, to: "Dog.json")
        try workspace.write(
            "{\"_id\": 1, \"tags\": [\"a\"]}\n{\"_id\": 2}\n", to: "dogs.jsonl")
        let arguments = ["a.realm", "dogs.jsonl", "--documents", "--source", "Dog.json"]
        let check = try CommandRun(["import"] + arguments + ["--check"], in: workspace.directory)
        let reason = "document 2: tags: 0 elements, fewer than 1, as an export would write it"
        #expect(check.status == 1 && check.output.contains(reason), "\(check.output)")
        let run = try CommandRun(
            ["import"] + arguments + ["--skip-invalid"], in: workspace.directory)
        #expect(run.status == 1 && run.errors.contains(reason), "\(run.errors)")
        let export = try workspace.run("export", "a.realm", "--type", "Dog", "--source", "Dog.json")
        #expect(export.status == 0 && export.output == "{\"_id\":1,\"tags\":[\"a\"]}\n")
    }

    // MARK: Samples

    @Test("values that no property holds are named at sampling, with what to do")
    func samples() throws {
        try workspace.write(
            """
            {"_id": 1, "seen": {"$timestamp": {"t": 1, "i": 1}}, "kind": {"$symbol": "x"}}
            {"_id": 2, "seen": {"$timestamp": {"t": 2, "i": 1}}, "a": 9007199254740993}
            {"a": 0.5}

            """, to: "events.jsonl")
        let run = try workspace.run("schema", "--sample", "events.jsonl")
        #expect(run.status == 0)
        #expect(run.output.contains("\"a\": {\n      \"bsonType\": \"mixed\""), "\(run.output)")
        #expect(
            run.errors.contains(
                "seen: a timestamp, which no property holds: write a date, or take the field out"),
            "\(run.errors)")
        #expect(run.errors.contains("; 2 times, first in document 1"))
        #expect(run.errors.contains("kind: a symbol, which becomes a string; 1 time in document 1"))
        #expect(run.errors.contains("_id: no value for the key"))
    }

    @Test("a file that may not be read ends with 77")
    func unreadable() throws {
        guard geteuid() != 0 else {
            print("Permissions were not tested: nothing is forbidden to the superuser.")
            return
        }
        try workspace.write("{\"_id\": 1}\n", to: "dogs.jsonl")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0],
            ofItemAtPath: workspace.directory.appendingPathComponent("dogs.jsonl").path)
        let run = try workspace.run("schema", "--sample", "dogs.jsonl")
        #expect(run.status == 77 && run.errors.contains("permission is denied"), "\(run.errors)")
    }

    @Test("a file that may not be written ends with 77")
    func unwritable() throws {
        guard geteuid() != 0 else {
            print("Permissions were not tested: nothing is forbidden to the superuser.")
            return
        }
        try makeDogs()
        let folder = workspace.directory.appendingPathComponent("locked")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o555])
        let run = try workspace.run("export", "a.realm", "--type", "Dog", "-o", "locked/dogs.jsonl")
        #expect(run.status == 77, "\(run.errors)")
    }

    // MARK: Data sources

    @Test("dev leaves keywords where they stand, and lets the key be required")
    func keywordOrder() throws {
        try makeDogs()
        let folder = workspace.directory.appendingPathComponent("s/Pets/dogs")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true)
        let file = """
            {
              "properties": {
                "name": {
                  "maxLength": 9,
                  "bsonType": "string",
                  "description": "how it is called"
                },
                "_id": {
                  "bsonType": "long"
                }
              },
              "required": [
                "name"
              ],
              "description": "of all kinds",
              "bsonType": "object",
              "title": "Dog"
            }

            """
        try workspace.write(file, to: "s/Pets/dogs/schema.json")
        let run = try workspace.run("schema", "dev", "a.realm", "--source", "s", "--database", "P")
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.contains("_id: has become required"), "\(run.output)")
        let expected = file.replacingOccurrences(
            of: "    \"_id\": {\n      \"bsonType\": \"long\"\n    }\n",
            with: "    \"_id\": {\n      \"bsonType\": \"long\"\n    },\n    \"tags\": {\n      "
                + "\"bsonType\": \"array\",\n      \"items\": {\n        \"bsonType\": \"string\"\n"
                + "      }\n    }\n"
        ).replacingOccurrences(
            of: "    \"name\"\n  ]", with: "    \"name\",\n    \"_id\"\n  ]")
        #expect(try workspace.text(of: "s/Pets/dogs/schema.json") == expected)
    }

    @Test("a database that no directory can be is a wrong argument", arguments: ["", ".", "a/b"])
    func databaseNames(name: String) throws {
        try makeDogs()
        let run = try workspace.run(
            "schema", "dev", "a.realm", "--source", "s", "--database", name)
        #expect(run.status == 64 && run.errors.contains("--database is"), "\(run.errors)")
        #expect(
            !FileManager.default.fileExists(
                atPath: workspace.directory.appendingPathComponent("s").path))
    }

    @Test("types that a store keeps of an import that failed are reported")
    func addedTypes() throws {
        try makeDogs()
        try workspace.write(
            """
            {"title": "Cat", "bsonType": "object", "required": ["_id"], "properties": {
             "_id": {"bsonType": "long"}}}
            """, to: "Cat.json")
        try workspace.write("{\"_id\": \"x\"}\n", to: "cats.jsonl")
        // A file that is not there adds nothing.
        let missing = try workspace.run(
            "import", "a.realm", "none.jsonl", "--documents", "--source", "Cat.json")
        #expect(missing.status == 66 && !missing.errors.contains("has got"))
        #expect(try workspace.run("schema", "a.realm", "--type", "Cat").status == 66)
        let arguments = ["import", "a.realm", "cats.jsonl", "--documents", "--source", "Cat.json"]
        let run = try CommandRun(arguments, in: workspace.directory)
        #expect(run.status == 65)
        #expect(
            run.errors.contains("a.realm has got the object type Cat from Cat.json, and keeps it."),
            "\(run.errors)")
        let again = try CommandRun(arguments, in: workspace.directory)
        #expect(again.status == 65 && !again.errors.contains("has got"))
    }
}
