/// One ordered map of a root: where its nodes start, and what its owner says of it.
///
/// 32 bytes; a value names one immutable state of the map, except inside a write transaction.
package struct Tree: BitwiseCopyable, Sendable {
    /// The topmost node; none when the tree is empty.
    package var root: NodeReference
    /// The number of keys.
    package var count: UInt64
    /// The number of levels; 0 when the tree is empty, 1 when the root is a leaf.
    package var height: UInt32
    /// The owner's; the index only carries it.
    package var flags: UInt32
    /// The owner's; the index only carries it.
    package var userData: UInt64

    /// A tree from its fields.
    package init(
        root: NodeReference, count: UInt64, height: UInt32, flags: UInt32, userData: UInt64
    ) {
        self.root = root
        self.count = count
        self.height = height
        self.flags = flags
        self.userData = userData
    }

    /// A tree without keys.
    package static var empty: Tree {
        Tree(root: NodeReference(bits: 0), count: 0, height: 0, flags: 0, userData: 0)
    }
}
