import Foundation
import RealmSwift
import TestSupport
import Testing

@Suite("Structs as values of objects")
struct PersistedStructTests {
    private func open(_ directory: TemporaryDirectory) throws -> Realm {
        let schemas = [
            try ObjectSchema(Sailor.self), try ObjectSchema(Ship.self),
            try ObjectSchema(Berth.self),
        ]
        var configuration = Realm.Configuration(
            fileURL: directory.url, objectTypes: [], durability: .unsynced)
        configuration.objectSchemas = schemas
        return try Realm(configuration: configuration)
    }

    private var ada: Sailor {
        Sailor(
            id: 7, name: "Ada", rank: .mate, born: Date(timeIntervalSinceReferenceDate: 5),
            email: "a@b", pay: 2.5, marks: [3, 1], tags: ["x", "y"], notes: ["k": "v"],
            ship: Ship(code: "S1", length: 40), berth: Berth(deck: 2),
            berths: [Berth(deck: 3), Berth(deck: 4)], small: 200, token: Data([1, 0, 2]))
    }

    @Test("a struct alone declares a type: types, optionals, collections, links, key and index")
    func declares() throws {
        let schema = try ObjectSchema(Sailor.self)
        #expect(schema.className == "Seaman" && schema.primaryKeyProperty?.name == "id")
        #expect(
            schema.properties.map(\.name) == [
                "id", "rank", "born", "email", "pay", "marks", "tags", "notes", "ship", "berth",
                "berths", "small", "token", "full_name",
            ])
        #expect(schema["full_name"]?.isIndexed == true && schema["full_name"]?.type == .string)
        #expect(schema["rank"]?.type == .int && schema["born"]?.type == .date)
        #expect(schema["email"]?.isOptional == true && schema["pay"]?.isOptional == true)
        #expect(schema["marks"]?.isArray == true && schema["tags"]?.isSet == true)
        #expect(schema["notes"]?.isMap == true && schema["berths"]?.isArray == true)
        #expect(schema["ship"]?.objectClassName == "Ship" && schema["token"]?.type == .data)
        #expect(try ObjectSchema(Berth.self).isEmbedded)
    }

    @Test("values come back as they were written, after reopening too")
    func roundTrip() throws {
        let directory = TemporaryDirectory()
        let plain = Sailor(id: 8, name: "", born: Date(timeIntervalSinceReferenceDate: 0))
        do {
            let realm = try open(directory)
            try realm.write {
                try realm.insert(ada)
                try realm.insert(plain)
            }
        }
        let realm = try open(directory)
        #expect(try realm.values(Sailor.self) == [ada, plain])
        #expect(try realm.value(ofType: Sailor.self, forPrimaryKey: 7) == ada)
        #expect(try realm.value(ofType: Sailor.self, forPrimaryKey: 9) == nil)
        #expect(try realm.values(Ship.self) == [Ship(code: "S1", length: 40)])
        let found = realm.dynamicObjects("Seaman").sorted(byKeyPath: "full_name")
        #expect(try found.values(as: Sailor.self) == [plain, ada])
    }

    @Test("updating changes every property that the struct has, nil included, and links in place")
    func updates() throws {
        let directory = TemporaryDirectory()
        let realm = try open(directory)
        try realm.write { try realm.insert(ada) }
        let error = #expect(throws: Realm.Error.self) {
            try realm.write { try realm.insert(ada) }
        }
        #expect(error?.code == .duplicatePrimaryKey)
        var changed = ada
        changed.email = nil
        changed.pay = nil
        changed.berth = nil
        changed.marks = []
        changed.ship?.length = 41
        try realm.write { try realm.insert(changed, update: .modified) }
        #expect(try realm.values(Sailor.self) == [changed])
        #expect(try realm.values(Ship.self) == [Ship(code: "S1", length: 41)])
        #expect(realm.dynamicObjects("Berth").count == 2)
        try realm.write { try realm.insert(ShortSailor(id: 7, rank: 0), update: .modified) }
        changed.rank = .captain
        #expect(try realm.values(Sailor.self) == [changed])
        #expect(try realm.values(ShortSailor.self) == [ShortSailor(id: 7, rank: 0)])
    }

    @Test("objects of classes are read and written as structs by stored names")
    func classes() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Dinghy.self])
        try realm.write {
            realm.create(Dinghy.self, value: ["title": "Kim", "oars": 2])
            try realm.insert(DinghyValue(name: "Tom", oars: 4))
        }
        #expect(
            try realm.values(DinghyValue.self) == [
                DinghyValue(name: "Kim", oars: 2), DinghyValue(name: "Tom", oars: 4),
            ])
        let made = Dinghy(value: ["title": "own", "oars": 1])
        #expect(try made.value(as: DinghyValue.self) == DinghyValue(name: "own", oars: 1))
        #expect(realm.objects(Dinghy.self).map(\.title) == ["Kim", "Tom"])
    }

    @Test("what does not fit is an error with the name of the property")
    func errors() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Dinghy.self])
        try realm.write { realm.create(Dinghy.self, value: ["title": "Kim", "oars": 300]) }
        let narrow = #expect(throws: DecodingError.self) { try realm.values(NarrowDinghy.self) }
        #expect(narrow.map { "\($0)".contains("oars") } == true)
        #expect(throws: DecodingError.self) { try realm.values(OtherDinghy.self) }
        let unknown = #expect(throws: Realm.Error.self) { try realm.values(Ship.self) }
        #expect(unknown?.message.contains("ObjectSchema(Ship.self)") == true)
        let missing = #expect(throws: Realm.Error.self) {
            try realm.write { try realm.insert(OtherDinghy(name: "x", sails: 3)) }
        }
        #expect(missing?.message.contains("sails") == true)
        #expect(realm.objects(Dinghy.self).count == 1)
        let odd = #expect(throws: DecodingError.self) { try ObjectSchema(OddStruct.self) }
        #expect(odd.map { "\($0)".contains("ranges") } == true)
        #expect(throws: EncodingError.self) {
            try realm.write { try realm.insert(HugeDinghy(name: "x", oars: .max)) }
        }
    }
}

