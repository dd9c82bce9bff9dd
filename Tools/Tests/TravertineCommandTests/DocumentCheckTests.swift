import Foundation
import TestSupport
import Testing
import Travertine

@Suite("import --documents --check")
struct DocumentCheckTests {
    private let workspace: Workspace

    init() throws { workspace = Workspace() }

    private let schema = """
        {"title": "Dog", "bsonType": "object", "required": ["_id", "name"],
         "properties": {"_id": {"bsonType": "long"}, "name": {"bsonType": "string"},
          "age": {"bsonType": "int", "maximum": 30},
          "tags": {"bsonType": "array", "minItems": 1, "items": {"bsonType": "string"}}}}
        """

    private let dogs = """
        {"_id": 1, "name": "Rex", "tags": ["a"]}
        {"_id": 2, "age": "old", "tags": []}
        {"_id": 3, "name": "Bo", "age": 31, "colour": "red"}
        {"_id": 1, "name": "Ada", "tags": ["b"]}
        {"_id": 5, "name": "Cy"
        {"_id": 6, "name": "Di", "age": 3000000000}
        {"_id": 7, "name": "Ed", "tags": ["c"], "colour": "red"}
        {"_id": 8, "name": "Flo"}

        """

    private let expected = [
        "document 2: name: required, and missing; age: int expected, string found; "
            + "tags: 0 elements, fewer than 1",
        "document 3: age: 31 is above 30",
        "document 4: _id: document 1 has this key; an import keeps the last one",
        "document 5: the document: invalid JSON at line 6, column 1",
        "document 6: age: int expected, long found",
        "document 8: tags: 0 elements, fewer than 1, as an export would write it",
    ]

    @Test("every bad document is reported by its position; no store is made")
    func withoutStore() throws {
        try workspace.write(schema, to: "Dog.json")
        try workspace.write(dogs, to: "dogs.jsonl")
        let arguments = [
            "import", "a.realm", "dogs.jsonl", "--documents", "--source", "Dog.json", "--check",
        ]
        let run = try CommandRun(arguments, in: workspace.directory)
        #expect(run.status == 1, "\(run.errors)")
        try #require(run.lines.count == expected.count, "\(run.output)")
        for (line, expected) in zip(run.lines, expected) {
            #expect(line.hasPrefix(expected), "\(line)")
        }
        #expect(run.errors.contains("8 documents, 6 of them bad; nothing was imported"))
        #expect(run.errors.contains("“colour” has no property: skipped 1 time"))
        let store = workspace.directory.appendingPathComponent("a.realm")
        #expect(!FileManager.default.fileExists(atPath: store.path))

        let json = try CommandRun(arguments + ["--json"], in: workspace.directory)
        #expect(json.status == 1 && json.errors.isEmpty, "\(json.errors)")
        let summary = try json.json()
        #expect(summary?["documentCount"] as? Int == 8 && summary?["badCount"] as? Int == 6)
        let bad = summary?["bad"] as? [[String: Any]]
        #expect(bad?.compactMap { $0["position"] as? Int } == [2, 3, 4, 5, 6, 8])
        let problems = bad?.first?["problems"] as? [[String: String]]
        #expect(problems?.map { $0["path"] } == ["name", "age", "tags"])
        #expect(problems?.first?["reason"] == "required, and missing")
    }

    @Test("a store stays as it is, and good documents end with 0")
    func withStore() throws {
        try workspace.write(schema, to: "Dog.json")
        try workspace.write("{\"_id\": 1, \"name\": \"Rex\", \"tags\": [\"a\"]}\n", to: "one.jsonl")
        let first = try workspace.run(
            "import", "a.realm", "one.jsonl", "--documents", "--source", "Dog.json")
        #expect(first.status == 0, "\(first.errors)")
        try workspace.write(
            "[{\"_id\": 2, \"name\": \"Bo\", \"tags\": [\"a\"]},"
                + " {\"_id\": 1, \"name\": \"Di\", \"tags\": [\"a\"]}]", to: "two.json")
        for arguments in [[], ["--source", "Dog.json"]] {
            let run = try CommandRun(
                ["import", "a.realm", "two.json", "--documents", "--check"] + arguments,
                in: workspace.directory)
            #expect(run.status == 0 && run.output.isEmpty, "\(run.errors)")
            #expect(run.errors.contains("2 documents, 0 of them bad; nothing was imported"))
        }
        let export = try workspace.run("export", "a.realm", "--type", "Dog")
        #expect(export.lines.count == 1 && export.output.contains("\"name\":\"Rex\""))
    }

