import OrderedIndex
import TravertineStore

/// Finds rows by their positions in the order of keys, from the counts of rows below the nodes of
/// the index.
enum RowPositions {
    private struct Counter: LeafSummarizer {
        mutating func summary(of leaf: LeafEntries) -> RowCount { RowCount(count: leaf.count) }
    }

    /// The leaf that has a position, and the position's place in it; nil for one beyond the end.
    /// `former` is the tree of counts that was used last, and is replaced by that of this version.
    ///
    /// The first use counts all leaves, and one after a commit those that changed.
    static func leaf(
        at position: Int, of keyspace: KeyspaceID, _ access: ReadAccess, _ cache: SummaryCache,
        former: inout SummaryNode<RowCount>?
    ) throws -> (leaf: LeafEntries, place: Int)? {
        guard var node = try access.topNode(of: keyspace) else { return nil }
        if former?.identity != node.identity {
            former = try SummaryPass.tree(access, of: keyspace, Counter(), .rows, cache)
        }
        var counts = former
        var rest = position
        while node.level > 0 {
            guard let known = counts, known.identity == node.identity, rest < known.total.count
            else { return nil }
            var child = 0
            if known.nodes.isEmpty {
                counts = nil
                if known.leaves.isEmpty {
                    // A table so large that only nodes above the leaves have counts.
                    while true {
                        let leaf = try access.child(child, of: node).entries
                        if rest < leaf.count { return (leaf, rest) }
                        rest -= leaf.count
                        child += 1
                    }
                }
                while rest >= known.leaves[child].count {
                    rest -= known.leaves[child].count
                    child += 1
                }
            } else {
                while rest >= known.nodes[child].total.count {
                    rest -= known.nodes[child].total.count
                    child += 1
                }
                counts = known.nodes[child]
            }
            node = try access.child(child, of: node)
        }
        let leaf = node.entries
        return rest < leaf.count ? (leaf, rest) : nil
    }
}
