/// Where the last insertion went, for the next one that goes right behind it.
///
/// Holds only while nothing else of the tree changes; every other change clears it.
struct Finger {
    /// The tree, or -1 for none.
    var tree = -1
    /// The leaf, the transaction's own.
    var leaf = Node(UnsafeMutableRawPointer(bitPattern: 8).unsafelyUnwrapped)
    /// Where in the leaf the last key went.
    var index = 0
    /// Whether the leaf is the tree's last.
    var isLastLeaf = false

    /// Whether an insertion at `index` of `leaf` continues an ascending run.
    func isFollowed(by index: Int, of leaf: Node, in tree: Int) -> Bool {
        self.tree == tree && self.leaf.base == leaf.base && self.index &+ 1 == index
    }
}
