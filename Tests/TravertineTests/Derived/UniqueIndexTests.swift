import Foundation
import Locks
import RealmSwift
import TestSupport
import Testing
import TravertineStore

@testable import Travertine

@Suite("Unique indexes")
struct UniqueIndexTests {
    @Test("an object that a unique index refuses to insert is unmanaged again, and can be added")
    func refusedInsert() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([RefusedOwner.self, RefusedPart.self])
        let owner = RefusedOwner()
        owner.code = "a"
        let part = RefusedPart(value: ["name": "p"])
        owner.parts.append(part)
        owner.tags["k"] = "t"
        try realm.write {
            realm.create(RefusedOwner.self, value: ["code": "a"])
            let error = #expect(throws: Realm.Error.self) { try realm.insert(owner) }
            #expect(error?.code == .uniqueViolation)
            #expect(owner.realm == nil && part.realm == nil)
            #expect(owner.parts.first === part && part.name == "p" && owner.tags["k"] == "t")
            owner.code = "b"
            try realm.insert(owner)
            owner.parts.append(RefusedPart(value: ["name": "q"]))
        }
        #expect(owner.parts.map(\.name) == ["p", "q"] && owner.tags["k"] == "t")
        #expect(realm.objects(RefusedOwner.self).count == 2)
        #expect(realm.objects(RefusedPart.self).count == 2)
    }

    @Test("a value that a unique index refuses to set is unmanaged again, and can be set")
    func refusedValue() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([RefusedHolder.self, RefusedOwner.self, RefusedPart.self])
        let holder = RefusedHolder()
        try realm.write {
            realm.add(holder)
            realm.create(RefusedOwner.self, value: ["code": "a"])
        }
        let owner = RefusedOwner()
        owner.code = "a"
        owner.parts.append(RefusedPart(value: ["name": "p"]))
        let others = List<RefusedOwner>()
        others.append(owner)
        try realm.write {
            for set in [
                { try holder.set(owner, for: \.owner) }, { try holder.set(others, for: \.owners) },
            ] {
                let error = #expect(throws: Realm.Error.self) { try set() }
                #expect(error?.code == .uniqueViolation)
                #expect(owner.realm == nil && owner.parts.first?.realm == nil)
                #expect(owner.parts.map(\.name) == ["p"] && holder.owner == nil)
                #expect(holder.owners.isEmpty)
            }
            owner.code = "b"
            try holder.set(owner, for: \.owner)
            try holder.set(others, for: \.owners)
        }
        #expect(holder.owner?.parts.map(\.name) == ["p"] && holder.owners.first?.code == "b")
        #expect(realm.objects(RefusedOwner.self).count == 2)
    }

    @Test("what is inserted while others are about to swap their values is looked at by itself")
    func insertedMeanwhile() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Member.self])
        for start in ["", String(repeating: "long", count: 100)] {
            try realm.write {
                realm.deleteAll()
                for id in 0..<2 { realm.add(Member(value: ["id": id, "email": start + "\(id)"])) }
            }
            let first = try #require(realm.object(ofType: Member.self, forPrimaryKey: 0))
            let second = try #require(realm.object(ofType: Member.self, forPrimaryKey: 1))
            try realm.write {
                first.email = start + "1"
                try realm.insert(Member(value: ["id": 2, "email": start + "2"]))
                for taken in ["1", "2"] {
                    let error = #expect(throws: Realm.Error.self) {
                        try realm.insert(Member(value: ["id": 3, "email": start + taken]))
                    }
                    #expect(error?.code == .uniqueViolation)
                }
                try first.set("free", for: \.last)
                second.email = start + "0"
                // Nobody has "1" first any more, and the one that wanted it too has it.
                let error = #expect(throws: Realm.Error.self) {
                    try realm.insert(Member(value: ["id": 3, "email": start + "1"]))
                }
                let third = try #require(realm.object(ofType: Member.self, forPrimaryKey: 2))
                let other = #expect(throws: Realm.Error.self) {
                    try third.set(start + "1", for: \.email)
                }
                #expect(error?.code == .uniqueViolation && other?.code == .uniqueViolation)
            }
            #expect(realm.objects(Member.self).map(\.email) == ["1", "0", "2"].map { start + $0 })
            let error = #expect(throws: Realm.Error.self) {
                try realm.write {
                    first.email = start + "0"
                    try realm.insert(Member(value: ["id": 4, "email": start + "4"]))
                }
            }
            #expect(error?.code == .uniqueViolation && realm.objects(Member.self).count == 3)
            #expect(try realm.brokenInvariants() == [])
        }
    }

    @Test("a unique index refuses a second object with the same values, nil apart")
    func uniqueness() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Member.self])
        try realm.write {
            realm.add(Member(value: ["id": 1, "email": "a@x"]))
            realm.add(Member(value: ["id": 2]))
            realm.add(Member(value: ["id": 3]))
        }
        for change: () throws -> Void in [
            { realm.add(Member(value: ["id": 4, "email": "a@x"])) },
            { realm.object(ofType: Member.self, forPrimaryKey: 2)?.email = "a@x" },
            { realm.dynamicCreate("Member", value: ["id": 4, "email": "a@x"]) },
            { realm.add(Member(value: ["id": 3, "email": "a@x"]), update: .modified) },
        ] {
            let error = try #require(throws: Realm.Error.self) { try realm.write(change) }
            #expect(error.code == .uniqueViolation)
            #expect(error.message.contains("'Member'") && error.message.contains("'email'"))
        }
        #expect(realm.objects(Member.self).count == 3)
        try realm.write {
            realm.object(ofType: Member.self, forPrimaryKey: 1)?.email = "b@x"
            realm.object(ofType: Member.self, forPrimaryKey: 2)?.email = "a@x"
            realm.add(Member(value: ["id": 1, "email": "b@x", "age": 5]), update: .all)
        }
        #expect(try realm.brokenInvariants() == [])
    }

    @Test("objects swap their values in one transaction, in a ring too, short values and long ones")
    func swapping() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Member.self])
        for start in ["", String(repeating: "long", count: 100)] {
            try realm.write {
                realm.deleteAll()
                for id in 0..<5 { realm.add(Member(value: ["id": id, "email": start + "\(id)"])) }
            }
            func member(_ id: Int) -> Member? {
                realm.object(ofType: Member.self, forPrimaryKey: id)
            }
            try realm.write {
                let first = member(0)?.email
                for id in 0..<4 { member(id)?.email = member(id + 1)?.email }
                #expect(
                    realm.objects(Member.self).where { $0.email == start + "4" }.map(\.id) == [
                        3, 4,
                    ])
                member(4)?.email = first
            }
            #expect((0..<5).map { member($0)?.email } == [1, 2, 3, 4, 0].map { start + "\($0)" })
            #expect(try realm.brokenInvariants() == [])
            try realm.write {
                // What is alike for a while may also be deleted, or be made anew.
                realm.add(Member(value: ["id": 7, "email": start + "1"]))
                member(0).map { realm.delete($0) }
                member(1)?.email = start + "3"
                member(2).map { realm.delete($0) }
                realm.add(Member(value: ["id": 2, "email": start + "2"]))
            }
            #expect(try realm.brokenInvariants() == [])
            let found = realm.objects(Member.self).where { $0.email == start + "1" }
            #expect(found.map(\.id) == [7])
            let error = try #require(throws: Realm.Error.self) {
                try realm.write {
                    try realm.savepoint { member(7)?.email = start + "2" }
                    member(7)?.age = 5
                }
            }
            #expect(error.code == .uniqueViolation && member(7)?.email == start + "1")
            realm.beginWrite()
            #expect(throws: Stop.self) {
                try realm.savepoint {
                    member(7)?.email = start + "2"
                    throw Stop()
                }
            }
            let eighth = Member(value: ["id": 8, "email": start + "1"])
            #expect(throws: Realm.Error.self) { try realm.insert(eighth) }
            #expect(throws: Realm.Error.self) { try member(7)?.set(start + "2", for: \.email) }
            try realm.commitWrite()
            #expect(try realm.brokenInvariants() == [])
        }
    }

    @Test("thousands of long values that begin alike are distinguished")
    func manyLongValues() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Member.self])
        let start = String(repeating: "long", count: 100)
        for batch in 0..<20 {
            try realm.write {
                for id in batch * 400..<(batch + 1) * 400 {
                    realm.add(Member(value: ["id": id, "email": start + "\(id)"]))
                }
            }
        }
        let other = try Realm(configuration: realm.configuration)
        try other.write { other.add(Member(value: ["id": -1, "email": start + "other"])) }
        for email in [start + "other", start + "77"] {
            let error = try #require(throws: Realm.Error.self) {
                try realm.write { realm.add(Member(value: ["id": -2, "email": email])) }
            }
            #expect(error.code == .uniqueViolation)
        }
        #expect(realm.objects(Member.self).count == 8001)
        #expect(try realm.brokenInvariants() == [])
    }

    @Test("a unique index distinguishes long values that begin alike")
    func longUniqueValues() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Member.self])
        let start = String(repeating: "long", count: 100)
        try realm.write {
            realm.add(Member(value: ["id": 1, "email": start + "1"]))
            realm.add(Member(value: ["id": 2, "email": start + "2"]))
        }
        #expect(throws: Realm.Error.self) {
            try realm.write { realm.add(Member(value: ["id": 3, "email": start + "2"])) }
        }
        for (id, end) in [(1, "2"), (2, "1")] {
            let error = try #require(throws: Realm.Error.self) {
                try realm.write {
                    realm.object(ofType: Member.self, forPrimaryKey: id)?.email = start + end
                }
            }
            #expect(error.code == .uniqueViolation)
        }
        try realm.write {
            let first = realm.object(ofType: Member.self, forPrimaryKey: 1)
            first?.email = start + "3"
            first?.email = start + "3"
            first?.email = start + "1"
        }
        #expect(try realm.brokenInvariants() == [])
        #expect(realm.objects(Member.self).where { $0.email == start + "2" }.map(\.id) == [2])
    }

    @Test("a unique index ignores nil in a value of any type, however it was stored")
    func uniqueMixed() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Loose.self])
        try realm.write {
            realm.add(Loose(value: ["id": 1]))
            realm.add(Loose(value: ["id": 2, "value": 5]))
            realm.dynamicCreate("Loose", value: ["id": 3, "value": nil] as [String: Any?])
            realm.object(ofType: Loose.self, forPrimaryKey: 2)?.value = .none
        }
        #expect(realm.objects(Loose.self).where { $0.value == .none }.map(\.id) == [1, 2, 3])
        #expect(try realm.brokenInvariants() == [])
        try realm.write { realm.object(ofType: Loose.self, forPrimaryKey: 1)?.value = .int(5) }
        let error = try #require(throws: Realm.Error.self) {
            try realm.write { realm.add(Loose(value: ["id": 4, "value": 5])) }
        }
        #expect(error.code == .uniqueViolation)
    }

    @Test("a unique index over rows that are alike is refused with the properties' names")
    func duplicatesAtBuilding() throws {
        let directory = TemporaryDirectory()
        do {
            let realm = try directory.open([PlainMember.self])
            try realm.write {
                for id in 0..<2 { realm.add(PlainMember(value: ["id": id, "last": "same"])) }
            }
        }
        let error = try #require(throws: Realm.Error.self) {
            _ = try directory.open([UniqueMember.self])
        }
        #expect(error.code == .uniqueViolation && error.message.contains("'last'"))
        let realm = try directory.open([PlainMember.self])
        #expect(realm.objects(PlainMember.self).count == 2)
    }

    @Test("a unique index takes no floating-point numbers and no decimals")
    func inexactUniqueTypes() throws {
        let directory = TemporaryDirectory()
        let error = try #require(throws: Realm.Error.self) {
            _ = try directory.open([UniquelyGauged.self])
        }
        #expect(error.message.contains("is unique and can't hold 'real' of type 'double'"))
    }
}

class UniquelyGauged: Object {
    @Persisted var real: Double

    override class func indexes() -> [ObjectIndex] { [ObjectIndex("real", isUnique: true)] }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Loose: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var value: AnyRealmValue
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    override class func indexes() -> [ObjectIndex] { [ObjectIndex("value", isUnique: true)] }
}

class UniqueMember: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var last: String
    @Persisted var age: Int
    override class func objectTypeName() -> String { "Indexed" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    override class func indexes() -> [ObjectIndex] { [ObjectIndex("last", isUnique: true)] }
}

class RefusedHolder: Object {
    @Persisted var owner: RefusedOwner?
    @Persisted var owners: List<RefusedOwner>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class RefusedOwner: Object {
    @Persisted var code: String
    @Persisted var parts: List<RefusedPart>
    @Persisted var tags: Map<String, String>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    override class func indexes() -> [ObjectIndex] { [ObjectIndex("code", isUnique: true)] }
}

class RefusedPart: Object {
    @Persisted var name: String

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
