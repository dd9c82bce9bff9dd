import Foundation
import TestSupport
import Testing
import Travertine

@Suite("documents and schemas")
struct DocumentCommandTests {
    private let workspace: Workspace

    init() throws { workspace = Workspace() }

    private let dogs = """
        {"_id": 1, "name": "Rex", "age": 3, "tags": ["a", "b"], "home": {"zip": 10, "street": "x"}}
        {"_id": 2, "name": "Ada", "age": 4, "tags": [], "home": {"zip": 11, "street": "y"}}
        {"_id": 3, "name": "Bo", "age": null, "tags": ["c"], "home": {"zip": 12, "street": "z"}}

        """

    private func makeFolder(_ path: String) throws {
        try FileManager.default.createDirectory(
            at: workspace.directory.appendingPathComponent(path),
            withIntermediateDirectories: true)
    }

    @Test("from samples to a schema, to classes, to objects, and back to the same documents")
    func wholeWay() throws {
        try workspace.write(dogs, to: "dogs.jsonl")
        let sample = try workspace.run("schema", "--sample", "dogs.jsonl")
        #expect(sample.status == 0, "\(sample.errors)")
        #expect(sample.output.hasPrefix("{\n  \"title\": \"Dog\",\n"))
        try makeFolder("schemas/Pets/dogs")
        try workspace.write(sample.output, to: "schemas/Pets/dogs/schema.json")

        let models = try workspace.run(
            "generate-models", "schemas", "--target-dir", "Models", "--json")
        #expect(models.status == 0, "\(models.errors)")
        #expect(try models.json()?["written"] as? [String] == ["Dog.swift", "Dog_home.swift"])
        #expect(
            try workspace.text(of: "Models/Dog.swift").contains(
                "@Persisted(primaryKey: true) var _id: Int"))
        let again = try workspace.run("generate-models", "schemas", "--target-dir", "Models")
        #expect(again.status == 0 && again.output.isEmpty)

        let imported = try workspace.run(
            "import", "pets.realm", "dogs.jsonl", "--documents", "--source", "schemas", "--json")
        #expect(imported.status == 0, "\(imported.errors)")
        #expect(try imported.json()?["insertedCount"] as? Int == 3)

        let check = try workspace.run("schema", "pets.realm", "--check", "schemas")
        #expect(check.status == 0, "\(check.output)")

