import Foundation
import PostgreSQLSync
import Testing
import Travertine

/// What becomes of tables when the types of the realm change.
@Suite("Changes of the schema")
struct SchemaChangeTests {
    /// Copies three things of the first schema, and opens the realm with another one.
    private func changed(
        _ fixture: SyncFixture, to types: [ObjectBase.Type], version: UInt64 = 1,
        migration: MigrationBlock? = nil
    ) throws -> Realm {
        do {
            let realm = try fixture.open(FirstSchema.types)
            try FirstSchema.add(0..<3, to: realm)
            try fixture.sync(realm)
        }
        return try fixture.open(types, version: version, migration: migration)
    }

    private func add(_ id: Int, to realm: Realm, _ value: [String: Any] = [:]) throws {
        try realm.write {
            realm.dynamicCreate("Thing", value: value.merging(["id": id]) { $1 })
        }
    }

    @Test("rows that are there get the defaults of new properties, and are not copied again")
    func newProperties() throws {
        for collections in MappingOptions.Collections.allCases {
            let fixture = try SyncFixture()
            fixture.options.mapping.collections = collections
            let realm = try changed(fixture, to: GrownSchema.types)
            try add(9, to: realm, ["colour": "blue", "kinds": ["k"], "other": ["words": ["w"]]])
            #expect(try fixture.sync(realm).putCount == 1)
            #expect(
                try fixture.lines("SELECT colour, note, other_flag FROM \"Thing\" ORDER BY id")
                    == Array(repeating: "it's \\ red null null", count: 3) + ["blue null t"])
            #expect(try fixture.differencesFromFreshCopy(realm) == [], "\(collections)")
        }
    }

    @Test("in shared tables only rows of the same realm get the defaults")
    func newPropertiesOfSource() throws {
        let fixture = try SyncFixture()
        let other = try fixture.open(FirstSchema.types, "other")
        try FirstSchema.add(5..<6, to: other)
        fixture.options.mapping.source = "other"
        try fixture.sync(other)
        fixture.options.mapping.source = "it's"
        let realm = try changed(fixture, to: GrownSchema.types)
        try add(9, to: realm)
        try fixture.sync(realm)
        #expect(
            try fixture.lines("SELECT _source, weight FROM \"Thing\" ORDER BY id")
                == ["it's 1.5", "it's 1.5", "it's 1.5", "other null", "it's 1.5"])
    }

    @Test("columns of properties that are gone stay, and are null in new rows, without a default")
    func removedProperties() throws {
        let fixture = try SyncFixture()
        do {
            let realm = try changed(fixture, to: GrownSchema.types)
            try add(9, to: realm, ["kinds": ["k", "l"]])
            try fixture.sync(realm)
        }
        let realm = try fixture.open(ShrunkSchema.types, version: 2)
        try add(10, to: realm)
        var notes: [String] = []
        try fixture.sync(realm, report: { if case .note(let text) = $0 { notes.append(text) } })
        #expect(notes.contains { $0.contains("Thing.colour is gone") })
        #expect(
            try fixture.lines("SELECT colour, weight, size FROM \"Thing\" WHERE id > 8 ORDER BY id")
                == ["it's \\ red 1.5 0", "null null null"])
        #expect(try fixture.lines("SELECT value FROM \"Thing_kinds\"") == ["k", "l"])
        // Elements of an object that is deleted go with it.
        try realm.write {
            if let thing = realm.object(ofType: ShrunkSchema.Thing.self, forPrimaryKey: 9) {
                realm.delete(thing)
            }
        }
        try fixture.sync(realm)
        #expect(try fixture.lines("SELECT value FROM \"Thing_kinds\"") == [])
    }

    @Test("a property that comes back under the name of one that was gone has a new column")
    func addedAgain() throws {
        let fixture = try SyncFixture()
        do {
            let realm = try changed(fixture, to: ShrunkSchema.types)
            try add(9, to: realm)
            try fixture.sync(realm)
        }
        let realm = try fixture.open(
            RetypedSchema.types, version: 2,
            migration: { migration, _ in RetypedSchema.convert(migration) })
        try add(10, to: realm, ["size": "large", "name": 5, "tags": 6])
        // The name is still that of a column in use.
        let refusal = try #require(throws: MappingRefusal.self) { try fixture.sync(realm) }
        #expect(refusal.problems.count == 1 && refusal.problems[0].contains("Thing.name"))
        fixture.options.rebuilds = true
        try fixture.sync(realm)
        #expect(try fixture.differencesFromFreshCopy(realm) == [])
    }

    @Test("a column is renamed with its property; the table of a list keeps its name")
    func renamed() throws {
        let fixture = try SyncFixture()
        var realm = try changed(
            fixture, to: RenamedSchema.types,
            migration: { migration, _ in RenamedSchema.rename(migration) })
        try add(9, to: realm, ["title": "new", "labels": [4]])
        #expect(try fixture.sync(realm).putCount == 1)
        #expect(
            try fixture.lines("SELECT title, place_street FROM \"Thing\" ORDER BY id")
                == ["n0 s0", "n1 null", "n2 s2", "new null"])
        #expect(try fixture.value("SELECT count(*) FROM \"Thing_tags\"") == "7")
        // Another list with the old name of this one has a table that is separate.
        realm = try fixture.open(FirstSchema.types, "none")
        realm = try fixture.open(RenamedSchema.laterTypes, version: 2)
        try add(10, to: realm, ["tags": ["t"], "labels": [5]])
        try fixture.sync(realm)
        #expect(try fixture.value("SELECT count(*) FROM \"Thing_tags\"") == "8")
        #expect(try fixture.lines("SELECT value FROM \"Thing_tags_2\"") == ["t"])
    }

    @Test("properties of other types are refused, all of them at once, and nothing is changed")
    func retyped() throws {
        let fixture = try SyncFixture()
        let realm = try changed(
            fixture, to: RetypedSchema.types,
            migration: { migration, _ in RetypedSchema.convert(migration) })
        try add(9, to: realm)
        let before = try fixture.lines("SELECT * FROM travertine_sync")
        let refusal = try #require(throws: MappingRefusal.self) { try fixture.sync(realm) }
        for name in ["Thing.name", "Thing.size", "Thing.tags"] {
            #expect(refusal.problems.contains { $0.contains(name) }, "\(refusal)")
        }
        #expect(refusal.problems.count == 3)
        #expect(try fixture.lines("SELECT * FROM travertine_sync") == before)
        #expect(try fixture.value("SELECT count(*) FROM \"Thing\"") == "3")
        fixture.options.rebuilds = true
        let summary = try fixture.sync(realm)
        #expect(summary.putCount == 4)
        // A migration that converts properties leaves documents in another order than their types.
        #expect(
            try fixture.lines("SELECT id, name, size, spot_street, tags FROM \"Thing\" ORDER BY id")
                == ["0 1 s s0 4", "1 1 s null 4", "2 1 s s2 4", "9 0  null 0"])
        #expect(try fixture.differencesFromFreshCopy(realm) == [])
    }

    @Test("a new property of embedded objects is filled in where there is an embedded object")
    func embeddedDefault() throws {
        let fixture = try SyncFixture()
        let realm = try changed(fixture, to: EmbeddedGrownSchema.types)
        try add(9, to: realm, ["spot": ["street": "x", "floor": 2, "doors": [1]]])
        #expect(try fixture.sync(realm).putCount == 1)
        #expect(
            try fixture.lines("SELECT spot_street, spot_floor FROM \"Thing\" ORDER BY id")
                == ["s0 7", "null null", "s2 7", "x 2"])
        #expect(try fixture.differencesFromFreshCopy(realm) == [])
    }

    @Test(
        "a new property of embedded objects is in JSON that is there only when the object changes")
    func embeddedDefaultInJSON() throws {
        let fixture = try SyncFixture()
        fixture.options.mapping.embedded = .jsonb
        let realm = try changed(fixture, to: EmbeddedGrownSchema.types)
        try add(9, to: realm, ["spot": ["street": "x", "floor": 2, "doors": [1]]])
        try fixture.sync(realm)
        #expect(
            try fixture.lines("SELECT spot ->> 'floor' FROM \"Thing\" ORDER BY id")
                == ["null", "null", "null", "2"])
    }

    @Test("rows of a type whose objects a migration deletes, with the type, are deleted")
    func goneType() throws {
        let fixture = try SyncFixture()
        do {
            let realm = try changed(fixture, to: GrownSchema.types)
            try realm.write { realm.add(GrownSchema.Added(value: ["code": "a"])) }
            try fixture.sync(realm)
            #expect(try fixture.value("SELECT count(*) FROM \"Added\"") == "1")
        }
        let realm = try fixture.open(
            Array(GrownSchema.types.dropLast()), version: 2,
            migration: { migration, _ in migration.deleteData(forType: "Added") })
        try add(9, to: realm)
        try fixture.sync(realm)
        #expect(try fixture.value("SELECT count(*) FROM \"Added\"") == "0")
    }

    @Test("a primary key that a migration changes is changed in its row")
    func primaryKey() throws {
        let fixture = try SyncFixture()
        let types: [ObjectBase.Type] = [KeyOwner.self, KeyDog.self]
        do {
            let realm = try fixture.open(types)
            try realm.write {
                let owner = KeyOwner(value: ["code": "A", "list": [1]])
                realm.add(owner)
                realm.add(KeyDog(value: ["id": 1, "owner": owner, "owners": [owner]]))
            }
            try fixture.sync(realm)
        }
        let realm = try fixture.open(
            types, version: 1,
            migration: { migration, _ in
                migration.enumerateObjects(ofType: "KeyOwner") { _, new in new!["code"] = "B" }
            })
        try fixture.sync(realm)
        #expect(try fixture.lines("SELECT code FROM \"KeyOwner\"") == ["B"])
        #expect(try fixture.lines("SELECT * FROM \"KeyOwner_list\"") == ["B 0 1"])
        // Objects that link to it are shown again, though nothing of theirs changed.
        #expect(try fixture.differencesFromFreshCopy(realm) == [])
    }

    @Test("to rebuild drops the tables of the feed only, and copies everything again")
    func rebuilds() throws {
        let fixture = try SyncFixture()
        let realm = try fixture.open(FirstSchema.types)
        try FirstSchema.add(0..<3, to: realm)
        try fixture.sync(realm)
        try fixture.connection.execute(
            "CREATE TABLE other (id int); INSERT INTO \"Thing\" (id, name) VALUES (100, 'x')")
        var options = fixture.options
        options.rebuilds = true
        options.mapping.collections = .arrays
        #expect(try fixture.sync(realm, options).putCount == 3)
        #expect(try fixture.tables() == ["Thing", "other"])
        #expect(
            try fixture.lines("SELECT tags FROM \"Thing\" ORDER BY id") == [
                "{0,0}", "{1,0}", "{2,0}",
            ])
    }

    @Test("other options than those that the tables were made with are refused, with both")
    func otherOptions() throws {
        let fixture = try SyncFixture()
        let realm = try fixture.open(FirstSchema.types)
        try FirstSchema.add(0..<1, to: realm)
        try fixture.sync(realm)
        try FirstSchema.add(1..<2, to: realm)
        var options = fixture.options
        options.mapping.collections = .arrays
        let refusal = try #require(throws: MappingRefusal.self) { try fixture.sync(realm, options) }
        #expect(
            refusal.problems.first?.contains("--collections tables") == true
                && refusal.problems.first?.contains("--collections arrays") == true)
    }
}

private class KeyOwner: Object {
    @Persisted(primaryKey: true) var code: String
    @Persisted var list: List<Int>
}

private class KeyDog: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var owner: KeyOwner?
    @Persisted var owners: List<KeyOwner>
}
