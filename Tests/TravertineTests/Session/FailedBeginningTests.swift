import RealmSwift
import TestSupport
import Testing

/// A write transaction that can't be begun: `beginWrite` throws nothing, the commit does.
@Suite("A transaction that could not begin")
struct FailedBeginningTests {
    private let directory = TemporaryDirectory()

    /// A realm that is only read, with one item.
    private func open() throws -> (Realm, BeginItem) {
        let types: [ObjectBase.Type] = [BeginItem.self]
        do {
            let realm = try directory.open(types)
            try realm.write {
                realm.create(BeginItem.self, value: ["id": 1, "name": "a", "tags": ["x"]])
            }
        }
        let realm = try Realm(
            configuration: Realm.Configuration(
                fileURL: directory.url, readOnly: true, objectTypes: types))
        return (realm, try #require(realm.objects(BeginItem.self).first))
    }

    private func code(_ body: () throws -> Void) -> Realm.Error.Code? {
        #expect(throws: Realm.Error.self, performing: body)?.code
    }

    @Test("code without `try` begins, changes and commits")
    func begins() throws {
        let realm = try directory.open([BeginItem.self])
        if !realm.isInWriteTransaction { realm.beginWrite() }
        let item = realm.create(BeginItem.self, value: ["id": 1])
        try realm.commitWrite()
        realm.beginWrite()
        item.name = "b"
        realm.cancelWrite()
        #expect(item.name == "")
    }

    @Test("the commit throws why, and changes do nothing until then")
    func failed() throws {
        let (realm, item) = try open()
        realm.beginWrite()
        #expect(realm.isInWriteTransaction)
        let added = BeginItem(value: ["id": 2])
        realm.add(added)
        #expect(added.realm == nil)
        #expect(realm.create(BeginItem.self, value: ["id": 3]).realm == nil)
        realm.create(BeginItem.self, value: ["id": 1, "name": "c"], update: .modified)
        realm.dynamicCreate("BeginItem", value: ["id": 4])
        item.name = "b"
        item["name"] = "b"
        item.next = BeginItem(value: ["id": 5])
        item.value = .fromArray([.int(1)])
        item.tags.append("y")
        item.tags[0] = "z"
        item.tags.removeAll()
        item.tags.sort()
        item.set.insert(1)
        item.map["k"] = 1
        realm.delete(item)
        realm.delete(realm.objects(BeginItem.self))
        realm.deleteAll()
        #expect(!realm.refresh() && item.name == "a" && Array(item.tags) == ["x"])
        #expect(item.set.isEmpty && item.map.isEmpty && item.next == nil && item.value == .none)
        #expect(realm.objects(BeginItem.self).count == 1)
        let whyNot = code { try realm.savepoint {} }
        #expect(whyNot != nil && code { try realm.insert(added) } == whyNot)
        #expect(code { try item.set("c", for: \.name) } == whyNot)
        #expect(code { try realm.commitWrite() } == whyNot)
        #expect(!realm.isInWriteTransaction && item.name == "a" && !item.isInvalidated)
    }

    @Test("cancelling forgets it, and so does giving the realm up")
    func cancelled() throws {
        let (realm, item) = try open()
        realm.beginWrite()
        item.name = "b"
        realm.cancelWrite()
        #expect(!realm.isInWriteTransaction && item.name == "a")
        realm.beginWrite()
        realm.invalidate()
        #expect(!realm.isInWriteTransaction && realm.objects(BeginItem.self).count == 1)
    }

    @Test("`write` throws it at once: the block does not run")
    func block() throws {
        let (realm, _) = try open()
        #expect(code { try realm.write { _ = Issue.record("the block ran") } } != nil)
        #expect(!realm.isInWriteTransaction)
    }
}

final class BeginItem: Object {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var next: BeginItem?
    @Persisted var value: AnyRealmValue
    @Persisted var tags: List<String>
    @Persisted var set: MutableSet<Int>
    @Persisted var map: Map<String, Int>
}
