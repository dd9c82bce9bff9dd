import Foundation
import TestSupport
import Testing
import Travertine

@Suite("show, and what stat, get and scan say of objects")
struct ShowCommandTests {
    private let workspace: Workspace

    init() throws {
        workspace = Workspace()
        try QueriedPlaces.make(in: workspace)
    }

    private func show(_ arguments: String...) throws -> CommandRun {
        try CommandRun(["show", "places"] + arguments, in: workspace.directory)
    }

    // MARK: show

    @Test("an object has its links as type and key, its collections unfolded, nil as a word")
    func object() throws {
        let run = try show("QueriedTown", "1")
        #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
        #expect(
            run.lines == [
                "QueriedTown 1", "  id        1", "  name      Porto", "  people    231962",
                "  latitude  41.15", "  country   QueriedCountry PT", "  names     [2]",
                "    0  Oporto", "    1  O Porto", "  note      nil",
            ])
    }

    @Test("embedded objects are unfolded, and the objects that link are counted by property")
    func linked() throws {
        let run = try show("QueriedCountry", "PT")
        #expect(
            run.lines == [
                "QueriedCountry PT", "  code  PT", "  name  Portugal", "  seal",
                "    colour  red", "linked from QueriedTown.country: 2 objects",
            ], "\(run.errors)")
        let json = try #require(try show("QueriedCountry", "PT", "--json").json())
        #expect(json["type"] as? String == "QueriedCountry" && json["key"] as? String == "PT")
        #expect(json["linkedFrom"] as? [String: Int] == ["QueriedTown.country": 2])
        let object = try #require(json["object"] as? [String: Any])
        #expect(object["seal"] as? [String: String] == ["colour": "red"])
    }

    @Test("an object without primary key is named by its number, which is printed without a key")
    func keyless() throws {
        let keys = try show("QueriedNote")
        let number = try #require(keys.lines.first)
        #expect(keys.lines.count == 1 && Int(number) != nil, "\(keys.output)\(keys.errors)")
        let run = try show("QueriedNote", number)
        #expect(
            run.lines == [
                "QueriedNote \(number)", "  text  hills", "linked from QueriedTown.note: 1 object",
            ], "\(run.errors)")
        #expect(try show("QueriedTown", "2").lines.last == "  note      QueriedNote \(number)")
        let seal = try #require(try show("QueriedSeal").lines.first)
        #expect(
            try show("QueriedSeal", seal).lines.last
                == "linked from QueriedCountry.seal: 1 object")
    }

    @Test("a key may be a negative number, before and after options")
    func negativeKey() throws {
        for arguments in [["-1"], ["-1", "--json"], ["--json", "-1"], ["--", "-1"]] {
            let run = try CommandRun(
                ["show", "places", "QueriedTown"] + arguments, in: workspace.directory)
            #expect(run.status == 1, "\(arguments): \(run.errors)")
            #expect(run.errors.contains("QueriedTown -1"), "\(run.errors)")
        }
        let run = try show("QueriedTown", "-n", "-1")
        #expect(run.status == 64 && run.errors.contains("--limit"), "\(run.errors)")
    }

    @Test("without a key the keys of the type are printed")
    func keys() throws {
        #expect(try show("QueriedTown").lines == ["1", "2", "3"])
        #expect(try show("QueriedTown", "-n", "2").lines == ["1", "2"])
        #expect(try show("QueriedCountry", "--json").lines == [#"{"key":"PT"}"#])
    }

    @Test("long collections are cut, and shown whole with --all")
    func longCollections() throws {
        let realm = try QueriedPlaces.open(in: workspace)
        try realm.write {
            let town = QueriedTown(value: ["id": 9])
            town.names.append(objectsIn: (0..<25).map { "name \($0)" })
            realm.add(town)
        }
        let cut = try show("QueriedTown", "9")
        #expect(cut.output.contains("… and 5 more: --all"), "\(cut.output)")
        #expect(!cut.output.contains("name 20"))
        let all = try show("QueriedTown", "9", "--all")
        #expect(all.output.contains("    24  name 24"), "\(all.output)")
        withExtendedLifetime(realm) {}
    }

    @Test(
        "what is wrong has its own status and says what is right",
        arguments: [
            (["places", "QueriedTown", "7"], 1, "no such object: QueriedTown 7"),
            (["places", "QueriedNote", "999"], 1, "no such object: QueriedNote 999"),
            (["places", "QueriedTown", "x"], 64, "an integer"),
            (["places", "QueriedNote", "x"], 64, "no primary key"),
            (["places", "QueriedTwon", "1"], 66, "'QueriedTown'"),
            (["places", "QueriedTown", "1", "--limit", "2"], 64, "--limit"),
            (["none", "QueriedTown", "1"], 66, "no such store"),
            (["keys", "QueriedTown", "1"], 66, "no object types"),
            (["plain", "QueriedTown", "1"], 66, "holds other files"),
        ])
    func wrong(arguments: [String], status: Int32, words: String) throws {
        _ = try workspace.run("put", "keys", "a", "1")
        try workspace.write("x", to: "plain/file")
        let run = try CommandRun(["show"] + arguments, in: workspace.directory)
        #expect(run.status == status, "\(run.errors)")
        #expect(run.errors.hasPrefix("error: ") && run.errors.contains(words), "\(run.errors)")
        #expect(run.output.isEmpty)
    }

    @Test("a damaged object ends with 65")
    func damage() throws {
        try QueriedPlaces.damageLastTown(in: workspace)
        #expect(try show("QueriedTown", "3").status == 65)
        #expect(try show("QueriedTown", "1").status == 0)
    }

    // MARK: stat, get, scan

    @Test("stat lists types with objects, bytes, links and indexes, of one version")
    func stat() throws {
        let json = try #require(try workspace.run("stat", "places", "--json").json())
        let types = try #require(json["types"] as? [[String: Any]])
        #expect(
            types.compactMap { $0["name"] as? String } == [
                "QueriedCountry", "QueriedNote", "QueriedSeal", "QueriedTown",
            ])
        #expect(types.compactMap { $0["objectCount"] as? Int } == [1, 1, 1, 3])
        #expect(types[2]["isEmbedded"] as? Bool == true)
        #expect(types[3]["linkCount"] as? Int == 3)
        #expect(try #require(types[3]["byteCount"] as? Int) > 3 * 8)
        let indexes = try #require(types[0]["indexes"] as? [[String: Any]])
        #expect(indexes.first?["kind"] as? String == "primaryKey")
        #expect(indexes.first?["properties"] as? [String] == ["code"])
        #expect(indexes.first?["entryCount"] as? Int == 1)
        let text = try workspace.run("stat", "places")
        #expect(text.output.contains("code (primary key)"), "\(text.output)")
        #expect(text.output.contains("QueriedSeal (embedded)"))
        #expect(try workspace.run("stat", "places", "--html", "page.html").status == 0)
        #expect(try workspace.text(of: "page.html").contains("<h2>Object types</h2>"))
        _ = try workspace.run("put", "keys", "a", "1")
        #expect(try workspace.run("stat", "keys", "--json").json()?["types"] == nil)
    }

    @Test("get and scan of keys say where the objects are")
    func hints() throws {
        for arguments in [["get", "places", "1"], ["scan", "places"]] {
            let run = try CommandRun(arguments, in: workspace.directory)
            #expect(
                run.errors.contains("travertine show places QueriedCountry KEY"), "\(run.errors)")
            #expect(run.status == (arguments[0] == "get" ? 1 : 0) && run.output.isEmpty)
        }
        let rows = try workspace.run("scan", "places", "-k", "type.1.rows", "--keys-only")
        #expect(rows.errors.isEmpty && rows.status == 0, "\(rows.errors)")
        _ = try workspace.run("put", "keys", "a", "1")
        #expect(try workspace.run("get", "keys", "b").errors == "error: no such key: b\n")
    }
}
