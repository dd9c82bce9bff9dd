import Foundation
import RealmSwift
import TestSupport
import Testing

@testable import Travertine

@Suite("Long graphs")
struct LongGraphTests {
    @Test("a chain of unmanaged links is added whatever its length")
    func longChain() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([ChainLink.self])
        let count = 100_000
        try realm.write {
            realm.add(Self.chain(count))
        }
        #expect(realm.objects(ChainLink.self).count == count)
        #expect(realm.objects(ChainLink.self).where { $0.next == nil }.count == 1)
    }

    private static func chain(_ count: Int) -> ChainLink {
        var head = ChainLink()
        for _ in 1..<count {
            let link = ChainLink()
            link.next = head
            head = link
        }
        return head
    }

    @Test("a graph whose last object can't be added leaves all of it unmanaged")
    func failure() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([GraphBead.self])
        try realm.write { realm.add(GraphBead(value: ["id": "taken"])) }
        let beads = ["a", "b", "taken"].map { GraphBead(value: ["id": $0]) }
        beads[0].others.append(beads[1])
        beads[0].others.append(beads[2])
        beads[1].others.append(beads[0])
        let error = try #require(throws: Realm.Error.self) {
            try realm.write { realm.add(beads[0]) }
        }
        #expect(error.code == .duplicatePrimaryKey)
        #expect(beads[0].realm == nil && beads[2].realm == nil)
        #expect(realm.objects(GraphBead.self).count == 1)
        try realm.write { realm.add(GraphBead(value: ["id": "a"])) }
        #expect(realm.session.insertion.pendingKeys.isEmpty)
    }

    @Test("an object is made of values whose many objects all lead to each other")
    func manyThatLeadToEachOther() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([GraphBead.self])
        let hub = GraphBead(value: ["id": "hub"])
        let beads = (0..<10_000).map { GraphBead(value: ["id": "\($0)"]) }
        hub.others.append(objectsIn: beads)
        for bead in beads { bead.others.append(hub) }
        try realm.write {
            realm.create(GraphBead.self, value: ["id": "root", "others": beads])
        }
        #expect(realm.objects(GraphBead.self).count == 10_002)
        #expect(hub.realm == nil && hub.others.count == 10_000)
        let copy = try #require(realm.object(ofType: GraphBead.self, forPrimaryKey: "hub"))
        #expect(copy.others.count == 10_000)
    }

    @Test("values whose objects all lead elsewhere are copied with what they lead to")
    func manyThatLeadElsewhere() throws {
        let (directory, target) = (TemporaryDirectory(), TemporaryDirectory())
        let (realm, other) = (
            try directory.open([GraphBead.self]), try target.open([GraphBead.self])
        )
        let far = GraphBead(value: ["id": "far"])
        try other.write { other.add(far) }
        // Each leads through the same long chain, which ends in the other realm, past many that
        // stay.
        var chain = GraphBead(value: ["id": "end", "others": [far]])
        for number in 0..<10_000 {
            let bead = GraphBead(value: ["id": "c\(number)"])
            bead.others.append(chain)
            chain = bead
        }
        let hub = GraphBead(value: ["id": "hub"])
        hub.others.append(objectsIn: (0..<10_000).map { GraphBead(value: ["id": "s\($0)"]) })
        let beads = (0..<10_000).map { GraphBead(value: ["id": "b\($0)"]) }
        for bead in beads {
            bead.others.append(chain)
            bead.others.append(hub)
        }
        try realm.write {
            realm.create(GraphBead.self, value: ["id": "root", "others": beads])
            realm.create(GraphBead.self, value: ["near", beads] as [Any], update: .modified)
        }
        #expect(realm.objects(GraphBead.self).count == 30_005)
        #expect(beads[0].realm == nil && far.realm == other && other.isEmpty == false)
        let root = try #require(realm.object(ofType: GraphBead.self, forPrimaryKey: "root"))
        #expect(root.others.count == 10_000 && root.others[9].others.map(\.id) == ["c9999", "hub"])
        try realm.write { realm.deleteAll() }
    }

    @Test("objects of a graph come in the order in which they are reached")
    func order() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([GraphBead.self])
        let root = GraphBead(value: ["id": "root"])
        root.others.append(objectsIn: ["x", "y", "z"].map { GraphBead(value: ["id": $0]) })
        try realm.write { realm.add(root) }
        #expect(realm.objects(GraphBead.self).map(\.id) == ["root", "x", "y", "z"])
        #expect(root.others.map(\.id) == ["x", "y", "z"])
    }

    @Test("in a large list an append changes, and an index reads, one node for each level")
    func nodesOfLargeList() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Hoard.self])
        let hoard = Hoard()
        let count = 300_000
        hoard.numbers.append(objectsIn: 0..<count)
        try realm.write { realm.add(hoard) }
        let (numbers, session) = (hoard.numbers, realm.session)
        let storage = CollectionStorage(session, hoard.table, hoard.key, 0)
        let tree = try #require(
            try storage.withPiece { CollectionTree(session, storage.owner, storage.run, .init($0)) }
        )
        #expect(tree.height == 3)
        try realm.write {
            numbers.append(7)
            #expect(session.unstored.nodes.waiting.count <= tree.height)
            #expect(session.unstored.nodes.waiting.byteCount <= 4096 + 2 * 256 * 12)
            numbers.removeLast()
        }
        #expect(throws: Stop.self) {
            try realm.write {
                let position = count / 2 + 17
                let others = try Self.nodes(besidePathTo: position, in: tree)
                #expect(others.count > 250)
                for node in others { session.unstored.nodes.delete(node, of: storage.owner) }
                #expect(numbers[position] == position && session.damage == nil)
                throw Stop()
            }
        }
        #expect(numbers.count == count && numbers.last == count - 1)
    }

    /// The nodes next to those that lead to a position.
    private static func nodes(
        besidePathTo position: Int, in tree: CollectionTree
    ) throws -> [UInt32] {
        var (node, rest, others) = (tree.root, position, [UInt32]())
        for _ in 1..<tree.height {
            var next: UInt32?
            for child in try tree.entries(of: node) {
                if next == nil, rest < child.count {
                    next = child.node
                    continue
                }
                if next == nil { rest -= child.count }
                others.append(child.node)
            }
            node = try #require(next)
        }
        return others
    }
}

class Hoard: Object {
    @Persisted var numbers: List<Int>
}

class GraphBead: Object {
    @Persisted(primaryKey: true) var id: String
    @Persisted var others: List<GraphBead>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
