import Foundation
import RealmSwift
import TestSupport
import Testing

/// Objects that a write transaction looks up: their rows are read when a property is.
@Suite("Located rows")
struct LocatedRowTests {
    private let directory = TemporaryDirectory()

    private func fill(_ count: Int) throws -> Realm {
        let realm = try directory.open([Settler.self])
        try realm.write {
            for id in 0..<count {
                realm.add(Settler(value: ["id": id, "name": "settler \(id)", "age": id % 90]))
            }
        }
        return realm
    }

    private func find(_ id: Int, _ realm: Realm) throws -> Settler {
        try #require(realm.object(ofType: Settler.self, forPrimaryKey: id))
    }

    @Test("an object found in a write shows its row, whatever was changed before it is read")
    func changedBetween() throws {
        let realm = try fill(300)
        try realm.write {
            let first = try find(7, realm)
            let same = try find(7, realm)
            let other = try find(8, realm)
            other.age = 1000
            #expect(first.age == 7)
            #expect(first.name == "settler 7")
            let late = try find(7, realm)
            same.name = "a name so long that the row must be encoded afresh"
            #expect(late.name == same.name)
            let new = try find(9, realm)
            realm.add(Settler(value: ["id": 1000, "name": "new"]))
            #expect(new.name == "settler 9")
            let made = try find(1000, realm)
            #expect(made.name == "new")
            #expect(try find(8, realm).age == 1000)
            #expect(realm.object(ofType: Settler.self, forPrimaryKey: 5000) == nil)
        }
        #expect(try find(8, realm).age == 1000)
        #expect(try find(1000, realm).name == "new")
    }

    @Test("an object found in a write and deleted before it is read is invalidated")
    func deletedBetween() throws {
        let realm = try fill(20)
        try realm.write {
            let found = try find(3, realm)
            let same = try find(3, realm)
            realm.delete(found)
            #expect(same.isInvalidated)
            #expect(realm.object(ofType: Settler.self, forPrimaryKey: 3) == nil)
            let kept = try find(4, realm)
            #expect(!kept.isInvalidated)
            realm.delete(try find(5, realm))
            #expect(kept.name == "settler 4")
        }
        #expect(realm.objects(Settler.self).map(\.id) == [0, 1, 2, 4] + Array(6..<20))
    }

    @Test("an object found in a write is linked to without its row being read")
    func linkedTo() throws {
        let realm = try fill(20)
        try realm.write {
            for id in 20..<40 {
                let settler = Settler(value: ["id": id])
                settler.neighbor = try find(id - 20, realm)
                realm.add(settler)
            }
            let last = try find(39, realm)
            last.neighbor = try find(2, realm)
            #expect(last.neighbor?.name == "settler 2")
        }
        for id in 20..<39 { #expect(try find(id, realm).neighbor?.id == id - 20) }
        #expect(try find(39, realm).neighbor?.id == 2)
        #expect(try find(2, realm).neighbors.map(\.id) == [22, 39])
    }

    @Test("an object found in a write outlives it: rolled back, committed, or undone in part")
    func outlives() throws {
        let realm = try fill(20)
        realm.beginWrite()
        let first = try find(1, realm)
        try find(2, realm).age = 77
        realm.cancelWrite()
        #expect(first.age == 1)
        realm.beginWrite()
        let second = try find(2, realm)
        realm.add(Settler(value: ["id": 100]))
        try realm.commitWrite()
        #expect(second.age == 2)
        try realm.write {
            var third: Settler?
            try? realm.savepoint {
                try find(3, realm).age = 88
                third = try find(3, realm)
                throw CocoaError(.userCancelled)
            }
            #expect(third?.age == 3)
        }
    }

    @Test("a transaction longer than the log's buffer finds what it wrote before")
    func spilled() throws {
        let realm = try fill(10)
        let text = String(repeating: "x", count: 2000)
        try realm.write {
            for id in 100..<2100 {
                realm.add(Settler(value: ["id": id, "name": text + "\(id)"]))
                let earlier = try find(100 + (id * 31) % (id - 99), realm)
                #expect(earlier.name == text + "\(earlier.id)")
            }
        }
    }
}

final class Settler: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var age: Int
    @Persisted var neighbor: Settler?
    @Persisted(originProperty: "neighbor") var neighbors: LinkingObjects<Settler>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
