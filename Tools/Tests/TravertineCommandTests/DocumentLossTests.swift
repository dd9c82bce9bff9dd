import Foundation
import TestSupport
import Testing
import Travertine

@Suite("import --documents loses nothing")
struct DocumentLossTests {
    private let workspace: Workspace

    init() throws { workspace = Workspace() }

    private func schema(_ title: String, _ properties: String) -> String {
        """
        {"title": "\(title)", "bsonType": "object", "required": ["_id"],
         "properties": {"_id": {"bsonType": "long"}\(properties)}}
        """
    }

    private func write(_ text: String, _ path: String) throws {
        let file = workspace.directory.appendingPathComponent(path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try workspace.write(text, to: path)
    }

    private func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(
            atPath: workspace.directory.appendingPathComponent(path).path)
    }

    // MARK: Types

    @Test("a type that lacks properties of its schema is refused with all of them")
    func missingProperties() throws {
        let home = #", "home": {"title": "Home", "bsonType": "object", "properties": {"zip": "#
        try write(schema("Dog", home + #"{"bsonType": "long"}}}"#), "old.json")
        try write(
            schema(
                "Dog",
                home + #"{"bsonType": "long"}, "street": {"bsonType": "string"}}}, "#
                    + #""name": {"bsonType": "string"}"#), "new.json")
        try write(#"{"_id": 1, "home": {"zip": 1}}"# + "\n", "one.jsonl")
        try write(#"{"_id": 2, "name": "Rex", "home": {"street": "x"}}"# + "\n", "two.jsonl")
        #expect(
            try workspace.run(
                "import", "a.realm", "one.jsonl", "--documents", "--source", "old.json"
            ).status == 0)
        for arguments in [[], ["--check"]] {
            let run = try CommandRun(
                ["import", "a.realm", "two.jsonl", "--documents", "--source", "new.json"]
                    + arguments, in: workspace.directory)
            #expect(run.status == 65, "\(run.errors)")
            #expect(run.errors.contains("lost: name, home.street. Open the realm"))
            #expect(run.errors.contains("Nothing was imported."))
        }
        #expect(try workspace.run("export", "a.realm", "--type", "Dog").lines.count == 1)
    }

    @Test("relationships that do not fit are listed by both checks, and refused by the import")
    func relationships() throws {
        try write(schema("Person", #", "pet": {"bsonType": "long"}"#), "s/d/people/schema.json")
        try write(
            """
            {"dog": {"ref": "#/relationship/s/d/people", "foreign_key": "_id", "is_list": false},
             "pet": {"ref": "#/relationship/s/d/dogs", "foreign_key": "_id", "is_list": false}}
            """, "s/d/people/relationships.json")
        try write("{\"_id\": 1}\n", "people.jsonl")
        try write(schema("Person", #", "pet": {"bsonType": "long"}"#), "Person.json")
        _ = try workspace.run(
            "import", "a.realm", "people.jsonl", "--documents", "--source", "Person.json")
        let lines = [
            "Person.dog: has relationships, and is no property of the schema",
            "Person.pet: links to #/relationship/s/d/dogs, and there is no such collection",
        ]
        for arguments in [
            ["import", "a.realm", "people.jsonl", "--documents", "--source", "s", "--check"],
            ["import", "b.realm", "people.jsonl", "--documents", "--source", "s"],
            ["schema", "a.realm", "--check", "s"],
        ] {
            let run = try CommandRun(arguments, in: workspace.directory)
            #expect(run.status == (arguments[0] == "import" ? 65 : 1), "\(run.errors)")
            for line in lines { #expect((run.output + run.errors).contains(line), "\(run)") }
        }
        #expect(!exists("b.realm"))
    }

    @Test("a type can be compared with its schema file alone")
    func schemaFile() throws {
        try write(schema("Person", #", "pet": {"bsonType": "long"}"#), "Person.json")
        try write("{\"_id\": 1}\n", "people.jsonl")
        _ = try workspace.run(
            "import", "a.realm", "people.jsonl", "--documents", "--source", "Person.json")
        let same = try workspace.run("schema", "a.realm", "--check", "Person.json")
        #expect(same.status == 0 && same.output.isEmpty, "\(same.errors)")
        try write(schema("Person", #", "pet": {"bsonType": "uuid"}"#), "s/d/people/schema.json")
        try write(
            """
            {"dog": {"ref": "#/relationship/s/d/x", "foreign_key": "_id", "is_list": false},
             "pet": {"ref": "#/relationship/s/d/x", "foreign_key": "_id", "is_list": false}}
            """, "s/d/people/relationships.json")
        let other = try workspace.run("schema", "a.realm", "--check", "s/d/people/schema.json")
        #expect(other.status == 1, "\(other.errors)")
        #expect(other.output.contains("Person.dog: has relationships"), "\(other.output)")
        #expect(other.output.contains("Person.pet: uuid has become long"), "\(other.output)")
        try write(schema("Cat", ""), "Cat.json")
        let missing = try workspace.run("schema", "a.realm", "--check", "Cat.json")
        #expect(missing.status == 66 && missing.errors.contains("It has: Person."))
        try Data([0xFF]).write(to: workspace.directory.appendingPathComponent("Bad.json"))
        let bad = try workspace.run("schema", "a.realm", "--check", "Bad.json")
        #expect(bad.status == 65 && bad.errors.contains("not UTF-8"), "\(bad.errors)")
    }

    @Test("DBRefs name types by their collections with a data source, both ways")
    func references() throws {
        try write(schema("Person", #", "any": {"bsonType": "mixed"}"#), "s/d/people/schema.json")
        try write(schema("Dog", ""), "s/d/dogs/schema.json")
        try write(#"{"_id":1,"any":{"$ref":"dogs","$id":2}}"# + "\n", "people.jsonl")
        try write(#"{"_id":2}"# + "\n", "dogs.jsonl")
        for (file, type) in [("people.jsonl", "Person"), ("dogs.jsonl", "Dog")] {
            let run = try workspace.run(
                "import", "a.realm", file, "--documents", "--source", "s", "--type", type)
            #expect(run.status == 0, "\(run.errors)")
        }
        let named = try workspace.run(
            "export", "a.realm", "--type", "Person", "--source", "s")
        #expect(named.output == #"{"_id":1,"any":{"$ref":"dogs","$id":2}}"# + "\n")
        let own = try workspace.run("export", "a.realm", "--type", "Person")
        #expect(own.output == #"{"_id":1,"any":{"$ref":"Dog","$id":2}}"# + "\n")
    }

    // MARK: Bad documents

    @Test("a store that was made for nothing is removed, one that was there stays")
    func emptyStores() throws {
        try write(schema("Dog", ""), "Dog.json")
        try write("{\"_id\": \"x\"}\n{\"_id\": 2}\n", "bad.jsonl")
        try write("{\"_id\": 1}\n{\"_id\": \"x\"}\n", "good.jsonl")
        let arguments = ["--documents", "--source", "Dog.json"]
        for file in ["bad.jsonl", "nowhere.jsonl"] {
            let run = try CommandRun(
                ["import", "a.realm", file] + arguments, in: workspace.directory)
            #expect(run.status == (file == "bad.jsonl" ? 65 : 66), "\(run.errors)")
            #expect(file != "bad.jsonl" || run.errors.contains("Nothing was stored. Correct it"))
            #expect(!exists("a.realm"))
        }
        let part = try CommandRun(
            ["import", "a.realm", "good.jsonl"] + arguments, in: workspace.directory)
        #expect(part.status == 65 && exists("a.realm"))
        let again = try CommandRun(
            ["import", "a.realm", "bad.jsonl"] + arguments, in: workspace.directory)
        #expect(again.status == 65)
        #expect(try workspace.run("export", "a.realm", "--type", "Dog").output == "{\"_id\":1}\n")
        // A directory with files of somebody else stays, with them.
        try write("x", "b.realm/note.txt")
        _ = try CommandRun(["import", "b.realm", "bad.jsonl"] + arguments, in: workspace.directory)
        #expect(exists("b.realm/note.txt") && !exists("b.realm/manifest"))
    }

    @Test("--json gives the counts also when the import stops")
    func counts() throws {
        try write(schema("Dog", ""), "Dog.json")
        try write(
            "{\"_id\": 1}\n{\"_id\": 2, \"a\": 1}\n{\"_id\": \"x\"}\n{\"_id\": 4}\n", "a.jsonl")
        let arguments = ["--documents", "--source", "Dog.json", "--json"]
        let run = try CommandRun(
            ["import", "a.realm", "a.jsonl"] + arguments, in: workspace.directory)
        #expect(run.status == 65 && run.errors.contains("document 3: _id: long expected"))
        let summary = try run.json()
        #expect(summary?["insertedCount"] as? Int == 2 && summary?["stoppedAt"] as? Int == 3)
        #expect(summary?["unknownFields"] as? [String: Int] == ["a": 1])
        #expect(summary?["isCutOff"] as? Bool == false)
        try write("[{\"_id\": 5}, {\"_id\": }, {\"_id\": 6}]", "b.json")
        let cut = try CommandRun(
            ["import", "a.realm", "b.json"] + arguments + ["--skip-invalid"],
            in: workspace.directory)
        #expect(cut.status == 65)
        #expect(try cut.json()?["isCutOff"] as? Bool == true)
        #expect(try cut.json()?["insertedCount"] as? Int == 1)
    }

    @Test("nothing inside a bad document is imported with --skip-invalid, and it counts once")
    func insideBadDocuments() throws {
        try write(schema("Dog", ""), "Dog.json")
        let good = "{\n  \"_id\": 1\n}\n{\n  \"_id\": 2\n}\n"
        let bad =
            "{\n  \"_id\": 3,\n  \"litter\": [\n    {\"_id\": 7},\n    {\"_id\": 8}\n  ],\n  x\n}\n"
        try write("\u{FEFF}" + good + bad + "{\n  \"_id\": 4\n}\n", "dogs.json")
        let run = try workspace.run(
            "import", "a.realm", "dogs.json", "--documents", "--source", "Dog.json",
            "--skip-invalid")
        #expect(run.status == 1 && run.errors.contains("; 1 left out"), "\(run.errors)")
        let export = try workspace.run("export", "a.realm", "--type", "Dog")
        #expect(export.lines == [1, 2, 4].map { "{\"_id\":\($0)}" })
    }

    @Test("a pattern that would take for ever is refused with its document")
    func patterns() throws {
        try write(
            schema("Dog", #", "name": {"bsonType": "string", "pattern": "(a+)+$"}"#), "Dog.json")
        let name = String(repeating: "a", count: 40) + "b"
        try write(
            "{\"_id\": 1, \"name\": \"aa\"}\n{\"_id\": 2, \"name\": \"\(name)\"}\n", "a.jsonl")
        let run = try workspace.run(
            "import", "a.realm", "a.jsonl", "--documents", "--source", "Dog.json")
        #expect(run.status == 65, "\(run.errors)")
        #expect(
            run.errors.contains("document 2: name: can't be checked: \"(a+)+$\" takes too long"))
    }
}
