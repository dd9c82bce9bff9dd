import Foundation
import RealmSwift
import TestSupport
import Testing

@testable import Travertine

@Suite("Defaults of properties added later")
struct LaterDefaultTests {
    @Test(
        "existing objects have the declared default of every type, equal at every read and opening")
    func equalAtEveryRead() throws {
        let directory = TemporaryDirectory()
        do {
            let realm = try directory.open([GrowingV1.self])
            try realm.write { for id in 0..<3 { realm.create(GrowingV1.self, value: [id]) } }
        }
        var first: [String] = []
        for round in 0..<3 {
            let realm = try directory.open([GrowingV2.self], version: 1)
            let objects = realm.objects(GrowingV2.self)
            for object in objects {
                #expect(object.number == 7 && object.text == "grün" && object.flag)
                #expect(object.ratio == 2.5 && object.small == 1.5 && object.none == nil)
                #expect(object.date == Date(timeIntervalSinceReferenceDate: 9))
                #expect(object.data == Data([1, 2]) && object.kind == .second)
                #expect(object.amount == Decimal128(3) && object.mixed == .string("m"))
                #expect(object.maybe == 4 && object.list.isEmpty && object.link == nil)
                #expect(object["text"] as? String == "grün")
            }
            let read = objects.flatMap { [$0.made.stringValue, $0.random.uuidString] }
            if round == 0 { first = read }
            #expect(read == first, "what generates itself is the same at every read")
            #expect(objects.where { $0.text == "grün" && $0.number == 7 }.count == 3)
            #expect(objects.sorted(byKeyPath: "number").count == 3)
            #expect(try realm.brokenInvariants() == [])
            try realm.write { objects[round].id += 0 }
        }
    }

    @Test("a change of one property keeps the defaults of the others; indexes have them")
    func changed() throws {
        let directory = TemporaryDirectory()
        do {
            let realm = try directory.open([GrowingV1.self])
            try realm.write { for id in 0..<3 { realm.create(GrowingV1.self, value: [id]) } }
        }
        let realm = try directory.open([GrowingV2.self], version: 1)
        let objects = realm.objects(GrowingV2.self)
        let made = objects.map(\.made)
        try realm.write {
            objects[1].text = "other"
            objects[2].maybe = nil
        }
        #expect(objects.map(\.text) == ["grün", "other", "grün"])
        #expect(objects.map(\.maybe) == [4, 4, nil] && objects.map(\.made) == made)
        #expect(
            objects.allSatisfy { $0.number == 7 && $0.date.timeIntervalSinceReferenceDate == 9 })
        #expect(objects.where { $0.text == "grün" }.count == 2)
        #expect(try realm.brokenInvariants() == [])
    }

    @Test("the index of a property that had nil as default and may not be nil any more has zero")
    func madeRequired() throws {
        let directory = TemporaryDirectory()
        do {
            let realm = try directory.open([ShrinkingV1.self])
            try realm.write { for id in 0..<3 { realm.create(ShrinkingV1.self, value: [id]) } }
        }
        do { _ = try directory.open([ShrinkingV2.self], version: 1) }
        let realm = try directory.open([ShrinkingV3.self], version: 2)
        let objects = realm.objects(ShrinkingV3.self)
        #expect(objects.allSatisfy { $0.rank == 0 && $0.name.isEmpty })
        #expect(objects.where { $0.rank == 0 }.count == 3)
        #expect(objects.where { $0.name == "" }.count == 3)
        try realm.write { objects[1].rank = 4 }
        #expect(objects.where { $0.rank == 0 }.map(\.id) == [0, 2])
        #expect(try realm.brokenInvariants() == [])
    }
}

class ShrinkingV1: Object {
    override class func objectTypeName() -> String { "Shrinking" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    @Persisted var id: Int
}

class ShrinkingV2: Object {
    override class func objectTypeName() -> String { "Shrinking" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    @Persisted var id: Int
    @Persisted(indexed: true) var rank: Int?
    @Persisted(indexed: true) var name: String?
}

class ShrinkingV3: Object {
    override class func objectTypeName() -> String { "Shrinking" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    @Persisted var id: Int
    @Persisted(indexed: true) var rank: Int
    @Persisted(indexed: true) var name: String
}

enum GrowingKind: String, PersistableEnum { case first, second }

class GrowingV1: Object {
    override class func objectTypeName() -> String { "Growing" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    @Persisted var id: Int
}

class GrowingV2: Object {
    override class func objectTypeName() -> String { "Growing" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    @Persisted var id: Int
    @Persisted var number = 7
    @Persisted(indexed: true) var text = "grün"
    @Persisted var flag = true
    @Persisted var ratio = 2.5
    @Persisted var small: Float = 1.5
    @Persisted var date = Date(timeIntervalSinceReferenceDate: 9)
    @Persisted var data = Data([1, 2])
    @Persisted var kind = GrowingKind.second
    @Persisted var amount = Decimal128(3)
    @Persisted var mixed = AnyRealmValue.string("m")
    @Persisted var maybe: Int? = 4
    @Persisted var none: String?
    @Persisted var made: ObjectId
    @Persisted var random: UUID
    @Persisted var list: List<Int>
    @Persisted var link: GrowingV2?
}
