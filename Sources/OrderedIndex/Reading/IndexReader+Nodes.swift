import CPlatform

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
