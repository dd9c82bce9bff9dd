import Foundation
import PostgreSQLSync
import Testing
import Travertine

/// Names of types and properties that SQL has other uses for.
@Suite("Names of tables and columns")
struct NameTests {
    private static let types: [ObjectBase.Type] = [
        Strange.self, SyncNamed.self, Listing.self, ListNamed.self, KeyNamed.self, Address.self,
        Addressed.self, LongNamed.self, LongNamedToo.self, LongOwned.self,
    ]

    private func copied() throws -> SyncFixture {
        let fixture = try SyncFixture()
        let realm = try fixture.open(Self.types)
        func fill(_ number: Int) throws {
            try realm.write {
                realm.add(
                    Strange(
                        value: Dictionary(
                            uniqueKeysWithValues: Strange.names.keys.map { ($0, number as Any) })))
                realm.add(SyncNamed(value: ["number": number]))
                realm.add(Listing(value: ["list": [number]]))
                realm.add(ListNamed(value: ["number": number]))
                realm.add(KeyNamed(value: ["number": number]))
                realm.add(Addressed(value: ["flat": "f", "address": ["street": "s"]]))
                realm.add(LongNamed(value: ["owned": ["one": 1, "two": 2], "list": [5]]))
                realm.add(LongNamedToo(value: ["list": [6]]))
            }
        }
        try fill(1)
        try fixture.sync(realm)
        try fill(2)
        try fixture.sync(realm)
        #expect(try fixture.differencesFromFreshCopy(realm) == [])
        return fixture
    }

    @Test("names with quotes, blanks, capitals, reserved words and those of system columns work")
    func strange() throws {
        let fixture = try copied()
        let columns = try fixture.columns("Strange \"select\"; --")
        #expect(columns.count == Strange.names.count + 1)
        for name in ["user", "order", "a\"b", "a b", "UPPER", "upper", "\"\u{301}"] {
            #expect(columns.contains { $0.utf8.elementsEqual(name.utf8) }, "\(name)")
        }
        #expect(columns.first == "_key")
        #expect(columns.contains("_key_2") && columns.contains("ctid_2"))
        #expect(
            try fixture.lines(
                "SELECT \"user\", \"order\", \"_key_2\", \"ctid_2\" FROM \"Strange \"\"select\"\"; --\""
            )
                == ["1 1 1 1", "2 2 2 2"])
    }

    @Test("types whose names are those of other tables get another name")
    func tables() throws {
        let fixture = try copied()
        let tables = try fixture.tables()
        for name in ["travertine_sync_2", "A", "A_list", "A_list_2", "A_pkey_2"] {
            #expect(tables.contains(name), "\(name) in \(tables)")
        }
        let elements = try ["A_list", "A_list_2"].filter {
            try fixture.columns($0).contains("position")
        }
        #expect(elements.count == 1)
        #expect(try fixture.lines("SELECT number FROM \"A_pkey_2\" ORDER BY 1") == ["1", "2"])
        #expect(try fixture.lines("SELECT number FROM travertine_sync_2 ORDER BY 1") == ["1", "2"])
    }

    @Test("a property that is called as a column of an embedded object gets another name")
    func embedded() throws {
        let fixture = try copied()
        #expect(
            try fixture.columns("Addressed") == ["_key", "address_street", "address_street_2"])
        #expect(
            try fixture.lines("SELECT DISTINCT address_street, address_street_2 FROM \"Addressed\"")
                == ["f s"])
    }

    @Test("a link has its own name, and the key of its target, whatever that is called there")
    func links() throws {
        let fixture = try SyncFixture()
        let types: [ObjectBase.Type] = [Moored.self, Pier.self]
        do {
            let realm = try fixture.open(types)
            try realm.write {
                for number in 1..<3 {
                    let pier = Pier(value: ["code": "p\(number)", "marks": [number]])
                    realm.add(Moored(value: ["id": number, "at": pier, "before": [pier]]))
                }
            }
            try fixture.sync(realm)
        }
        #expect(try fixture.columns("Moored") == ["id", "at"])
        #expect(try fixture.columns("Moored_before") == ["Moored_id", "position", "value"])
        #expect(try fixture.columns("Pier_marks") == ["Pier__id", "position", "value"])
        #expect(
            try fixture.lines(
                """
                SELECT id, value FROM "Moored" JOIN "Pier" ON "Pier"._id = at \
                JOIN "Pier_marks" ON "Pier__id" = "Pier"._id ORDER BY 1
                """) == ["1 1", "2 2"])
        // The column of the key is renamed, and what refers to it is not.
        let realm = try fixture.open(
            [Moored.self, RenamedPier.self], version: 1,
            migration: { migration, _ in
                migration.renameProperty(onType: "Pier", from: "_id", to: "number")
            })
        try realm.write { realm.add(RenamedPier(value: ["number": "p3", "marks": [3]])) }
        try fixture.sync(realm)
        #expect(
            try fixture.lines(
                """
                SELECT id, value FROM "Moored" JOIN "Pier" ON "Pier".number = at \
                JOIN "Pier_marks" ON "Pier__id" = "Pier".number ORDER BY 1
                """) == ["1 1", "2 2"])
        #expect(
            try fixture.lines("SELECT \"Pier__id\" FROM \"Pier_marks\" ORDER BY 1")
                == ["p1", "p2", "p3"])
    }

    @Test("names that differ after the bytes that PostgreSQL has for them stay apart")
    func long() throws {
        let fixture = try copied()
        let tables = try fixture.tables().filter { $0.hasPrefix("nnn") }
        #expect(tables.count == 4 && tables.allSatisfy { $0.utf8.count <= 63 })
        #expect(
            try tables.flatMap { try fixture.lines("SELECT * FROM \"\($0)\"") }.sorted()
                == ["1", "1 0 5", "1 0 6", "1 1 2", "2", "2 0 5", "2 0 6", "2 1 2"])
    }
}