    @Test("required links and unique indexes are checked as an import would find them")
    func linksAndIndexes() throws {
        do {
            let realm = try Realm(
                configuration: Realm.Configuration(
                    fileURL: workspace.directory.appendingPathComponent("a.realm"),
                    objectTypes: [Guard.self]))
            try realm.write {
                let chief = Guard(value: ["_id": 100, "post": "gate"])
                chief.chief = chief
                realm.add(chief)
            }
        }
        try workspace.write(
            """
            {"_id": 1, "chief": 2, "post": "door", "friend": 55}
            {"_id": 2, "chief": 100}
            {"_id": 3, "chief": 9}
            {"_id": 4, "chief": 3}
            {"_id": 5, "chief": 5, "post": "gate"}
            {"_id": 6, "chief": 6, "post": "door"}

            """, to: "guards.jsonl")
        let run = try workspace.run("import", "a.realm", "guards.jsonl", "--documents", "--check")
        #expect(run.status == 1, "\(run.errors)")
        let positions = run.lines.map { String($0.prefix(11)) }
        #expect(positions == [5, 6, 3, 4].map { "document \($0):" }, "\(run.output)")
        #expect(run.output.contains("document 3: chief: the required link leads to a Guard"))
        #expect(run.errors.contains("Guard.friend: 1 link to objects of Guard that are not there"))
        #expect(try workspace.run("export", "a.realm", "--type", "Guard").lines.count == 1)
        #expect(try workspace.run("fsck", "a.realm").status == 0)
    }

    @Test("what can't be read to its end ends with 65, after what was found")
    func cutOff() throws {
        try workspace.write(schema, to: "Dog.json")
        try workspace.write(
            #"[{"_id": 1, "name": "A", "tags": ["a"]}, {"_id": 2}, {"_id": }, {"_id": 4}]"#,
            to: "dogs.json")
        let arguments = [
            "import", "a.realm", "dogs.json", "--documents", "--source", "Dog.json", "--check",
        ]
        let run = try CommandRun(arguments, in: workspace.directory)
        #expect(run.status == 65 && run.lines.count == 2, "\(run.errors)")
        #expect(run.errors.contains("The rest of the file can't be read"))
        let json = try CommandRun(arguments + ["--json"], in: workspace.directory)
        #expect(try json.status == 65 && json.json()?["isCutOff"] as? Bool == true)
    }

    @Test(
        "it is for --documents, and leaves nothing out",
        arguments: [
            ["import", "a.realm", "b.jsonl", "--key", "id", "--check"],
            ["import", "a.realm", "b.jsonl", "--documents", "--check", "--skip-invalid"],
        ])
    func usage(arguments: [String]) throws {
        let run = try CommandRun(arguments, in: workspace.directory)
        #expect(run.status == 64 && run.errors.contains("--check"), "\(run.errors)")
    }

    @Test("without store or data source it says what is missing")
    func missing() throws {
        try workspace.write(dogs, to: "dogs.jsonl")
        let run = try workspace.run("import", "a.realm", "dogs.jsonl", "--documents", "--check")
        #expect(run.status == 66 && run.errors.contains("--source"), "\(run.errors)")
    }
}

private final class Guard: Object {
    @Persisted(primaryKey: true) var _id: Int
    @Persisted(required: true) var chief: Guard?
    @Persisted var friend: Guard?
    @Persisted var post: String?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    override class func indexes() -> [ObjectIndex] { [ObjectIndex("post", isUnique: true)] }
}
