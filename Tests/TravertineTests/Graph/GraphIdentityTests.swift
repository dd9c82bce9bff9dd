import Foundation
import RealmSwift
import TestSupport
import Testing

@testable import Travertine

@Suite("Objects with one primary key are one object")
struct GraphIdentityTests {
    /// A graph in which a link leads to a second instance of the first object.
    private func graph<Model: Keyed>(_ type: Model.Type, id: Any) -> (first: Model, second: Model) {
        let first = make(type, id, "first")
        let second = make(type, id, "second")
        let between = Model(_byOverrideInit: ())
        between.link(to: second)
        second.link(to: make(type, type.otherID, "beyond"))
        first.link(to: between)
        return (first, second)
    }

    private func make<Model: Keyed>(_ type: Model.Type, _ id: Any, _ name: String) -> Model {
        let model = Model(_byOverrideInit: ())
        model["id"] = id
        model["name"] = name
        return model
    }

    private func check<Model: Keyed>(
        _ type: Model.Type, id: Any, _ update: Realm.UpdatePolicy
    ) throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Model.self])
        let (first, second) = graph(type, id: id)
        if update == .error {
            let error = #expect(throws: Realm.Error.self) {
                try realm.write { realm.add(first, update: update) }
            }
            #expect(error?.code == .duplicatePrimaryKey)
            #expect(realm.objects(type).isEmpty)
            return
        }
        for _ in 0..<2 {
            try realm.write { realm.add(first, update: update) }
            #expect(realm.objects(type).count == 3)
            #expect(first.isSameObject(as: second) && second.label == "first")
            let found = realm.objects(type)
            for name in ["first", "second", "beyond", ""] {
                let scanned = found.filter { $0.label == name }.count
                let indexed = try indexEntries(name, realm, type)
                #expect(scanned == indexed, "entries of the index for \(name)")
            }
        }
        let behind = try #require(found(type, "beyond", realm))
        #expect(behind.sources.isEmpty, "the second instance's link was replaced by the first's")
        try realm.write { realm.delete(first) }
        #expect(realm.objects(type).count == 2 && second.isInvalidated)
    }

    private func found<Model: Keyed>(_ type: Model.Type, _ name: String, _ realm: Realm) -> Model? {
        realm.objects(type).first { $0.label == name }
    }

    private func indexEntries<Model: Keyed>(
        _ name: String, _ realm: Realm, _ type: Model.Type
    ) throws -> Int {
        let table = realm.session.table(of: type)
        let slot = try #require(table.slot(named: "name"))
        #expect(table.properties[slot].index != .absent)
        let names = Predicate.compare(PropertyPath(names: ["name"]), .equal, .string(name))
        let keys = try QueryPlanning.$prefersIndexes.withValue(true) {
            try realm.objects(type).narrowed(by: names).state.candidates()?.keys
        }
        return try #require(keys).count
    }

    @Test(
        "two instances with one primary key in a graph are one row, or a duplicate",
        arguments: [Realm.UpdatePolicy.error, .modified, .all])
    func oneRow(_ update: Realm.UpdatePolicy) throws {
        try check(NumberedItem.self, id: 7, update)
        try check(NamedItem.self, id: "seven", update)
        try check(NamedItem.self, id: String(repeating: "seven", count: 40), update)
    }

    @Test("an object that links to another instance of itself is stored once")
    func selfLink() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([NamedItem.self])
        let item = NamedItem(value: ["id": "a", "name": "outer"])
        item.next = NamedItem(value: ["id": "a", "name": "inner"])
        try realm.write { realm.add(item, update: .modified) }
        #expect(realm.objects(NamedItem.self).map(\.name) == ["outer"])
        #expect(item.next?.isSameObject(as: item) == true && item.sources.count == 1)
    }

    @Test("values without the primary key are refused by name, unless it is made by itself")
    func missingKey() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([NumberedItem.self, NamedItem.self, MarkedItem.self])
        try realm.write {
            realm.add(NumberedItem(value: ["id": 0, "name": "kept"]))
            realm.add(NamedItem(value: ["id": "", "name": "kept"]))
            for type in ["NumberedItem", "NamedItem"] {
                let error = #expect(throws: Realm.Error.self) {
                    try realm.savepoint {
                        try realm.dynamicInsert(type, value: ["name": "x"], update: .modified)
                    }
                }
                #expect(error?.message.contains("Missing value for primary key") == true)
            }
            for _ in 0..<2 {
                try realm.dynamicInsert("MarkedItem", value: ["name": "x"], update: .modified)
            }
        }
        #expect(realm.objects(NumberedItem.self).map(\.name) == ["kept"])
        #expect(realm.objects(NamedItem.self).map(\.name) == ["kept"])
        #expect(realm.objects(MarkedItem.self).count == 2)
    }

    @Test("nested values change what they name and nothing else, with and without the class")
    func nestedValues() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([NestedItem.self])
        func kept(_ id: Int) -> [NestedItem] {
            Array(realm.objects(NestedItem.self).where { $0.id == id })
        }
        for isDynamic in [false, true] {
            try realm.write {
                realm.deleteAll()
                for id in 1...4 {
                    realm.add(NestedItem(value: ["id": id, "name": "n\(id)", "size": id]))
                }
            }
            let values: [String: Any] = [
                "id": 1, "next": ["id": 2, "size": 20],
                "list": [
                    ["id": 3, "size": 30], ["id": 9, "name": "new"], ["id": 9, "size": 90],
                ],
                "map": ["a": ["id": 4, "next": ["id": 3, "name": "deep"]]],
            ]
            let outer: [String: Any] = ["id": 7, "next": values]
            try realm.write {
                if isDynamic {
                    realm.dynamicCreate("NestedItem", value: outer, update: .modified)
                } else {
                    realm.create(NestedItem.self, value: outer, update: .modified)
                }
            }
            #expect(kept(1).map(\.name) == ["n1"] && kept(1).map(\.size) == [1])
            #expect(kept(2).map(\.name) == ["n2"] && kept(2).map(\.size) == [20])
            #expect(kept(3).map(\.name) == ["deep"] && kept(3).map(\.size) == [30])
            #expect(kept(4).map(\.name) == ["n4"] && kept(4).map(\.size) == [4])
            #expect(kept(9).map(\.name) == ["new"] && kept(9).map(\.size) == [90])
            let first = try #require(kept(7).first?.next)
            #expect(first.next?.id == 2 && first.list.map(\.id) == [3, 9, 9])
            try realm.write { first["next"] = ["id": 4, "size": 40] as [String: Any] }
            #expect(first.next?.name == "n4" && first.next?.size == 40)
        }
    }

    @Test("the last key of a type is an error, not a trap")
    func lastKey() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([NamedItem.self])
        let table = realm.session.table(of: NamedItem.self)
        realm.session.shared.nextKeys[table.stored.number] = .max
        let error = #expect(throws: Realm.Error.self) {
            try realm.write { realm.add(NamedItem(value: ["id": "a"])) }
        }
        #expect(error?.message.contains("No key is left") == true)
    }
}

