import Foundation
import TestSupport
import Testing

@Suite("export of chosen objects, CSV and several types")
struct ExportCommandTests {
    private let workspace: Workspace

    init() throws {
        workspace = Workspace()
        try QueriedPlaces.make(in: workspace)
        // Towns link to notes, which have no key that an import could find.
        try workspace.write(
            #"{"_id": 1, "age": 3}"# + "\n" + #"{"_id": 2, "age": 9}"# + "\n"
                + #"{"_id": 3, "age": 5}"#, to: "dogs.jsonl")
        let schema =
            #""bsonType": "object", "required": ["_id"], "properties": {"_id": {"bsonType": "long"}, "#
        try workspace.write(
            #"{"title": "Dog", \#(schema)"age": {"bsonType": "long"}}}"#,
            to: "s/Pets/dogs/schema.json")
        try workspace.write(
            #"{"title": "Owner", \#(schema)"name": {"bsonType": "string"}}}"#,
            to: "s/Pets/owners/schema.json")
        try workspace.write(#"{"_id": 7, "name": "a, b"}"#, to: "owners.jsonl")
        for (type, file) in [("Dog", "dogs.jsonl"), ("Owner", "owners.jsonl")] {
            let run = try workspace.run(
                "import", "pets", file, "--documents", "--source", "s", "--type", type)
            #expect(run.status == 0, "\(run.errors)")
        }
    }

    private func export(_ arguments: String...) throws -> CommandRun {
        try CommandRun(["export", "pets"] + arguments, in: workspace.directory)
    }

    @Test("--where, --sort and --limit choose objects and their order")
    func chosen() throws {
        let old = try export("--type", "Dog", "--where", "age > 3", "--sort", "age DESC")
        #expect(old.lines == [#"{"_id":2,"age":9}"#, #"{"_id":3,"age":5}"#], "\(old.errors)")
        let two = try export("--type", "Dog", "--sort", "age, _id DESC", "-n", "2")
        #expect(two.lines == [#"{"_id":1,"age":3}"#, #"{"_id":3,"age":5}"#], "\(two.errors)")
        let none = try export("--type", "Dog", "--where", "age > 90", "--json")
        #expect(none.status == 0 && none.output.isEmpty)
        #expect(none.errors.contains("\"objectCount\" : 0"), "\(none.errors)")
    }

    @Test("CSV has a line of names, and is what query prints")
    func csv() throws {
        let run = try export("--type", "Dog", "--format", "csv", "--where", "age < 9")
        #expect(run.output == "_id,age\r\n1,3\r\n3,5\r\n", "\(run.errors)")
        #expect(try export("--type", "Owner", "-o", "o.csv").status == 0)
        #expect(try workspace.text(of: "o.csv") == "_id,name\r\n7,\"a, b\"\r\n")
        let towns = try workspace.run(
            "export", "places", "--type", "QueriedCountry", "--format", "csv")
        #expect(
            towns.output
                == (try workspace.run("query", "places", "QueriedCountry", "--csv").output))
        let empty = try export("--type", "Dog", "--format", "csv", "-n", "0")
        #expect(empty.output == "_id,age\r\n")
    }

    @Test("several types, and all, are files of a directory, which import reads again")
    func several() throws {
        let run = try export("--type", "Dog", "--type", "Owner", "-o", "out/", "--json")
        #expect(run.status == 0, "\(run.errors)")
        let counts = try #require(try run.json()?["objectCounts"] as? [String: Int])
        #expect(counts == ["Dog": 3, "Owner": 1])
        #expect(try workspace.text(of: "out/Owner.jsonl") == "{\"_id\":7,\"name\":\"a, b\"}\n")
        #expect(try export("-o", "all", "--format", "bson").status == 0)
        let names = try FileManager.default.contentsOfDirectory(
            atPath: workspace.url("all").path)
        #expect(names.sorted() == ["Dog.bson", "Owner.bson"])
        let back = try workspace.run(
            "import", "copy", "all/Dog.bson", "--documents", "--source", "s", "--type", "Dog")
        #expect(back.status == 0, "\(back.errors)")
        #expect(
            try workspace.run("export", "copy", "--type", "Dog").output
                == (try export("--type", "Dog").output))
    }

    @Test("the only type need not be named")
    func only() throws {
        try workspace.write("{\"_id\": 1}", to: "one.jsonl")
        _ = try workspace.run(
            "import", "one", "one.jsonl", "--documents", "--source", "s/Pets/dogs/schema.json")
        #expect(try workspace.run("export", "one").lines == [#"{"_id":1,"age":null}"#])
    }

    @Test(
        "wrong arguments say what is right",
        arguments: [
            ([], 64, "There are: Dog, Owner"), (["--type", "Dog", "--type", "Dog"], 64, "twice"),
            (["--type", "Dog", "--type", "Owner"], 64, "-o DIRECTORY"),
            (["-o", "dogs.jsonl"], 64, "is a file"),
            (["-o", "out/", "--where", "age > 3"], 64, "--type"),
            (["--type", "Dog", "--where", "agee > 3"], 64, "^~~~"),
            (["--type", "Dog", "--where", " "], 64, "--where"),
            (["--type", "Dog", "--sort", "age DOWN"], 64, "--sort"),
            (["--type", "Dog", "--sort", "agee"], 64, "agee"),
            (["--type", "Dog", "--format", "csv", "--skip-invalid"], 64, "CSV"),
            (["--type", "Dog", "--limit", "-1"], 64, "--limit"),
            (["--type", "Dog", "-o", "pets/manifest"], 64, "directory of a database"),
            (["--type", "Dog", "-o", "pets/0000000001.segment"], 64, "directory of a database"),
            (["--type", "Dog", "-o", "places/dogs.jsonl"], 64, "directory of a database"),
            (["-o", "pets"], 64, "directory of a database"),
            (["--type", "Dog", "-o", "pets.backup/manifest"], 64, "directory of a database"),
            (["--type", "Dgo"], 66, "There are: Dog, Owner"),
            (["--type", "Dog", "--type", "Dgo", "-o", "made/"], 66, "There are"),
        ])
    func wrong(arguments: [String], status: Int32, words: String) throws {
        #expect(try workspace.run("backup", "pets", "pets.backup").status == 0)
        let run = try CommandRun(["export", "pets"] + arguments, in: workspace.directory)
        #expect(run.status == status, "\(run.errors)")
        #expect(run.errors.hasPrefix("error: ") && run.errors.contains(words), "\(run.errors)")
        #expect(run.output.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: workspace.url("made").path))
    }
}
