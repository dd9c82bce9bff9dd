import Foundation
import RealmSwift
import TestSupport
import Testing

@Suite("Validation at opening")
struct ValidationTests {
    @Test("a type has one primary key at most, an embedded one none, and something to store")
    func primaryKeys() throws {
        let directory = TemporaryDirectory()
        let error = #expect(throws: Realm.Error.self) {
            try directory.open([TwoKeys.self, KeyedPart.self, Nothing.self])
        }
        let message = error?.message ?? ""
        #expect(error?.code == .schemaMismatch)
        #expect(message.contains("Type 'TwoKeys' has more than one primary key: "))
        #expect(message.contains("Embedded object type 'KeyedPart' cannot have a primary key."))
        #expect(message.contains("No properties are defined for 'Nothing'."))
        #expect(!message.contains("-disable-reflection-metadata"))
    }

    @Test("every type that a primary key can have finds its object after reopening")
    func keyTypes() throws {
        let directory = TemporaryDirectory()
        let types: [ObjectBase.Type] = [
            KeyedByData.self, KeyedByKind.self, KeyedByCustom.self, KeyedByOptional.self,
            KeyedByUUID.self,
        ]
        let uuid = UUID()
        do {
            let realm = try directory.open(types)
            try realm.write {
                realm.create(KeyedByData.self, value: ["id": Data([1, 0, 2]), "note": "a"])
                realm.create(KeyedByKind.self, value: ["id": ValidationKind.b, "note": "b"])
                realm.create(KeyedByCustom.self, value: ["id": Degrees(persistedValue: 9)])
                realm.create(KeyedByOptional.self, value: ["id": "x", "note": "x"])
                realm.create(KeyedByOptional.self, value: ["note": "nil"])
                realm.create(KeyedByUUID.self, value: ["id": uuid, "note": "u"])
            }
            #expect(throws: Realm.Error.self) {
                try realm.write { realm.create(KeyedByOptional.self, value: ["note": "again"]) }
            }
        }
        let realm = try directory.open(types)
        #expect(
            realm.object(ofType: KeyedByData.self, forPrimaryKey: Data([1, 0, 2]))?.note == "a")
        #expect(
            realm.object(ofType: KeyedByKind.self, forPrimaryKey: ValidationKind.b)?.note == "b")
        #expect(
            realm.object(ofType: KeyedByCustom.self, forPrimaryKey: Degrees(persistedValue: 9))
                != nil)
        #expect(realm.object(ofType: KeyedByOptional.self, forPrimaryKey: "x")?.note == "x")
        let none: String? = nil
        #expect(realm.object(ofType: KeyedByOptional.self, forPrimaryKey: none)?.note == "nil")
        #expect(realm.object(ofType: KeyedByUUID.self, forPrimaryKey: uuid)?.note == "u")
        #expect(realm.objects(KeyedByOptional.self).count == 2)
    }

    @Test("names that a class says something of and that no property has are an error, all of them")
    func unknownNames() throws {
        let error = #expect(throws: Realm.Error.self) {
            try TemporaryDirectory().open([Misnamed.self])
        }
        let message = error?.message ?? ""
        #expect(error?.code == .schemaMismatch)
        for text in [
            "`primaryKey()` of 'Misnamed' names 'idd'",
            "`indexedProperties()` of 'Misnamed' names 'nome'",
            "`indexedProperties()` of 'Misnamed' names 'plain'",
            "`propertiesMapping()` of 'Misnamed' names 'sise'",
        ] {
            #expect(message.contains(text), "\(text) in \(message)")
        }
    }

    @Test("what a class says of properties names them by public or by stored name")
    func storedNames() throws {
        let realm = try TemporaryDirectory().open([NamedByStored.self])
        let schema = realm.schema["NamedByStored"]
        #expect(schema?.primaryKeyProperty?.name == "key" && schema?["text"]?.isIndexed == true)
        #expect(schema?["cache"] == nil && schema?.properties.count == 2)
    }

    @Test("broken rules, a lower version and differences are listed in one error")
    func oneError() throws {
        let directory = TemporaryDirectory()
        do { _ = try directory.open([FormV1.self, Tag.self, Desk.self, Reader.self]) }
        let types: [ObjectBase.Type] = [
            FormV2.self, Tag.self, Desk.self, Reader.self, Misnamed.self, TwoKeys.self,
        ]
        let error = #expect(throws: Realm.Error.self) { try directory.open(types) }
        for text in [
            "Type 'TwoKeys' has more than one primary key: ", "names 'idd'",
            "'Form.number' has been changed from 'int' to 'double'", "Raise `schemaVersion`",
        ] {
            #expect(error?.message.contains(text) == true, "\(text) in \(error?.message ?? "")")
        }
        var configuration = Realm.Configuration(
            fileURL: directory.url, schemaVersion: 2,
            migrationBlock: { migration, _ in
                migration.renameProperty(onType: "Form", from: "nothing", to: "name")
            }, objectTypes: types, durability: .unsynced)
        let renaming = #expect(throws: Realm.Error.self) {
            try Realm(configuration: configuration)
        }
        // The block is called for classes that can be stored only.
        #expect(
            renaming?.message.contains("more than one primary key") == true
                && renaming?.message.contains("Form.nothing") == false,
            "\(renaming?.message ?? "")")
        do { _ = try directory.open([Tag.self], version: 5) }
        configuration.migrationBlock = nil
        let older = #expect(throws: Realm.Error.self) { try Realm(configuration: configuration) }
        for text in ["more than one primary key", "2 is less than last set version 5"] {
            #expect(older?.message.contains(text) == true, "\(older?.message ?? "")")
        }
    }

    @Test("an embedded class that nothing holds is fine")
    func unusedEmbedded() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Tag.self, Desk.self])
        #expect(realm.schema["Desk"]?.isEmbedded == true)
    }

    @Test("differences in type, optionality, key and link target are listed in one error")
    func differences() throws {
        let directory = TemporaryDirectory()
        do { _ = try directory.open([FormV1.self, Tag.self, Desk.self, Reader.self]) }
        let error = #expect(throws: Realm.Error.self) {
            try directory.open([FormV2.self, Tag.self, Desk.self, Reader.self])
        }
        let message = error?.message ?? ""
        #expect(error?.code == .schemaMismatch)
        for part in [
            "'Form.number' has been changed from 'int' to 'double'",
            "'Form.name' has been made optional",
            "'Form.maybe' has been made required",
            "'Form.link' has been changed from 'object<Tag>' to 'object<Reader>'",
            "'Form.list' has been changed from 'array<int>' to 'set<int>'",
            "'Form.gone' has been removed",
            "'Form.come' has been added",
            "Primary Key for class 'Form' has changed from 'id' to 'key'",
            "Raise `schemaVersion`",
        ] {
            #expect(message.contains(part), "\(part) in \(message)")
        }
    }

    @Test("a type never changes its kind, whatever the version")
    func kind() throws {
        let directory = TemporaryDirectory()
        do { _ = try directory.open([DeskObject.self]) }
        let error = #expect(throws: Realm.Error.self) {
            try directory.open([Desk.self], version: 5)
        }
        #expect(
            error?.message.contains("'Desk' has been changed from top-level to embedded") == true)
    }
}

