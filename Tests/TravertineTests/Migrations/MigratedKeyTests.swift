import Foundation
import TestSupport
import Testing

@testable import Travertine

@Suite("Primary keys in migrations")
struct MigratedKeyTests {
    private let realm = MigratedRealm()

    private func fill(_ ids: [Int] = [1, 2, 3]) throws {
        try realm.open([NumberedKey.self], version: 0) { realm in
            try realm.write {
                var last: NumberedKey?
                for id in ids {
                    let made = realm.create(
                        NumberedKey.self, value: ["id": id, "code": "c\(id)"])
                    made.next = last
                    last = made
                }
            }
        }
    }

    @Test("an integer becomes a text, and back, with links as they were")
    func changedType() throws {
        try fill()
        try realm.open([LetteredKey.self], version: 1) { migration, _ in
            migration.enumerateObjects(ofType: "Keyed") { old, new in
                new?["id"] = (old?["id"] as? Int).map { "k\($0)" }
            }
        } _: { realm in
            #expect(realm.objects(LetteredKey.self).map(\.id) == ["k1", "k2", "k3"])
            #expect(realm.object(ofType: LetteredKey.self, forPrimaryKey: "k3")?.next?.id == "k2")
            try realm.write { _ = realm.create(LetteredKey.self, value: ["id": "k4"]) }
            #expect(realm.objects(LetteredKey.self).map(\.id) == ["k1", "k2", "k3", "k4"])
        }
        try realm.open([NumberedKey.self], version: 2) { migration, _ in
            migration.enumerateObjects(ofType: "Keyed") { old, new in
                new?["id"] = (old?["id"] as? String).flatMap { Int($0.dropFirst()) }
            }
        } _: { realm in
            let last = realm.object(ofType: NumberedKey.self, forPrimaryKey: 3)
            #expect(last?.next?.next?.id == 1)
            #expect(realm.object(ofType: NumberedKey.self, forPrimaryKey: 5) == nil)
        }
    }

    @Test("an integer gets other values, and objects are found by these")
    func changedValues() throws {
        try fill()
        for turn in 1...2 {
            try realm.open([NumberedKey.self], version: UInt64(turn)) { migration, _ in
                migration.enumerateObjects(ofType: "Keyed") { old, new in
                    // In between, values are those of other objects.
                    new?["id"] = (old?["id"] as? Int ?? 0) + 1
                }
            } _: { realm in
                #expect(realm.objects(NumberedKey.self).map(\.id) == [1, 2, 3].map { $0 + turn })
                let last = realm.object(ofType: NumberedKey.self, forPrimaryKey: 3 + turn)
                #expect(last?.next?.id == 2 + turn && last?.code == "c3")
                #expect(realm.object(ofType: NumberedKey.self, forPrimaryKey: 1) == nil)
            }
        }
    }

    @Test("the next key after Int.max is in the largest gap, and is not given out twice")
    func afterTheGreatest() throws {
        try fill([.min, -5, 7, .max])
        try realm.open([LetteredKey.self], version: 1) { migration, _ in
            migration.enumerateObjects(ofType: "Keyed") { old, new in
                new?["id"] = "\(old?["id"] ?? 0)"
            }
            migration.create("Keyed", value: ["id": "made"])
        } _: { realm in
            #expect(realm.objects(LetteredKey.self).count == 5)
        }
        for turn in 0..<3 {
            try realm.open([LetteredKey.self], version: 1) { realm in
                try realm.write {
                    let dropped = realm.create(LetteredKey.self, value: ["id": "dropped"])
                    realm.create(LetteredKey.self, value: ["id": "turn \(turn)"])
                    realm.delete(dropped)
                }
                #expect(realm.objects(LetteredKey.self).count == 6 + turn)
                #expect(realm.object(ofType: LetteredKey.self, forPrimaryKey: "\(Int.max)") != nil)
            }
        }
        try realm.open([LetteredKey.self], version: 1) { realm in
            try realm.write {
                let last = realm.object(ofType: LetteredKey.self, forPrimaryKey: "\(Int.max)")
                if let last { realm.delete(last) }
                realm.create(LetteredKey.self, value: ["id": "after"])
            }
            #expect(realm.objects(LetteredKey.self).count == 8)
        }
    }

    @Test("a primary key is added, made of what objects have, and dropped")
    func addedAndDropped() throws {
        try fill()
        try realm.open([CodeKey.self], version: 1) { _, _ in
        } _: { realm in
            #expect(realm.object(ofType: CodeKey.self, forPrimaryKey: "c2")?.id == 2)
        }
        try realm.open([NoKey.self], version: 2) { _, _ in
        } _: { realm in
            try realm.write { _ = realm.create(NoKey.self, value: ["id": 2, "code": "c2"]) }
            #expect(realm.objects(NoKey.self).count == 4)
        }
        let error = try realm.failure([NumberedKey.self], version: 3) { migration, _ in
            migration.enumerateObjects(ofType: "Keyed") { _, new in new?["next"] = nil }
        }
        #expect(error.code == .duplicatePrimaryKey)
        #expect(error.message.contains("'Keyed.id'") && error.message.contains("2"), "\(error)")
        try realm.open([NumberedKey.self], version: 3) { migration, _ in
            var seen: Set<Int> = []
            migration.enumerateObjects(ofType: "Keyed") { old, new in
                if let id = old?["id"] as? Int, !seen.insert(id).inserted, let new {
                    migration.delete(new)
                }
            }
        } _: { realm in
            #expect(realm.objects(NumberedKey.self).map(\.id) == [1, 2, 3])
        }
    }

