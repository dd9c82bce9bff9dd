import Dispatch
import Foundation
import TestSupport
import Testing

@testable import Travertine

/// Documentation/Live.md 3, T-L7c: the writer of another process changes the schema.
@Suite("Schema changes beside a read-only realm")
struct FollowedSchemaTests {
    private let directory = try! TemporaryDirectory()

    private func configuration(
        _ version: UInt64, _ types: [ObjectBase.Type], readOnly: Bool = false
    ) -> Realm.Configuration {
        var configuration = Realm.Configuration(
            fileURL: directory.url, readOnly: readOnly, schemaVersion: version,
            migrationBlock: { _, _ in }, objectTypes: types)
        configuration.discardsChangedProperties = true
        return configuration
    }

    private func write(
        _ version: UInt64, _ types: [ObjectBase.Type], _ body: (Realm) throws -> Void
    ) throws {
        let realm = try Realm(configuration: configuration(version, types))
        try realm.write { try body(realm) }
    }

    @Test("a property that was added is not seen, and one that fits no more ends the following")
    func properties() throws {
        try write(0, [FollowedV0.self]) {
            $0.create(FollowedV0.self, value: ["id": 1, "text": "a"])
        }
        let reader = try Realm(configuration: configuration(0, [FollowedV0.self], readOnly: true))
        let objects = reader.objects(FollowedV0.self)
        let reports = Reports()
        let token = objects.observe { reports.note($0) }
        reader.refresh()
        #expect(reports.take() == ["initial"])
        try write(1, [FollowedV1.self]) {
            $0.create(FollowedV1.self, value: ["id": 2, "text": "b", "extra": 7])
        }
        #expect(reader.refresh())
        #expect(reports.take() == ["-[] +[1] ~[]"])
        #expect(objects.map(\.text) == ["a", "b"])
        try write(2, [FollowedV2.self]) { $0.create(FollowedV2.self, value: ["id": 3]) }
        for _ in 0..<2 {
            #expect(!reader.refresh())
            #expect(reports.take() == [])
            #expect(objects.map(\.text) == ["a", "b"])
        }
        let error = #expect(throws: Realm.Error.self) { try reader.session.throwDamage() }
        #expect(error?.code == .schemaMismatch)
        token.invalidate()
    }

    @Test("the objects of a type that was removed are gone")
    func removedType() throws {
        let types: [ObjectBase.Type] = [FollowedV0.self, FollowedOther.self]
        try write(0, types) {
            $0.create(FollowedV0.self, value: ["id": 1, "text": "a"])
            $0.create(FollowedOther.self, value: ["name": "o"])
        }
        let reader = try Realm(configuration: configuration(0, types, readOnly: true))
        let others = reader.objects(FollowedOther.self)
        let reports = Reports()
        let token = others.observe { reports.note($0) }
        reader.refresh()
        #expect(reports.take() == ["initial"])
        var removing = configuration(1, [FollowedV0.self])
        removing.migrationBlock = { migration, _ in
            migration.deleteData(forType: "FollowedOther")
        }
        _ = try Realm(configuration: removing)
        #expect(reader.refresh())
        #expect(reports.take() == ["-[0] +[] ~[]"])
        #expect(others.isEmpty)
        #expect(reader.objects(FollowedV0.self).map(\.text) == ["a"])
        token.invalidate()
    }

    private let pair: [ObjectBase.Type] = [FollowedV0.self, FollowedOther.self]

    /// A realm that has read no object of either class.
    private func openPair() throws -> Realm {
        try write(0, pair) {
            $0.create(FollowedV0.self, value: ["id": 1, "text": "a"])
            $0.create(FollowedOther.self, value: ["name": "o"])
        }
        return try Realm(configuration: configuration(0, pair, readOnly: true))
    }

    private func deleteOthers() throws {
        var removing = configuration(1, [FollowedV0.self])
        removing.migrationBlock = { migration, _ in
            migration.deleteData(forType: "FollowedOther")
        }
        _ = try Realm(configuration: removing)
    }

