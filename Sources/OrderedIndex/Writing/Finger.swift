/// A tree's last leaf, when the last insertion went to its end: the next may belong right after it.
///
/// Holds only while nothing else of the tree changes; every other change clears it.
struct Finger {
    /// The tree, or -1 for none.
    var tree = -1
    /// The leaf, the transaction's own.
    var leaf = Node(UnsafeMutableRawPointer(bitPattern: 8).unsafelyUnwrapped)
}