private class Strange: Object {
    static let names = [
        "one": "user", "two": "order", "three": "a\"b", "four": "a b", "five": "UPPER",
        "six": "upper", "seven": "_key", "eight": "ctid", "nine": "\"\u{301}", "ten": "xmin",
    ]
    @Persisted var one: Int
    @Persisted var two: Int
    @Persisted var three: Int
    @Persisted var four: Int
    @Persisted var five: Int
    @Persisted var six: Int
    @Persisted var seven: Int
    @Persisted var eight: Int
    @Persisted var nine: Int
    @Persisted var ten: Int
    override class func objectTypeName() -> String { "Strange \"select\"; --" }
    override class func propertiesMapping() -> [String: String] { names }
}

private class SyncNamed: Object {
    @Persisted var number: Int
    override class func objectTypeName() -> String { "travertine_sync" }
}

private class Listing: Object {
    @Persisted var list: List<Int>
    override class func objectTypeName() -> String { "A" }
}

private class ListNamed: Object {
    @Persisted var number: Int
    override class func objectTypeName() -> String { "A_list" }
}

private class KeyNamed: Object {
    @Persisted var number: Int
    override class func objectTypeName() -> String { "A_pkey" }
}

private class Address: EmbeddedObject {
    @Persisted var street: String
}

private class Addressed: Object {
    @Persisted var flat: String
    @Persisted var address: Address?
    override class func propertiesMapping() -> [String: String] { ["flat": "address_street"] }
}

private class Pier: Object {
    @Persisted(primaryKey: true) var code: String
    @Persisted var marks: List<Int>
    override class func objectTypeName() -> String { "Pier" }
    override class func propertiesMapping() -> [String: String] { ["code": "_id"] }
}

private class RenamedPier: Object {
    @Persisted(primaryKey: true) var number: String
    @Persisted var marks: List<Int>
    override class func objectTypeName() -> String { "Pier" }
}

private class Moored: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var at: Pier?
    @Persisted var before: List<Pier>
    override class func objectTypeName() -> String { "Moored" }
}

private let longName = String(repeating: "n", count: 56)

private class LongNamed: Object {
    @Persisted var owned: LongOwned?
    @Persisted var list: List<Int>
    override class func objectTypeName() -> String { longName + "1" }
    override class func propertiesMapping() -> [String: String] {
        ["owned": String(repeating: "é", count: 30)]
    }
}

private class LongNamedToo: Object {
    @Persisted var list: List<Int>
    override class func objectTypeName() -> String { longName + "2" }
}

private class LongOwned: EmbeddedObject {
    @Persisted var one: Int
    @Persisted var two: Int
    override class func propertiesMapping() -> [String: String] {
        ["one": "number one", "two": "number two"]
    }
}
