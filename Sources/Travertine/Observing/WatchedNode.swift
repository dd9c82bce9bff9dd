/// What of an object counts as a change of those that lead to it: some of its properties or all,
/// and what links lead on to.
///
/// A tree of nodes stands for key paths, or for everything up to so many links deep. Nodes are made
/// for one session and used on its thread.
final class WatchedNode {
    /// A way from the objects of a node to others.
    struct Hop {
        enum Way {
            /// By a property of the object, a link or a collection of links.
            case link(slot: Int)
            /// By the objects of the child's table that link here by a property of theirs.
            case inverse(slot: Int)
        }

        let way: Way
        let child: WatchedNode
    }

    let table: TableState
    /// Whether a change of any property that the class declares counts.
    var watchesEverything = false
    /// The numbers of the properties whose changes count.
    var properties: Set<UInt32> = []
    var hops: [Hop] = []
    /// The types of the objects on all ways; found when it is first asked for.
    private var reachable: Set<UInt32>?

    init(_ table: TableState) { self.table = table }

    /// Whether a change of a property counts.
    func watches(_ property: UInt32) -> Bool {
        if properties.contains(property) { return true }
        guard watchesEverything, let slot = table.slot(ofProperty: property) else { return false }
        return slot < table.visibleCount
    }

    /// The numbers of the types of all objects on the ways from here, this one included.
    func types() -> Set<UInt32> {
        if let reachable { return reachable }
        // A tree has no cycles: each way is shorter than the one before.
        var types: Set = [table.stored.number]
        for hop in hops { types.formUnion(hop.child.types()) }
        reachable = types
        return types
    }

    /// The node that a hop leads to, the same for all paths that begin alike.
    func child(_ way: Hop.Way, _ target: TableState) -> WatchedNode {
        for hop in hops where hop.child.table === target {
            switch (hop.way, way) {
            case (.link(let slot), .link(let other)) where slot == other: return hop.child
            case (.inverse(let slot), .inverse(let other)) where slot == other: return hop.child
            default: break
            }
        }
        let child = WatchedNode(target)
        hops.append(Hop(way: way, child: child))
        return child
    }
}

extension WatchedNode {
    /// How many links deep changes count where no key paths are given.
    static let depth = 4

    /// Everything up to so many links deep.
    static func everything(of table: TableState, depth: Int = WatchedNode.depth) -> WatchedNode {
        var nodes: [NodeName: WatchedNode] = [:]
        return everything(of: table, depth, &nodes)
    }

    private struct NodeName: Hashable {
        let type: UInt32
        let depth: Int
    }

    private static func everything(
        of table: TableState, _ depth: Int, _ nodes: inout [NodeName: WatchedNode]
    ) -> WatchedNode {
        let name = NodeName(type: table.stored.number, depth: depth)
        if let node = nodes[name] { return node }
        let node = WatchedNode(table)
        nodes[name] = node
        node.watchesEverything = true
        guard depth > 0 else { return node }
        for slot in 0..<table.visibleCount where table.properties[slot].backlinks != .absent {
            for target in table.targets(ofSlot: slot) {
                node.hops.append(
                    Hop(way: .link(slot: slot), child: everything(of: target, depth - 1, &nodes)))
            }
        }
        return node
    }
}

extension TableState {
    /// The tables of the objects that a property can link to.
    func targets(ofSlot slot: Int) -> [TableState] {
        let property = properties[slot]
        if property.type == .object {
            return session.table(named: property.target).map { [$0] } ?? []
        }
        if property.isVarying, let type = session.table(named: property.target)?.classInfo?.type {
            return session.tables(ofClassesFrom: type)
        }
        guard property.type == .any else { return [] }
        return session.schema.types.filter { !$0.isEmbedded && !$0.isAsymmetric }
            .compactMap { session.table(number: $0.number) }
    }
}
