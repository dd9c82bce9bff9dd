import RealmSwift
import Testing

@Suite("Delete rules of every kind of link")
struct DeleteRuleTests {
    private let directory = TemporaryDirectory()

    private func open() throws -> Realm {
        try directory.open([RuledOwner.self, RuledTarget.self, RuledNode.self])
    }

    @Test("deleting an object takes with it what its lists, sets, maps and links cascade to")
    func cascades() throws {
        let realm = try open()
        try realm.write {
            realm.create(
                RuledOwner.self,
                value: [
                    "link": ["name": "link"], "list": [["name": "l1"], ["name": "l2"]],
                    "set": [["name": "s1"]],
                    "map": ["k": ["name": "m1"], "none": Any?.none as Any],
                    "kept": ["k": ["name": "kept"]],
                ])
        }
        let owner = try #require(realm.objects(RuledOwner.self).first)
        // Met twice, and gone once.
        try realm.write { owner.list.append(try #require(owner.set.first)) }
        #expect(realm.objects(RuledTarget.self).count == 6)
        try realm.write { realm.delete(owner) }
        #expect(realm.objects(RuledTarget.self).map(\.name) == ["kept"])
    }

    @Test("an object that a set or a map denies for stays, with everything else of the transaction")
    func denies() throws {
        let realm = try open()
        for name in ["denyingSet", "denyingMap"] {
            try realm.write {
                let target = ["name": "t"]
                realm.create(
                    RuledOwner.self,
                    value: [name: name == "denyingSet" ? [target] : ["k": target]])
            }
            let owner = try #require(realm.objects(RuledOwner.self).first)
            let error = #expect(throws: Realm.Error.self, "\(name)") {
                try realm.write {
                    realm.create(RuledTarget.self, value: ["name": "lost"])
                    realm.delete(owner)
                }
            }
            #expect(error?.message.contains("'\(name)' links to 1 of 'RuledTarget'") == true)
            #expect(!owner.isInvalidated && realm.objects(RuledTarget.self).count == 1)
            try realm.write { realm.delete(realm.objects(RuledTarget.self)) }
            try realm.write { realm.delete(owner) }
            #expect(realm.objects(RuledOwner.self).isEmpty)
        }
    }

    @Test("all objects of a type are deleted at once, though they deny each other's deletion")
    func denyingEachOther() throws {
        let realm = try open()
        try realm.write {
            let parent = realm.create(RuledNode.self, value: ["name": "parent"])
            parent.child = realm.create(RuledNode.self, value: ["name": "child"])
        }
        let parent = try #require(realm.objects(RuledNode.self).first)
        #expect(throws: Realm.Error.self) { try realm.write { realm.delete(parent) } }
        try realm.write { realm.delete(realm.objects(RuledNode.self)) }
        #expect(realm.objects(RuledNode.self).isEmpty)
    }
}

class RuledTarget: Object {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    @Persisted var name: String
}

class RuledOwner: Object {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    @Persisted(deleteRule: .cascade) var link: RuledTarget?
    @Persisted(deleteRule: .cascade) var list: List<RuledTarget>
    @Persisted(deleteRule: .cascade) var set: MutableSet<RuledTarget>
    @Persisted(deleteRule: .cascade) var map: Map<String, RuledTarget?>
    @Persisted(deleteRule: .deny) var denyingSet: MutableSet<RuledTarget>
    @Persisted(deleteRule: .deny) var denyingMap: Map<String, RuledTarget?>
    @Persisted var kept: Map<String, RuledTarget?>
}

class RuledNode: Object {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    @Persisted var name: String
    @Persisted(deleteRule: .deny) var child: RuledNode?
}
