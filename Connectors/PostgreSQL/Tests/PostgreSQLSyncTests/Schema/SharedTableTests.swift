import Foundation
import PostgreSQLSync
import Testing
import Travertine

/// Tables of others, and those that several realms share.
@Suite("Tables that others have")
struct SharedTableTests {
    private static let types: [ObjectBase.Type] = [Shared.self, Loose.self, Event.self]

    private func options(_ fixture: SyncFixture, _ source: String?) -> SyncOptions {
        var options = fixture.options
        options.mapping.source = source
        return options
    }

    private func fill(_ realm: Realm, _ name: String, _ ids: Range<Int>) throws {
        try realm.write {
            for id in ids {
                realm.add(Shared(value: ["id": id, "name": name, "list": [name, "x"]]))
                realm.add(Loose(value: ["name": name, "list": [id]]))
                realm.create(Event.self, value: ["name": name])
            }
        }
    }

    private func rows(_ fixture: SyncFixture, _ table: String, _ source: String) throws -> Int {
        Int(
            try fixture.connection.query(
                "SELECT count(*) FROM \"\(table)\" WHERE _source = $1", parameters: [.text(source)]
            ).row(0).string(0) ?? "") ?? -1
    }

    @Test("a table that somebody else made is refused, and left alone")
    func foreign() throws {
        let fixture = try SyncFixture()
        let realm = try fixture.open(Self.types)
        try fill(realm, "a", 0..<2)
        try fixture.connection.execute(
            """
            CREATE SCHEMA \(fixture.schema); CREATE TABLE "Loose_list" (id int); \
            INSERT INTO "Loose_list" VALUES (5)
            """)
        for source in [nil, "a"] {
            let error = try #require(throws: SyncError.self) {
                try fixture.sync(realm, options(fixture, source))
            }
            guard case .tableExists(_, "Loose_list", nil) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(try fixture.tables() == ["Loose_list"])
            #expect(try fixture.lines("SELECT * FROM \"Loose_list\"") == ["5"])
        }
    }

    @Test(
        "a second realm is refused where the first one has no source, or its own has the same name")
    func refused() throws {
        let fixture = try SyncFixture()
        let (one, two) = (
            try fixture.open(Self.types, "one"), try fixture.open(Self.types, "two")
        )
        try fill(one, "a", 0..<2)
        try fill(two, "b", 0..<2)
        try fixture.sync(one)
        for source in [nil, "b"] {
            #expect(throws: SyncError.self) { try fixture.sync(two, options(fixture, source)) }
        }
        let other = try SyncFixture()
        try other.sync(one, feed: "again", options(other, "a"))
        #expect(throws: SyncError.self) { try other.sync(two, options(other, "a")) }
        #expect(try rows(other, "Shared", "a") == 2)
        #expect(try other.lines("SELECT DISTINCT name FROM \"Shared\"") == ["a"])
    }

    @Test("realms with sources share tables, and each changes its own rows only")
    func shared() throws {
        let fixture = try SyncFixture()
        let sources = ["it's", "b\\"]
        let realms = try sources.map { try fixture.open(Self.types, "r\($0.count)") }
        for (realm, source) in zip(realms, sources) {
            try fill(realm, source, 0..<3)
            try fixture.sync(realm, options(fixture, source))
        }
        let tables = ["Shared", "Shared_list", "Loose", "Loose_list", "Event"]
        for source in sources {
            for table in tables {
                #expect(
                    try rows(fixture, table, source) == (table == "Shared_list" ? 6 : 3),
                    "\(table) \(source)")
            }
        }
        try realms[0].write {
            realms[0].delete(realms[0].objects(Shared.self).where { $0.id < 2 })
            realms[0].delete(realms[0].objects(Loose.self))
        }
        try fixture.sync(realms[0], options(fixture, sources[0]))
        #expect(try tables.map { try rows(fixture, $0, sources[0]) } == [1, 2, 0, 0, 3])
        #expect(try tables.map { try rows(fixture, $0, sources[1]) } == [3, 6, 3, 3, 3])
        // Loaded again, as the server forgot how far it was.
        try fixture.connection.execute("UPDATE travertine_sync SET position = NULL")
        for (realm, source) in zip(realms, sources) {
            try fixture.sync(realm, options(fixture, source))
        }
        #expect(try tables.map { try rows(fixture, $0, sources[0]) } == [1, 2, 0, 0, 3])
        #expect(try tables.map { try rows(fixture, $0, sources[1]) } == [3, 6, 3, 3, 3])
        // To rebuild deletes the own rows, and no table.
        var rebuilding = options(fixture, sources[1])
        rebuilding.rebuilds = true
        // Not while rows of an asymmetric type are there.
        #expect(throws: SyncError.self) { try fixture.sync(realms[1], rebuilding) }
        try fixture.connection.execute("DELETE FROM \"Event\" WHERE _source = E'b\\\\'")
        try fixture.sync(realms[1], rebuilding)
        #expect(try tables.map { try rows(fixture, $0, sources[0]) } == [1, 2, 0, 0, 3])
        #expect(try tables.map { try rows(fixture, $0, sources[1]) } == [3, 6, 3, 3, 3])
    }

    @Test("a property that one of the realms renames keeps its column for both")
    func renamed() throws {
        let fixture = try SyncFixture()
        let other = try fixture.open(FirstSchema.types, "other")
        try FirstSchema.add(0..<1, to: other)
        try fixture.sync(other, options(fixture, "other"))
        do {
            let realm = try fixture.open(FirstSchema.types)
            try FirstSchema.add(0..<1, to: realm)
            try fixture.sync(realm, options(fixture, "one"))
        }
        let realm = try fixture.open(
            RenamedSchema.types, version: 1,
            migration: { migration, _ in RenamedSchema.rename(migration) })
        try realm.write {
            realm.dynamicCreate("Thing", value: ["id": 5, "title": "t"] as [String: Any])
        }
        try fixture.sync(realm, options(fixture, "one"))
        try FirstSchema.add(7..<8, to: other)
        try fixture.sync(other, options(fixture, "other"))
        #expect(
            try fixture.lines("SELECT _source, id, name FROM \"Thing\" ORDER BY id, 1") == [
                "one 0 n0", "other 0 n0", "one 5 t", "other 7 n7",
            ])
    }
}

private class Shared: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var list: List<String>
}

private class Loose: Object {
    @Persisted var name: String
    @Persisted var list: List<Int>
}

private class Event: AsymmetricObject {
    @Persisted(primaryKey: true) var id: ObjectId
    @Persisted var name: String
}
