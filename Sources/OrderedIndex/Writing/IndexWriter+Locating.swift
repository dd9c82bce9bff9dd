/// A key that was found in a leaf which the transaction may change: a change of the key that
/// follows needs no way down.
struct LocatedKey {
    fileprivate var tree = -1
    fileprivate(set) var leaf = Leaf(Finger().leaf)
    fileprivate var index = 0
    /// The writer's `changeCount` at the time: it holds until the next change of any tree.
    fileprivate var changeCount: UInt64 = 0
}

extension IndexWriter {
    /// The value of a key that will be changed next, or nil. `place(of:in:)` then mostly needs no
    /// second way down.
    ///
    /// - Throws: `IndexFailure` when a page on the way is damaged.
    package func locate(
        _ bytes: UnsafeRawBufferPointer, in tree: Int
    ) throws(IndexFailure) -> UInt64? {
        let key = Key(bytes)
        let root = trees[tree]
        var bits = root.root.bits
        if bits == 0 { return nil }
        var level = Int(root.height) &- 1
        let head = key.head(from: 0)
        while level > 0 {
            bits = Inner(try reader.node(bits, level: level)).step(to: key, head).bits
            level &-= 1
        }
        let isHeap = Int64(bitPattern: bits) > 0
        if isHeap { IndexReader.prefetchLeaf(Node(bits: bits)) }
        let leaf = Leaf(try reader.node(bits, level: 0))
        let place = leaf.find(key)
        guard place.isFound else { return nil }
        if isHeap && leaf.node.version >= ownedSince {
            located = LocatedKey(
                tree: tree, leaf: leaf, index: place.index, changeCount: changeCount)
        }
        return leaf.value(place.index)
    }

    /// The index of a key in the leaf of `located`, if it was found there, nothing was changed
    /// since, and the leaf is still the transaction's own, made after the innermost savepoint.
    @inline(__always)
    func locatedIndex(of key: Key, in tree: Int) -> Int? {
        guard located.tree == tree, located.changeCount == changeCount,
            located.leaf.node.version >= ownedSince
        else { return nil }
        let (leaf, index) = (located.leaf, located.index)
        guard leaf.node.compareToPrefix(key, isLeaf: true) == 0,
            leaf.node.heads[index] == key.head(from: leaf.node.prefixByteCount),
            leaf.compareRest(index, to: key) == 0
        else { return nil }
        return index
    }
}
