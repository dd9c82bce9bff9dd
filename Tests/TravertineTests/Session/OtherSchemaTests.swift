import Foundation
import TestSupport
import Testing
import TravertineStore

@testable import Travertine

/// The records of types are changed below a realm that is open, as another writer would change them.
@Suite("A schema that is changed while a realm is open")
struct OtherSchemaTests {
    private let directory = TemporaryDirectory()

    /// A realm with an object of each type, whose tables were used in this order.
    private func open(firstUsed types: [Object.Type]) throws -> Realm {
        let realm = try directory.open([SealedCrate.self, SealedDepot.self])
        for type in types { _ = realm.session.table(of: type) }
        try realm.write {
            realm.create(SealedCrate.self, value: ["id": 1, "weight": 5])
            realm.create(SealedDepot.self, value: ["id": 1, "name": "north", "marks": ["x"]])
        }
        return realm
    }

    /// Changes a stored type in a transaction of which the realm knows nothing.
    private func change(
        _ type: Object.Type, _ realm: Realm, _ body: (inout StoredObjectType) -> Void
    ) throws {
        let shared = realm.session.shared
        var stored = realm.session.table(of: type).stored
        body(&stored)
        let keyspace = try #require(
            shared.store.keyspaces.first { $0.identifier == shared.schemaKeyspace })
        try shared.store.write {
            try $0.put(stored.encoded, forKey: StoredSchema.typeKey(stored.number), in: keyspace)
        }
    }

    private func setWeight(_ type: PropertyType, _ realm: Realm) throws {
        try change(SealedCrate.self, realm) { stored in
            for place in stored.properties.indices where stored.properties[place].name == "weight" {
                stored.properties[place].type = type
            }
        }
    }

    private func code(_ body: () throws -> Void) -> Realm.Error.Code? {
        #expect(throws: Realm.Error.self, performing: body)?.code
    }

    @Test(
        "the tables after one that no longer fits are renewed all the same",
        arguments: [true, false])
    func renewed(isFirst: Bool) throws {
        let types: [Object.Type] =
            isFirst ? [SealedCrate.self, SealedDepot.self] : [SealedDepot.self, SealedCrate.self]
        let realm = try open(firstUsed: types)
        let depot = try #require(realm.objects(SealedDepot.self).first)
        try setWeight(.string, realm)
        try change(SealedDepot.self, realm) { $0.nextProperty += 5 }
        let before = realm.session.table(of: SealedDepot.self).stored.nextProperty
        #expect(!realm.refresh())
        #expect(realm.session.table(of: SealedDepot.self).stored.nextProperty == before + 5)
        #expect(depot.name == "north" && Array(depot.marks) == ["x"])
        // `refresh` throws nothing; the next call that can does.
        #expect(code { try realm.write {} } == .schemaMismatch)
    }

    @Test("objects, lists and results stay usable after a transaction that could not begin")
    func failedBeginning() throws {
        let realm = try open(firstUsed: [SealedCrate.self, SealedDepot.self])
        let depots = realm.objects(SealedDepot.self)
        let depot = try #require(depots.first)
        let crate = try #require(realm.objects(SealedCrate.self).first)
        let marks = depot.marks
        #expect(depot.name == "north" && crate.weight == 5 && marks.count == 1)
        try setWeight(.string, realm)
        for _ in 0..<3 {
            #expect(
                code { try realm.write { _ = Issue.record("the block ran") } } == .schemaMismatch)
            realm.beginWrite()
            depot.name = "lost"
            marks.append("lost")
            #expect(code { try realm.commitWrite() } == .schemaMismatch)
            #expect(!realm.isInWriteTransaction && !depot.isInvalidated && !marks.isInvalidated)
            #expect(depot.name == "north" && Array(marks) == ["x"])
            #expect(crate.weight == 5 && depots.count == 1)
        }
        // Once the type fits again the same handles write.
        try setWeight(.int, realm)
        try realm.write {
            depot.name = "south"
            marks.append("y")
            crate.weight = 6
        }
        #expect(depot.name == "south" && Array(marks) == ["x", "y"] && crate.weight == 6)
        #expect(depots.first == depot)
    }
}

final class SealedCrate: Object {
    override class func objectTypeName() -> String { "OtherSchemaCrate" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    @Persisted(primaryKey: true) var id: Int
    @Persisted var weight: Int
}

final class SealedDepot: Object {
    override class func objectTypeName() -> String { "OtherSchemaDepot" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var marks: List<String>
}
