import OrderedIndex
import TravertineStore

/// What the rows of a leaf amount to.
protocol LeafSummarizer {
    associatedtype Summary: NodeSummary
    mutating func summary(of leaf: LeafEntries) throws -> Summary
}

/// Makes the tree of summaries of one version from that of another: what is below nodes that both
/// have is taken over, and only leaves that the other has not are looked at.
///
/// Children of both are in key order, so that those that did not change are found by going along
/// both lists. A child that is not found, as when nodes were split or joined far away, is summarised
/// again: that costs time, and changes nothing.
struct SummaryPass<Leaves: LeafSummarizer> {
    typealias Node = SummaryNode<Leaves.Summary>

    /// Nodes of the former tree at one level, and where in their children the search goes on.
    private struct Place {
        var nodes: [Node] = []
        var node = 0
        var child = 0
    }

    /// So many children of the former tree are looked at for one.
    private static var comparedCountMax: Int { 512 }
    private let access: ReadAccess
    private var source: Leaves
    /// Whether summaries of leaves are kept, and not only those of the nodes above.
    private let keepsLeaves: Bool
    private var places: [Place] = []

    private init(_ access: ReadAccess, _ source: Leaves, keepsLeaves: Bool) {
        self.access = access
        self.source = source
        self.keepsLeaves = keepsLeaves
    }

    /// The summary of a tree's rows, and the tree of summaries; nil if it is one leaf or empty.
    static func run(
        _ access: ReadAccess, of keyspace: KeyspaceID, _ source: Leaves, former: Node?,
        keepsLeaves: Bool
    ) throws -> (total: Leaves.Summary, tree: Node?) {
        guard let top = try access.topNode(of: keyspace) else { return (.none, nil) }
        if let former, former.identity == top.identity { return (former.total, former) }
        var pass = SummaryPass(access, source, keepsLeaves: keepsLeaves)
        if top.level == 0 { return (try pass.source.summary(of: top.entries), nil) }
        pass.begin(former, level: top.level)
        let made = try pass.summarize(top)
        return (made.total, made)
    }

    private mutating func begin(_ former: Node?, level: Int) {
        places = Array(repeating: Place(), count: level + 1)
        guard let former else { return }
        if former.level <= level {
            places[former.level].nodes = [former]
        } else {
            var nodes = [former]
            for _ in level..<former.level { nodes = nodes.flatMap(\.nodes) }
            places[level].nodes = nodes
        }
    }

    private mutating func summarize(_ node: NodeHandle) throws -> Node {
        let (level, count) = (node.level, node.childCount)
        node.prefetchChildren()
        var total = Leaves.Summary.none
        var children: [NodeIdentity] = []
        var leaves: [Leaves.Summary] = []
        var nodes: [Node] = []
        let keepsChildren = keepsLeaves || level > 1
        if keepsChildren {
            children.reserveCapacity(count)
            if level == 1 { leaves.reserveCapacity(count) } else { nodes.reserveCapacity(count) }
        }
        for position in 0..<count {
            if level == 1 {
                let summary: Leaves.Summary
                let identity: NodeIdentity
                if let found = find(position, of: node) {
                    identity = found.node.children[found.child]
                    summary = found.node.leaves[found.child]
                } else {
                    let child = try access.child(position, of: node)
                    identity = child.identity
                    summary = try source.summary(of: child.entries)
                }
                total.add(summary)
                if keepsChildren {
                    children.append(identity)
                    leaves.append(summary)
                }
            } else {
                let child: Node
                if let found = find(position, of: node) {
                    child = found.node.nodes[found.child]
                } else {
                    descend(from: level)
                    child = try summarize(try access.child(position, of: node))
                }
                total.add(child.total)
                children.append(child.identity)
                nodes.append(child)
            }
        }
        return Node(node.identity, level: level, total, children, leaves: leaves, nodes: nodes)
    }

    /// Where the former tree has a child; the next one is looked for after it.
    private mutating func find(
        _ position: Int, of node: NodeHandle
    ) -> (node: Node, child: Int)? {
        let level = node.level
        let place = places[level]
        var leftCount = Self.comparedCountMax
        var start = place.child
        for former in place.nodes.indices.dropFirst(place.node) where leftCount > 0 {
            let candidate = place.nodes[former]
            let end = min(candidate.children.count, start + leftCount)
            for child in start..<max(start, end)
            where node.isChild(position, candidate.children[child]) {
                places[level].node = former
                places[level].child = child + 1
                return (candidate, child)
            }
            leftCount -= max(0, end - start)
            start = 0
        }
        return nil
    }

    /// Before a node below a level that the former tree has not: it may be a changed one of those
    /// there after the one that was found last.
    private mutating func descend(from level: Int) {
        let place = places[level]
        guard place.node < place.nodes.count else { return }
        let nodes = place.nodes[place.node].nodes
        if places[level - 1].nodes.first !== nodes.first {
            places[level - 1] = Place(nodes: nodes, node: place.child, child: 0)
        } else if places[level - 1].node < place.child {
            places[level - 1].node = place.child
            places[level - 1].child = 0
        }
    }
}
