import OrderedIndex
import TravertineStore

extension SummaryPass {
    /// What the rows of a keyspace amount to, from what the tree of summaries has that was made
    /// last.
    ///
    /// - Parameter isKept: whether the tree that is made is kept, if there was none.
    static func total(
        _ access: ReadAccess, of keyspace: KeyspaceID, _ leaves: Leaves, _ subject: SummarySubject,
        _ cache: SummaryCache, isKept: () -> Bool
    ) throws -> Leaves.Summary {
        try result(access, of: keyspace, leaves, subject, cache, isKept: isKept).total
    }

    /// The tree of summaries of this version; nil if the index's tree is one leaf or empty.
    static func tree(
        _ access: ReadAccess, of keyspace: KeyspaceID, _ leaves: Leaves, _ subject: SummarySubject,
        _ cache: SummaryCache
    ) throws -> Node? {
        try result(access, of: keyspace, leaves, subject, cache, isKept: { true }).tree
    }

    private static func result(
        _ access: ReadAccess, of keyspace: KeyspaceID, _ leaves: Leaves, _ subject: SummarySubject,
        _ cache: SummaryCache, isKept: () -> Bool
    ) throws -> (total: Leaves.Summary, tree: Node?) {
        let former = cache.tree(subject, in: keyspace, Leaves.Summary.self)
        let isKept = former != nil || isKept()
        let leafByteCount =
            MemoryLayout<Leaves.Summary>.stride + MemoryLayout<NodeIdentity>.stride
        // Most leaves are at least half full. If those of a large table take too much, only what is
        // above them is kept.
        let keepsLeaves =
            isKept && access.count(in: keyspace) / 80 * leafByteCount <= cache.treeByteCountMax
        let (total, tree) = try run(
            access, of: keyspace, leaves, former: former, keepsLeaves: keepsLeaves)
        if isKept, let tree, tree !== former { cache.keep(tree, subject, in: keyspace) }
        return (total, tree)
    }
}
