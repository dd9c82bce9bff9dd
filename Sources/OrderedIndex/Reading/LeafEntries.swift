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
