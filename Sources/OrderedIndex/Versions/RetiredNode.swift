/// A node that a transaction no longer refers to.
struct RetiredNode {
    var node: Node
    var birth: UInt64
}
