#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Setting values of keys. A node that a committed version may share is copied before its first
/// change in a transaction (V1); keys in order need no way down from the root.
extension IndexWriter {
    /// Sets a key's value and returns the one that it replaces, or nil for a new key.
    ///
    /// Keys have at most 512 bytes. Copies one node for each level the first time in a transaction.
    /// - Throws: `IndexFailure` when a page on the way is damaged; then the tree is unchanged.
    package func insert(
        _ key: UnsafeRawBufferPointer, value: UInt64, in tree: Int
    ) throws(IndexFailure) -> UInt64? {
        var near = NearLeaf()
        return try insert(key, value, in: tree, noting: &near)
    }

    /// As above; notes the leaf that the key went to, if that is the one that it was before.
    @inline(__always)
    private func insert(
        _ key: UnsafeRawBufferPointer, _ value: UInt64, in tree: Int, noting near: inout NearLeaf
    ) throws(IndexFailure) -> UInt64? {
        checkIsOpen(tree)
        precondition(key.count <= Key.byteCountMax, "keys have at most 512 bytes")
        changeCount &+= 1
        let key = Key(key)
        if finger.tree == tree && appendAfterFinger(key, value) {
            trees[tree].count &+= 1
            return nil
        }
        if trees[tree].height == 0 {
            plant(key, value, in: tree)
            return nil
        }
        let (leaf, depth, isLastLeaf) = try descendOwning(to: key, in: tree)
        let place = leaf.find(key)
        if place.isFound {
            near = NearLeaf(tree: tree, leaf: leaf)
            let old = leaf.value(place.index)
            leaf.setValue(value, at: place.index)
            return old
        }
        if place.hasPrefix && leaf.hasRoom(for: key) {
            near = NearLeaf(tree: tree, leaf: leaf)
            leaf.insert(key, value: value, at: place.index)
            if isLastLeaf && place.index &+ 1 == leaf.count {
                finger = Finger(tree: tree, leaf: leaf.node)
            }
        } else {
            insert(
                key, value, into: leaf, at: place.index, depth: depth, isLastLeaf: isLastLeaf,
                in: tree)
        }
        trees[tree].count &+= 1
        return nil
    }

    /// A key's place in a tree, until the next change of any.
    @usableFromInline
    package struct KeyPlace: BitwiseCopyable {
        fileprivate let leaf: Leaf
        fileprivate let tree: Int
        /// Where the value is.
        @usableFromInline let address: UnsafeMutableRawPointer

        fileprivate init(leaf: Leaf, index: Int, tree: Int) {
            self.leaf = leaf
            self.tree = tree
            address = leaf.valuePlace(index)
        }

        /// The key's value.
        @inlinable @inline(__always)
        package var value: UInt64 { address.loadUnaligned(as: UInt64.self) }
    }

    /// Finds a key, and makes its leaf one that may be changed; nil if the key is absent.
    /// `replaceValue` then needs no second way down.
    ///
    /// - Throws: `IndexFailure` when a page on the way is damaged; then the tree is unchanged.
    package func place(
        of key: UnsafeRawBufferPointer, in tree: Int
    ) throws(IndexFailure) -> KeyPlace? {
        checkIsOpen(tree)
        if trees[tree].height == 0 { return nil }
        let key = Key(key)
        if let index = locatedIndex(of: key, in: tree) {
            changeCount &+= 1
            return KeyPlace(leaf: located.leaf, index: index, tree: tree)
        }
        changeCount &+= 1
        let (leaf, _, _) = try descendOwning(to: key, in: tree)
        let place = leaf.find(key)
        return place.isFound ? KeyPlace(leaf: leaf, index: place.index, tree: tree) : nil
    }

    /// Finds a key whose value is `value`, and makes its leaf one that may be changed; nil if the
    /// key is absent or its value another. `replaceValue` then needs no second way down.
    ///
    /// - Throws: `IndexFailure` when a page on the way is damaged; then the tree is unchanged.
    package func place(
        of key: UnsafeRawBufferPointer, withValue value: UInt64, in tree: Int
    ) throws(IndexFailure) -> KeyPlace? {
        guard let place = try place(of: key, in: tree), place.value == value else { return nil }
        return place
    }

    /// Finds a key as `place` does, with another key's place that is before it: mostly both are in
    /// one leaf, and there is no way down. No tree was changed since but by `replaceValue`.
    ///
    /// - Throws: `IndexFailure` when a page on the way is damaged; then the tree is unchanged.
    package func place(
        of key: UnsafeRawBufferPointer, after other: KeyPlace?, in tree: Int
    ) throws(IndexFailure) -> KeyPlace? {
        if let other, other.tree == tree {
            let (leaf, key) = (other.leaf, Key(key))
            // Between two keys of the leaf, so that it is in this leaf or nowhere.
            if leaf.node.compareToPrefix(key, isLeaf: true) == 0, leaf.lastOrder(to: key) >= 0 {
                let place = leaf.find(key)
                return place.isFound ? KeyPlace(leaf: leaf, index: place.index, tree: tree) : nil
            }
        }
        return try place(of: key, in: tree)
    }

