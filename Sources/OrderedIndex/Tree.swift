/// One ordered map of a root: where its nodes start, and what its owner says of it.
///
/// 32 bytes; a value names one immutable state of the map, except inside a write transaction.
@usableFromInline
package struct Tree: BitwiseCopyable, Sendable {
    /// The topmost node; none when the tree is empty.
    @usableFromInline package var root: NodeReference
    /// The number of keys.
    @usableFromInline package var count: UInt64
    /// The number of levels; 0 when the tree is empty, 1 when the root is a leaf.
    @usableFromInline package var height: UInt32
    /// The owner's; the index only carries it.
    @usableFromInline package var flags: UInt32
    /// The owner's; the index only carries it.
    @usableFromInline package var userData: UInt64

    /// A tree from its fields.
    @inlinable
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
    @inlinable
    package static var empty: Tree {
        Tree(root: NodeReference(bits: 0), count: 0, height: 0, flags: 0, userData: 0)
    }
}
