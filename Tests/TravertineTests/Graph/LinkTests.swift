import RealmSwift
import TestSupport
import Testing

@Suite("Links")
struct LinkTests {
    private let types: [Object.Type] = [Node.self, Tag.self]

    @Test("adding an object adds the graph that it links to, cycles included")
    func graph() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open(types)
        let first = Node(value: ["id": 1])
        let second = Node(value: ["id": 2])
        first.next = second
        second.next = first
        first.children.append(objectsIn: [second, first, second])
        try realm.write { realm.add(first) }
        #expect(realm.objects(Node.self).count == 2)
        #expect(second.realm == realm)
        #expect(first.next?.next == first)
        #expect(first.children.map(\.id) == [2, 1, 2])
    }

    @Test("deleting an object makes links to it nil and takes it out of lists")
    func nullify() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open(types)
        let nodes = (0..<4).map { Node(value: ["id": $0]) }
        try realm.write {
            realm.add(nodes)
            for node in nodes {
                node.next = nodes[0]
                node.children.append(objectsIn: [nodes[0], nodes[1], nodes[0]])
            }
            realm.delete(nodes[0])
        }
        #expect(nodes[0].isInvalidated)
        for node in nodes.dropFirst() {
            #expect(node.next == nil)
            #expect(node.children.map(\.id) == [1])
        }
        try realm.write { realm.delete(realm.objects(Node.self)) }
        let keys = try realm.store.statistics.keyspaces.filter { $0.name.hasPrefix("type.") }
        #expect(keys.allSatisfy { $0.keyCount == 0 })
    }

    @Test("an object that very many link to, or none, is taken out of all of them")
    func manySources() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open(types)
        let hubs = [0, 1, 2, 3].map { Node(value: ["id": $0]) }
        var sources: [Node] = []
        try realm.write {
            realm.add(hubs)
            for id in 0..<700 {
                let node = Node(value: ["id": 10 + id])
                node.next = id < 600 ? hubs[1] : id < 601 ? hubs[2] : hubs[3]
                realm.add(node)
                sources.append(node)
            }
            hubs[1].next = hubs[1]
        }
        try realm.write { realm.delete(hubs[0]) }
        try realm.write { realm.delete(hubs[1]) }
        #expect(sources.prefix(600).allSatisfy { $0.next == nil })
        #expect(sources[600].next == hubs[2])
        try realm.write { realm.delete(hubs[2]) }
        #expect(sources[600].next == nil)
        #expect(sources.suffix(99).allSatisfy { $0.next == hubs[3] })
        try realm.write { realm.delete(realm.objects(Node.self)) }
        let keys = try realm.store.statistics.keyspaces.filter { $0.name.hasPrefix("type.") }
        #expect(keys.allSatisfy { $0.keyCount == 0 })
    }

    @Test("a type that comes to link to a realm's objects later is known when one is deleted")
    func laterSources() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Tag.self])
        try realm.write { realm.add(["a", "b", "c"].map { Tag(value: ["text": $0]) }) }
        let tags = Array(realm.objects(Tag.self))
        try realm.write { realm.delete(tags[0]) }
        let wider = try directory.open([Tag.self, Node.self, LaterSource.self])
        try wider.write {
            let source = LaterSource()
            source.tag = wider.objects(Tag.self).last
            wider.add(source)
        }
        realm.refresh()
        try realm.write { realm.delete(tags[2]) }
        wider.refresh()
        let source = try #require(wider.objects(LaterSource.self).first)
        #expect(source.tag == nil)
        #expect(realm.objects(Tag.self).count == 1)
    }

    @Test("random links equal a model after every transaction", arguments: [1, 2] as [UInt64])
    func randomLinks(seed: UInt64) throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open(types)
        var random = SeededRandom(seed: seed)
        var model: [Int: (next: Int?, children: [Int], name: String)] = [:]
        for round in 0..<80 {
            let before = model
            do {
                try realm.write {
                    for _ in 0..<random.below(10) { try Self.change(realm, &model, &random) }
                    if random.chance(15) { throw Stop() }
                }
            } catch is Stop {
                model = before
            }
            let found = realm.objects(Node.self)
            #expect(found.map(\.id) == model.keys.sorted(), "seed \(seed), round \(round)")
            for node in found {
                let wanted = try #require(model[node.id])
                #expect(node.next?.id == wanted.next, "seed \(seed), round \(round)")
                #expect(node.children.map(\.id) == wanted.children, "seed \(seed), round \(round)")
                #expect(node.name == wanted.name)
                let named = realm.objects(Node.self).where { $0.name == node.name }
                #expect(
                    named.map(\.id) == model.filter { $0.value.name == node.name }.keys.sorted(),
                    "seed \(seed), round \(round)")
            }
        }
        #expect(try realm.brokenInvariants() == [], "seed \(seed)")
    }

    private static func change(
        _ realm: Realm, _ model: inout [Int: (next: Int?, children: [Int], name: String)],
        _ random: inout SeededRandom
    ) throws {
        let ids = model.keys.sorted()
        func node(_ id: Int) throws -> Node {
            try #require(realm.object(ofType: Node.self, forPrimaryKey: id))
        }
        switch random.below(6) {
        case 0 where !ids.isEmpty:
            let id = random.pick(ids)
            realm.delete(try node(id))
            model[id] = nil
            for other in model.keys {
                if model[other]?.next == id { model[other]?.next = nil }
                model[other]?.children.removeAll { $0 == id }
            }
        case 1 where !ids.isEmpty:
            let (id, target) = (random.pick(ids), random.pick(ids))
            let isNil = random.chance(30)
            try node(id).next = isNil ? nil : try node(target)
            model[id]?.next = isNil ? nil : target
        case 2 where !ids.isEmpty:
            let id = random.pick(ids)
            let added = (0..<random.below(200)).map { _ in random.pick(ids) }
            try node(id).children.append(objectsIn: try added.map { try node($0) })
            model[id]?.children += added
        case 3 where !ids.isEmpty:
            let id = random.pick(ids)
            try node(id).children.removeAll()
            model[id]?.children = []
        case 4 where !ids.isEmpty:
            let id = random.pick(ids)
            let name = random.text()
            try node(id).name = name
            model[id]?.name = name
        default:
            let id = random.below(40)
            let name = random.text()
            let added = Node(value: ["id": id, "name": name])
            let target = ids.isEmpty ? nil : random.pick(ids)
            if let target, target != id { added.next = try node(target) }
            realm.add(added, update: .modified)
            model[id] = (target == id ? nil : target, [], name)
        }
    }

    @Test("a link property follows reassignment to an unmanaged object")
    func assignUnmanaged() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open(types)
        let node = Node(value: ["id": 1])
        try realm.write {
            realm.add(node)
            node.tag = Tag(value: ["text": "red"])
        }
        #expect(node.tag?.text == "red")
        #expect(realm.objects(Tag.self).count == 1)
        try realm.write { node.tag = nil }
        #expect(node.tag == nil && realm.objects(Tag.self).count == 1)
    }
}

class Node: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var name: String
    @Persisted var next: Node?
    @Persisted var children: List<Node>
    @Persisted var tag: Tag?
}

class Tag: Object {
    @Persisted var text: String
}

final class LaterSource: Object {
    @Persisted var tag: Tag?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