    @Test(
        "a class that fits no more when it is used first has no objects, and the error is thrown",
        arguments: [FollowedV2.self, FollowedWithoutText.self, FollowedData.self])
    func misfitUsedFirst(_ changed: FollowedModel.Type) throws {
        let reader = try openPair()
        try write(1, [changed, FollowedOther.self]) { $0.create(changed, value: ["id": 2]) }
        #expect(reader.refresh())
        #expect(reader.objects(FollowedOther.self).map(\.name) == ["o"])
        #expect(reader.objects(FollowedV0.self).isEmpty)
        #expect(reader.object(ofType: FollowedV0.self, forPrimaryKey: 1) == nil)
        let error = #expect(throws: Realm.Error.self) { try reader.session.throwDamage() }
        #expect(error?.code == .schemaMismatch)
        #expect(reader.freeze().objects(FollowedV0.self).isEmpty)
    }

    @Test("a removed type that is used first has no objects")
    func removedUsedFirst() throws {
        let reader = try openPair()
        try deleteOthers()
        #expect(reader.refresh())
        #expect(reader.objects(FollowedOther.self).isEmpty)
        #expect(reader.objects(FollowedV0.self).map(\.text) == ["a"])
    }

    @Test("a class that is used first is looked up in the version that is shown")
    func usedFirstInOldVersion() throws {
        let reader = try openPair()
        let objects = reader.objects(FollowedV0.self)
        #expect(objects.map(\.text) == ["a"])
        var removing = configuration(1, [FollowedV2.self])
        removing.migrationBlock = { migration, _ in
            migration.deleteData(forType: "FollowedOther")
        }
        _ = try Realm(configuration: removing)
        #expect(!reader.refresh())
        #expect(reader.objects(FollowedOther.self).map(\.name) == ["o"])
    }

    @Test("a frozen realm keeps the types that the writer removes, also those it uses first")
    func frozenType() throws {
        let reader = try openPair()
        let frozen = reader.freeze()
        try deleteOthers()
        #expect(reader.refresh())
        #expect(frozen.objects(FollowedOther.self).map(\.name) == ["o"])
    }

    @Test("after invalidate() nothing is shown as long as a class does not fit, read after read")
    func invalidated() throws {
        let reader = try openPair()
        #expect(reader.objects(FollowedV0.self).map(\.text) == ["a"])
        try write(1, [FollowedV2.self, FollowedOther.self]) {
            $0.create(FollowedV2.self, value: ["id": 2, "text": 7])
        }
        reader.invalidate()
        for _ in 0..<3 {
            #expect(reader.objects(FollowedV0.self).map(\.text) == [])
            let error = #expect(throws: Realm.Error.self) { try reader.session.throwDamage() }
            #expect(error?.code == .schemaMismatch)
        }
        #expect(reader.session.snapshot == nil)
    }

