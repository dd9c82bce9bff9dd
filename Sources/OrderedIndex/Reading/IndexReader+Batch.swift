import CPlatform

/// Several look-ups at once: while one waits for memory, so do the others.
extension IndexReader {
    /// The number of keys that one call takes at most.
    package static var batchCountMax: Int { 16 }

    /// Looks up to `batchCountMax` keys up, level by level. Bit *i* of the result says whether key *i*
    /// is there; then `values[i]` is its value, otherwise it is undefined. Never allocates.
    ///
    /// - Throws: `IndexFailure` when a page on the way of any of them is damaged.
    package func values(
        forKeys keys: UnsafeBufferPointer<UnsafeRawBufferPointer>, in tree: Tree,
        into values: UnsafeMutablePointer<UInt64>
    ) throws(IndexFailure) -> UInt32 {
        precondition(keys.count <= IndexReader.batchCountMax, "too many keys for one batch")
        if tree.root.bits == 0 { return 0 }
        try descend(to: keys, in: tree, leaves: values)
        var found: UInt32 = 0
        for index in 0..<keys.count {
            let leaf = Leaf(try node(values[index], level: 0))
            guard let value = leaf.value(forKey: Key(keys[index])) else { continue }
            values[index] = value
            found |= 1 &<< UInt32(truncatingIfNeeded: index)
        }
        return found
    }

    /// Asks for the leaves of up to `batchCountMax` keys that are about to be changed or looked up one
    /// by one. Reads the inner nodes above them; gives up at a damaged page, which what follows meets.
    package func prefetch(
        keys: UnsafeBufferPointer<UnsafeRawBufferPointer>, in tree: Tree
    ) {
        precondition(keys.count <= IndexReader.batchCountMax, "too many keys for one batch")
        if tree.root.bits == 0 { return }
        withUnsafeTemporaryAllocation(
            of: UInt64.self, capacity: IndexReader.batchCountMax
        ) { leaves in
            guard let start = leaves.baseAddress else { return }
            try? descend(to: keys, in: tree, leaves: start)
        }
    }

    /// Takes all keys down one level before the next, and asks for each node before it is read.
    @inline(__always)
    private func descend(
        to keys: UnsafeBufferPointer<UnsafeRawBufferPointer>, in tree: Tree,
        leaves: UnsafeMutablePointer<UInt64>
    ) throws(IndexFailure) {
        // On the way down, a key's leaf is the node that is next.
        for index in 0..<keys.count { leaves[index] = tree.root.bits }
        var level = Int(tree.height) &- 1
        while level > 0 {
            for index in 0..<keys.count {
                let key = Key(keys[index])
                let inner = Inner(try node(leaves[index], level: level))
                let bits = inner.step(to: key, key.head(from: 0)).bits
                leaves[index] = bits
                prefetch(bits, isLeaf: level == 1)
            }
            level &-= 1
        }
    }

    /// Asks for what a later step reads of a node: all of a leaf, and of an inner node the line that
    /// tells which others.
    @inline(__always)
    private func prefetch(_ bits: UInt64, isLeaf: Bool) {
        if Int64(bitPattern: bits) > 0 {
            prefetch(UnsafeRawPointer(Node(bits: bits).base), isLeaf: isLeaf)
            return
        }
        let table = table.pointee.load(ordering: .acquiring)
        guard let file = table.pointee.file(bits &>> 32 & 0x7fff_ffff) else { return }
        prefetch(file.pointee.start(of: UInt32(truncatingIfNeeded: bits)), isLeaf: isLeaf)
    }

    @inline(__always)
    private func prefetch(_ node: UnsafeRawPointer, isLeaf: Bool) {
        if isLeaf {
            travertine_prefetch_28_lines(node)
        } else {
            travertine_prefetch_header(node)
        }
    }
}
