import OrderedIndex
import SegmentLog

extension ReadAccess {
    /// Whether what is read is a committed version, whose nodes have identities.
    package var isOfSnapshot: Bool { pending == nil }

    /// Shows a visitor the nodes of a keyspace of a snapshot, in key order.
    package func visitNodes<Visitor: NodeVisitor>(
        of keyspace: KeyspaceID, _ visitor: inout Visitor
    ) throws {
        precondition(isOfSnapshot, "nodes of an open transaction have no identity")
        do {
            try index.visitNodes(of: tree(of: keyspace), &visitor)
        } catch let failure as IndexFailure {
            throw StoreError(failure)
        }
    }

    /// The topmost node of a keyspace of a snapshot; nil if it is empty.
    package func topNode(of keyspace: KeyspaceID) throws(StoreError) -> NodeHandle? {
        precondition(isOfSnapshot, "nodes of an open transaction have no identity")
        do {
            return try index.topNode(of: tree(of: keyspace))
        } catch {
            throw StoreError(error)
        }
    }

    /// A child of a node above the leaves.
    package func child(_ position: Int, of node: NodeHandle) throws(StoreError) -> NodeHandle {
        do {
            return try index.child(position, of: node)
        } catch {
            throw StoreError(error)
        }
    }

    /// Asks for the records that the entries of a leaf point to.
    package func prefetchRecords(of leaf: LeafEntries) {
        let values = leaf.values
        segments.prefetch(locations: values.start, stride: values.stride, count: leaf.count)
    }

    /// Asks for the record that an entry of a leaf points to.
    package func prefetchRecord(at position: Int, of leaf: LeafEntries) {
        segments.prefetch(Location(rawValue: leaf.value(position)))
    }

    /// The value in place that an entry of a leaf points to. A compressed one lives until the
    /// thread's next read of such a value.
    package func value(
        at position: Int, of leaf: LeafEntries
    ) throws(StoreError) -> UnsafeRawBufferPointer {
        try value(at: Location(rawValue: leaf.value(position)), verified: false)
    }
}
