import Foundation
import PostgreSQLSync
import Testing
import Travertine

/// The character U+0000, which PostgreSQL has none for.
@Suite("Texts with U+0000")
struct NULCharacterTests {
    private static let types: [ObjectBase.Type] = [Texts.self, Inner.self]

    private static var values: [(property: String, value: Any)] {
        [
            ("text", "a\0b"), ("list", ["ok", "\0"]), ("named", ["k\0": "x"]),
            ("named", ["k": "x\0"]), ("any", [["deep": ["y\0"]]]), ("inner", ["word": "\0"]),
            ("inners", [["word": "w"], ["word": "w\0"]]), ("code", "c\0"),
        ]
    }

    @Test("they are refused, and the type, the property and the object are named")
    func refused() throws {
        for collections in MappingOptions.Collections.allCases {
            let fixture = try SyncFixture()
            fixture.options.mapping.collections = collections
            let realm = try fixture.open(Self.types)
            for (property, value) in Self.values {
                try realm.write {
                    realm.deleteAll()
                    let code = ["code": "the key"].merging([property: value]) { $1 }
                    realm.dynamicCreate("Texts", value: code)
                }
                let error = try #require(throws: SyncError.self) { try fixture.sync(realm) }
                guard case .nulCharacter("Texts", let name, let key) = error else {
                    Issue.record("\(property): \(error)")
                    continue
                }
                #expect(name == (property == "inner" ? "word" : property))
                #expect(property == "code" || key.contains("the key"))
                #expect(try fixture.value("SELECT count(*) FROM \"Texts\"") == "0")
            }
        }
    }

    @Test("they are replaced where the options ask for it, and the texts are counted")
    func replaced() throws {
        for collections in MappingOptions.Collections.allCases {
            let fixture = try SyncFixture()
            fixture.options.mapping.collections = collections
            fixture.options.replacesNUL = true
            let realm = try fixture.open(Self.types)
            // Never in a primary key: two keys could become one.
            let values = Self.values.filter { $0.property != "code" }
            for (number, value) in values.enumerated() {
                try realm.write {
                    realm.dynamicCreate(
                        "Texts",
                        value: ["code": "k\(number)", "list": ["x"]].merging([
                            value.property: value.value
                        ]) { $1 })
                }
            }
            #expect(
                try fixture.sync(realm).replacedTextCount == values.count, "\(collections)")
            #expect(
                try fixture.lines("SELECT text, \"inner_word\" FROM \"Texts\" WHERE code = 'k0'")
                    == ["a\u{FFFD}b null"])
            #expect(
                try fixture.lines(
                    "SELECT named FROM \"Texts\" WHERE code IN ('k2', 'k3') ORDER BY code")
                    == ["{\"k\u{FFFD}\": \"x\"}", "{\"k\": \"x\u{FFFD}\"}"])
            #expect(
                try fixture.lines("SELECT \"any\" FROM \"Texts\" WHERE code = 'k4'")
                    == ["[{\"deep\": [\"y\u{FFFD}\"]}]"])
            // Once more by INSERT, and deleted again.
            try realm.write {
                for text in realm.objects(Texts.self) { text.note += 1 }
            }
            let summary = try fixture.sync(realm)
            #expect(summary.replacedTextCount == values.count)
            #expect(try fixture.differencesFromFreshCopy(realm) == [])
            try realm.write { realm.deleteAll() }
            try fixture.sync(realm)
            for table in try fixture.tables() {
                #expect(try fixture.value("SELECT count(*) FROM \"\(table)\"") == "0")
            }
        }
    }
}

private class Texts: Object {
    @Persisted(primaryKey: true) var code: String
    @Persisted var text: String
    @Persisted var list: List<String>
    @Persisted var named: Map<String, String>
    @Persisted var any: AnyRealmValue
    @Persisted var inner: Inner?
    @Persisted var inners: List<Inner>
    @Persisted var note: Int
}

private class Inner: EmbeddedObject {
    @Persisted var word: String
}
