/// Names a committed node: its reference, and the stamp of the transaction that made it.
///
/// No two committed nodes of an index that say different things ever have the same identity (V5):
/// a node is changed only by the transaction that made it, its memory is given to another one only
/// by a later transaction, whose stamps are greater, and the pages of a file are written once. So
/// what is computed from a node's entries alone may be kept under its identity and never becomes
/// wrong. Nodes of a transaction that has not committed have no identity yet.
package struct NodeIdentity: Hashable, BitwiseCopyable, Sendable {
    /// The node's reference.
    package let reference: UInt64
    /// The node's stamp.
    package let stamp: UInt64

    @inline(__always)
    init(_ bits: UInt64, _ node: Node) {
        reference = bits
        stamp = node.version
    }
}
