#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Reading the keys with a prefix without a cursor, as long as they are in one leaf.
extension IndexReader {
    /// Calls `body` with the keys that begin with a prefix, and their values, in order: those in
    /// the leaf that the prefix belongs to. Allocates nothing, as a cursor does.
    ///
    /// The key's bytes are valid during the call, which must not change the tree.
    /// - Returns: whether these are all; if not, others are in later leaves, and a cursor finds
    ///   them.
    /// - Throws: `IndexFailure` when a page on the way is damaged.
    package func visitLeaf(
        beginningWith prefix: UnsafeRawBufferPointer, in tree: Tree,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UInt64) -> Void
    ) throws(IndexFailure) -> Bool {
        let wanted = Key(prefix)
        var bits = tree.root.bits
        if bits == 0 { return true }
        var level = Int(tree.height) &- 1
        var isLast = true
        while level > 0 {
            let inner = Inner(try node(bits, level: level))
            let (index, next) = inner.step(to: wanted, wanted.head(from: 0))
            isLast = isLast && index == inner.count
            bits = next
            level &-= 1
        }
        let leaf = Leaf(try node(bits, level: 0))
        let count = leaf.count
        var index = leaf.find(wanted).index
        return withUnsafeTemporaryAllocation(
            byteCount: Key.byteCountMax + 8, alignment: 8
        ) { buffer in
            guard let start = buffer.baseAddress else { return false }
            while index < count {
                let length = leaf.copyKey(index, to: start)
                guard length >= wanted.count, memcmp(start, wanted.start, wanted.count) == 0
                else { return true }
                body(UnsafeRawBufferPointer(start: start, count: length), leaf.value(index))
                index &+= 1
            }
            return isLast
        }
    }
}
