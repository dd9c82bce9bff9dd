import Foundation
import TestSupport
import Testing
import Travertine

@Suite("diff")
struct DiffCommandTests {
    private let workspace: Workspace

    init() throws {
        workspace = Workspace()
        try QueriedPlaces.make(in: workspace)
        let backup = try workspace.run("backup", "places", "backup")
        #expect(backup.status == 0, "\(backup.errors)")
        let restored = try workspace.run("restore", "backup", "older")
        #expect(restored.status == 0, "\(restored.errors)")
    }

    private func change(_ body: (Realm) throws -> Void) throws {
        let realm = try QueriedPlaces.open(in: workspace)
        try realm.write { try body(realm) }
    }

    private func diff(_ arguments: String...) throws -> CommandRun {
        try CommandRun(["diff", "older", "places"] + arguments, in: workspace.directory)
    }

    @Test("stores with the same objects differ in nothing, and end with 0")
    func same() throws {
        let run = try diff()
        #expect(run.status == 0 && run.output.isEmpty, "\(run.output)")
        #expect(run.errors == "no difference\n")
        #expect(try diff("--quiet").errors.isEmpty)
    }

    @Test("objects that are new, gone and different come by type, with the values that differ")
    func objects() throws {
        try change { realm in
            realm.add(QueriedTown(value: ["id": 7, "name": "Faro"]))
            let towns = realm.objects(QueriedTown.self)
            realm.delete(towns.where { $0.id == 2 })
            let porto = towns.where { $0.id == 1 }.first
            porto?.people = nil
            porto?.country = nil
            porto?.names.append("Invicta")
            realm.objects(QueriedCountry.self).first?.seal?.colour = "green"
            realm.objects(QueriedNote.self).first?.text = "sea"
        }
        let run = try diff()
        #expect(run.status == 1, "\(run.errors)")
        #expect(run.lines.first == "~ QueriedCountry PT")
        for line in [
            "    seal: {\"colour\":\"red\"} → {\"colour\":\"green\"}", "~ QueriedTown 1",
            "    people: 231962 → nil", "    country: QueriedCountry PT → nil",
            "    names: [\"Oporto\",\"O Porto\"] → [\"Oporto\",\"O Porto\",\"Invicta\"]",
            "- QueriedTown 2", "+ QueriedTown 7", "    text: hills → sea",
        ] {
            #expect(run.lines.contains(line), "\(line) is missing in\n\(run.output)")
        }
        #expect(
            run.errors.contains(
                "QueriedTown: 1 inserted, 1 deleted, 1 modified (country 1, names 1, people 1)"),
            "\(run.errors)")
        let summary = try diff("--summary", "--type", "QueriedTown")
        #expect(summary.status == 1 && summary.lines.count == 1 && summary.errors.isEmpty)
        let quiet = try diff("-q")
        #expect(quiet.status == 1 && quiet.output.isEmpty && quiet.errors.isEmpty)
        let json = try diff("--json", "--type", "QueriedTown").lines
        #expect(
            json.contains(#"{"type":"QueriedTown","change":"inserted","key":7}"#), "\(json)")
        #expect(json.contains { $0.contains(#""people":{"old":231962,"new":null}"#) }, "\(json)")
        let all = try diff("--json", "--summary")
        let counts = try #require(
            try JSONSerialization.jsonObject(with: Data(all.output.utf8)) as? [[String: Any]])
        #expect(counts.count == 3 && counts[2]["inserted"] as? Int == 1)
    }

    @Test("two commits of one database are compared while the log has them, and read by others")
    func commits() throws {
        let before = try newestCommit()
        // Closed once: of indexes the two newest checkpoints are kept, and what is after them.
        let realm = try QueriedPlaces.open(in: workspace)
        try realm.write { _ = realm.add(QueriedTown(value: ["id": 7, "name": "Faro"])) }
        let between = before + 1
        try realm.write { realm.delete(realm.objects(QueriedTown.self).where { $0.id == 7 }) }
        func diff(_ arguments: String...) throws -> CommandRun {
            try CommandRun(["diff", "places"] + arguments, in: workspace.directory)
        }
        let whole = try diff("--from", "\(before)")
        #expect(whole.status == 0 && whole.errors == "no difference\n", "\(whole.errors)")
        let first = try diff("--from", "\(before)", "--to", "\(between)")
        #expect(first.status == 1 && first.lines == ["+ QueriedTown 7"], "\(first.output)")
        let second = try diff("--from", "\(between)")
        #expect(second.status == 1 && second.lines == ["- QueriedTown 7"], "\(second.output)")
        let other = try CommandRun(
            ["diff", "older", "places", "--to", "\(between)"], in: workspace.directory)
        #expect(other.lines == ["+ QueriedTown 7"], "\(other.output)\(other.errors)")

        let query = try workspace.run(
            "query", "places", "QueriedTown WHERE id == 7", "--count", "--as-of", "\(between)")
        #expect(query.output == "1\n", "\(query.errors)")
        let show = try workspace.run("show", "places", "QueriedTown", "7", "--as-of", "\(between)")
        #expect(show.status == 0 && show.output.contains("Faro"), "\(show.errors)")
        let export = try workspace.run(
            "export", "places", "--type", "QueriedCountry", "--where", "code == 'PT'", "--as-of",
            "\(between)")
        #expect(export.status == 0 && export.output.contains("Portugal"), "\(export.errors)")
    }

    private func newestCommit() throws -> UInt64 {
        let stat = try workspace.run("stat", "places", "--json")
        let object = try JSONSerialization.jsonObject(with: Data(stat.output.utf8))
        return try #require((object as? [String: Any])?["lastLSN"] as? UInt64)
    }

    @Test("a commit that is not there, and a database without commits to compare, are refused")
    func refusedCommits() throws {
        let alone = try CommandRun(["diff", "places"], in: workspace.directory)
        #expect(alone.status == 2 && alone.errors.contains("--from and --to"), "\(alone.errors)")
        let toCome = try CommandRun(
            ["diff", "places", "--from", "99999999"], in: workspace.directory)
        #expect(toCome.status == 2 && toCome.errors.contains("no commit 99999999 yet"))
        let empty = try CommandRun(["diff", "places", "--from", "0"], in: workspace.directory)
        #expect(empty.status == 2 && empty.errors.contains("has no object types yet"))
        let query = try workspace.run(
            "query", "places", "QueriedTown", "--count", "--as-of", "99999999")
        #expect(query.status == 66, "\(query.errors)")
    }

    @Test("what both write in another order, and what is no number, is the same")
    func sameValues() throws {
        for name in ["older", "places"] {
            let realm = try Realm(
                configuration: Realm.Configuration(
                    fileURL: workspace.url(name),
                    objectTypes: [
                        QueriedTown.self, QueriedNote.self,
                        QueriedCountry.self, QueriedSeal.self,
                    ]))
            try realm.write {
                realm.add(QueriedTown(value: ["id": 8, "latitude": Double.nan]))
            }
        }
        #expect(try diff().status == 0)
    }

    @Test("types and properties that only one store has are reported once")
    func schemas() throws {
        let dog = #"{"title": "Dog", "bsonType": "object", "required": ["_id"], "properties": "#
        try workspace.write(dog + #"{"_id": {"bsonType": "long"}}}"#, to: "a.json")
        try workspace.write(
            dog + #"{"_id": {"bsonType": "long"}, "age": {"bsonType": "long"}}}"#, to: "b.json")
        try workspace.write(#"{"_id": 1}"#, to: "dogs.jsonl")
        for name in ["a", "b"] {
            let run = try workspace.run(
                "import", name, "dogs.jsonl", "--documents", "--source", name + ".json")
            #expect(run.status == 0, "\(run.errors)")
        }
        let run = try workspace.run("diff", "a", "b")
        #expect(run.status == 1)
        #expect(run.lines == ["~ Dog: the property “age” is only in the second"], "\(run.output)")
        let other = try workspace.run("diff", "a", "places", "--json")
        #expect(other.status == 1 && other.lines.count == 4, "\(other.output)")
        #expect(other.output.contains("the type, with 1 object, is only in the first"))
    }

    @Test(
        "whatever is wrong ends with 2",
        arguments: [
            ["diff", "places"], ["diff", "places", "none"], ["diff", "places", "backup"],
            ["diff", "places", "older", "--type", "QueriedTwon"], ["diff", "places", "keys"],
            ["diff", "places", "older", "-q", "--json"],
        ])
    func trouble(arguments: [String]) throws {
        _ = try workspace.run("put", "keys", "a", "1")
        let run = try CommandRun(arguments, in: workspace.directory)
        #expect(run.status == 2 && run.output.isEmpty, "\(run.errors)")
        #expect(run.errors.hasPrefix("error: "), "\(run.errors)")
    }

    @Test("damage ends with 2, after what was found before it")
    func damage() throws {
        try change { $0.objects(QueriedTown.self).first?.people = 5 }
        try QueriedPlaces.damageLastTown(in: workspace)
        let run = try diff()
        #expect(run.status == 2, "\(run.errors)")
        #expect(run.lines.contains("    people: 231962 → 5"), "\(run.output)")
    }
}
