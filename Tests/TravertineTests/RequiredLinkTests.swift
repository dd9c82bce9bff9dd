import Foundation
import RealmSwift
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
            try realm.write { realm.add(LooseLeash(value: ["length": 1])) }
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