    /// Sets the value at a place that `place` has just returned.
    @inlinable @inline(__always)
    package func replaceValue(_ value: UInt64, at place: KeyPlace) {
        place.address.storeBytes(of: value, as: UInt64.self)
    }

    /// The leaf that a key was inserted into, for others that come after it.
    package struct NearLeaf {
        fileprivate var tree = -1
        fileprivate var leaf = Leaf(Finger().leaf)

        /// No leaf yet.
        package init() {}

        fileprivate init(tree: Int, leaf: Leaf) {
            self.tree = tree
            self.leaf = leaf
        }
    }

    /// Sets a key's value, whatever it had. Faster for keys in order: those that belong into the
    /// leaf of the one before need no way down. Nothing else changes a tree in between.
    ///
    /// - Throws: `IndexFailure` as `insert` does.
    package func insert(
        _ bytes: UnsafeRawBufferPointer, value: UInt64, in tree: Int, near: inout NearLeaf
    ) throws(IndexFailure) {
        let key = Key(bytes)
        if near.tree == tree {
            let leaf = near.leaf
            // After a key of the leaf and not after its last one, so that it belongs there.
            if leaf.node.compareToPrefix(key, isLeaf: true) == 0, leaf.lastOrder(to: key) >= 0 {
                let place = leaf.find(key)
                if place.isFound {
                    changeCount &+= 1
                    leaf.setValue(value, at: place.index)
                    return
                }
                if leaf.hasRoom(for: key) {
                    changeCount &+= 1
                    leaf.insert(key, value: value, at: place.index)
                    trees[tree].count &+= 1
                    return
                }
            }
        }
        near = NearLeaf()
        _ = try insert(bytes, value, in: tree, noting: &near)
    }

    /// Asks for the leaves of up to `IndexReader.batchCountMax` keys that are about to be inserted,
    /// whole: a leaf that is not the transaction's own yet will be copied.
    package func prefetchLeaves(
        of keys: UnsafeBufferPointer<UnsafeRawBufferPointer>, in tree: Int
    ) {
        reader.prefetchLeaves(of: keys, in: trees[tree])
    }

    /// Appends to the tree's last leaf, if the last insertion went to its end and this one belongs
    /// after it and has room.
    @inline(__always)
    private func appendAfterFinger(_ key: Key, _ value: UInt64) -> Bool {
        let leaf = Leaf(finger.leaf)
        guard leaf.hasRoom(for: key), leaf.node.compareToPrefix(key, isLeaf: true) == 0,
            leaf.lastOrder(to: key) < 0
        else { return false }
        leaf.insert(key, value: value, at: leaf.count)
        return true
    }

    /// Whether a key belongs after all of a tree's, as far as that shows without a way down:
    /// right after an insertion at the tree's end, of a key that begins like it.
    package func isAfterLast(_ key: UnsafeRawBufferPointer, in tree: Int) -> Bool {
        checkIsOpen(tree)
        guard finger.tree == tree else { return false }
        let key = Key(key)
        let leaf = Leaf(finger.leaf)
        return leaf.node.compareToPrefix(key, isLeaf: true) == 0 && leaf.lastOrder(to: key) < 0
    }

    private func plant(_ key: Key, _ value: UInt64, in tree: Int) {
        let node = makeLeaf(forOnly: key, value, sharingPrefixOf: nil)
        trees[tree].root = node.reference
        trees[tree].height = 1
        trees[tree].count = 1
        finger = Finger(tree: tree, leaf: node)
    }

    func makeLeaf(forOnly key: Key, _ value: UInt64, sharingPrefixOf neighbor: Node?)
        -> Node
    {
        let node = allocate()
        let plan = NodePlan.leaf(forOnly: key, sharingPrefixOf: neighbor)
        node.initialize(version: version, plan: plan, level: 0)
        memcpy(node.prefix, key.start, plan.prefixByteCount)
        Leaf(node).insert(key, value: value, at: 0)
        return node
    }

    /// Goes down to a key's leaf, with all nodes on the path made the transaction's own.
    ///
    /// When a page is damaged, the copies made so far say the same as what they replaced.
    @inline(__always)
    private func descendOwning(
        to key: Key, in tree: Int
    ) throws(IndexFailure) -> (leaf: Leaf, depth: Int, isLastLeaf: Bool) {
        let root = trees[tree].root.bits
        var level = Int(trees[tree].height) &- 1
        var node = try own(root, level: level)
        if node.reference.bits != root { trees[tree].root = node.reference }
        var depth = 0
        var isLast = true
        while level > 0 {
            let inner = Inner(node)
            let index = inner.childIndex(for: key)
            pathNodes[depth] = node
            pathIndexes[depth] = index
            isLast = isLast && index == inner.count
            let bits = inner.children[index]
            level &-= 1
            node = try own(bits, level: level)
            if node.reference.bits != bits { inner.children[index] = node.reference.bits }
            depth &+= 1
        }
        return (Leaf(node), depth, isLast)
    }
}
