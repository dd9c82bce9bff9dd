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
        let root = tree.root.bits
        if root == 0 { return 0 }
        // On the way down, a key's value is the reference to the node that is next.
        for index in 0..<keys.count { values[index] = root }
        var level = Int(tree.height) &- 1
        while level > 0 {
            for index in 0..<keys.count {
                let inner = Inner(try node(values[index], level: level))
                values[index] = inner.child(for: Key(keys[index]))
                prefetch(values[index])
            }
            level &-= 1
        }
        var found: UInt32 = 0
        for index in 0..<keys.count {
            let leaf = Leaf(try node(values[index], level: 0))
            guard let value = leaf.value(forKey: Key(keys[index])) else { continue }
            values[index] = value
            found |= 1 &<< UInt32(truncatingIfNeeded: index)
        }
        return found
    }

    /// Asks for all of a node that a later step reads, wherever it is.
    @inline(__always)
    private func prefetch(_ bits: UInt64) {
        if Int64(bitPattern: bits) > 0 {
            travertine_prefetch_28_lines(Node(bits: bits).base)
            return
        }
        let table = table.pointee.load(ordering: .acquiring)
        guard let file = table.pointee.file(bits &>> 32 & 0x7fff_ffff) else { return }
        travertine_prefetch_28_lines(
            file.pointee.start(of: UInt32(truncatingIfNeeded: bits)))
    }
}