enum ValidationKind: String, PersistableEnum { case a, b }

struct Degrees: CustomPersistable, Hashable {
    typealias PersistedType = Int
    var value: Int
    init(persistedValue: Int) { value = persistedValue }
    var persistableValue: Int { value }
}

class Invalid: Object {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class TwoKeys: Invalid {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(primaryKey: true) var key: String
}

class Misnamed: Invalid {
    @Persisted var id: Int
    @Persisted var name: String
    var plain = 0

    override class func primaryKey() -> String? { "idd" }
    override class func indexedProperties() -> [String] { ["name", "nome", "plain"] }
    override class func ignoredProperties() -> [String] { ["plain", "computed"] }
    override class func propertiesMapping() -> [String: String] { ["name": "n", "sise": "size"] }
}

class NamedByStored: Invalid {
    @Persisted var key: String
    @Persisted var text: String
    @Persisted var cache: Int

    override class func primaryKey() -> String? { "_key" }
    override class func indexedProperties() -> [String] { ["_text"] }
    override class func ignoredProperties() -> [String] { ["_cache"] }
    override class func propertiesMapping() -> [String: String] {
        ["key": "_key", "text": "_text", "cache": "_cache"]
    }
}

class KeyedPart: EmbeddedObject {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    @Persisted(primaryKey: true) var id: Int
}

class Nothing: Invalid {
    var ignored = 1
}

class KeyedByData: Object {
    @Persisted(primaryKey: true) var id: Data
    @Persisted var note: String
}

class KeyedByKind: Object {
    @Persisted(primaryKey: true) var id: ValidationKind
    @Persisted var note: String
}

class KeyedByCustom: Object {
    @Persisted(primaryKey: true) var id: Degrees
    @Persisted var note: String
}

class KeyedByOptional: Object {
    @Persisted(primaryKey: true) var id: String?
    @Persisted var note: String
}

class KeyedByUUID: Object {
    @Persisted(primaryKey: true) var id: UUID
    @Persisted var note: String
}

class Form: Object {
    override class func objectTypeName() -> String { "Form" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class FormV1: Form {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var key: Int
    @Persisted var number: Int
    @Persisted var name: String
    @Persisted var maybe: Int?
    @Persisted var link: Tag?
    @Persisted var list: List<Int>
    @Persisted var gone: Bool
}

class FormV2: Form {
    @Persisted var id: Int
    @Persisted(primaryKey: true) var key: Int
    @Persisted var number: Double
    @Persisted var name: String?
    @Persisted var maybe: Int
    @Persisted var link: Reader?
    @Persisted var list: MutableSet<Int>
    @Persisted var come: Bool
}

class DeskObject: Object {
    override class func objectTypeName() -> String { "Desk" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    @Persisted var number: Int
}
