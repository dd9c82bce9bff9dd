import Foundation
import RealmSwift
import TestSupport
import Testing

@Suite("Scalar types")
struct ScalarTypesTests {
    private let types: [Object.Type] = [Scalars.self]

    @Test("every type keeps its extremes over reopening")
    func extremes() throws {
        let directory = TemporaryDirectory()
        let id = ObjectId.generate()
        let uuid = UUID()
        do {
            let realm = try directory.open(types)
            try realm.write {
                let least = Scalars()
                least.key = "least"
                least.int = .min
                least.int8 = .min
                least.int16 = .min
                least.int32 = .min
                least.int64 = .min
                least.float = -.greatestFiniteMagnitude
                least.double = -.greatestFiniteMagnitude
                least.date = Date(timeIntervalSinceReferenceDate: -1e15)
                realm.add(least)
                let greatest = Scalars()
                greatest.key = "greatest"
                greatest.int = .max
                greatest.int8 = .max
                greatest.int16 = .max
                greatest.int32 = .max
                greatest.int64 = .max
                greatest.bool = true
                greatest.float = .infinity
                greatest.double = .infinity
                greatest.string = "東京 \u{0} é e\u{301}"
                greatest.data = Data([0, 255, 0])
                greatest.date = Date(timeIntervalSinceReferenceDate: 0.1)
                greatest.uuid = uuid
                greatest.objectId = id
                greatest.kind = .village
                greatest.optionalInt = -1
                greatest.optionalBool = false
                greatest.optionalFloat = -0.5
                greatest.optionalDouble = .nan
                greatest.optionalString = ""
                greatest.optionalData = Data()
                greatest.optionalDate = Date(timeIntervalSince1970: 1)
                greatest.optionalUUID = uuid
                greatest.optionalObjectId = id
                greatest.optionalKind = .city
                realm.add(greatest)
            }
        }
        let realm = try directory.open(types)
        let least = try #require(realm.object(ofType: Scalars.self, forPrimaryKey: "least"))
        #expect(least.int == .min && least.int8 == .min && least.int16 == .min)
        #expect(least.int32 == .min && least.int64 == .min && !least.bool)
        #expect(least.float == -.greatestFiniteMagnitude)
        #expect(least.double == -.greatestFiniteMagnitude)
        #expect(least.date == Date(timeIntervalSinceReferenceDate: -1e15))
        #expect(least.string == "" && least.data == Data() && least.kind == .capital)
        #expect(least.optionalInt == nil && least.optionalBool == nil && least.optionalFloat == nil)
        #expect(least.optionalDouble == nil && least.optionalString == nil)
        #expect(least.optionalData == nil && least.optionalDate == nil)
        #expect(least.optionalUUID == nil && least.optionalObjectId == nil)
        #expect(least.optionalKind == nil)
        let greatest = try #require(realm.object(ofType: Scalars.self, forPrimaryKey: "greatest"))
        #expect(greatest.int == .max && greatest.int8 == .max && greatest.int16 == .max)
        #expect(greatest.int32 == .max && greatest.int64 == .max && greatest.bool)
        #expect(greatest.float == .infinity && greatest.double == .infinity)
        #expect(
            Array(greatest.string.unicodeScalars) == Array("東京 \u{0} é e\u{301}".unicodeScalars))
        #expect(greatest.data == Data([0, 255, 0]))
        #expect(greatest.date == Date(timeIntervalSinceReferenceDate: 0.1))
        #expect(greatest.uuid == uuid && greatest.objectId == id && greatest.kind == .village)
        #expect(greatest.optionalInt == -1 && greatest.optionalBool == false)
        #expect(greatest.optionalFloat == -0.5 && greatest.optionalDouble?.isNaN == true)
        #expect(greatest.optionalString == "" && greatest.optionalData == Data())
        #expect(greatest.optionalDate == Date(timeIntervalSince1970: 1))
        #expect(greatest.optionalUUID == uuid && greatest.optionalObjectId == id)
        #expect(greatest.optionalKind == .city)
    }

    @Test("properties of a managed object take any sequence of values, in place or not")
    func randomSets() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open(types)
        let seed: UInt64 = 20_261_121
        var random = SeededRandom(seed: seed)
        let model = Scalars()
        let managed = Scalars()
        managed.key = "k"
        model.key = "k"
        model.date = managed.date
        try realm.write { realm.add(managed) }
        for round in 0..<300 {
            try realm.write {
                for _ in 0..<random.below(8) { Self.change(model, managed, &random) }
            }
            #expect(model.isAlike(managed), "seed \(seed), round \(round)")
        }
    }

    private static func change(_ model: Scalars, _ managed: Scalars, _ random: inout SeededRandom) {
        let number = Int(truncatingIfNeeded: random.next()) >> random.below(64)
        let text = random.text()
        for object in [model, managed] {
            var copy = random
            switch copy.below(12) {
            case 0: object.int = number
            case 1: object.int8 = Int8(truncatingIfNeeded: number)
            case 2: object.int32 = Int32(truncatingIfNeeded: number)
            case 3: object.string = text
            case 4: object.optionalString = copy.chance(30) ? nil : text
            case 5: object.optionalInt = copy.chance(30) ? nil : number
            case 6: object.data = Data(text.utf8)
            case 7: object.double = Double(number)
            case 8: object.bool.toggle()
            case 9: object.kind = copy.pick(Kind.allCases)
            case 10: object.optionalDouble = copy.chance(30) ? nil : Double(number)
            default: object.date = Date(timeIntervalSinceReferenceDate: Double(number))
            }
        }
        _ = random.next()
    }

    @Test("an ObjectId is ordered, unique, and reads back from its text")
    func objectIds() throws {
        let ids = (0..<1000).map { _ in ObjectId.generate() }
        #expect(Set(ids).count == 1000)
        for id in ids {
            #expect(try ObjectId(string: id.stringValue) == id)
            #expect(id.stringValue.utf8.count == 24)
        }
        #expect(ObjectId("000000000000000000000001") < ObjectId("000000010000000000000000"))
        #expect(ObjectId() == ObjectId("000000000000000000000000"))
        #expect(throws: Realm.Error.self) { try ObjectId(string: "12") }
        #expect(throws: Realm.Error.self) {
            try ObjectId(string: "00000000000000000000000g")
        }
        let stamped = ObjectId(
            timestamp: Date(timeIntervalSince1970: 77), machineId: 1, processId: 2)
        #expect(stamped.timestamp == Date(timeIntervalSince1970: 77))
        let coded = try JSONDecoder().decode([ObjectId].self, from: JSONEncoder().encode(ids))
        #expect(coded == ids)
    }

    @Test("an unmanaged property without initial value makes one identifier and keeps it")
    func defaultIdentifiers() {
        let object = Scalars()
        #expect(object.objectId == object.objectId)
        #expect(object.objectId != ObjectId())
        #expect(Scalars().objectId != object.objectId)
    }
}

