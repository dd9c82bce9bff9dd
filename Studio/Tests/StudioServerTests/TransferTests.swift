import Foundation
import Testing
import Travertine

@testable import StudioServer

class Crate: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var size: Int?
    @Persisted var next: Crate?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite("Files that the page saves and imports")
struct TransferTests {
    /// A realm of crates, and what changes it.
    private final class Crates: Sendable {
        let url = FileManager.default.temporaryDirectory
            .appendingPathComponent("studio-\(UUID().uuidString)", isDirectory: true)
        let explorer: RealmExplorer

        init(isWritable: Bool = true) async throws {
            let configuration = Realm.Configuration(fileURL: url, objectTypes: [Crate.self])
            try Self.fill(configuration)
            explorer = try await RealmExplorer(url, isWritable: isWritable)
        }

        deinit { try? FileManager.default.removeItem(at: url) }

        private static func fill(_ configuration: Realm.Configuration) throws {
            let realm = try Realm(configuration: configuration)
            try realm.write {
                realm.create(Crate.self, value: ["id": 1, "name": "one", "size": 5])
            }
        }

        /// Sends a file in pieces of some bytes.
        func send(
            _ text: String, in length: Int = 1000, type: String = "Crate"
        ) async throws -> [String: Any] {
            let bytes = Array(text.utf8)
            var answer: [String: Any] = [:]
            var offset = 0
            repeat {
                let end = min(offset + length, bytes.count)
                let request = UploadRequest(
                    type: type, file: "f", offset: offset,
                    text: String(decoding: bytes[offset..<end], as: UTF8.self),
                    isLast: end == bytes.count)
                let json = try await explorer.upload(request).textForTest
                answer =
                    try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any] ?? [:]
                offset = end
            } while offset < bytes.count
            return answer
        }

