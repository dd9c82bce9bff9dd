import Foundation
import Testing
import Travertine

@testable import StudioServer

@Suite("What the studio shows of a realm")
struct ExplorerTests {
    private static func rows(
        _ type: String, filter: String = "", order: String = "[]", from: Int = 0, count: Int = 10
    ) -> String {
        #"{"query":{"type":"\#(type)","filter":"\#(filter)","order":\#(order)},"#
            + #""from":\#(from),"count":\#(count)}"#
    }

    private static func cells(_ answer: Answer) throws -> [[Any]] {
        try (answer.json["rows"] as? [[String: Any]] ?? []).compactMap { $0["c"] as? [Any] }
    }

    @Test("types come with counts and properties")
    func overview() async throws {
        let studio = try await StudioFixture()
        let types = try await studio.get("/api/overview").json["types"] as? [[String: Any]] ?? []
        #expect(types.compactMap { $0["name"] as? String } == ["Animal", "Home", "Keeper"])
        #expect(types.compactMap { $0["count"] as? Int } == [20, 20, 250])
        #expect(types.compactMap { $0["isEmbedded"] as? Bool } == [false, true, false])
        let keeper = types[2]["properties"] as? [[String: Any]] ?? []
        #expect(
            keeper.compactMap { $0["type"] as? String } == [
                "int", "string", "int?", "list<Animal>", "data?",
            ])
    }

    @Test("rows are those at the positions that were asked for")
    func rowsByPosition() async throws {
        let studio = try await StudioFixture()
        let answer = try await studio.post("/api/rows", Self.rows("Keeper", from: 245, count: 10))
        #expect(try answer.json["total"] as? Int == 250)
        #expect(
            try Self.cells(answer).map { $0[0] as? String } == ["245", "246", "247", "248", "249"])
        let beyond = try await studio.post("/api/rows", Self.rows("Keeper", from: 9_000_000_000))
        #expect(beyond.status == 200)
        #expect(try Self.cells(beyond).isEmpty)
    }

    @Test("conditions and orders apply together")
    func conditionAndOrder() async throws {
        let studio = try await StudioFixture()
        let answer = try await studio.post(
            "/api/rows",
            Self.rows(
                "Keeper", filter: "age >= 58",
                order: #"[{"name":"age","isDescending":true},{"name":"id","isDescending":true}]"#))
        let cells = try Self.cells(answer)
        #expect(cells.map { $0[2] as? String } == ["59", "59", "59", "58", "58", "58"])
        #expect(cells.map { $0[0] as? String } == ["239", "179", "59", "178", "118", "58"])
    }

    @Test("a condition that is wrong is answered with its place")
    func wrongCondition() async throws {
        let studio = try await StudioFixture()
        let answer = try await studio.post(
            "/api/rows", Self.rows("Keeper", filter: "age > 3 AND nam == 1"))
        #expect(answer.status == 422)
        let detail = try #require(try answer.json["detail"] as? String)
        let lines = detail.split(separator: "\n")
        let caret = try #require(lines.last?.firstIndex(of: "^"))
        let column = lines[1].distance(from: lines[1].startIndex, to: caret)
        #expect(lines[0].dropFirst(column).hasPrefix("nam"))
    }

    @Test("an object comes with nested values, its place, and what links to it")
    func object() async throws {
        let studio = try await StudioFixture()
        let rows = try await studio.post(
            "/api/rows", Self.rows("Animal", filter: "name == 'Animal 3'"))
        let first = try #require((try rows.json["rows"] as? [[String: Any]])?.first)
        let id = try #require(first["id"] as? String)
        #expect(id.hasPrefix("@"))
        let answer = try await studio.post("/api/object", #"{"type":"Animal","id":"\#(id)"}"#)
        let fields = try answer.json["fields"] as? [[String: Any]] ?? []
        let values = Dictionary(
            uniqueKeysWithValues: fields.map {
                ($0["name"] as! String, $0["value"] as! [String: Any])
            })
        #expect(values["keeper"]?["id"] as? String == "=3")
        #expect(values["home"]?["point"] as? [Double] == [8.5, 47.25])
        #expect(values["notes"]?["n"] as? Int == 2)
        let notes = values["notes"]?["items"] as? [[String: Any]] ?? []
        #expect(notes.map { $0["key"] as? String } == ["size", "tame"])
        let sources = try answer.json["linkedFrom"] as? [[String: Any]] ?? []
        #expect(sources.map { $0["property"] as? String } == ["animals"])
        #expect(sources.map { $0["count"] as? Int } == [1])
    }

    @Test("data that begin as a picture have its type, others are saved (H9)")
    func data() async throws {
        let studio = try await StudioFixture()
        let picture = try await studio.get("/api/data?type=Keeper&id=%3D1&path=portrait")
        #expect(picture.head.contains("Content-Type: image/png"))
        #expect(picture.body.count == 10)
        #expect(ImageFormat(Array("<svg onload=x>".utf8)) == nil)
        #expect(ImageFormat(Array("<html>".utf8)) == nil)
        #expect(ImageFormat(Array("RIFF0000WEBP".utf8)) == .webp)
    }

    private static func addNote(_ key: String, _ directory: URL) throws {
        let realm = try Realm(configuration: StudioFixture.configuration(directory))
        let animal = realm.objects(Animal.self).first { $0.name == "Animal 3" }
        try realm.write { animal?.notes[key] = .data(Data("bytes".utf8)) }
    }

    @Test(
        "keys of maps lead to their data, whatever characters they have", .timeLimit(.minutes(1)))
    func dataUnderKey() async throws {
        let studio = try await StudioFixture()
        let key = "a b/c+%\u{1F}ü"
        try Self.addNote(key, studio.directory)
        func encoded(_ text: String) -> String {
            text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        }
        // Until the server shows the commit.
        let rows = Self.rows("Animal", filter: "name == 'Animal 3'")
        var answer = try await studio.post("/api/rows", rows)
        while !answer.text.contains("5 bytes") { answer = try await studio.post("/api/rows", rows) }
        let first = try #require((try answer.json["rows"] as? [[String: Any]])?.first)
        let id = try #require(first["id"] as? String)
        let path = encoded("notes/" + encoded(key))
        answer = try await studio.get("/api/data?type=Animal&id=\(encoded(id))&path=\(path)")
        #expect(answer.text == "bytes", "\(answer.head)")
        #expect(try await studio.get("/api/data?type=Animal&id=x&path=%25zz").status == 400)
    }

    @Test("how rows are found is said")
    func plan() async throws {
        let studio = try await StudioFixture()
        let answer = try await studio.post(
            "/api/plan",
            #"{"query":{"type":"Keeper","filter":"age == 5","order":[]},"isRun":true}"#)
        let text = try #require(try answer.json["text"] as? String)
        #expect(text.contains("index Keeper(age)"))
        #expect(text.contains("found 4"))
    }

    @Test(
        "a backup is made beside the realm, and a verification leaves nothing",
        .timeLimit(.minutes(2)), arguments: [false, true])
    func jobs(isWritable: Bool) async throws {
        let studio = try await StudioFixture(isWritable: isWritable)
        let parent = studio.directory.deletingLastPathComponent()
        let name = studio.directory.lastPathComponent
        func beside() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: parent.path).filter {
                $0.contains(name) && $0 != name
            }
        }
        func finish(_ kind: String) async throws -> [String: Any] {
            #expect(try await studio.post("/api/jobs", #"{"kind":"\#(kind)"}"#).status == 200)
            while true {
                let jobs = try await studio.get("/api/jobs").json["jobs"] as? [[String: Any]] ?? []
                if let job = jobs.last, job["state"] as? String != "running" { return job }
                await Task.yield()
            }
        }
        let verified = try await finish("verify")
        #expect(verified["state"] as? String == "done", "\(verified)")
        #expect((verified["result"] as? [String: Any])?["recordCount"] as? Int ?? 0 > 290)
        #expect(try beside() == [])
        let backup = try await finish("backup")
        #expect(backup["state"] as? String == "done", "\(backup)")
        let made = try beside()
        #expect(made.count == 1)
        for entry in made {
            try FileManager.default.removeItem(at: parent.appendingPathComponent(entry))
        }
    }

    @Test("space is what the store says of itself")
    func space() async throws {
        let studio = try await StudioFixture()
        let answer = try await studio.post("/api/space", #"{"isMeasured":true}"#).json
        let statistics = answer["statistics"] as? [String: Any]
        #expect((statistics?["segments"] as? [Any])?.isEmpty == false)
        #expect((answer["measured"] as? [String: Any])?["keyByteCount"] as? Int ?? 0 > 0)
        #expect(answer["isOfWriter"] as? Bool == false)
    }
}
