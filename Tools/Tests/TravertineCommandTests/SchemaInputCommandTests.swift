import Foundation
import TestSupport
import Testing

@Suite("schema files of every kind")
struct SchemaInputCommandTests {
    private let workspace: Workspace

    init() throws {
        workspace = Workspace()
        try workspace.write(
            """
            {"title": "Dog", "bsonType": "object", "required": ["_id"], "properties":
             {"_id": {"bsonType": "long"}, "name": {"bsonType": "string"},
              "tags": {"bsonType": "array", "items": {"bsonType": "string"}},
              "grid": {"bsonType": "array", "items": {"bsonType": "mixed"}}}}
            """, to: "Dog.json")
        try workspace.write(
            #"{"_id": 1, "name": "Rex", "tags": ["a"], "grid": [[1]]}"#, to: "dogs.jsonl")
        let run = try workspace.run(
            "import", "a.realm", "dogs.jsonl", "--documents", "--source", "Dog.json")
        #expect(run.status == 0, "\(run.errors)")
    }

    private func put(_ bytes: some Sequence<UInt8>, _ path: String = "s/Pets/dogs/schema.json")
        throws
    {
        let file = workspace.directory.appendingPathComponent(path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: file)
    }

    private func bytes(_ path: String = "s/Pets/dogs/schema.json") throws -> Data {
        try Data(contentsOf: workspace.directory.appendingPathComponent(path))
    }

    private static let commands = [
        ["schema", "a.realm", "--check", "s"],
        ["schema", "dev", "a.realm", "--source", "s", "--database", "Pets", "--allow-breaking"],
        ["generate-models", "s", "--target-dir", "Models"],
        ["generate-models", "s/Pets/dogs/schema.json", "--target-dir", "Models"],
        ["import", "b.realm", "dogs.jsonl", "--documents", "--source", "s"],
        ["export", "a.realm", "--type", "Dog", "--source", "s"],
    ]

    private static func property(_ text: String) -> String {
        """
        {"title": "Dog", "bsonType": "object", "properties": {"_id": {"bsonType": "long"},
        "name": \(text)}}
        """
    }

    private static let unreadable: [(String, String)] = [
        ("[]", "line 1, column 1"), ("", "the file is empty"), (" \n", "the file is empty"),
        ("null", "must be an object"), ("{\"title\": \"Dog\"", "line 1, column 16"),
        ("{\"title\": \"Dog\", \"title\": \"Cat\"}", "\"title\" for the second time"),
        ("{\"bsonType\": \"object\"}", "an object type has a \"title\""),
        ("{\"title\": \"\", \"bsonType\": \"object\"}", "an object type has a \"title\""),
        (property("{\"bsonType\": [\"string\", \"null\"]}"), "line 2, column 22"),
        (property("{\"type\": \"string\"}"), "write \"bsonType\": \"string\""),
        (property("{\"$ref\": \"#\"}"), "write what \"$ref\" refers to"),
        (property("{\"anyOf\": []}"), "or \"mixed\""),
        (property("{\"bsonType\": \"bool\""), "invalid JSON at line 2"),
        (String(repeating: "[", count: 100_000), "more than 200 levels"),
    ]

    @Test("what can't be read ends with 65, file and place, and is left as it is")
    func unreadableFiles() throws {
        for (text, reason) in Self.unreadable {
            try put(text.utf8)
            for command in Self.commands {
                let run = try CommandRun(command, in: workspace.directory)
                #expect(run.status == 65, "\(command) \(text.prefix(99)): \(run.errors)")
                #expect(
                    run.errors.contains("s/Pets/dogs/schema.json: invalid")
                        && run.errors.contains(reason), "\(run.errors)")
            }
            #expect(try bytes() == Data(text.utf8))
        }
        for name in ["Models", "b.realm"] {
            #expect(
                !FileManager.default.fileExists(
                    atPath: workspace.directory.appendingPathComponent(name).path))
        }
    }

    @Test("files that are not UTF-8 are reported with the place; a byte order mark is ignored")
    func encodings() throws {
        let text = Self.property("{\"bsonType\": \"string\"}")
        try put(Array("{\n\"title\": \"".utf8) + [0xE9, 0x22, 0x7D])
        for command in Self.commands {
            let run = try CommandRun(command, in: workspace.directory)
            #expect(run.status == 65 && run.errors.contains("line 2, column 11 (byte 12)"))
            #expect(run.errors.contains("not UTF-8"), "\(run.errors)")
        }
        try put(text.data(using: .utf16) ?? Data())
        #expect(try workspace.run("schema", "a.realm", "--check", "s").status == 65)
        try put([0xEF, 0xBB, 0xBF] + Array(text.utf8))
        let run = try workspace.run("schema", "a.realm", "--check", "s")
        #expect(run.errors.contains("3 differences"), "\(run.errors)")
    }

    @Test("directories and files in each other's place are reported, and none is made")
    func places() throws {
        let cases: [([String], Int32, String)] = [
            (["schema", "a.realm", "--check", "none"], 66, "none: there is no such directory"),
            (
                ["schema", "dev", "a.realm", "--source", "Dog.json", "--database", "D"], 66,
                "Dog.json is a file"
            ),
            (
                ["schema", "dev", "a.realm", "--source", "new", "--database", "a/b"], 64,
                "--database is “a/b”"
            ),
            (["schema", "dev", "none", "--source", "new", "--database", "D"], 66, "no such store"),
            (
                ["schema", "dev", "a.realm", "--source", "Dog.json/x", "--database", "D"], 74,
                "cannot be written: Not a directory."
            ),
            (
                ["generate-models", "dir", "--target-dir", "M"], 74,
                "schema.json cannot be read: Is a"
            ),
            (["schema", "--sample", "dir"], 66, "dir can't be read"),
            (["schema", "--sample", "dogs.jsonl", "--title", ""], 64, "--title has 0 bytes"),
            (["schema", "--sample", "dogs.jsonl", "--type", "Dog"], 64, "--type is not for"),
            (["schema", "a.realm", "--json"], 64, "--json is for --check"),
        ]
        try FileManager.default.createDirectory(
            at: workspace.directory.appendingPathComponent("dir/D/c/schema.json"),
            withIntermediateDirectories: true)
        for (arguments, status, reason) in cases {
            let run = try CommandRun(arguments, in: workspace.directory)
            #expect(run.status == status, "\(arguments): \(run.errors)")
            #expect(run.errors.contains(reason), "\(run.errors)")
        }
        for name in ["new", "M", "none"] {
            #expect(
                !FileManager.default.fileExists(
                    atPath: workspace.directory.appendingPathComponent(name).path))
        }
    }

    @Test("what may not be read or written ends with 77")
    func permissions() throws {
        guard geteuid() != 0 else {
            print("Permissions were not tested: nothing is forbidden to the superuser.")
            return
        }
        try put(Self.property("{\"bsonType\": \"string\"}").utf8)
        for path in ["s/Pets/dogs/schema.json", "s/Pets/dogs", "s/Pets", "s"] {
            let url = workspace.directory.appendingPathComponent(path)
            try FileManager.default.setAttributes(
                [.posixPermissions: 0], ofItemAtPath: url.path)
            for command in Self.commands.prefix(3) {
                let run = try CommandRun(command, in: workspace.directory)
                #expect(
                    run.status == 77 && run.errors.contains("permission is denied"), "\(run.errors)"
                )
            }
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o755], ofItemAtPath: url.path)
        }
        let locked = workspace.directory.appendingPathComponent("locked").path
        try FileManager.default.createDirectory(
            atPath: locked, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o555])
        for command in [
            ["schema", "dev", "a.realm", "--source", "locked", "--database", "Pets"],
            ["generate-models", "Dog.json", "--target-dir", "locked/Models"],
        ] {
            let run = try CommandRun(command, in: workspace.directory)
            #expect(
                run.status == 77 && run.errors.contains("permission is denied"), "\(run.errors)")
        }
    }

    @Test("one title in two collections names both files")
    func titles() throws {
        let text = Self.property("{\"bsonType\": \"string\"}")
        try put(text.utf8)
        try put(text.utf8, "s/Zoo/wolves/schema.json")
        for command in Self.commands where !command.contains("s/Pets/dogs/schema.json") {
            let run = try CommandRun(command, in: workspace.directory)
            #expect(run.status == 65, "\(command): \(run.errors)")
            #expect(
                run.errors.contains("Pets/dogs/schema.json")
                    && run.errors.contains("Zoo/wolves/schema.json"), "\(run.errors)")
        }
    }

    @Test("what no class can have is listed with its file, also by import, and nothing is made")
    func models() throws {
        try put(
            """
            {"title": "Dog", "bsonType": "object", "properties": {"_id": {"bsonType": "long"},
             "": {"bsonType": "string"}, "in": {"bsonType": "object", "properties": {}}}}
            """.utf8)
        for command in Self.commands[2...4] {
            let run = try CommandRun(command, in: workspace.directory)
            #expect(run.status == 65, "\(run.errors)")
            #expect(
                run.errors.contains(
                    "Pets/dogs/schema.json: Dog.\"\" is a name of 0 bytes, where 1 to 63 are allowed"
                )
                    && run.errors.contains(
                        "Pets/dogs/schema.json: Dog.in embeds a type without properties"),
                "\(run.errors)")
        }
        #expect(
            !FileManager.default.fileExists(
                atPath: workspace.directory.appendingPathComponent("Models").path))
    }

    @Test(
        "a sample of documents that no class can have is a schema, and says why it is of no use yet"
    )
    func samples() throws {
        try workspace.write(#"{"": 1, "name": {}}"#, to: "heroes.jsonl")
        let run = try workspace.run("schema", "--sample", "heroes.jsonl")
        #expect(run.status == 0 && run.output.hasPrefix("{\n  \"title\": \"Hero\",\n"))
        #expect(
            run.errors == """
                1 document
                No classes or object types can be made of the schema yet:
                Hero._id is missing, and is the key: name it in "properties", or say which other \
                field is the key (`--key`, `Collection.keyName`)
                Hero."" is a name of 0 bytes, where 1 to 63 are allowed: rename the field in the \
                documents too, or take it out of the schema

                """, "\(run.errors)")
        try workspace.write("[", to: "cut.jsonl")
        try workspace.write("5", to: "five.jsonl")
        for file in ["cut.jsonl", "five.jsonl"] {
            let bad = try workspace.run("schema", "--sample", file)
            #expect(bad.status == 65 && bad.errors.contains("\(file): invalid JSON at line 1"))
        }
    }

    @Test("what a file says beyond classes is compatible, and stays when the file is rewritten")
    func beyondClasses() throws {
        let text = """
            {
              "title": "Dog",
              "bsonType": "object",
              "required": [
                "tags",
                "_id"
              ],
              "properties": {
                "_id": {
                  "bsonType": "int"
                },
                "grid": {
                  "bsonType": "array",
                  "items": {
                    "bsonType": "array",
                    "items": {
                      "bsonType": "long",
                      "minimum": 0
                    }
                  }
                },
                "tags": {
                  "bsonType": "array",
                  "items": {
                    "bsonType": "string"
                  },
                  "contains": {}
                }
              },
              "$comment": "é"
            }

            """
        try put(text.utf8)
        let check = try workspace.run("schema", "a.realm", "--check", "s")
        #expect(check.status == 0, "\(check.output)")
        #expect(
            check.lines == [
                "Dog._id: int has become long (compatible)",
                "Dog.grid.[]: array of long has become mixed (compatible)",
                "Dog.name: added (compatible)",
            ])
        let dev = try workspace.run(
            "schema", "dev", "a.realm", "--source", "s", "--database", "Pets")
        #expect(dev.output == "Pets/dogs: updated\n  name: added\n", "\(dev.errors)")
        let name = ",\n    \"name\": {\n      \"bsonType\": \"string\"\n    }\n  },\n  \"$comment\""
        let expected = text.replacingOccurrences(of: "\n  },\n  \"$comment\"", with: name)
        #expect(try bytes() == Data(expected.utf8))
        let again = try workspace.run(
            "schema", "dev", "a.realm", "--source", "s", "--database", "Pets")
        #expect(again.status == 0 && again.errors.contains("Nothing to change."))
    }
}
