/// Removing keys. Nodes with little left in them are merged with a neighbour, and empty ones are
/// removed.
extension IndexWriter {
    /// Removes a key and returns its value, or nil if there was none (then nothing is copied).
    ///
    /// - Throws: `IndexFailure` when a page on the way is damaged; then the tree is unchanged.
    package func remove(
        _ key: UnsafeRawBufferPointer, in tree: Int
    ) throws(IndexFailure) -> UInt64? {
        guard let found = try find(key, in: tree) else { return nil }
        try remove(found)
        return found.value
    }

    /// A key that is about to be removed, until the next change of any tree or the next `find`.
    package struct FoundKey {
        fileprivate let tree: Int
        fileprivate let index: Int
        /// The key's value.
        package let value: UInt64
    }

    /// Finds a key for `remove`, which then needs no second search; nil if it is absent. Changes
    /// nothing.
    ///
    /// - Throws: `IndexFailure` when a page on the way is damaged.
    package func find(
        _ key: UnsafeRawBufferPointer, in tree: Int
    ) throws(IndexFailure) -> FoundKey? {
        checkIsOpen(tree)
        precondition(key.count <= Key.byteCountMax, "keys have at most 512 bytes")
        if trees[tree].height == 0 { return nil }
        let key = Key(key)
        let height = Int(trees[tree].height)
        var bits = trees[tree].root.bits
        for depth in 0..<height - 1 {
            let inner = Inner(try reader.node(bits, level: height - 1 - depth))
            let index = inner.childIndex(for: key)
            pathIndexes[depth] = index
            bits = inner.children[index]
        }
        let leaf = Leaf(try reader.node(bits, level: 0))
        let place = leaf.find(key)
        guard place.isFound else { return nil }
        return FoundKey(tree: tree, index: place.index, value: leaf.value(place.index))
    }

    /// Removes a key that `find` has just found.
    ///
    /// - Throws: `IndexFailure` when a page on the way is damaged; then the tree is unchanged.
    package func remove(_ found: FoundKey) throws(IndexFailure) {
        let tree = found.tree
        let height = Int(trees[tree].height)
        changeCount &+= 1
        finger = Finger()
        let leaf = Leaf(try ownPath(in: tree, to: height - 1))
        leaf.remove(at: found.index)
        trees[tree].count &-= 1
        if leaf.count == 0 {
            discard(leaf.node.reference.bits)
            removeChild(depth: height - 2, in: tree)
        } else if height > 1 && leaf.usedByteCount < Self.usedByteCountMin {
            merge(leaf.node, depth: height - 2, in: tree)
        }
    }

    /// Removes all keys of a tree; keeps its flags. Looks at each of its nodes in memory once.
    package func removeAll(in tree: Int) {
        checkIsOpen(tree)
        changeCount &+= 1
        finger = Finger()
        discardSubtree(trees[tree].root.bits)
        trees[tree].root = NodeReference(bits: 0)
        trees[tree].height = 0
        trees[tree].count = 0
    }

    /// Nodes with fewer bytes in use look for a neighbor to merge with.
    private static var usedByteCountMin: Int { 640 }
    /// A merged node has room for a few insertions.
    private static var mergedByteCountMax: Int { 1600 }

    private func discardSubtree(_ bits: UInt64) {
        // Below a page there are only pages.
        guard Int64(bitPattern: bits) > 0 else { return }
        let node = Node(bits: bits)
        if node.level > 0 {
            let inner = Inner(node)
            for index in 0...inner.count { discardSubtree(inner.children[index]) }
        }
        discard(bits)
    }

    /// Makes the nodes of the path that `pathIndexes` describes the transaction's own, down to a
    /// depth, and notes the inner ones; returns the last.
    func ownPath(in tree: Int, to depth: Int) throws(IndexFailure) -> Node {
        let height = Int(trees[tree].height)
        let root = trees[tree].root.bits
        var node = try own(root, level: height - 1)
        if node.reference.bits != root { trees[tree].root = node.reference }
        for upper in 0..<depth {
            pathNodes[upper] = node
            let inner = Inner(node)
            let bits = inner.children[pathIndexes[upper]]
            node = try own(bits, level: height - 2 - upper)
            if node.reference.bits != bits {
                inner.children[pathIndexes[upper]] = node.reference.bits
            }
        }
        if depth < height - 1 { pathNodes[depth] = node }
        return node
    }

