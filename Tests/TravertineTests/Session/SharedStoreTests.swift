import Dispatch
import Foundation
import TestSupport
import Testing

@testable import Travertine
@testable import TravertineStore

@Suite("Stores that realms share")
struct SharedStoreTests {
    @Test("the type that an earlier commit entered late does not replace a later one's")
    func lateReplacement() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Tool.self])
        let shared = realm.session.shared
        let known = try #require(shared.storedType(named: "Tool"))
        var earlier = known
        earlier.properties.removeLast()
        earlier.nextProperty -= 1
        earlier.nextLayout -= 1
        shared.replace(earlier)
        #expect(shared.storedType(named: "Tool") == known)
        var later = known
        later.nextLayout += 1
        shared.replace(later)
        #expect(shared.storedType(named: "Tool") == later)
    }

    @Test("closing a realm does not wait for the work of another one's store")
    func ownQueues() throws {
        let (busy, other) = (TemporaryDirectory(), TemporaryDirectory())
        let realm = try busy.open([Tool.self])
        let environment = realm.session.shared.store.options.environment
        let end = DispatchSemaphore(value: 0)
        let executors = [
            environment.executor, environment.syncExecutor, environment.compactionExecutor,
        ]
        for executor in executors { executor.submit { end.wait() } }
        defer { for _ in executors { end.signal() } }
        let closing = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            do {
                let realm = try other.open([Tool.self])
                try realm.write { realm.create(Tool.self, value: ["name": "saw"]) }
            } catch {
                Issue.record(error)
            }
            closing.signal()
        }
        #expect(closing.wait(timeout: .now() + 60) == .success)
        #expect(SharedStore.opened(other.url) == nil)
    }

    @Test("no types are another realm than all types")
    func noTypes() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Tool.self])
        var configuration = realm.configuration
        configuration.objectTypes = []
        let none = realm.session.shared.session(configuration, [], .current, isHere: true)
        configuration.objectTypes = nil
        let all = realm.session.shared.session(configuration, [], .current, isHere: true)
        #expect(none !== all && none !== realm.session)
    }

    @Test("a realm whose store was closed under it is opened again only when it is let go of")
    func closedStore() throws {
        let directory = TemporaryDirectory()
        do {
            let realm = try directory.open([Tool.self])
            try realm.write { realm.create(Tool.self, value: ["name": "saw"]) }
            try realm.store.close()
            let error = #expect(throws: Realm.Error.self) { try directory.open([Tool.self]) }
            #expect(error?.message.contains("was closed with `realm.store.close()`") == true)
        }
        #expect(try directory.open([Tool.self]).objects(Tool.self).map(\.name) == ["saw"])
    }

    @Test("an added object can't link to one of a derived class that the link was not stored for")
    func derivedTarget() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Tool.self, ToolBox.self])
        let derived = try directory.open([Tool.self, Saw.self])
        let error = #expect(throws: Realm.Error.self) {
            try realm.write { realm.add(ToolBox(value: ["tool": Saw(value: ["name": "a"])])) }
        }
        #expect(error?.code == .invalidInput)
        #expect(derived.objects(Saw.self).isEmpty && realm.objects(ToolBox.self).isEmpty)
        try realm.write { realm.add(ToolBox(value: ["tool": Tool(value: ["name": "b"])])) }
        #expect(realm.objects(ToolBox.self).first?.tool?.name == "b")
    }

    @Test("of classes with one Swift name, the one with the stored name is meant")
    func sameClassNames() throws {
        let directory = TemporaryDirectory()
        let types: [ObjectBase.Type] = [South.Hut.self, North.Hut.self, East.Hut.self]
        do {
            let realm = try directory.open(types)
            try realm.write { realm.dynamicCreate("Hut", value: ["height": 3]) }
            #expect(realm.objects(North.Hut.self).map(\.height) == [3])
            #expect(realm.hasType("SouthHut") && realm.hasType("Hut"))
        }
        let configuration = Realm.Configuration(
            fileURL: directory.url, schemaVersion: 1,
            migrationBlock: { migration, _ in
                migration.renameProperty(onType: "Hut", from: "height", to: "metres")
            }, objectTypes: [South.Hut.self, North.New.Hut.self, East.Hut.self])
        let realm = try Realm(configuration: configuration)
        #expect(realm.objects(North.New.Hut.self).map(\.metres) == [3])
    }

    @Test(
        "a name of several classes, none of which is stored under it, stops and names the stored ones"
    )
    func ambiguousName() async throws {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let directory = TemporaryDirectory()
            let realm = try directory.open([South.Hut.self, East.Hut.self])
            defer { withExtendedLifetime(directory) {} }
            _ = realm.dynamicObjects("Hut")
        }
        let message = result.errorText
        let names = "use one of the stored names 'EastHut', 'SouthHut'"
        #expect(message.contains("'Hut' is the name of several classes: \(names)"), "\(message)")

        let directory = TemporaryDirectory()
        let realm = try directory.open([South.Hut.self, East.Hut.self])
        try realm.write {
            realm.dynamicCreate("EastHut", value: ["height": 1])
            realm.dynamicCreate("SouthHut", value: ["height": 2])
        }
        #expect(realm.hasType("Hut") && realm.dynamicObjects("EastHut").count == 1)
        #expect(realm.objects(South.Hut.self).map(\.height) == [2])
    }

    @Test("a renaming that names several classes, and no stored type, is refused")
    func ambiguousRenaming() throws {
        let directory = TemporaryDirectory()
        let types: [ObjectBase.Type] = [South.Hut.self, East.Hut.self]
        _ = try directory.open(types)
        let configuration = Realm.Configuration(
            fileURL: directory.url, schemaVersion: 1,
            migrationBlock: { migration, _ in
                migration.renameProperty(onType: "Hut", from: "height", to: "metres")
            }, objectTypes: types)
        let error = #expect(throws: Realm.Error.self) { try Realm(configuration: configuration) }
        #expect(error?.message.contains("several classes have that name") == true)
    }

    @Test("giving a realm up inside a transaction forgets what its commit would have looked at")
    func invalidated() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Keeper.self, Leash.self])
        realm.beginWrite()
        realm.create(Leash.self)
        realm.invalidate()
        #expect(realm.session.scope.requiredChecks.isEmpty && !realm.isInWriteTransaction)
        try realm.write { realm.create(Keeper.self) }
        #expect(realm.objects(Leash.self).isEmpty)
    }

    @Test("reading an object of a realm that was invalidated stops with a message")
    func readingInvalidated() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let directory = TemporaryDirectory()
            let realm = try directory.open([Tool.self])
            defer { withExtendedLifetime(directory) {} }
            let tool = Tool(value: ["name": "saw"])
            try realm.write { realm.add(tool) }
            realm.invalidate()
            _ = tool.name
        }
        let text = result.errorText
        #expect(text.contains("deleted or invalidated"), "\(text)")
    }

    @Test("a schema that the classes of an open realm would not fit is not installed")
    func openClasses() throws {
        let directory = TemporaryDirectory()
        do {
            let realm = try directory.open([PetV1.self])
            try realm.write { realm.add(PetV1(value: ["name": "Rex", "age": 3])) }
            let error = #expect(throws: Realm.Error.self) {
                try directory.open([PetV3.self], version: 1)
            }
            #expect(error?.code == .alreadyOpen)
            let message = error?.message ?? ""
            #expect(
                message.contains("'Pet.age' has been changed from 'int' to 'string'"), "\(message)")
            #expect(message.contains("Let go of it"))
            #expect(realm.objects(PetV1.self).map(\.age) == [3])
            try realm.write { realm.objects(PetV1.self).first?.age = 4 }
        }
        var configuration = Realm.Configuration(
            fileURL: directory.url, schemaVersion: 1, objectTypes: [PetV3.self],
            durability: .unsynced)
        configuration.discardsChangedProperties = true
        let changed = try Realm(configuration: configuration)
        #expect(changed.objects(PetV3.self).count == 1)
    }

    @Test("a realm whose schema another process changed throws, and reads no wrong bytes")
    func changedMeanwhile() throws {
        let directory = TemporaryDirectory()
        let writer = try directory.open([PetV1.self])
        try writer.write { writer.add(PetV1(value: ["name": "Rex", "age": 3])) }
        let table = writer.session.table(of: PetV1.self)
        var changed = table.stored
        let place = try #require(changed.properties.firstIndex { $0.name == "age" })
        changed.properties[place].type = .double
        try writer.store.write { transaction in
            try StoredSchema.put(changed, transaction, writer.session.shared.schemaKeyspace)
        }
        let error = #expect(throws: Realm.Error.self) { try writer.write {} }
        #expect(error?.code == .schemaMismatch && error?.message.contains("'Pet.age'") == true)
    }

    @Test("objects of types without a class count")
    func emptiness() throws {
        let directory = TemporaryDirectory()
        var configuration = Realm.Configuration(
            fileURL: directory.url, objectTypes: [], durability: .unsynced)
        configuration.objectSchemas = [ObjectSchema("Nail", properties: [Property("size", .int)])]
        let realm = try Realm(configuration: configuration)
        #expect(realm.isEmpty)
        try realm.write { realm.dynamicCreate("Nail") }
        #expect(!realm.isEmpty)
    }
}

private class Tool: Object {
    @Persisted var name: String
    @Persisted var size: Int
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class Saw: Tool {
    @Persisted var teeth: Int
}

private class ToolBox: Object {
    @Persisted var tool: Tool?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private enum North {
    class Hut: Object {
        @Persisted var height: Int
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    enum New {
        class Hut: Object {
            @Persisted var metres: Int
            override class func shouldIncludeInDefaultSchema() -> Bool { false }
        }
    }
}

private enum South {
    class Hut: Object {
        @Persisted var height: Int
        override class func objectTypeName() -> String { "SouthHut" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

private enum East {
    class Hut: Object {
        @Persisted var height: Int
        override class func objectTypeName() -> String { "EastHut" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}
