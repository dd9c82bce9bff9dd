import Foundation
import TestSupport
import Testing

/// Files of other origin have no `_id`: `schema --sample` made schemas that nothing else took, and
/// integers that were small in the samples refused the first larger one.
@Suite("documents with another key than _id")
struct DocumentKeyTests {
    private let workspace: Workspace

    init() throws { workspace = Workspace() }

    private func sample(_ arguments: String...) throws -> CommandRun {
        try workspace.write(
            """
            {"geonameid": 7, "name": "Ulm", "area": 118, "parts": [{"n": 1}]}
            {"geonameid": 8, "name": "Linz", "area": 96, "parts": []}
            """, to: "cities.jsonl")
        let run = try CommandRun(
            ["schema", "--sample", "cities.jsonl"] + arguments, in: workspace.directory)
        if run.status == 0 { try workspace.write(run.output, to: "City.json") }
        return run
    }

    @Test("--key goes from the sample to objects and classes")
    func key() throws {
        let sampled = try sample("--key", "geonameid")
        #expect(sampled.status == 0)
        #expect(sampled.errors == "2 documents\n", "\(sampled.errors)")
        let imported = try workspace.run(
            "import", "store", "cities.jsonl", "--documents", "--source", "City.json", "--key",
            "geonameid")
        #expect(imported.status == 0, "\(imported.errors)")
        // The key makes the second import replace what the first one stored.
        let again = try workspace.run("import", "store", "cities.jsonl", "--documents")
        #expect(again.errors.contains("2 of them replaced"), "\(again.errors)")
        let models = try workspace.run(
            "generate-models", "City.json", "--key", "geonameid", "--target-dir", "Models")
        #expect(models.status == 0, "\(models.errors)")
        let text = try String(
            contentsOf: workspace.directory.appendingPathComponent("Models/City.swift"),
            encoding: .utf8)
        #expect(text.contains("@Persisted(primaryKey: true) var geonameid: Int\n"), "\(text)")
    }

    @Test("without --key the advice names it, and a wrong --key is refused")
    func refusals() throws {
        let sampled = try sample()
        #expect(sampled.errors.contains("`--key`"), "\(sampled.errors)")
        let wrong = try workspace.run(
            "import", "store", "cities.jsonl", "--documents", "--source", "City.json", "--key",
            "nothing")
        #expect(wrong.status == 65)
        #expect(wrong.errors.contains("City.nothing is missing, and is the key"))
        #expect(!wrong.errors.contains(".."), "\(wrong.errors)")
        #expect(
            try workspace.run(
                "import", "store", "cities.jsonl", "--documents", "--source", "City.json",
                "--key", "geonameid"
            ).status == 0)
        let other = try workspace.run(
            "import", "store", "cities.jsonl", "--documents", "--key", "name")
        #expect(other.status == 64 && other.errors.contains("the key “geonameid”"))
        try workspace.write(#"{"_id": 1, "n": 2}"#, to: "dogs.jsonl")
        let usual = try workspace.run("schema", "--sample", "dogs.jsonl", "--key", "n")
        #expect(usual.status == 64 && usual.errors.contains("documents have “_id”"))
    }

    @Test("a sampled schema takes larger integers, unless --narrow-integers asks for int")
    func integers() throws {
        _ = try sample("--key", "geonameid")
        try workspace.write(
            #"{"geonameid": 9, "name": "X", "area": 5000000000, "parts": [{"n": 5000000000}]}"#,
            to: "large.jsonl")
        func importLarge(_ store: String) throws -> CommandRun {
            try workspace.run(
                "import", store, "large.jsonl", "--documents", "--source", "City.json", "--key",
                "geonameid")
        }
        let taken = try importLarge("wide")
        #expect(taken.status == 0, "\(taken.errors)")
        let narrow = try sample("--key", "geonameid", "--narrow-integers")
        #expect(narrow.output.contains(#""bsonType": "int""#))
        let refused = try importLarge("narrow")
        #expect(refused.status == 65, "\(refused.errors)")
    }

    @Test("classes import Travertine, as the README has it, or the module of --import")
    func modules() throws {
        _ = try sample("--key", "geonameid")
        for (arguments, module) in [
            ([], "Travertine"), (["--import", "RealmSwift"], "RealmSwift"),
        ] {
            let run = try CommandRun(
                ["generate-models", "City.json", "--key", "geonameid", "--target-dir", module]
                    + arguments, in: workspace.directory)
            #expect(run.status == 0, "\(run.errors)")
            let text = try String(
                contentsOf: workspace.directory.appendingPathComponent("\(module)/City.swift"),
                encoding: .utf8)
            #expect(text.hasPrefix("import Foundation\nimport \(module)\n\n"), "\(text)")
        }
        let wrong = try workspace.run(
            "generate-models", "City.json", "--target-dir", "m", "--import", "a b")
        #expect(wrong.status == 64)
    }
}