    /// Takes the path's child at `depth` out; what that leaves empty or with one child is removed
    /// too.
    private func removeChild(depth: Int, in tree: Int) {
        var depth = depth
        while depth >= 0 {
            let inner = Inner(pathNodes[depth])
            if inner.count > 0 {
                inner.removeChild(pathIndexes[depth])
                settle(inner, depth: depth, in: tree)
                return
            }
            discard(inner.node.reference.bits)
            depth -= 1
        }
        trees[tree].root = NodeReference(bits: 0)
        trees[tree].height = 0
    }

    /// After an inner node lost a child: a root with one child is replaced by it, another node may
    /// merge.
    func settle(_ inner: Inner, depth: Int, in tree: Int) {
        if depth > 0 {
            if inner.usedByteCount < Self.usedByteCountMin {
                merge(inner.node, depth: depth - 1, in: tree)
            }
            return
        }
        while trees[tree].height > 1 {
            let bits = trees[tree].root.bits
            // A root that is a page stays until something copies it.
            guard Int64(bitPattern: bits) > 0 else { return }
            let root = Inner(Node(bits: bits))
            guard root.count == 0 else { return }
            trees[tree].root = NodeReference(bits: root.children[0])
            trees[tree].height -= 1
            discard(bits)
        }
    }

    /// Merges the path's child below `depth` with the neighbor on its right or left, if both fit
    /// into one node. A damaged neighbor is left as it is: the operation that needs it gets the
    /// error.
    private func merge(_ node: Node, depth: Int, in tree: Int) {
        let parent = Inner(pathNodes[depth])
        let index = pathIndexes[depth]
        if index < parent.count && merge(node, parent, left: index, keepingLeft: true) {
            pathIndexes[depth] = index + 1
        } else if index > 0 && merge(node, parent, left: index - 1, keepingLeft: false) {
            // The left neighbor's place now holds the merged node.
        } else {
            return
        }
        removeChild(depth: depth, in: tree)
    }

    /// Merges children `left` and `left + 1` into `node`, which is one of them, and leaves it at
    /// `left`; the place of the other is for the caller to remove.
    private func merge(_ node: Node, _ parent: Inner, left: Int, keepingLeft: Bool) -> Bool {
        let other = parent.children[keepingLeft ? left + 1 : left]
        let neighbor: Node
        do {
            neighbor = try reader.node(other, level: node.level)
        } catch {
            return false
        }
        let (first, second) = keepingLeft ? (node, neighbor) : (neighbor, node)
        let isDone =
            node.level == 0
            ? mergeLeaves(first, second, into: node)
            : mergeInners(first, second, in: parent, left, into: node)
        if isDone {
            discard(other)
            parent.children[left] = node.reference.bits
        }
        return isDone
    }

    private func mergeLeaves(_ first: Node, _ second: Node, into node: Node) -> Bool {
        guard
            Leaf(first).usedByteCount + Leaf(second).usedByteCount <= Self.mergedByteCountMax
        else { return false }
        let list = index.scratch.entries
        list.removeAll()
        list.append(Leaf(first))
        list.append(Leaf(second))
        guard let plan = list.leafPlan(0..<list.count) else { return false }
        list.writeLeaf(0..<list.count, plan: plan, to: node, version: version)
        return true
    }

    private func mergeInners(
        _ first: Node, _ second: Node, in parent: Inner, _ left: Int, into node: Node
    ) -> Bool {
        guard
            Inner(first).usedByteCount + Inner(second).usedByteCount <= Self.mergedByteCountMax
        else { return false }
        let list = index.scratch.entries
        let level = node.level
        list.removeAll()
        list.append(Inner(first), after: nil)
        let length = parent.copySeparator(left, to: separators)
        list.append(Inner(second), after: Key(start: separators, count: length))
        guard let plan = list.innerPlan(0..<list.count) else { return false }
        list.writeInner(
            0..<list.count, first: list.firstChild, plan: plan, to: node, version: version,
            level: level)
        return true
    }
}
