/// What is shown the nodes of a tree, a parent before and after its children.
package protocol NodeVisitor {
    /// Whether no further node is to be visited, nor left. Asked after each node.
    var isDone: Bool { get }
    /// Comes to a node above the leaves; returns whether what is below it is to be visited. If not,
    /// `leave` is not called.
    mutating func enter(_ node: NodeIdentity) throws -> Bool
    /// Comes to a leaf.
    mutating func visit(_ leaf: LeafEntries) throws
    /// Has visited all that is below a node.
    mutating func leave(_ node: NodeIdentity) throws
}

extension NodeVisitor {
    /// Visits all nodes.
    package var isDone: Bool { false }
}
