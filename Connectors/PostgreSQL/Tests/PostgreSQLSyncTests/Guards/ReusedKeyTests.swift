import PostgreSQLSync
import Testing
import Travertine

/// Asymmetric objects whose primary keys are used again, though they must not be.
@Suite("Keys of asymmetric objects that are used again")
struct ReusedKeyTests {
    private let fixture: SyncFixture
    private let realm: Realm

    init() throws {
        fixture = try SyncFixture()
        realm = try fixture.open([Counted.self])
    }

    private func add(_ id: Int, _ value: Double, _ notes: [String]) throws {
        try realm.write {
            realm.create(
                Counted.self, value: ["id": id, "value": value, "notes": notes] as [String: Any])
        }
    }

    private func rows() throws -> [String] {
        try fixture.lines("SELECT id, value FROM \"Counted\" ORDER BY id")
    }

    private func notes() throws -> [String] {
        try fixture.lines(
            "SELECT \"Counted_id\", position, value FROM \"Counted_notes\" ORDER BY 1, 2")
    }

    @Test("the first object stays with its list, is counted, and the others of the batch come")
    func first() throws {
        try add(1, 1.5, ["a"])
        try add(2, 2.5, [])
        #expect(try fixture.sync(realm).keptRowCount == 0)
        #expect(try realm.outbox.acknowledge(shownBy: "sync") == 2)
        try add(1, 9, ["x", "y", "z"])
        try add(2, 9, ["w"])
        try add(3, 3.5, ["n", "m"])
        #expect(try fixture.sync(realm).keptRowCount == 2)
        #expect(try rows() == ["1 1.5", "2 2.5", "3 3.5"])
        #expect(try notes() == ["1 0 a", "3 0 n", "3 1 m"])
    }

    @Test("objects that come again, as the server forgot how far it was, are those that are there")
    func again() throws {
        for id in 0..<5 { try add(id, 1, ["a", "b"]) }
        try fixture.sync(realm)
        let before = try notes()
        try add(5, 1, ["c"])
        try fixture.connection.execute("UPDATE travertine_sync SET position = NULL")
        #expect(try fixture.sync(realm).keptRowCount == 5)
        #expect(try notes() == before + ["5 0 c"])
    }

    @Test("texts that are replaced are counted once, also where objects are left out")
    func replaced() throws {
        fixture.options.replacesNUL = true
        try add(1, 1, ["a"])
        try fixture.sync(realm)
        #expect(try realm.outbox.acknowledge(shownBy: "sync") == 1)
        try add(1, 1, ["b"])
        try add(2, 1, ["c\0"])
        let summary = try fixture.sync(realm)
        #expect(summary.keptRowCount == 1 && summary.replacedTextCount == 1)
        #expect(try notes() == ["1 0 a", "2 0 c\u{FFFD}"])
    }
}