    @Test("duplicates are named with their values, and nothing is changed")
    func duplicates() throws {
        try fill()
        let error = try realm.failure([LetteredKey.self], version: 1) { migration, _ in
            migration.enumerateObjects(ofType: "Keyed") { old, new in
                new?["id"] = old?["id"] as? Int == 1 ? "one" : "same"
            }
        }
        #expect(error.code == .duplicatePrimaryKey && error.message.contains("same"), "\(error)")
        let unique = try realm.failure([UniqueKeyed.self], version: 1) { migration, _ in
            migration.enumerateObjects(ofType: "Keyed") { _, new in new?["code"] = "same code" }
        }
        #expect(unique.code == .uniqueViolation)
        #expect(unique.message.contains("same code"), "\(unique)")
        try realm.open([NumberedKey.self], version: 0) { realm in
            #expect(realm.objects(NumberedKey.self).map(\.code) == ["c1", "c2", "c3"])
        }
    }

    @Test("while the key is an ordinary property, a dictionary as a link makes a new object (M-L5)")
    func dictionariesAsLinks() throws {
        try fill()
        func block(_ id: String) -> MigrationBlock {
            { migration, _ in
                migration.enumerateObjects(ofType: "Keyed") { old, new in
                    new?["id"] = (old?["id"] as? Int).map { "k\($0)" }
                }
                migration.enumerateObjects(ofType: "Keyed") { old, new in
                    if old?["id"] as? Int == 3 { new?["next"] = ["id": id, "code": "made"] }
                }
            }
        }
        let error = try realm.failure([LetteredKey.self], version: 1, block("k1"))
        #expect(error.code == .duplicatePrimaryKey && error.message.contains("k1"), "\(error)")
        try realm.open([LetteredKey.self], version: 1, block("k9")) { realm in
            let all = realm.objects(LetteredKey.self)
            #expect(all.map(\.id) == ["k1", "k2", "k3", "k9"])
            #expect(all[2].next?.code == "made" && all[2].next?.id == "k9")
        }
    }

    @Test("while the key is the primary key, a dictionary as a link stands for the object with it")
    func dictionariesOfKeys() throws {
        try fill()
        try realm.open([NumberedKey.self], version: 1) { migration, _ in
            migration.enumerateObjects(ofType: "Keyed") { old, new in
                if old?["id"] as? Int == 3 { new?["next"] = ["id": 1, "code": "found"] }
            }
        } _: { realm in
            let all = realm.objects(NumberedKey.self)
            #expect(all.map(\.code) == ["found", "c2", "c3"] && all[2].next?.id == 1)
        }
    }

    @Test("a link that becomes required must lead to an object")
    func requiredLinks() throws {
        try fill()
        let error = try realm.failure([LinkedKey.self], version: 1) { _, _ in }
        #expect(error.code == .schemaMismatch && error.message.contains("'Keyed.next'"))
        try realm.open([LinkedKey.self], version: 1) { migration, _ in
            migration.enumerateObjects(ofType: "Keyed") { _, new in
                if new?["next"] == nil { new?["next"] = new }
            }
        } _: { realm in
            #expect(realm.objects(LinkedKey.self).map { $0.next?.id } == [1, 1, 2])
        }
        let later = try realm.failure([LinkedKey.self], version: 2) { migration, _ in
            migration.enumerateObjects(ofType: "Keyed") { old, new in
                if old?["id"] as? Int == 1, let new { migration.delete(new) }
            }
        }
        #expect(later.message.contains("'Keyed.next'"), "\(later)")
    }
}

class KeyedModel: MigratedModel {
    override class func objectTypeName() -> String { "Keyed" }
}

class NumberedKey: KeyedModel {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var code: String
    @Persisted var next: NumberedKey?
}

class LetteredKey: KeyedModel {
    @Persisted(primaryKey: true) var id: String
    @Persisted var code: String
    @Persisted var next: LetteredKey?
}

class CodeKey: KeyedModel {
    @Persisted var id: Int
    @Persisted(primaryKey: true) var code: String
    @Persisted var next: CodeKey?
}

class NoKey: KeyedModel {
    @Persisted var id: Int
    @Persisted var code: String
    @Persisted var next: NoKey?
}

class UniqueKeyed: KeyedModel {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var code: String
    @Persisted var next: UniqueKeyed?

    override class func indexes() -> [ObjectIndex] { [ObjectIndex("code", isUnique: true)] }
}

class LinkedKey: KeyedModel {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var code: String
    @Persisted(required: true) var next: LinkedKey?
}