        for format in ["relaxed", "canonical", "bson"] {
            let file = "out." + (format == "bson" ? "bson" : "jsonl")
            let export = try workspace.run(
                "export", "pets.realm", "--type", "Dog", "--format", format, "-o", file, "--json")
            #expect(try export.json()?["objectCount"] as? Int == 3, "\(export.errors)")
            let copy = try workspace.run(
                "import", "copy-\(format).realm", file, "--documents", "--source", "schemas")
            #expect(copy.status == 0, "\(copy.errors)")
            let back = try workspace.run("export", "copy-\(format).realm", "--type", "Dog")
            #expect(
                back.output
                    == dogs.replacingOccurrences(of: ": ", with: ":")
                    .replacingOccurrences(of: ", ", with: ","))
        }
        #expect(try workspace.run("fsck", "pets.realm").status == 0)
    }

    @Test("a bad document stops the import with its position, or is left out and counted")
    func skipping() throws {
        try workspace.write(dogs, to: "dogs.jsonl")
        let schema = try workspace.run("schema", "--sample", "dogs.jsonl", "--title", "Dog")
        try workspace.write(schema.output, to: "Dog.json")
        try workspace.write(
            """
            {"_id": 1, "name": "Rex"}
            {"_id": 2}
            {"_id": 3, "name": 7}
            {"_id": 4, "name": "Ada"
            {"_id": 5, "name": "Bo", "colour": "red"}

            """, to: "bad.jsonl")
        let stopped = try workspace.run(
            "import", "a.realm", "bad.jsonl", "--documents", "--source", "Dog.json")
        #expect(stopped.status == 65)
        #expect(
            stopped.errors.contains("document 2: name: required, and missing"),
            "\(stopped.errors)")
        #expect(try workspace.run("export", "a.realm", "--type", "Dog").lines.count == 1)
        let skipped = try workspace.run(
            "import", "a.realm", "bad.jsonl", "--documents", "--type", "Dog", "--skip-invalid")
        #expect(skipped.status == 1)
        #expect(skipped.errors.contains("document 3: name: string expected, int found; left out"))
        #expect(skipped.errors.contains("document 4: invalid JSON at line 5"), "\(skipped.errors)")
        #expect(
            skipped.errors.contains("1 of them replaced") && skipped.errors.contains("3 left out"))
        #expect(skipped.errors.contains("“colour” has no property"))
        #expect(try workspace.run("export", "a.realm", "--type", "Dog").lines.count == 2)
    }

    @Test("an error after which nothing can be read ends with 65, also with --skip-invalid")
    func cutOff() throws {
        try workspace.write(
            """
            {"title": "Dog", "bsonType": "object", "required": ["_id"],
             "properties": {"_id": {"bsonType": "long"}}}
            """, to: "Dog.json")
        try workspace.write(
            #"[{"_id": 1}, {"_id": "x"}, {"_id": }, {"_id": 4}]"#, to: "dogs.json")
        let run = try workspace.run(
            "import", "a.realm", "dogs.json", "--documents", "--source", "Dog.json",
            "--skip-invalid")
        #expect(run.status == 65, "\(run.errors)")
        #expect(run.errors.contains("document 2: _id: long expected, string found; left out"))
        #expect(run.errors.contains("document 3: invalid JSON"), "\(run.errors)")
        #expect(run.errors.contains("The rest of the file can't be read"), "\(run.errors)")
        #expect(run.errors.contains("are stored, except 1 left out"), "\(run.errors)")
        #expect(
            try workspace.run("export", "a.realm", "--type", "Dog").output == "{\"_id\":1}\n")
    }

    @Test("required links may lead to documents of later batches; those to nothing are reported")
    func requiredLinks() throws {
        do {
            _ = try Realm(
                configuration: Realm.Configuration(
                    fileURL: workspace.directory.appendingPathComponent("a.realm"),
                    objectTypes: [Clerk.self]))
        }
        try workspace.write(
            """
            {"_id": 1, "chief": 3, "friend": 8}
            {"_id": 2, "chief": 9}
            {"_id": 3, "chief": 3, "friend": 8}
            {"_id": 4, "chief": 2}
            {"_id": 5, "chief": null}

            """, to: "clerks.jsonl")
        let run = try workspace.run(
            "import", "a.realm", "clerks.jsonl", "--documents", "--batch-size", "1",
            "--skip-invalid")
        #expect(run.status == 1)
        for line in [
            "document 2: chief: the required link leads to a Clerk that is not there: 9; left out",
            "document 4: chief: the required link leads to a Clerk that is not there: 2; left out",
            "document 5: chief: required, and null; left out",
            "Clerk.friend: 2 links to objects of Clerk that are not there: 8",
        ] {
            #expect(run.errors.contains(line), "\(run.errors)")
        }
        #expect(try workspace.run("export", "a.realm", "--type", "Clerk").lines.count == 2)
        let stopped = try workspace.run(
            "import", "a.realm", "clerks.jsonl", "--documents", "--batch-size", "1", "--json")
        #expect(stopped.status == 65 && stopped.errors.contains("document 5"))
        let stored =
            "Those before it are stored, except documents 2, 4, which need others that are not "
            + "there."
        #expect(stopped.errors.contains(stored), "\(stopped.errors)")
    }

    @Test("what waits is stored before the import stops, and named where it can't be")
    func heldAtStop() throws {
        do {
            _ = try Realm(
                configuration: Realm.Configuration(
                    fileURL: workspace.directory.appendingPathComponent("a.realm"),
                    objectTypes: [Clerk.self]))
        }
        let clerks = """
            {"_id": 1, "chief": 2}
            {"_id": 2, "chief": 1}
            {"_id": 3, "chief": 9}

            """
        try workspace.write(clerks + "{\"_id\": 4}\n", to: "bad.jsonl")
        let stopped = try workspace.run("import", "a.realm", "bad.jsonl", "--documents")
        #expect(stopped.status == 65 && stopped.errors.contains("document 4: chief"))
        #expect(
            stopped.errors.contains("are stored, except document 3, which needs others"),
            "\(stopped.errors)")
        #expect(try workspace.run("export", "a.realm", "--type", "Clerk").lines.count == 2)
        try workspace.write(
            clerks.split(separator: "\n").joined(separator: ",") + ", {", to: "lines")
        try workspace.write("[" + (try workspace.text(of: "lines")), to: "cut.json")
        let cut = try workspace.run(
            "import", "a.realm", "cut.json", "--documents", "--skip-invalid")
        #expect(cut.status == 65 && cut.errors.contains("The rest of the file can't be read"))
        #expect(cut.errors.contains("are stored, except document 3, which"), "\(cut.errors)")
        try workspace.write(clerks, to: "end.jsonl")
        let end = try workspace.run("import", "a.realm", "end.jsonl", "--documents")
        #expect(end.status == 65 && end.errors.contains("document 3: chief"))
        #expect(!end.errors.contains("except"), "\(end.errors)")
    }

    @Test("what can't be written ends with 74 and a reason, and leaves devices as they are")
    func unwritable() throws {
        try workspace.write(dogs, to: "dogs.jsonl")
        let schema = try workspace.run("schema", "--sample", "dogs.jsonl", "--title", "Dog")
        try workspace.write(schema.output, to: "Dog.json")
        _ = try workspace.run(
            "import", "a.realm", "dogs.jsonl", "--documents", "--source", "Dog.json")
        try makeFolder("folder")
        for (target, reason) in [
            ("missing/out.jsonl", "No such file or directory"), ("folder", "is a directory"),
        ] {
            let run = try workspace.run("export", "a.realm", "--type", "Dog", "-o", target)
            #expect(run.status == 74 && run.errors.contains(reason), "\(run.errors)")
        }
        let models = try workspace.run("generate-models", "Dog.json", "--target-dir", "dogs.jsonl")
        #expect(models.status == 74 && models.errors.contains("exists."), "\(models.errors)")
        #expect(!models.errors.contains("NSCocoaErrorDomain"))
        #if os(Linux)
            // A link, so that nothing happens to the device itself if this fails.
            let full = workspace.directory.appendingPathComponent("full")
            try FileManager.default.createSymbolicLink(
                atPath: full.path, withDestinationPath: "/dev/full")
            let run = try workspace.run("export", "a.realm", "--type", "Dog", "-o", "full")
            #expect(run.status == 74 && run.errors.contains("No space left"), "\(run.errors)")
            #expect(
                try FileManager.default.destinationOfSymbolicLink(atPath: full.path)
                    == "/dev/full")
        #endif
    }

    @Test("errors of types say which there are, what is missing, and what to do next")
    func hints() throws {
        for name in ["X", "Y"] {
            try makeFolder("keyless/D/\(name)")
            try workspace.write(
                """
                {"title": "\(name)", "bsonType": "object",
                 "properties": {"a": {"bsonType": "string"}}}
                """, to: "keyless/D/\(name)/schema.json")
        }
        let models = try workspace.run("generate-models", "keyless", "--target-dir", "M")
        #expect(models.status == 65)
        for name in ["X", "Y"] {
            #expect(
                models.errors.contains(
                    "keyless/D/\(name)/schema.json: \(name)._id is missing, and is the key"),
                "\(models.errors)")
        }
        try workspace.write(dogs, to: "dogs.jsonl")
        let absent = try workspace.run("import", "a.realm", "dogs.jsonl", "--documents")
        #expect(absent.status == 66 && absent.errors.contains("--source makes one"))
        let schema = try workspace.run("schema", "--sample", "dogs.jsonl", "--title", "Dog")
        try workspace.write(schema.output, to: "Dog.json")
        _ = try workspace.run(
            "import", "a.realm", "dogs.jsonl", "--documents", "--source", "Dog.json")
        let unknown = try workspace.run(
            "import", "a.realm", "dogs.jsonl", "--documents", "--type", "Cat")
        #expect(unknown.status == 66 && unknown.errors.contains("There are: Dog."))
    }

    @Test("constraints of a schema are checked on the way out")
    func exportChecks() throws {
        try workspace.write(
            """
            {"title": "Dog", "bsonType": "object", "required": ["_id"],
             "properties": {"_id": {"bsonType": "long"}}}
            """, to: "Dog.json")
        try workspace.write("{\"_id\": 1}\n{\"_id\": 20}\n", to: "dogs.jsonl")
        #expect(
            try workspace.run(
                "import", "a.realm", "dogs.jsonl", "--documents", "--source", "Dog.json"
            ).status == 0)
        try workspace.write(
            """
            {"title": "Dog", "bsonType": "object", "required": ["_id"],
             "properties": {"_id": {"bsonType": "long", "maximum": 9}}}
            """, to: "Dog.json")
        let stopped = try workspace.run(
            "export", "a.realm", "--type", "Dog", "--source", "Dog.json")
        #expect(stopped.status == 65 && stopped.errors.contains("object 2 of Dog: _id: 20"))
        let skipped = try workspace.run(
            "export", "a.realm", "--type", "Dog", "--source", "Dog.json", "--skip-invalid")
        #expect(skipped.status == 1 && skipped.output == "{\"_id\":1}\n")
        let unknown = try workspace.run("export", "a.realm", "--type", "Cat")
        #expect(unknown.status == 66 && unknown.errors.contains("no object type \"Cat\""))
    }

    @Test("constraints that are not checked are reported, at import and export")
    func uncheckedConstraints() throws {
        try workspace.write(
            """
            {"title": "Dog", "bsonType": "object", "required": ["_id"],
             "properties": {"_id": {"bsonType": "long", "multipleOf": 2}}}
            """, to: "Dog.json")
        try workspace.write("{\"_id\": 1}\n", to: "dogs.jsonl")
        for arguments in [
            ["import", "a.realm", "dogs.jsonl", "--documents", "--source", "Dog.json"],
            ["export", "a.realm", "--type", "Dog", "--source", "Dog.json", "-o", "out.jsonl"],
        ] {
            let run = try CommandRun(arguments, in: workspace.directory)
            #expect(run.status == 0, "\(run.errors)")
            #expect(run.errors.contains("not checked of the schema: _id: \"multipleOf\""))
            let json = try CommandRun(arguments + ["--json"], in: workspace.directory).json()
            #expect(json?["uncheckedConstraints"] as? [String] == ["_id: \"multipleOf\""])
        }
    }

    @Test("an object that BSON can't hold ends the export with 65 and its place, or is left out")
    func notEncodable() throws {
        do {
            let realm = try Realm(
                configuration: Realm.Configuration(
                    fileURL: workspace.directory.appendingPathComponent("a.realm"),
                    objectTypes: [Shelf.self]))
            try realm.write {
                for id in 1...3 {
                    let shelf = Shelf(value: ["_id": id])
                    if id == 2 { shelf.counts["a\u{0}b"] = 1 }
                    realm.add(shelf)
                }
            }
        }
        let arguments = [
            "export", "a.realm", "--type", "Shelf", "--format", "bson", "-o", "o.bson",
        ]
        let stopped = try CommandRun(arguments, in: workspace.directory)
        #expect(stopped.status == 65, "\(stopped.errors)")
        #expect(stopped.errors.contains("object 2 of Shelf: counts.a"), "\(stopped.errors)")
        let skipped = try CommandRun(
            arguments + ["--skip-invalid", "--json"], in: workspace.directory)
        #expect(skipped.status == 1)
        #expect(try skipped.json()?["objectCount"] as? Int == 2)
    }

    @Test("a check that compares nothing ends with 66, and dev spares the files of other types")
    func nothingCompared() throws {
        try workspace.write(dogs, to: "dogs.jsonl")
        let schema = try workspace.run("schema", "--sample", "dogs.jsonl")
        try workspace.write(schema.output, to: "Dog.json")
        _ = try workspace.run(
            "import", "a.realm", "dogs.jsonl", "--documents", "--source", "Dog.json")
        try makeFolder("s")
        let empty = try workspace.run("schema", "a.realm", "--check", "s")
        #expect(empty.status == 66 && empty.errors.contains("schema.json to compare"))
        try makeFolder("s/Pets/Dog")
        let other = schema.output.replacingOccurrences(of: "\"Dog\"", with: "\"Canine\"")
        try workspace.write(other, to: "s/Pets/Dog/schema.json")
        let unknown = try workspace.run("schema", "a.realm", "--check", "s", "--type", "Cat")
        #expect(unknown.status == 66 && unknown.errors.contains("“Cat”"), "\(unknown.errors)")
        for type in ["Dog", "Canine"] {
            let run = try workspace.run("schema", "a.realm", "--check", "s", "--type", type)
            #expect(run.status == 0 && run.lines.count == 1, "\(run.errors)")
        }
        let dev = try workspace.run(
            "schema", "dev", "a.realm", "--source", "s", "--database", "Pets",
            "--allow-breaking")
        #expect(dev.status == 65 && dev.errors.contains("Pets/Dog/schema.json, which holds"))
        #expect(try workspace.text(of: "s/Pets/Dog/schema.json") == other)
    }

    @Test("links may come before their targets, in separate commands")
    func links() throws {
        try makeFolder("s/Pets/people")
        try makeFolder("s/Pets/dogs")
        try workspace.write(
            """
            {"title": "Person", "bsonType": "object", "required": ["_id"], "properties":
             {"_id": {"bsonType": "string"}, "dogs": {"bsonType": "array", "items":
              {"bsonType": "long"}}}}
            """, to: "s/Pets/people/schema.json")
        try workspace.write(
            """
            {"dogs": {"ref": "#/relationship/s/Pets/dogs", "foreign_key": "_id", "is_list": true}}
            """, to: "s/Pets/people/relationships.json")
        try workspace.write(
            """
            {"title": "Dog", "bsonType": "object", "required": ["_id"], "properties":
             {"_id": {"bsonType": "long"}}}
            """, to: "s/Pets/dogs/schema.json")
        try workspace.write("{\"_id\": \"p\", \"dogs\": [2, 1]}\n", to: "people.jsonl")
        try workspace.write("{\"_id\": 1}\n{\"_id\": 2}\n", to: "dogs.jsonl")
        for (file, type) in [("people.jsonl", "Person"), ("dogs.jsonl", "Dog")] {
            let run = try workspace.run(
                "import", "a.realm", file, "--documents", "--source", "s", "--type", type)
            #expect(run.status == 0, "\(run.errors)")
            #expect(
                try workspace.run("export", "a.realm", "--type", "Person").output
                    == "{\"_id\":\"p\",\"dogs\":[2,1]}\n")
        }
        let realm = try Realm(
            configuration: Realm.Configuration(
                fileURL: workspace.directory.appendingPathComponent("a.realm"), objectTypes: []))
        #expect(realm.dynamicObjects("Person")[0].dynamicList("dogs").count == 2)
    }

    @Test("dev makes missing collections, and refuses what documents would not survive")
    func dev() throws {
        try workspace.write(dogs, to: "dogs.jsonl")
        let schema = try workspace.run("schema", "--sample", "dogs.jsonl")
        try workspace.write(schema.output, to: "Dog.json")
        _ = try workspace.run(
            "import", "a.realm", "dogs.jsonl", "--documents", "--source", "Dog.json")
        let created = try workspace.run(
            "schema", "dev", "a.realm", "--source", "s", "--database", "Pets")
        #expect(created.status == 0, "\(created.errors)")
        #expect(created.output == "Pets/Dog: created\n")
        let file = try workspace.text(of: "s/Pets/Dog/schema.json")
        #expect(try workspace.run("schema", "a.realm").output == file)
        try workspace.write(
            file.replacingOccurrences(of: "\"name\"", with: "\"nickname\""),
            to: "s/Pets/Dog/schema.json")
        let check = try workspace.run("schema", "a.realm", "--check", "s")
        #expect(check.status == 1)
        #expect(check.output.contains("Dog.nickname: removed\n"), "\(check.output)")
        let refused = try workspace.run(
            "schema", "dev", "a.realm", "--source", "s", "--database", "Pets")
        #expect(refused.status == 65 && refused.errors.contains("Dog.nickname: removed"))
        let allowed = try workspace.run(
            "schema", "dev", "a.realm", "--source", "s", "--database", "Pets",
            "--allow-breaking")
        #expect(allowed.status == 0 && allowed.output.hasPrefix("Pets/Dog: updated\n"))
        #expect(try workspace.run("schema", "a.realm", "--check", "s").status == 0)
    }

    private static let refused: [([String], Int32)] = [
        (["schema", "nowhere"], Int32(66)), (["schema", "--sample", "nowhere"], 66),
        (["generate-models", "nowhere", "--target-dir", "m"], 66),
        (["export", "nowhere", "--type", "A"], 66),
        (["import", "a", "b.jsonl", "--documents", "--value", "id"], 64),
        (["import", "a", "b.bson", "--key", "id"], 64),
        (["import", "nowhere", "b.jsonl", "--documents"], 66),
        (["schema", "a", "b"], 64), (["schema", "a", "--sample", "--check", "b"], 64),
    ]

    @Test("what is impossible is reported with its status", arguments: refused)
    func refusals(arguments: [String], status: Int32) throws {
        let run = try CommandRun(arguments, in: workspace.directory)
        #expect(run.status == status, "\(run.errors)")
        #expect(!run.errors.isEmpty && run.output.isEmpty)
    }

    @Test(
        "help teaches by example",
        arguments: [["schema"], ["schema", "dev"], ["generate-models"], ["export"]])
    func help(arguments: [String]) throws {
        let run = try CommandRun(arguments + ["--help"], in: workspace.directory)
        #expect(run.status == 0)
        let example = "  travertine " + arguments.joined(separator: " ")
        #expect(run.output.contains(example), "\(run.output)")
    }
}

private final class Shelf: Object {
    @Persisted(primaryKey: true) var _id: Int
    @Persisted var counts: Map<String, Int>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private final class Clerk: Object {
    @Persisted(primaryKey: true) var _id: Int
    @Persisted(required: true) var chief: Clerk?
    @Persisted var friend: Clerk?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
