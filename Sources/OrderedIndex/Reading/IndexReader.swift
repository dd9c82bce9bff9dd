import CPlatform
import Synchronization

/// Reads trees: a trivial value, usable by any thread while its index lives.
///
/// What it reads must stay: a tree of a pinned root, or of the write transaction that the caller
/// is in.
package struct IndexReader: BitwiseCopyable, @unchecked Sendable {
    let table: UnsafePointer<Atomic<UnsafeMutablePointer<PageTable>>>

    /// The value of a key, or nil. Reads one node for each level; never allocates.
    ///
    /// - Throws: `IndexFailure` when a page on the way is damaged.
    package func value(
        forKey key: UnsafeRawBufferPointer, in tree: Tree
    ) throws(IndexFailure) -> UInt64? {
        let key = Key(key)
        var bits = tree.root.bits
        if bits == 0 { return nil }
        var level = Int(tree.height) &- 1
        let head = key.head(from: 0)
        while level > 0 {
            bits = Inner(try node(bits, level: level)).step(to: key, head).bits
            level &-= 1
        }
        if Int64(bitPattern: bits) > 0 { IndexReader.prefetchLeaf(Node(bits: bits)) }
        return Leaf(try node(bits, level: 0)).value(forKey: key)
    }

    /// Asks for all of a leaf but its unused end. A search reads the heads and then one entry,
    /// whose place they give: asked for at once, the two are one wait for memory and not two.
    @inline(__always)
    static func prefetchLeaf(_ leaf: Node) { travertine_prefetch_28_lines(leaf.base) }

    /// A cursor over a tree, not yet on a key. Allocates once, unless the tree is empty.
    package func makeCursor(over tree: Tree) -> IndexCursor {
        IndexCursor(reader: self, tree: tree)
    }

    /// The node of a reference, on a given level of its tree.
    ///
    /// `asks` for all of a leaf, if it is a page.
    @inline(__always)
    func node(_ bits: UInt64, level: Int, asks: Bool = true) throws(IndexFailure) -> Node {
        if Int64(bitPattern: bits) > 0 { return Node(bits: bits) }
        return try page(bits, level: level, asks: asks)
    }

    /// A page, verified. The level is checked too, so that whatever a page says no walk is endless.
    @inline(never)
    private func page(_ bits: UInt64, level: Int, asks: Bool) throws(IndexFailure) -> Node {
        let file = bits &>> 32 & 0x7fff_ffff
        let page = UInt32(truncatingIfNeeded: bits)
        let table = table.pointee.load(ordering: .acquiring)
        if let found = table.pointee.file(file), let node = found.pointee.node(page) {
            if asks && level == 0 { IndexReader.prefetchLeaf(node) }
            if node.level == level { return node }
            found.pointee.reportDamage(page)
        }
        throw IndexFailure.damagedPage(file: UInt32(file), page: page)
    }
}
