import Foundation
import RealmSwift
import TestSupport
import Testing

@Suite("Required links")
struct RequiredLinkTests {
    private let types: [ObjectBase.Type] = [Keeper.self, Leash.self]

    @Test("a commit that leaves a required link nil rolls back and names the property")
    func missing() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open(types)
        let error = #expect(throws: Realm.Error.self) {
            try realm.write { realm.add(Leash(value: ["length": 2])) }
        }
        #expect(error?.code == .invalidInput)
        #expect(error?.message.contains("Required link 'Leash.keeper' is nil") == true)
        #expect(realm.objects(Leash.self).isEmpty)
    }

    @Test("it can be nil within a transaction that sets it or deletes the object")
    func setLater() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open(types)
        let leash = Leash(value: ["length": 2])
        try realm.write {
            realm.add(leash)
            realm.delete(realm.create(Leash.self))
            leash.keeper = Keeper(value: ["name": "Ada"])
        }
        try realm.write {
            leash.keeper = nil
            leash.keeper = Keeper(value: ["name": "Eva"])
        }
        #expect(leash.keeper?.name == "Eva")
        #expect(throws: Realm.Error.self) { try realm.write { leash.keeper = nil } }
        #expect(leash.keeper?.name == "Eva")
    }

    @Test("deleting the target fails at commit unless the object goes as well")
    func deletedTarget() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open(types)
        let keeper = Keeper(value: ["name": "Ada"])
        try realm.write { realm.add(Leash(value: ["keeper": keeper])) }
        #expect(throws: Realm.Error.self) { try realm.write { realm.delete(keeper) } }
        #expect(keeper.isSameObject(as: realm.objects(Leash.self).first?.keeper))
        try realm.write {
            realm.delete(keeper)
            realm.delete(realm.objects(Leash.self))
        }
        #expect(realm.objects(Leash.self).isEmpty && realm.objects(Keeper.self).isEmpty)
    }

    @Test("dynamic objects and savepoints keep to it too")
    func dynamic() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open(types)
        #expect(throws: Realm.Error.self) {
            try realm.write { realm.dynamicCreate("Leash", value: ["length": 1]) }
        }
        try realm.write {
            do {
                try realm.savepoint {
                    realm.create(Leash.self)
                    throw Stop()
                }
            } catch is Stop {}
            realm.dynamicCreate("Leash", value: ["keeper": ["name": "Ada"]])
        }
        #expect(realm.objects(Leash.self).map { $0.keeper?.name } == ["Ada"])
    }

    @Test("a link becomes required, or ceases to be, without a higher version")
    func changes() throws {
        let directory = TemporaryDirectory()
        do {
            let realm = try directory.open([Keeper.self, LooseLeash.self])
            try realm.write {
                realm.add(LooseLeash(value: ["length": 1, "keeper": ["name": "Ada"]]))
            }
        }
        do {
            let realm = try directory.open(types)
            let leash = try #require(realm.objects(Leash.self).first)
            try realm.write { leash.length = 3 }
            #expect(throws: Realm.Error.self) { try realm.write { leash.keeper = nil } }
        }
        let realm = try directory.open([Keeper.self, LooseLeash.self])
        try realm.write { realm.create(LooseLeash.self) }
        #expect(realm.objects(LooseLeash.self).map(\.length) == [3, 0])
    }

    @Test("a link that stored objects lack can't become required, and the error counts them")
    func lacking() throws {
        let directory = TemporaryDirectory()
        do {
            let realm = try directory.open([Keeper.self, LooseLeash.self])
            try realm.write {
                for length in 0..<5 { realm.add(LooseLeash(value: ["length": length])) }
                realm.objects(LooseLeash.self)[2].keeper = Keeper(value: ["name": "Ada"])
            }
        }
        let error = #expect(throws: Realm.Error.self) { try directory.open(types) }
        #expect(error?.code == .schemaMismatch)
        #expect(error?.message.contains("'Leash.keeper' has been made required") == true)
        #expect(error?.message.contains("4 objects have no such link") == true)
        do {
            // What was refused left nothing in the store.
            let realm = try directory.open([Keeper.self, LooseLeash.self])
            try realm.write {
                for leash in realm.objects(LooseLeash.self) where leash.keeper == nil {
                    leash.keeper = realm.objects(Keeper.self).first
                }
            }
        }
        let realm = try directory.open(types)
        #expect(realm.objects(Leash.self).allSatisfy { $0.keeper?.name == "Ada" })
    }

    @Test("a required link that is added is refused while there are objects, and not without")
    func added() throws {
        let directory = TemporaryDirectory()
        do {
            let realm = try directory.open([Keeper.self, LateLeash.self])
            try realm.write { realm.create(LateLeash.self, value: ["length": 1]) }
        }
        let error = #expect(throws: Realm.Error.self) { try directory.open(types, version: 1) }
        #expect(error?.message.contains("1 object has no such link") == true)
        do {
            let realm = try directory.open([Keeper.self, LateLeash.self])
            try realm.write { realm.delete(realm.objects(LateLeash.self)) }
        }
        #expect(try directory.open(types, version: 1).objects(Leash.self).isEmpty)
    }
}

class LateLeash: Object {
    override class func objectTypeName() -> String { "Leash" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    @Persisted var length: Int
}

class Keeper: Object {
    @Persisted var name: String
}

class Leash: Object {
    @Persisted var length: Int
    @Persisted(required: true) var keeper: Keeper?
}

class LooseLeash: Object {
    override class func objectTypeName() -> String { "Leash" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    @Persisted var length: Int
    @Persisted var keeper: Keeper?
}
