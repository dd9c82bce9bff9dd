import Foundation
import Testing
import Travertine

@testable import StudioServer

class Knot: Object {
    @Persisted var value: AnyRealmValue
    @Persisted var knots: List<AnyRealmValue>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Parcel: Object {
    @Persisted var name: String
    @Persisted var weight: Int

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// The same type in a later release of the program.
class ParcelWithoutWeight: Object {
    @Persisted var name: String

    override class func objectTypeName() -> String { "Parcel" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite("Realms that the studio does not stop for (H11)")
struct OddRealmTests {
    /// A directory that is removed when the test has ended.
    private final class Place: Sendable {
        let url = FileManager.default.temporaryDirectory
            .appendingPathComponent("studio-\(UUID().uuidString)", isDirectory: true)

        deinit { try? FileManager.default.removeItem(at: url) }

        func open(_ types: [ObjectBase.Type], version: UInt64 = 0) throws -> Realm {
            try Realm(
                configuration: Realm.Configuration(
                    fileURL: url, schemaVersion: version, migrationBlock: { _, _ in },
                    objectTypes: types))
        }

        /// Opens the realm, and makes a commit.
        func fill(
            _ types: [ObjectBase.Type], version: UInt64 = 0, _ body: (Realm) -> Void
        ) throws {
            let realm = try open(types, version: version)
            try realm.write { body(realm) }
        }
    }

    private static func rows(_ type: String, sortedBy property: String? = nil) -> RowsRequest {
        let order = property.map { [QueryDescription.Order(name: $0, isDescending: false)] }
        return RowsRequest(
            query: QueryDescription(type: type, filter: "", order: order ?? []), from: 0, count: 10)
    }

    private static func text(_ value: JSON) -> String {
        String(decoding: value.bytes, as: UTF8.self)
    }

    @Test("objects without a name that link to themselves by values of any type are shown")
    func cycleOfMixedLinks() async throws {
        let place = Place()
        try place.fill([Knot.self]) { realm in
            let knot = Knot()
            realm.add(knot)
            knot.value = .object(knot)
            knot.knots.append(.object(knot))
        }
        let explorer = try await RealmExplorer(place.url)
        let rows = Self.text(try await explorer.rows(Self.rows("Knot")))
        #expect(rows.contains("\"v\":\"Knot\""), "\(rows)")
        let id = try #require(rows.firstMatch(of: /"id":"(@\d+)"/)).1
        let object = try await explorer.object(ObjectRequest(type: "Knot", id: String(id)))
        #expect(Self.text(object).contains("\"label\":\"Knot\""))
    }

    @Test("a table that is sorted by a property outlives its removal", .timeLimit(.minutes(1)))
    func removedProperty() async throws {
        let place = Place()
        try place.fill([Parcel.self]) { realm in
            for weight in [3, 1, 2] {
                let parcel = Parcel()
                parcel.name = "Parcel \(weight)"
                parcel.weight = weight
                realm.add(parcel)
            }
        }
        let (versions, continuation) = AsyncStream.makeStream(of: Int.self)
        let explorer = try await RealmExplorer(place.url) { continuation.yield($0) }
        let before = try await explorer.rows(Self.rows("Parcel", sortedBy: "weight"))
        let id = try #require(Self.text(before).firstMatch(of: /"id":"(@\d+)"/)).1
        #expect(Self.text(before).contains("\"total\":3"))
        try place.fill([ParcelWithoutWeight.self], version: 1) { _ in }
        for await _ in versions
        where !Self.text(await explorer.overview()).contains("weight") {
            break
        }
        await #expect(throws: RequestFailure.self) {
            try await explorer.rows(Self.rows("Parcel", sortedBy: "weight"))
        }
        let after = Self.text(try await explorer.rows(Self.rows("Parcel", sortedBy: "name")))
        #expect(after.contains("\"c\":[\"Parcel 1\"]"), "\(after)")
        let object = try await explorer.object(ObjectRequest(type: "Parcel", id: String(id)))
        #expect(!Self.text(object).contains("weight"))
    }

    @Test("damage that reading an object finds is said at once, and not in another request")
    func damagedObject() async throws {
        let place = Place()
        let text = "A text that is damaged on the disk"
        try place.fill([Keeper.self, Animal.self, Home.self]) { realm in
            realm.create(Keeper.self, value: ["id": 1, "name": text])
            realm.create(Keeper.self, value: ["id": 2, "name": "Bo"])
        }
        let explorer = try await RealmExplorer(place.url)
        var damaged = 0
        for name in try FileManager.default.contentsOfDirectory(atPath: place.url.path) {
            let file = place.url.appendingPathComponent(name)
            guard let bytes = try? Data(contentsOf: file),
                let range = bytes.range(of: Data(text.utf8))
            else { continue }
            let handle = try FileHandle(forWritingTo: file)
            try handle.seek(toOffset: UInt64(range.lowerBound))
            try handle.write(contentsOf: Data("B".utf8))
            try handle.close()
            damaged += 1
        }
        #expect(damaged == 1)
        let error = await #expect(throws: (any Error).self) {
            try await explorer.object(ObjectRequest(type: "Keeper", id: "=1"))
        }
        #expect(!(error is RequestFailure), "\(error as Any)")
        _ = try await explorer.object(ObjectRequest(type: "Keeper", id: "=2"))
    }

    @Test("an answer has an end, however much is nested in an object")
    func largeObject() async throws {
        let place = Place()
        try place.fill([Knot.self]) { realm in
            let knot = Knot()
            let text = AnyRealmValue.string(String(repeating: "x", count: 8 << 10))
            for _ in 0..<50 {
                knot.knots.append(.fromArray(Array(repeating: text, count: 50)))
            }
            realm.add(knot)
        }
        let explorer = try await RealmExplorer(place.url)
        let rows = Self.text(try await explorer.rows(Self.rows("Knot")))
        let id = try #require(rows.firstMatch(of: /"id":"(@\d+)"/)).1
        let object = try await explorer.object(ObjectRequest(type: "Knot", id: String(id)))
        #expect((3 << 20)..<(5 << 20) ~= object.bytes.count, "\(object.bytes.count)")
    }

    @Test("texts are cut by their bytes too: a character may have any number of them")
    func longCharacters() {
        let text = "e" + String(repeating: "\u{301}", count: 100_000)
        #expect(text.count == 1)
        #expect(ValueText.cut(text).utf8.count <= 4 * ValueText.cellLength + 3)
        #expect(ValueText.beginning(of: "aé", byteCount: 2) == "a")
        #expect(ValueText.beginning(of: "aé", byteCount: 3) == "aé")
        #expect(ValueText.cut(String(repeating: "ü", count: 160)).count == 160)
        #expect(ValueText.cut(String(repeating: "ü", count: 161)).hasSuffix("ü…"))
    }

    @Test("an object whose address is given again keeps it as long as the newest ones")
    func addressGivenAgain() throws {
        let place = Place()
        let realm = try place.open([Knot.self])
        try realm.write { for _ in 0..<20 { realm.add(Knot()) } }
        let objects = realm.dynamicObjects("Knot")
        let table = ReferenceTable(capacity: 4)
        func number(_ object: DynamicObject) -> UInt64 {
            UInt64(table.address(of: object).dropFirst()) ?? 0
        }
        let first = number(objects[0])
        for position in 1..<20 {
            let newest = number(objects[position])
            #expect(table.object(newest) != nil)
            #expect(number(objects[0]) == first)
            #expect(table.object(first) != nil)
        }
        #expect(table.object(number(objects[19])) != nil)
        let second = objects[1].id as UInt64
        #expect(table.object(second) == nil)
    }
}