/// What the two kinds of items have in common.
class Keyed: Object {
    class var otherID: Any { 0 }
    var label: String { "" }
    var sources: [Keyed] { [] }
    func link(to other: Keyed) {}

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class NumberedItem: Keyed {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var name: String
    @Persisted var next: NumberedItem?
    @Persisted(originProperty: "next") var origins: LinkingObjects<NumberedItem>

    override class var otherID: Any { 8 }
    override var label: String { name }
    override var sources: [Keyed] { Array(origins) }
    override func link(to other: Keyed) { next = other as? NumberedItem }
}

class NamedItem: Keyed {
    @Persisted(primaryKey: true) var id: String
    @Persisted(indexed: true) var name: String
    @Persisted var next: NamedItem?
    @Persisted(originProperty: "next") var origins: LinkingObjects<NamedItem>

    override class var otherID: Any { "eight" }
    override var label: String { name }
    override var sources: [Keyed] { Array(origins) }
    override func link(to other: Keyed) { next = other as? NamedItem }
}

class MarkedItem: Object {
    @Persisted(primaryKey: true) var id: UUID
    @Persisted var name: String

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class NestedItem: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var size: Int
    @Persisted var next: NestedItem?
    @Persisted var list: List<NestedItem>
    @Persisted var map: Map<String, NestedItem?>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
