import Foundation
import Testing
import Travertine

@testable import StudioServer

@Suite("Changes of the page")
struct ChangeTests {
    private static func body(_ changes: String...) -> String {
        #"{"changes":[\#(changes.joined(separator: ","))]}"#
    }

    private static func rename(_ id: Int, from before: String, to name: String) -> String {
        #"{"kind":"set","type":"Keeper","id":"=\#(id)","path":["name"],"before":"\#(before)","#
            + #""value":"\#(name)"}"#
    }

    /// The values of a keeper, by name.
    private static func keeper(_ id: Int, _ studio: StudioFixture) async throws -> [String: String]
    {
        let answer = try await studio.post("/api/object", #"{"type":"Keeper","id":"=\#(id)"}"#)
        let fields = try answer.json["fields"] as? [[String: Any]] ?? []
        return fields.reduce(into: [:]) { values, field in
            let value = field["value"] as? [String: Any]
            values[field["name"] as? String ?? ""] = value?["v"] as? String
        }
    }

    @Test("a realm that was opened read-only can't be changed (H10)")
    func readOnly() async throws {
        let studio = try await StudioFixture()
        let answer = try await studio.post(
            "/api/changes", Self.body(Self.rename(1, from: "Keeper 1", to: "Ana")))
        #expect(answer.status == 403)
        #expect(try await Self.keeper(1, studio)["name"] == "Keeper 1")
    }

    @Test("values are set")
    func set() async throws {
        let studio = try await StudioFixture(isWritable: true)
        let age =
            #"{"kind":"set","type":"Keeper","id":"=1","path":["age"],"before":"1","value":null}"#
        let answer = try await studio.post(
            "/api/changes", Self.body(Self.rename(1, from: "Keeper 1", to: "Ana"), age))
        #expect(answer.status == 200, "\(answer.text)")
        let values = try await Self.keeper(1, studio)
        #expect(values["name"] == "Ana" && values["age"] == nil)
    }

    @Test("of changes of which one does not fit, none is made")
    func allOrNone() async throws {
        let studio = try await StudioFixture(isWritable: true)
        let wrong: [(change: String, status: Int)] = [
            (Self.rename(2, from: "Somebody", to: "Bo"), 409),
            (Self.rename(99_999, from: "Keeper 2", to: "Bo"), 410),
            (
                #"{"kind":"set","type":"Keeper","id":"=2","path":["age"],"before":"2","value":"x"}"#,
                422
            ),
            (
                #"{"kind":"set","type":"Keeper","id":"=2","path":["id"],"before":"2","value":"5"}"#,
                422
            ),
            (#"{"kind":"set","type":"Keeper","id":"=2","path":["name"],"before":"Keeper 2"}"#, 422),
            (#"{"kind":"set","type":"Keeper","id":"=2","path":[],"value":"x"}"#, 422),
            (#"{"kind":"set","type":"Keeper","id":"=2","path":["animals"],"value":"x"}"#, 422),
            (#"{"kind":"set","type":"Keeper","id":"=2","path":["name","x"],"value":"x"}"#, 410),
            (#"{"kind":"set","type":"Keeper","id":"=2","path":["nothing"],"value":"x"}"#, 422),
            (
                #"{"kind":"remove","type":"Keeper","id":"=2","path":["name"],"before":"Keeper 2"}"#,
                422
            ),
            (#"{"kind":"insert","type":"Keeper","id":"=2","path":["name"],"value":"x"}"#, 422),
            (#"{"kind":"set","type":"Keeper","id":"=2","path":["animals","7"],"value":"x"}"#, 410),
            (
                #"{"kind":"insert","type":"Keeper","id":"=2","path":["animals","+"],"value":"x"}"#,
                410
            ),
            (#"{"kind":"insert","type":"Keeper","id":"=2","path":["animals","+"]}"#, 422),
            (
                #"{"kind":"insert","type":"Keeper","id":"=2","path":["animals","+"],"value":"=1"}"#,
                404
            ),
            (#"{"kind":"add","type":"Keeper","values":{"id":"7"}}"#, 422),
            (#"{"kind":"add","type":"Keeper","values":{"size":"7"}}"#, 422),
            (#"{"kind":"add","type":"Home","values":{}}"#, 422),
            (#"{"kind":"delete","type":"Keeper","id":"=99999"}"#, 410),
            (#"{"kind":"delete","type":"Keeper"}"#, 410),
        ]
        for (change, status) in wrong {
            let answer = try await studio.post(
                "/api/changes", Self.body(Self.rename(1, from: "Keeper 1", to: "Ana"), change))
            #expect(answer.status == status, "\(change): \(answer.text)")
            #expect(try await Self.keeper(1, studio)["name"] == "Keeper 1", "\(change)")
        }
    }

    @Test("objects are added and deleted")
    func addAndDelete() async throws {
        let studio = try await StudioFixture(isWritable: true)
        let answer = try await studio.post(
            "/api/changes",
            Self.body(
                #"{"kind":"add","type":"Keeper","values":{"id":"1000","name":"New","age":"3"}}"#,
                #"{"kind":"add","type":"Animal","values":{"name":"Rex","weight":"2.50"}}"#))
        #expect(answer.status == 200, "\(answer.text)")
        let added = try answer.json["added"] as? [String] ?? []
        #expect(added.count == 2 && added[0] == "=1000" && added[1].hasPrefix("@"))
        #expect(try await Self.keeper(1000, studio) == ["id": "1000", "name": "New", "age": "3"])
        let deletion = try await studio.post(
            "/api/changes", Self.body(#"{"kind":"delete","type":"Animal","id":"\#(added[1])"}"#))
        #expect(deletion.status == 200)
        let gone = try await studio.post(
            "/api/object", #"{"type":"Animal","id":"\#(added[1])"}"#)
        #expect(gone.status == 410)
    }

    @Test("a value inside an embedded object is set by its path")
    func embedded() async throws {
        let studio = try await StudioFixture(isWritable: true)
        let rows = try await studio.post(
            "/api/rows",
            #"{"query":{"type":"Animal","filter":"name == 'Animal 3'","order":[]},"from":0,"count":1}"#
        )
        let id = try #require((try rows.json["rows"] as? [[String: Any]])?.first?["id"] as? String)
        let answer = try await studio.post(
            "/api/changes",
            Self.body(
                #"{"kind":"set","type":"Animal","id":"\#(id)","path":["home","type"],"#
                    + #""before":"Point","value":"Area"}"#))
        #expect(answer.status == 200, "\(answer.text)")
        let object = try await studio.post("/api/object", #"{"type":"Animal","id":"\#(id)"}"#)
        #expect(object.text.contains("Area"))
    }

    @Test("the program that writes shows what it has written")
    func space() async throws {
        let studio = try await StudioFixture(isWritable: true)
        _ = try await studio.post(
            "/api/changes", Self.body(Self.rename(1, from: "Keeper 1", to: "Ana")))
        let answer = try await studio.post("/api/space", #"{"isMeasured":false}"#).json
        #expect(answer["isOfWriter"] as? Bool == true)
        #expect(answer["writeAmplification"] as? Double ?? 0 > 0)
        let commits = (answer["statistics"] as? [String: Any])?["commits"] as? [String: Any]
        #expect(commits?["count"] as? Int ?? 0 > 0)
    }

    @Test("texts are read as the type of their property")
    func texts() throws {
        let properties = ObjectSchemaFixture.properties
        func read(_ name: String, _ text: String?) throws -> Any? {
            let parser = ValueParser(references: ReferenceTable()) {
                type, address throws(RequestFailure) in
                throw RequestFailure(410, "\(type) \(address)")
            }
            return try parser.value(
                text, for: ValueKind(try #require(properties[name]), target: nil))
        }
        #expect(try read("id", "-5") as? Int == -5)
        #expect(try read("name", "") as? String == "")
        #expect(try read("age", nil) == nil)
        #expect(throws: RequestFailure.self) { try read("id", nil) }
        #expect(throws: RequestFailure.self) { try read("id", "1.5") }
        #expect(try read("portrait", "00 ff") as? Data == Data([0, 255]))
        #expect(try read("portrait", "") as? Data == Data())
        #expect(throws: RequestFailure.self) { try read("portrait", "0") }
        #expect(throws: RequestFailure.self) { try read("portrait", "0g") }
        #expect(throws: RequestFailure.self) { try read("animals", "x") }
        let date = Date(timeIntervalSince1970: 1_700_000_000.25)
        #expect(ValueText.of(date) == "2023-11-14 22:13:20.250Z")
        #expect(ValueText.of(Date(timeIntervalSince1970: 0)) == "1970-01-01 00:00:00Z")
    }
}

enum ObjectSchemaFixture {
    /// The properties of `Keeper`, by name.
    static var properties: [String: Property] {
        let schema = Keeper.sharedSchema()?.properties ?? []
        return Dictionary(uniqueKeysWithValues: schema.map { ($0.name, $0) })
    }
}
