import Foundation
import RealmSwift
import TestSupport
import Testing
import TravertineDocuments

@Suite("Classes and their schemas")
struct ObjectMappingTests {
    private func mapped(_ classes: ObjectBase.Type...) throws -> [DataSource.ObjectType] {
        try ObjectMapping(Schema(classes: classes)).objectTypes {
            CollectionPlace(source: "mongodb-atlas", database: "Pets", collection: $0)
        }
    }

    @Test("every type of property has the type of the mapping, in declared order")
    func everyType() throws {
        let types = try mapped(Everything.self, Everything.Inner.self, Everything.Target.self)
        #expect(types.map(\.schema.title) == ["Everything", "target_type"])
        let schema = types[0].schema
        let words = schema.properties.map { "\($0.name) \(Self.words($0.value))" }
        #expect(
            words == [
                "_id uuid", "int long", "int8 int", "int16 int", "int32 int", "int64 long",
                "float double", "double double", "data binData", "decimal decimal", "mixed mixed",
                "bool bool", "date date", "objectId objectId", "string string", "kind string",
                "maybe int", "list [int]", "set {long}", "map <string>", "mixedList [mixed]",
                "embedded Inner(at:date,targets:[string])",
                "embeddedList [Inner(at:date,targets:[string])]",
                "embeddedMap <Inner(at:date,targets:[string])>", "link string",
                "links [string]", "linkSet {string}", "linkMap <string>", "stored_name string",
            ])
        #expect(
            schema.required == [
                "_id", "int", "int8", "int16", "int32", "int64", "float", "double", "data",
                "decimal", "bool", "date", "objectId", "string", "kind", "stored_name",
            ])
        #expect(types[1].schema.properties.map(\.name) == ["name"])
        #expect(types[1].schema.required == ["name"])
        let links = types[0].relationships
        #expect(
            links.all.map(\.field) == [
                "embedded.targets", "embeddedList.targets", "embeddedMap.targets", "link", "links",
                "linkSet", "linkMap",
            ])
        #expect(links["link"]?.reference == "#/relationship/mongodb-atlas/Pets/target_type")
        #expect(links["link"]?.foreignKey == "name" && links["link"]?.isList == false)
        #expect(links["links"]?.isList == true && links["linkMap"]?.isList == true)
    }

    private static func words(_ value: ValueSchema) -> String {
        switch value.type {
        case .scalar(let scalar): scalar.rawValue
        case .array(let items, let isUnique):
            isUnique ? "{\(words(items))}" : "[\(words(items))]"
        case .dictionary(let values): "<\(words(values))>"
        case .object(let schema):
            "\(schema.title ?? "")("
                + schema.properties.map { "\($0.name):\(words($0.value))" }.joined(separator: ",")
                + ")"
        }
    }

    @Test("a link to a type without key is refused, and so is one to a type that is not there")
    func refusals() throws {
        let error = #expect(throws: MappingError.self) {
            try mapped(Keyless.Owner.self, Keyless.Thing.self)
        }
        #expect(error == .keylessTargets(["Owner.thing", "Owner.things"]))
        #expect(throws: Realm.Error.self) { try Schema(classes: [Keyless.Owner.self]) }
    }

    @Test("what is stored has the schema of its classes, but for the width of integers")
    func storedTypes() throws {
        let workspace = Workspace()
        let classes: [ObjectBase.Type] = [
            Everything.self, Everything.Inner.self, Everything.Target.self,
        ]
        let place = { (title: String) in
            CollectionPlace(source: "s", database: "d", collection: title)
        }
        let declared = try ObjectMapping(Schema(classes: classes)).objectTypes(place)
        do { _ = try workspace.realm("a.realm", classes) }
        let realm = try workspace.realm("a.realm", [])
        let stored = try ObjectMapping(realm.schema).objectTypes(place)
        #expect(stored.map(\.relationships) == declared.map(\.relationships))
        let differences = zip(declared, stored).flatMap { $0.schema.differences(from: $1.schema) }
        #expect(
            differences.map(\.description) == [
                "int8: long has become int", "int16: long has become int",
                "int32: long has become int", "maybe: long has become int",
                "list.[]: long has become int",
            ])
    }
}

enum Sort: String, PersistableEnum { case big, small }

final class Everything: HiddenObject {
    @Persisted(primaryKey: true) var _id: UUID?
    @Persisted var int: Int
    @Persisted var int8: Int8
    @Persisted var int16: Int16
    @Persisted var int32: Int32
    @Persisted var int64: Int64
    @Persisted var float: Float
    @Persisted var double: Double
    @Persisted var data: Data
    @Persisted var decimal: Decimal128
    @Persisted var mixed: AnyRealmValue
    @Persisted var bool: Bool
    @Persisted var date: Date
    @Persisted var objectId: ObjectId
    @Persisted var string: String
    @Persisted var kind: Sort
    @Persisted var maybe: Int32?
    @Persisted var list: List<Int16>
    @Persisted var set: MutableSet<Int>
    @Persisted var map: Map<String, String?>
    @Persisted var mixedList: List<AnyRealmValue>
    @Persisted var embedded: Inner?
    @Persisted var embeddedList: List<Inner>
    @Persisted var embeddedMap: Map<String, Inner?>
    @Persisted var link: Target?
    @Persisted var links: List<Target>
    @Persisted var linkSet: MutableSet<Target>
    @Persisted var linkMap: Map<String, Target?>
    @Persisted var renamed: String

    override class func propertiesMapping() -> [String: String] { ["renamed": "stored_name"] }

    final class Inner: HiddenEmbeddedObject {
        @Persisted var at: Date
        @Persisted var targets: List<Target>
    }

    final class Target: HiddenObject {
        @Persisted(primaryKey: true) var name: String
        @Persisted(originProperty: "link") var everything: LinkingObjects<Everything>

        override class func objectTypeName() -> String { "target_type" }
    }
}

enum Keyless {
    final class Owner: HiddenObject {
        @Persisted(primaryKey: true) var _id: Int
        @Persisted var thing: Thing?
        @Persisted var things: List<Thing>
    }

    final class Thing: HiddenObject {
        @Persisted var name: String
    }
}