enum Kind: String, PersistableEnum {
    case capital
    case city
    case village
}

class Scalars: Object {
    @Persisted(primaryKey: true) var key: String
    @Persisted var int: Int
    @Persisted var int8: Int8
    @Persisted var int16: Int16
    @Persisted var int32: Int32
    @Persisted var int64: Int64
    @Persisted var bool: Bool
    @Persisted var float: Float
    @Persisted var double: Double
    @Persisted var string: String
    @Persisted var data: Data
    @Persisted var date: Date
    @Persisted var uuid: UUID
    @Persisted var objectId: ObjectId
    @Persisted var kind: Kind
    @Persisted var optionalInt: Int?
    @Persisted var optionalBool: Bool?
    @Persisted var optionalFloat: Float?
    @Persisted var optionalDouble: Double?
    @Persisted var optionalString: String?
    @Persisted var optionalData: Data?
    @Persisted var optionalDate: Date?
    @Persisted var optionalUUID: UUID?
    @Persisted var optionalObjectId: ObjectId?
    @Persisted var optionalKind: Kind?

    func isAlike(_ other: Scalars) -> Bool {
        int == other.int && int8 == other.int8 && int32 == other.int32 && bool == other.bool
            && double == other.double && string == other.string && data == other.data
            && date == other.date && kind == other.kind && optionalInt == other.optionalInt
            && optionalString == other.optionalString && optionalDouble == other.optionalDouble
    }
}