        func exported(filter: String = "") async throws -> [String] {
            let objects = try await explorer.objectsToExport(
                QueryDescription(
                    type: "Crate", filter: filter,
                    order: [QueryDescription.Order(name: "id", isDescending: false)]))
            var bytes: [UInt8] = []
            try objects.write { bytes += $0 }
            return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        }
    }

    @Test("the objects of a table are saved in its order, in chunks that have an end")
    func export() async throws {
        let studio = try await StudioFixture()
        let answer = try await studio.get(
            "/api/export?type=Keeper&filter=age%20%3D%3D%205&order=did")
        #expect(answer.status == 200, "\(answer.text)")
        #expect(answer.head.contains("Transfer-Encoding: chunked"))
        #expect(answer.head.contains("attachment; filename=\"Keeper.jsonl\""))
        #expect(!answer.head.contains("Content-Length"))
        let lines = try Self.unchunked(answer.body).split(separator: "\n")
        let ids = try lines.map {
            try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
        }.map { $0?["id"] as? Int }
        #expect(ids == [185, 125, 65, 5])
    }

    /// The text of a body in chunks; throws if the last one is missing.
    private static func unchunked(_ body: [UInt8]) throws -> String {
        var text: [UInt8] = []
        var rest = body[...]
        while true {
            let end = try #require(rest.firstIndex(of: UInt8(ascii: "\n")))
            let head = String(decoding: rest[..<end], as: UTF8.self).dropLast()
            let size = try #require(Int(head, radix: 16))
            rest = rest[(end + 1)...]
            if size == 0 { return String(decoding: text, as: UTF8.self) }
            text += rest.prefix(size)
            rest = rest.dropFirst(size + 2)
        }
    }

    @Test("what can't be saved is refused before the first byte")
    func wrongExport() async throws {
        let studio = try await StudioFixture()
        for (query, status) in [
            ("", 422), ("?type=Nothing", 404), ("?type=Keeper&filter=nam%20%3D%3D%201", 422),
            ("?type=Keeper&order=dnothing", 422), ("?type=Keeper&order=name", 400),
            ("?type=Keeper&order=a%25zz", 400),
        ] {
            let answer = try await studio.get("/api/export" + query)
            #expect(answer.status == status, "\(query): \(answer.text)")
        }
        #expect(try await studio.post("/api/export", "{}").status == 405)
    }

    @Test("an export ends with its reader")
    func abandoned() async throws {
        let pieces = PieceStream { write in
            while true { try write([1, 2, 3]) }
        }
        struct Gone: Error {}
        var count = 0
        await #expect(throws: Gone.self) {
            try await pieces.forEachPiece { _ in
                count += 1
                if count == 3 { throw Gone() }
            }
        }
    }

    @Test("what is saved can be imported")
    func roundTrip() async throws {
        let crates = try await Crates()
        let lines = try await crates.exported()
        #expect(lines == [#"{"id":1,"name":"one","size":5,"next":null}"#])
        let answer = try await crates.send(lines[0] + "\n")
        #expect(answer["inserted"] as? Int == 0 && answer["replaced"] as? Int == 1)
        #expect(try await crates.exported() == lines)
    }

    @Test("a file becomes one commit, however it is cut")
    func pieces() async throws {
        let crates = try await Crates()
        let text = (2..<40).map { #"{"id":\#($0),"name":"ä","next":1,"colour":"red"}"# }
            .joined(separator: "\n")
        let answer = try await crates.send(text.replacing("ä", with: "a"), in: 7)
        #expect(answer["inserted"] as? Int == 38)
        #expect(answer["unknownFields"] as? [String] == ["colour"])
        #expect(answer["undo"] is NSNull)
        #expect(try await crates.exported().count == 39)
        let array = try await crates.send(
            #"[{"id":50,"name":"x"},{"id":1,"name":"y","size":null}]"#)
        #expect(array["inserted"] as? Int == 1 && array["replaced"] as? Int == 1)
    }

    @Test("of a file of which one document does not fit, nothing is stored")
    func allOrNone() async throws {
        let crates = try await Crates()
        let before = try await crates.exported()
        let good = #"{"id":7,"name":"seven"}"#
        for wrong in [
            #"{"id":8,"name":9}"#, #"{"name":"none"}"#, #"{"id":8,"name":"x""#, "no JSON",
            #"{"id":8,"name":"x","size":"big"}"#,
        ] {
            await #expect(throws: RequestFailure.self, "\(wrong)") {
                _ = try await crates.send(good + "\n" + wrong + "\n")
            }
            #expect(try await crates.exported() == before, "\(wrong)")
        }
    }

    @Test("pieces that are missing or of another file are refused")
    func wrongPieces() async throws {
        let crates = try await Crates()
        func piece(_ file: String, _ offset: Int) -> UploadRequest {
            UploadRequest(type: "Crate", file: file, offset: offset, text: "{}", isLast: false)
        }
        await #expect(throws: RequestFailure.self) {
            _ = try await crates.explorer.upload(piece("f", 2))
        }
        _ = try await crates.explorer.upload(piece("f", 0))
        for wrong in [piece("g", 2), piece("f", 4), piece("f", 1)] {
            _ = try await crates.explorer.upload(piece("f", 0))
            await #expect(throws: RequestFailure.self) {
                _ = try await crates.explorer.upload(wrong)
            }
        }
    }

    @Test("types that can't be imported, and realms that are read-only, are refused")
    func refused() async throws {
        let studio = try await StudioFixture(isWritable: true)
        func send(_ type: String, _ studio: StudioFixture) async throws -> Answer {
            try await studio.post(
                "/api/import",
                #"{"type":"\#(type)","file":"f","offset":0,"text":"{}","isLast":true}"#)
        }
        // A link to an animal can't be written as its key.
        let keyless = try await send("Keeper", studio)
        #expect(keyless.status == 422 && keyless.text.contains("primary key"), "\(keyless.text)")
        #expect(try await send("Home", studio).status == 422)
        #expect(try await send("Nothing", studio).status == 404)
        let readOnly = try await StudioFixture()
        #expect(try await send("Keeper", readOnly).status == 403)
    }
}