    @Test("a schema that is refused is compared once, and logged once, and the next one is shown")
    func refusedOnce() async {
        // The logger belongs to the process.
        await #expect(processExitsWith: .success) {
            let count = try FollowedSchemaTests().loggedRefusals()
            guard count == 1 else { throw Stop() }
        }
    }

    /// How often it is logged that commits are refused.
    private func loggedRefusals() throws -> Int {
        let reader = try openPair()
        let objects = reader.objects(FollowedV0.self)
        #expect(objects.map(\.text) == ["a"])
        let lines = SharedReports()
        let before = Logger.shared
        Logger.shared = Logger { level, _, message in
            if level == .error { lines.note(message) }
        }
        defer { Logger.shared = before }
        let other: [ObjectBase.Type] = [FollowedV2.self, FollowedOther.self]
        try write(1, other) { _ in }
        #expect(!reader.refresh())
        let count = reader.session.counts.membershipCount
        for number in 1...5 {
            try write(1, other) { $0.create(FollowedOther.self, value: ["name": "\(number)"]) }
            #expect(!reader.refresh())
        }
        #expect(reader.session.counts.membershipCount == count)
        #expect(objects.map(\.text) == ["a"])
        try write(2, pair) { $0.create(FollowedV0.self, value: ["id": 3, "text": "c"]) }
        #expect(reader.refresh())
        #expect(objects.map(\.text) == ["", "c"])
        return lines.all.count
    }

    @Test("the schema of a realm is that of the version it shows, whatever others have read")
    func shownSchema() throws {
        try write(0, [FollowedV0.self]) {
            $0.create(FollowedV0.self, value: ["id": 1, "text": "a"])
        }
        let open = configuration(0, [], readOnly: true)
        let reader = try Realm(configuration: open)
        #expect(reader.dynamicObjects("Followed").count == 1)
        func names() -> [String] { reader.schema.objectSchema.map(\.className).sorted() }
        func properties() -> [String] { reader.schema["Followed"]?.properties.map(\.name) ?? [] }
        #expect(names() == ["Followed"])
        try write(1, [FollowedV1.self, FollowedOther.self]) {
            $0.create(FollowedV1.self, value: ["id": 2, "extra": 7])
        }
        let queue = DispatchQueue(label: "other")
        let count = try queue.sync {
            try Realm(configuration: open, queue: queue).dynamicObjects("Followed").count
        }
        #expect(count == 2)
        #expect(reader.dynamicObjects("Followed").count == 1)
        #expect(names() == ["Followed"])
        #expect(properties() == ["id", "text"])
        #expect(reader.session.linkingProperties(to: "Followed").isEmpty)
        #expect(reader.refresh())
        #expect(names() == ["Followed", "FollowedOther"])
        #expect(properties() == ["id", "text", "extra"])
    }

    @Test("an object is not seen as one of a base class whose properties are of other types")
    func otherTypes() throws {
        let types: [ObjectBase.Type] = [ViewedBase.self, ViewedHolder.self]
        try write(0, types + [ViewedDerived.self]) { realm in
            let derived = realm.create(ViewedDerived.self, value: ["text": "d"])
            let holder = realm.create(ViewedHolder.self)
            holder.link = derived
        }
        let reader = try Realm(configuration: configuration(0, types, readOnly: true))
        let holder = try #require(reader.objects(ViewedHolder.self).first)
        #expect(holder.link?.text == "d", "it has all properties of the base class")
        try write(1, types + [ViewedOther.self]) { _ in }
        // It was used as one of that class.
        #expect(!reader.refresh())
        #expect(holder.link?.text == "d")
        let error = #expect(throws: Realm.Error.self) { try reader.session.throwDamage() }
        #expect(error?.code == .schemaMismatch, "\(String(describing: error))")
        let queue = DispatchQueue(label: "other")
        let next = try queue.sync {
            try Realm(configuration: configuration(1, types, readOnly: true), queue: queue)
                .objects(ViewedHolder.self).first?.link?.text
        }
        #expect(next == nil)
    }

    @Test("a class that is not stored has no objects, and does not move the realm")
    func notStored() throws {
        try write(0, [FollowedV0.self]) {
            $0.create(FollowedV0.self, value: ["id": 1, "text": "a"])
        }
        var open = configuration(0, [], readOnly: true)
        open.objectTypes = nil
        let reader = try Realm(configuration: open)
        #expect(reader.objects(FollowedV0.self).map(\.text) == ["a"])
        try write(0, [FollowedV0.self, FollowedOther.self]) {
            $0.create(FollowedV0.self, value: ["id": 2, "text": "b"])
            $0.create(FollowedOther.self, value: ["name": "o"])
        }
        #expect(reader.objects(FollowedOther.self).isEmpty)
        #expect(reader.objects(FollowedV0.self).map(\.text) == ["a"])
        #expect(reader.refresh())
        #expect(reader.objects(FollowedOther.self).map(\.name) == ["o"])
        #expect(reader.objects(FollowedV0.self).map(\.text) == ["a", "b"])
    }
}

class FollowedModel: Object {
    override class func objectTypeName() -> String { "Followed" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class FollowedV0: FollowedModel {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var text: String
}

class FollowedV1: FollowedModel {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var text: String
    @Persisted var extra: Int
}

class FollowedV2: FollowedModel {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var text: Int
}

class FollowedWithoutText: FollowedModel {
    @Persisted(primaryKey: true) var id: Int
}

class FollowedData: FollowedModel {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var text: Data
}

class FollowedOther: Object {
    @Persisted var name: String
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class ViewedModel: Object {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class ViewedBase: ViewedModel {
    @Persisted var text: String
}

class ViewedDerived: ViewedBase {}

/// The type of `ViewedDerived`, which has another class now.
class ViewedOther: ViewedModel {
    @Persisted var text: Int
    override class func objectTypeName() -> String { "ViewedDerived" }
}

class ViewedHolder: ViewedModel {
    @Persisted var link: ViewedBase?
}
