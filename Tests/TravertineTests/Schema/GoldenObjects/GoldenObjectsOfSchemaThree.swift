import Foundation
import RealmSwift
import TestSupport
import Testing

@testable import Travertine

/// What the golden object stores of schema format 3 hold: what came after format 2, asymmetric
/// objects, links that vary with derived classes, required links, and indexes of three kinds.
enum GoldenObjectsOfSchemaThree: GoldenObjects {
    static let types: [ObjectBase.Type] = [
        GoldenKeeper.self, GoldenBeast.self, GoldenFish.self, GoldenCage.self, GoldenReport.self,
    ]

    static func fill(_ directory: TemporaryDirectory) throws -> Realm {
        let realm = try directory.open(types)
        try realm.write {
            let keepers = (0..<4).map { number in
                realm.create(
                    GoldenKeeper.self,
                    value: [
                        "id": number, "name": "keeper \(number % 2)", "age": 30 + number,
                        "email": number == 3 ? nil : "k\(number)@zoo",
                        "notes": "Keeps cage \(number), and the other ones too",
                    ] as [String: Any?])
            }
            for number in 0..<6 {
                let cage = realm.create(
                    GoldenCage.self, value: ["id": number, "keeper": keepers[number % 4]])
                let beast = GoldenBeast(value: ["name": "beast \(number)"])
                let fish = GoldenFish(value: ["name": "fish \(number)", "fins": number])
                cage.star = number % 2 == 0 ? beast : fish
                cage.all.append(objectsIn: [beast, fish, beast])
            }
            for number in 0..<4 { realm.create(GoldenReport.self, value: report(number)) }
        }
        return realm
    }

    static func change(_ realm: Realm) throws {
        try realm.write {
            realm.object(ofType: GoldenKeeper.self, forPrimaryKey: 1)?.notes = "Left"
            if let fish = realm.objects(GoldenFish.self).where({ $0.fins == 1 }).first {
                realm.delete(fish)
            }
        }
        #expect(try realm.outbox.acknowledge(upTo: 1) == 1)
    }

    private static func report(_ number: Int) -> [String: Any] {
        ["text": "report \(number)", "keeper": number]
    }

    static func check(_ realm: Realm, isChanged: Bool) throws {
        let keepers = realm.objects(GoldenKeeper.self)
        #expect(keepers.map(\.id) == [0, 1, 2, 3])
        #expect(keepers.map(\.email) == ["k0@zoo", "k1@zoo", "k2@zoo", nil])
        #expect(keepers.where { $0.name == "keeper 1" && $0.age == 33 }.map(\.id) == [3])
        let found = keepers.where { $0.notes.fullText("cage other") }.map(\.id)
        #expect(found == (isChanged ? [0, 2, 3] : [0, 1, 2, 3]))
        let cages = realm.objects(GoldenCage.self)
        #expect(cages.map(\.id) == Array(0..<6))
        for (number, cage) in cages.enumerated() {
            let isOther = isChanged && number == 1
            #expect(cage.keeper?.id == number % 4)
            #expect((cage.star is GoldenFish) == (number % 2 == 1 && !isOther))
            let kind = number % 2 == 0 ? "beast" : "fish"
            #expect(cage.star?.name == (isOther ? nil : "\(kind) \(number)"))
            let names = ["beast \(number)", "fish \(number)", "beast \(number)"]
            #expect(cage.all.map(\.name) == (isOther ? [names[0], names[2]] : names))
            let fish = cage.all.compactMap { $0 as? GoldenFish }
            #expect(fish.map(\.fins) == (isOther ? [] : [number]))
        }
        let entries = try realm.outbox.read()
        #expect(entries.map(\.sequence) == (isChanged ? [2, 3, 4] : [1, 2, 3, 4]))
        for entry in entries {
            let number = Int(entry.sequence) - 1
            #expect(entry.type == "GoldenReport")
            #expect(entry.document["text"] == .string("report \(number)"))
        }
    }
}

class GoldenKeeper: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var age: Int
    @Persisted var email: String?
    @Persisted(indexed: .fullText) var notes: String?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    override class func indexes() -> [ObjectIndex] {
        [ObjectIndex("name", "age"), ObjectIndex("email", isUnique: true)]
    }
}

class GoldenBeast: Object {
    @Persisted var name: String
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class GoldenFish: GoldenBeast {
    @Persisted var fins: Int
}

class GoldenCage: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(required: true) var keeper: GoldenKeeper?
    @Persisted var star: GoldenBeast?
    @Persisted var all: List<GoldenBeast>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class GoldenReport: AsymmetricObject {
    @Persisted var text: String
    @Persisted var keeper: Int
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
