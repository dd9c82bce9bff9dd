import RealmSwift
import TestSupport
import Testing

@testable import Travertine

/// What is read and changed of large collections, counted in their nodes: a node that a read needs
/// is one without which it meets damage.
@Suite("What single elements of large collections cost")
struct CollectionCostTests {
    private let directory = TemporaryDirectory()
    /// The bytes of a leaf and two inner nodes, the most that one change of a tree of height 3
    /// writes.
    private static let changedByteCountMax = 4096 + 2 * 256 * 12

    @Test("an element of nested dictionaries is found and set with the nodes on its way alone")
    func nestedDictionary() throws {
        let realm = try directory.open([Nested.self])
        let siblings = Dictionary(
            uniqueKeysWithValues: (0..<10_000).map {
                (String(10_000 + $0), AnyRealmValue.string("value \($0)"))
            })
        let object = Nested()
        var value = AnyRealmValue.dictionary(Self.map(siblings))
        // Each level has enough siblings to have its own tree.
        let few = siblings.filter { $0.key < "10200" }
        for _ in 1..<100 {
            let map = Self.map(few)
            map["next"] = value
            value = .dictionary(map)
        }
        object.value = value
        try realm.write { realm.add(object) }
        let session = realm.session

        var deepest = try #require(object.value.dictionaryValue)
        for _ in 1..<100 { deepest = try #require(deepest["next"]?.dictionaryValue) }
        try realm.write {
            deepest["15000"] = .string("changed")
            #expect(session.unstored.nodes.waiting.count <= 4)
            #expect(session.unstored.nodes.waiting.byteCount <= Self.changedByteCountMax)
        }
        #expect(deepest["15000"] == .string("changed") && deepest.count == 10_000)
        #expect(deepest["15001"] == .string("value 5001"))
        try realm.write {
            deepest["new"] = .int(1)
            deepest.removeObject(for: "10007")
            #expect(session.unstored.nodes.waiting.byteCount <= 2 * Self.changedByteCountMax)
        }
        let storage = try #require(deepest.anchor).storage
        let nodes = try Self.nodes(of: storage)
        #expect(nodes.count > 40)
        let needed = try Self.needed(nodes, storage, realm) { _ = deepest["15000"] }
        // Each level of the tree is searched by halves.
        #expect((1...10).contains(needed), "\(needed) of \(nodes.count) nodes")
    }

    @Test("an element of nested lists is found and set with the nodes on its way alone")
    func nestedList() throws {
        let realm = try directory.open([Nested.self])
        let object = Nested()
        let inner = List<AnyRealmValue>()
        inner.append(objectsIn: (0..<10_000).map { .string("value \($0)") })
        let outer = List<AnyRealmValue>()
        outer.append(objectsIn: (0..<10_000).map { .int($0) })
        outer.insert(.list(inner), at: 5000)
        object.value = .list(outer)
        try realm.write { realm.add(object) }
        let session = realm.session
        let list = try #require(object.value.listValue?[5000].listValue)
        try realm.write {
            list[5000] = .string("changed")
            #expect(session.unstored.nodes.waiting.count <= 4)
            #expect(session.unstored.nodes.waiting.byteCount <= Self.changedByteCountMax)
        }
        #expect(list[5000] == .string("changed") && list[5001] == .string("value 5001"))
        let storage = try #require(list.anchor).storage
        let nodes = try Self.nodes(of: storage)
        let needed = try Self.needed(nodes, storage, realm) { _ = list[5000] }
        #expect(nodes.count > 30 && needed == 2, "\(needed) of \(nodes.count) nodes")
    }

    @Test("a map is walked by positions with the nodes on the way to each alone")
    func mapByPositions() throws {
        let realm = try directory.open([Atlas.self])
        let atlas = Atlas()
        for number in 0..<10_000 { atlas.pages[String(10_000 + number)] = "page \(number)" }
        try realm.write { realm.add(atlas) }
        let pages = atlas.pages
        var position = pages.startIndex
        var values: [String] = []
        while position < pages.endIndex {
            let entry = pages[position]
            #expect(entry.key == String(10_000 + values.count))
            values.append(entry.value)
            position = pages.index(after: position)
        }
        #expect(values == (0..<10_000).map { "page \($0)" })
        #expect(pages.index(of: "page 7777") == MapIndex(offset: 7777))
        #expect(pages.index(of: "none") == nil)
        let storage = try #require(pages.anchor).storage
        let nodes = try Self.nodes(of: storage)
        let needed = try Self.needed(nodes, storage, realm) {
            _ = pages[MapIndex(offset: 5000)]
        }
        #expect(nodes.count > 30 && needed == 2, "\(needed) of \(nodes.count) nodes")
    }

    @Test("positions of a small and of an unmanaged map are in the order of the keys' bytes")
    func smallMap() throws {
        let atlas = Atlas(value: ["pages": ["b": "2", "ä": "3", "a": "1"]])
        func entries() -> [String] {
            (0..<UInt(atlas.pages.count)).map { atlas.pages[MapIndex(offset: $0)].value }
        }
        #expect(entries() == ["1", "2", "3"])
        let realm = try directory.open([Atlas.self])
        try realm.write { realm.add(atlas) }
        #expect(entries() == ["1", "2", "3"] && atlas.pages.index(of: "3")?.offset == 2)
    }

    private static func map(_ values: [String: AnyRealmValue]) -> Map<String, AnyRealmValue> {
        let map = Map<String, AnyRealmValue>()
        for (key, value) in values { map[key] = value }
        return map
    }

    /// The numbers of all nodes of a collection's tree.
    private static func nodes(of storage: CollectionStorage) throws -> [UInt32] {
        let tree = try #require(
            try storage.withPiece {
                CollectionTree(storage.session, storage.owner, storage.run, .init($0))
            })
        var found = [tree.root]
        var level = [tree.root]
        for _ in 1..<tree.height {
            level = try level.flatMap { try tree.entries(of: $0).map(\.node) }
            found += level
        }
        return found
    }

    /// How many of the nodes a read needs.
    private static func needed(
        _ nodes: [UInt32], _ storage: CollectionStorage, _ realm: Realm, _ read: () -> Void
    ) throws -> Int {
        var count = 0
        for node in nodes {
            #expect(throws: Stop.self) {
                try realm.write {
                    realm.session.unstored.nodes.delete(node, of: storage.owner)
                    read()
                    if realm.session.damage != nil { count += 1 }
                    realm.session.damage = nil
                    throw Stop()
                }
            }
        }
        return count
    }
}

class Nested: Object {
    @Persisted var value: AnyRealmValue
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Atlas: Object {
    @Persisted var pages: Map<String, String>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
