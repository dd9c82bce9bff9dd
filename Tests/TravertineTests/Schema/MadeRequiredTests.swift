import Foundation
import RealmSwift
import TestSupport
import Testing

@testable import Travertine

@Suite("Properties that were optional and are not any more")
struct MadeRequiredTests {
    private let directory = TemporaryDirectory()

    /// Stores an object without the properties, one in which they are nil, and one with values.
    private func fill() throws {
        do {
            let realm = try directory.open([HarvestV1.self])
            try realm.write { realm.create(HarvestV1.self, value: ["id": 0]) }
        }
        let realm = try directory.open([HarvestV2.self], version: 1)
        try realm.write {
            realm.create(HarvestV2.self, value: ["id": 1])
            let full = realm.create(HarvestV2.self, value: ["id": 2])
            full.count = 3
            full.begun = Date(timeIntervalSinceReferenceDate: 3)
            full.kind = .second
            full.text = "three"
            full.token = UUID(uuidString: "00000000-0000-0000-0000-000000000003")
        }
    }

    @Test("nil stands for the declared default, or else the type's zero, at every read")
    func reading() throws {
        try fill()
        var tokens: Set<UUID> = []
        for _ in 0..<2 {
            let realm = try directory.open([HarvestV3.self], version: 2)
            let harvests = realm.objects(HarvestV3.self)
            for id in 0...1 {
                let harvest = try #require(
                    realm.object(ofType: HarvestV3.self, forPrimaryKey: id))
                #expect(harvest.count == 7 && harvest["count"] as? Int == 7)
                #expect(harvest.begun == Date(timeIntervalSince1970: 0))
                #expect(harvest["begun"] as? Date == Date(timeIntervalSince1970: 0))
                #expect(harvest.kind == .first && harvest.text == "none" && harvest.ratio == 0)
                #expect(!harvest.isDry && harvest.price == Decimal128(0) && harvest.data.isEmpty)
                tokens.formUnion([harvest.token, harvest.token])
                let dynamic = try #require(
                    realm.dynamicObjects("Harvest").first { $0["id"] as? Int == id })
                #expect(dynamic["begun"] as? Date == Date(timeIntervalSince1970: 0))
                #expect(dynamic["count"] as? Int == 7 && dynamic["kind"] as? String == "first")
                #expect(dynamic["token"] as? UUID == harvest.token)
                let copy = harvest.detached()
                #expect(copy.begun == harvest.begun && copy.token == harvest.token)
                let text = String(decoding: try JSONEncoder().encode(harvest), as: UTF8.self)
                #expect(text.contains(#""count":7"#) && text.contains(#""text":"none""#))
            }
            #expect(harvests.where { $0.count == 7 }.map(\.id) == [0, 1])
            #expect(harvests.where { $0.begun == Date(timeIntervalSince1970: 0) }.count == 2)
            #expect(harvests.where { $0.kind == .first }.count == 2)
            #expect(harvests.where { $0.text == "none" }.map(\.id) == [0, 1])
            #expect(harvests.sorted(byKeyPath: "begun").map(\.id) == [0, 1, 2])
            #expect(harvests.min(of: \.begun) == Date(timeIntervalSince1970: 0))
            #expect(harvests.sum(of: \.count) == 17)
            #expect(try realm.brokenInvariants() == [])
        }
        #expect(tokens.count == 1, "what generates itself is the same at every read and opening")
        #expect(try ObjectVerifier.verify(path: directory.url.path).findings.isEmpty)
    }

    @Test("a change of one property leaves what nil stood for in the others")
    func changed() throws {
        try fill()
        let realm = try directory.open([HarvestV3.self], version: 2)
        let harvests = realm.objects(HarvestV3.self)
        let token = try #require(harvests.first?.token)
        try realm.write { for harvest in harvests { harvest.ratio += 1.5 } }
        // Too long for the row's layout, so that it is encoded anew.
        try realm.write {
            for harvest in harvests where harvest.id < 2 {
                harvest.data = Data(repeating: 1, count: 400)
            }
        }
        for id in 0...1 {
            let harvest = try #require(realm.object(ofType: HarvestV3.self, forPrimaryKey: id))
            #expect(harvest.count == 7 && harvest.begun == Date(timeIntervalSince1970: 0))
            #expect(harvest.token == token && harvest.kind == .first && harvest.text == "none")
        }
        #expect(try realm.brokenInvariants() == [])
    }

    @Test("a property that was there from the first takes the default that it has then")
    func otherDefault() throws {
        do {
            let realm = try directory.open([BasinV1.self])
            try realm.write { realm.create(BasinV1.self, value: ["id": 0]) }
        }
        do {
            let realm = try directory.open([BasinV2.self], version: 1)
            try realm.write {
                realm.create(BasinV2.self, value: ["id": 1, "depth": nil] as [String: Any?])
            }
            #expect(realm.objects(BasinV2.self).map(\.depth) == [4, nil])
        }
        let realm = try directory.open([BasinV3.self], version: 2)
        #expect(realm.objects(BasinV3.self).map(\.depth) == [4, 9])
        #expect(realm.objects(BasinV3.self).where { $0.depth == 9 }.map(\.id) == [1])
    }

    @Test("rows that lack a property keep the default that it came with, and nil has the same")
    func laterProperty() throws {
        do {
            let realm = try directory.open([BasinV0.self])
            try realm.write { realm.create(BasinV0.self, value: ["id": 0]) }
        }
        do {
            let realm = try directory.open([BasinV2.self], version: 1)
            try realm.write {
                realm.create(BasinV2.self, value: ["id": 1, "depth": nil] as [String: Any?])
            }
            #expect(realm.objects(BasinV2.self).map(\.depth) == [5, nil])
        }
        let realm = try directory.open([BasinV3.self], version: 2)
        #expect(realm.objects(BasinV3.self).map(\.depth) == [5, 5])
        #expect(realm.objects(BasinV3.self).where { $0.depth == 5 }.count == 2)
    }

    @Test("a date of a type without a class is 1970 where none was given")
    func withoutClass() throws {
        var configuration = Realm.Configuration(fileURL: directory.url, objectTypes: [])
        configuration.objectSchemas = [
            ObjectSchema("Log", properties: [Property("id", .int), Property("at", .date)])
        ]
        let realm = try Realm(configuration: configuration)
        try realm.write { realm.dynamicCreate("Log", value: ["id": 1]) }
        #expect(
            realm.dynamicObjects("Log").first?["at"] as? Date == Date(timeIntervalSince1970: 0))
    }
}

