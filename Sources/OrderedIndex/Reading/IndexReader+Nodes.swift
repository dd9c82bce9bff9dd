import CPlatform

/// Names a committed node: its reference, and the stamp of the transaction that made it.
///
/// No two committed nodes of an index that say different things ever have the same identity (V5):
/// a node is changed only by the transaction that made it, its memory is given to another one only
/// by a later transaction, whose stamps are greater, and the pages of a file are written once. So
/// what is computed from a node's entries alone may be kept under its identity and never becomes
/// wrong. Nodes of a transaction that has not committed have no identity yet.
package struct NodeIdentity: Hashable, BitwiseCopyable, Sendable {
    /// The node's reference.
    package let reference: UInt64
    /// The node's stamp.
    package let stamp: UInt64

    @inline(__always)
    init(_ bits: UInt64, _ node: Node) {
        reference = bits
        stamp = node.version
    }
}

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

/// The entries of a leaf, valid while its tree may be read.
package struct LeafEntries: BitwiseCopyable {
    /// The leaf.
    package let node: NodeIdentity
    /// The number of entries, at most `countMax`.
    package let count: Int
    let leaf: Leaf
    private let view: LeafView

    /// The most entries of a leaf.
    package static var countMax: Int { Node.capacityMax }

    @inline(__always)
    init(_ bits: UInt64, _ node: Node) {
        self.node = NodeIdentity(bits, node)
        leaf = Leaf(node)
        count = leaf.count
        view = LeafView(leaf)
    }

    /// The value of an entry.
    package func value(_ position: Int) -> UInt64 {
        precondition(position >= 0 && position < count, "the leaf has no such entry")
        return view.value(position)
    }

    /// Where the values are, unaligned, and the distance between them.
    package var values: (start: UnsafeRawPointer, stride: Int) { (view.values, view.stride) }

    /// The leaf, by which its entries can be had again.
    package var handle: NodeHandle { NodeHandle(node.reference, leaf.node, level: 0) }

    /// The last four bytes of the keys, each as a number whose first bit is inverted, if all keys
    /// have eight and share the first four; else nil.
    package var shortKeys: UnsafePointer<Int32>? {
        view.keyByteCount == 8 && view.prefixByteCount == 4 && view.tailByteCount == 0
            ? view.heads : nil
    }

    /// The first eight bytes of an entry's key as a big-endian number; 0 if it has fewer.
    package func number(_ position: Int) -> UInt64 {
        precondition(position >= 0 && position < count, "the leaf has no such entry")
        return withUnsafeTemporaryAllocation(
            byteCount: Key.bufferByteCount, alignment: 8
        ) { buffer in
            let start = buffer.baseAddress.unsafelyUnwrapped
            let byteCount = leaf.copyKey(position, to: start)
            return LeafView.number(of: UnsafeRawBufferPointer(start: start, count: byteCount))
        }
    }
}

extension NodeVisitor {
    /// Visits all nodes.
    package var isDone: Bool { false }
}

extension IndexReader {
    /// The identity of a tree's topmost node; nil of an empty tree. The tree must be that of a
    /// committed root.
    package func rootIdentity(of tree: Tree) throws(IndexFailure) -> NodeIdentity? {
        if tree.root.bits == 0 { return nil }
        return NodeIdentity(
            tree.root.bits, try node(tree.root.bits, level: Int(tree.height) - 1, asks: false))
    }

    /// Shows a visitor the nodes of a tree, in key order. The tree must be that of a committed
    /// root: nodes of an open transaction change under their identities.
    ///
    /// - Throws: what the visitor throws; `IndexFailure` when a page is damaged.
    package func visitNodes<Visitor: NodeVisitor>(
        of tree: Tree, _ visitor: inout Visitor
    ) throws {
        if tree.root.bits == 0 { return }
        try visit(tree.root.bits, level: Int(tree.height) - 1, &visitor)
    }

    private func visit<Visitor: NodeVisitor>(
        _ bits: UInt64, level: Int, _ visitor: inout Visitor
    ) throws {
        let node = try node(bits, level: level, asks: false)
        if level == 0 { return try visitor.visit(LeafEntries(bits, node)) }
        let identity = NodeIdentity(bits, node)
        guard try visitor.enter(identity) else { return }
        let inner = Inner(node)
        // Their first lines are looked at next: what is kept of a node is found by its stamp.
        for position in 0...inner.count {
            let child = inner.children[position]
            if Int64(bitPattern: child) > 0 { travertine_prefetch(Node(bits: child).base) }
        }
        for position in 0...inner.count {
            try visit(inner.children[position], level: level - 1, &visitor)
            // Before the next one is touched: it may be a page that was not read yet.
            if visitor.isDone { return }
        }
        try visitor.leave(identity)
    }
}
