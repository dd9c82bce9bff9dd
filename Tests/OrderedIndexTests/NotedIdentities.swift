@testable import OrderedIndex

/// What nodes said under their identities: one hash of all entries below each.
final class NotedIdentities {
    private var hashes: [NodeIdentity: Int] = [:]
    /// The nodes that said other things under one identity.
    private(set) var contradictions: [NodeIdentity] = []

    /// The number of identities.
    var count: Int { hashes.count }

    /// Notes what all nodes of a committed tree say.
    func note(_ tree: Tree, _ reader: IndexReader) throws {
        var visitor = Visitor(identities: self)
        try reader.visitNodes(of: tree, &visitor)
    }

    private func note(_ node: NodeIdentity, _ hash: Int) {
        if let noted = hashes.updateValue(hash, forKey: node), noted != hash {
            contradictions.append(node)
        }
    }

    private struct Visitor: NodeVisitor {
        let identities: NotedIdentities
        /// The entries below each node on the way.
        private var hashers = [Hasher()]

        init(identities: NotedIdentities) { self.identities = identities }

        mutating func enter(_ node: NodeIdentity) -> Bool {
            hashers.append(Hasher())
            return true
        }

        mutating func leave(_ node: NodeIdentity) {
            add(hashers.removeLast().finalize(), of: node)
        }

        mutating func visit(_ leaf: LeafEntries) {
            var hasher = Hasher()
            for position in 0..<leaf.count {
                hasher.combine(leaf.number(position))
                hasher.combine(leaf.value(position))
            }
            add(hasher.finalize(), of: leaf.node)
        }

        private mutating func add(_ hash: Int, of node: NodeIdentity) {
            identities.note(node, hash)
            hashers[hashers.count - 1].combine(hash)
        }
    }
}