enum HarvestKind: String, PersistableEnum, Codable { case first, second }

class HarvestV1: Object {
    override class func objectTypeName() -> String { "Harvest" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    @Persisted(primaryKey: true) var id: Int
}

class HarvestV2: Object {
    override class func objectTypeName() -> String { "Harvest" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var count: Int?
    @Persisted(indexed: true) var begun: Date?
    @Persisted var kind: HarvestKind?
    @Persisted(indexed: .fullText) var text: String?
    @Persisted(indexed: true) var token: UUID?
    @Persisted var ratio: Double?
    @Persisted var isDry: Bool?
    @Persisted var price: Decimal128?
    @Persisted var data: Data?
}

class HarvestV3: Object, Codable {
    override class func objectTypeName() -> String { "Harvest" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var count = 7
    @Persisted(indexed: true) var begun: Date
    @Persisted var kind: HarvestKind
    @Persisted(indexed: .fullText) var text = "none"
    @Persisted(indexed: true) var token: UUID
    @Persisted var ratio: Double
    @Persisted var isDry: Bool
    @Persisted var price: Decimal128
    @Persisted var data: Data
}

class BasinV0: Object {
    override class func objectTypeName() -> String { "Basin" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    @Persisted var id: Int
}

class BasinV1: Object {
    override class func objectTypeName() -> String { "Basin" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    @Persisted var id: Int
    @Persisted var depth = 4
}

class BasinV2: Object {
    override class func objectTypeName() -> String { "Basin" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    @Persisted var id: Int
    @Persisted var depth: Int? = 5
}

class BasinV3: Object {
    override class func objectTypeName() -> String { "Basin" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    @Persisted var id: Int
    @Persisted var depth = 9
}
