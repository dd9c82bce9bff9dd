import Foundation
import TestSupport
import Testing

@Suite("travertine schema --diff")
struct SchemaDiffTests {
    private let workspace = Workspace()

    /// Makes a store with the types that documents have.
    private func makeStore(_ name: String, _ documents: String) throws {
        try workspace.write(documents, to: "\(name).jsonl")
        let schema = try workspace.run("schema", "--sample", "\(name).jsonl", "--title", "Dog")
        try workspace.write(schema.output, to: "\(name).json")
        let imported = try workspace.run(
            "import", "\(name).realm", "\(name).jsonl", "--documents", "--source", "\(name).json")
        #expect(imported.status == 0, "\(imported.errors)")
    }

    @Test("reports what is added, removed and changed, and what needs a migration")
    func differences() throws {
        try makeStore("old", "{\"_id\": 1, \"name\": \"Rex\", \"age\": 3, \"legs\": 4}\n")
        try makeStore("new", "{\"_id\": 1, \"title\": \"Rex\", \"age\": \"3\", \"tail\": true}\n")
        let run = try workspace.run("schema", "old.realm", "--diff", "new.realm")
        #expect(run.status == 1, "\(run.errors)")
        for text in [
            "migration: Property 'Dog.name' is removed, with its values. If it has become 'title'",
            "migration: Property 'Dog.age' has been changed from 'int' to 'string'. No value has",
            "higher version: Property 'Dog.legs' is removed",
            "higher version: Property 'Dog.tail' is added.",
        ] {
            #expect(run.output.contains(text), "\(text): \(run.output)")
        }
        #expect(run.errors.contains("5 changes"), "\(run.errors)")
        let file = try workspace.run("schema", "old.realm", "--diff", "new.json", "--json")
        #expect(file.status == 1 && file.output.contains("\"need\""), "\(file.output)")
        #expect(try workspace.run("schema", "old.realm").output.contains("legs"))
    }

    @Test("a schema that fits ends with 0, and one that needs no migration too")
    func fitting() throws {
        try makeStore("old", "{\"_id\": 1, \"name\": \"Rex\"}\n")
        for path in ["old.json", "old.realm"] {
            let same = try workspace.run("schema", "old.realm", "--diff", path)
            #expect(same.status == 0 && same.output.isEmpty, "\(same.output)\(same.errors)")
        }
        try makeStore("new", "{\"_id\": 1, \"name\": \"Rex\", \"age\": 3}\n")
        let added = try workspace.run("schema", "old.realm", "--diff", "new.realm")
        #expect(added.status == 0, "\(added.errors)")
        #expect(added.output == "higher version: Property 'Dog.age' is added.\n")
    }

    @Test("what can't be compared is refused")
    func refused() throws {
        try makeStore("old", "{\"_id\": 1, \"name\": \"Rex\"}\n")
        #expect(try workspace.run("schema", "old.realm", "--diff", "nothing").status == 66)
        let both = try workspace.run("schema", "old.realm", "--diff", "old.json", "--check", "s")
        #expect(both.status == 64 && both.errors.contains("--diff takes no --check"))
        let type = try workspace.run(
            "schema", "old.realm", "--diff", "old.json", "--type", "Cat")
        #expect(type.status == 66 && type.errors.contains("“Cat”"))
    }
}
