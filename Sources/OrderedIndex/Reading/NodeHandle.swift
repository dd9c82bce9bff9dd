import CPlatform

/// A node of a committed tree, from which its children are reached one by one; valid while the tree
/// may be read.
package struct NodeHandle: BitwiseCopyable {
    /// The node's name.
    package let identity: NodeIdentity
    /// 0 for a leaf.
    package let level: Int
    private let node: Node

    init(_ bits: UInt64, _ node: Node, level: Int) {
        identity = NodeIdentity(bits, node)
        self.level = level
        self.node = node
    }

    /// The number of children of a node above the leaves.
    package var childCount: Int { level == 0 ? 0 : Inner(node).count + 1 }

    /// The entries of a leaf.
    package var entries: LeafEntries {
        precondition(level == 0, "only leaves have entries")
        return LeafEntries(identity.reference, node)
    }

    /// Whether a child has an identity. Pages are written once, so that the reference of one
    /// suffices, and the page is not read.
    @inline(__always)
    package func isChild(_ position: Int, _ identity: NodeIdentity) -> Bool {
        assert(position >= 0 && position < childCount, "the node has no such child")
        let bits = Inner(node).children[position]
        guard bits == identity.reference else { return false }
        return Int64(bitPattern: bits) < 0 || Node(bits: bits).version == identity.stamp
    }

    /// Asks for the first lines of the children in memory, which have their stamps.
    package func prefetchChildren() {
        let children = Inner(node).children
        for position in 0..<childCount {
            let bits = children[position]
            if Int64(bitPattern: bits) > 0 { travertine_prefetch(Node(bits: bits).base) }
        }
    }

    fileprivate func childBits(_ position: Int) -> UInt64 {
        precondition(position >= 0 && position < childCount, "the node has no such child")
        return Inner(node).children[position]
    }
}

extension IndexReader {
    /// The topmost node of a tree, which must be that of a committed root; nil if it is empty.
    package func topNode(of tree: Tree) throws(IndexFailure) -> NodeHandle? {
        if tree.root.bits == 0 { return nil }
        let level = Int(tree.height) - 1
        return NodeHandle(
            tree.root.bits, try node(tree.root.bits, level: level, asks: false), level: level)
    }

    /// A child of a node above the leaves.
    package func child(_ position: Int, of parent: NodeHandle) throws(IndexFailure) -> NodeHandle {
        let bits = parent.childBits(position)
        let level = parent.level - 1
        return NodeHandle(bits, try node(bits, level: level, asks: false), level: level)
    }
}