private enum Rank: Int, Codable, CaseIterable {
    case captain, mate
}

private struct Sailor: PersistedStruct, Equatable {
    var id: Int
    var name: String
    var rank = Rank.captain
    var born: Date
    var email: String?
    var pay: Double?
    var marks: [Int] = []
    var tags: Set<String> = []
    var notes: [String: String] = [:]
    var ship: Ship?
    var berth: Berth?
    var berths: [Berth] = []
    var small: UInt8 = 0
    var token = Data()

    enum CodingKeys: String, CodingKey {
        case id, rank, born, email, pay, marks, tags, notes, ship, berth, berths, small, token
        case name = "full_name"
    }

    static func objectTypeName() -> String { "Seaman" }
    static func primaryKey() -> String? { "id" }
    static func indexedProperties() -> [String] { ["full_name"] }
}

private struct ShortSailor: PersistedStruct, Equatable {
    var id: Int
    var rank: Int
    static func objectTypeName() -> String { "Seaman" }
}

private struct Ship: PersistedStruct, Equatable {
    var code: String
    var length: Int
    static func primaryKey() -> String? { "code" }
}

private struct Berth: PersistedStruct, Equatable {
    var deck: Int
    static func objectKind() -> ObjectSchema.Kind { .embedded }
}

private struct DinghyValue: PersistedStruct, Equatable {
    var name: String
    var oars: Int32
    static func objectTypeName() -> String { "Dinghy" }
}

private struct NarrowDinghy: PersistedStruct {
    var oars: Int8
    static func objectTypeName() -> String { "Dinghy" }
}

private struct OtherDinghy: PersistedStruct {
    var name: String
    var sails: Int
    static func objectTypeName() -> String { "Dinghy" }
}

private struct HugeDinghy: PersistedStruct {
    var name: String
    var oars: UInt64
    static func objectTypeName() -> String { "Dinghy" }
}

private struct OddStruct: PersistedStruct {
    var ranges: [Range<Int>]
}

class Dinghy: Object {
    @Persisted var title: String
    @Persisted var oars: Int
    override class func propertiesMapping() -> [String: String] { ["title": "name"] }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
