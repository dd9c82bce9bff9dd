import OrderedIndex

/// What the rows below a node above the leaves amount to, and what those below its children do.
///
/// The nodes are a tree of the shape of the index's tree as of one version, and as immutable: that
/// of the next version shares what is below the nodes that both have (`SummaryPass`).
final class SummaryNode<Summary: NodeSummary>: Sendable {
    let identity: NodeIdentity
    /// 1 above the leaves.
    let level: Int
    let total: Summary
    /// Of the children; none if only the total is kept.
    let children: [NodeIdentity]
    /// Of the children that are leaves.
    let leaves: [Summary]
    /// The children that are no leaves.
    let nodes: [SummaryNode]
    /// What the node takes with all below it.
    let byteCount: Int

    init(
        _ identity: NodeIdentity, level: Int, _ total: Summary, _ children: [NodeIdentity],
        leaves: [Summary], nodes: [SummaryNode]
    ) {
        self.identity = identity
        self.level = level
        self.total = total
        self.children = children
        self.leaves = leaves
        self.nodes = nodes
        var byteCount = 128 + MemoryLayout<Summary>.stride + total.extraByteCount
        byteCount += children.count * MemoryLayout<NodeIdentity>.stride
        byteCount += leaves.reduce(0) { $0 + MemoryLayout<Summary>.stride + $1.extraByteCount }
        byteCount += nodes.reduce(0) { $0 + 8 + $1.byteCount }
        self.byteCount = byteCount
    }
}
