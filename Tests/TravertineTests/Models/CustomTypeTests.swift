import Foundation
import RealmSwift
import TestSupport
import Testing

@Suite("Custom types")
struct CustomTypeTests {
    @Test("they are stored as another type, queried and indexed as themselves")
    func roundTrip() throws {
        let directory = TemporaryDirectory()
        do {
            let realm = try directory.open([Parcel.self])
            let parcel = Parcel(value: ["id": "P-1", "weight": Grams(5), "code": "77"])
            parcel.weights.append(objectsIn: [Grams(1), Grams(2)])
            #expect(parcel.weight == Grams(5) && parcel.code?.number == 77)
            try realm.write { realm.add(parcel) }
            #expect(throws: Stop.self) {
                try realm.write {
                    parcel.weight = Grams(9)
                    parcel.code = nil
                    throw Stop()
                }
            }
            #expect(parcel.weight == Grams(5) && parcel.code?.number == 77)
        }
        let realm = try directory.open([Parcel.self])
        let id = Label(text: "P-1")
        let parcel = try #require(realm.object(ofType: Parcel.self, forPrimaryKey: id))
        #expect(Array(parcel.weights) == [Grams(1), Grams(2)] && parcel.weight == Grams(5))
        let parcels = realm.objects(Parcel.self)
        #expect(parcels.where { $0.weight == Grams(5) }.count == 1)
        #expect(parcels.where { $0.weight == Grams(6) }.isEmpty)
        #expect(parcels.where { $0.weights.contains(Grams(2)) }.count == 1)
        #expect(parcel.objectSchema["weight"]?.type == .int)
    }

    @Test("what is stored but makes no value reads as the default, or as nil where that is allowed")
    func unknownValues() throws {
        let directory = TemporaryDirectory()
        do {
            let realm = try directory.open([ParcelV0.self])
            try realm.write {
                realm.add(ParcelV0(value: ["id": "P-1", "code": "x", "sure": "y", "kind": "ruin"]))
            }
        }
        let realm = try directory.open([Parcel.self], version: 1)
        let parcel = try #require(realm.objects(Parcel.self).first)
        #expect(parcel.code == nil && parcel.sure.number == 0 && parcel.kind == .capital)
        #expect(parcel["kind"] as? String == "ruin" && parcel["sure"] as? String == "y")
        try realm.write { parcel.kind = .city }
        #expect(parcel.kind == .city && parcel["kind"] as? Kind == .city)
    }

    @Test("unknown values in rows of the newest layout never stop the program")
    func unknownInNewestLayout() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Crate.self])
        try realm.write { realm.add(Crate(value: ["id": 1])) }
        do {
            let crate = try #require(realm.dynamicObjects("Crate").first)
            try realm.write {
                crate["kind"] = "ruin"
                crate["maybe"] = "ruin"
                crate["even"] = 3
                crate["perhaps"] = 5
            }
        }
        let crate = try #require(realm.objects(Crate.self).first)
        #expect(crate.kind == .capital && crate.maybe == nil)
        #expect(crate.even.number == 2 && crate.perhaps == nil)
        #expect(crate["kind"] as? String == "ruin" && crate["even"] as? Int == 3)
        #expect(crate["maybe"] as? String == "ruin" && crate["perhaps"] as? Int == 5)
        #expect(crate["id"] as? Int == 1)
        let copy = Crate(value: crate)
        #expect(copy.kind == .capital && copy.even.number == 2)
        #expect(crate.detached().kind == .capital)
        try realm.write { realm.create(Crate.self, value: crate, update: .modified) }
    }
}

/// An even number, of which zero is none.
struct Even: FailableCustomPersistable, Hashable {
    var number: Int
    init(_ number: Int) { self.number = number }
    init?(persistedValue: Int) {
        guard persistedValue != 0, persistedValue % 2 == 0 else { return nil }
        number = persistedValue
    }
    var persistableValue: Int { number }
}

class Crate: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var kind: Kind
    @Persisted var maybe: Kind?
    @Persisted var even = Even(2)
    @Persisted var perhaps: Even?
}

struct Grams: CustomPersistable, Hashable {
    var number: Int
    init(_ number: Int) { self.number = number }
    init(persistedValue: Int) { number = persistedValue }
    var persistableValue: Int { number }
}

struct Label: CustomPersistable, Hashable {
    var text: String
    init(text: String) { self.text = text }
    init(persistedValue: String) { text = persistedValue }
    var persistableValue: String { text }
}

struct Code: FailableCustomPersistable, Hashable {
    var number: Int
    init?(persistedValue: String) {
        guard let number = persistedValue.isEmpty ? 0 : Int(persistedValue) else { return nil }
        self.number = number
    }
    var persistableValue: String { "\(number)" }
}

class Parcel: Object {
    @Persisted(primaryKey: true) var id: Label
    @Persisted(indexed: true) var weight: Grams
    @Persisted var weights: List<Grams>
    @Persisted var code: Code?
    @Persisted var sure: Code
    @Persisted var kind: Kind
}

class ParcelV0: Object {
    @Persisted(primaryKey: true) var id: String
    @Persisted var code: String?
    @Persisted var sure: String
    @Persisted var kind: String

    override class func _realmObjectName() -> String? { "Parcel" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
