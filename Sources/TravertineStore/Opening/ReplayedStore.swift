import OrderedIndex
import SegmentLog

/// A log and an index that were built for verification, read as a store reads them.
package final class ReplayedStore {
    /// The log that was replayed.
    package let log: SegmentLog
    /// The index that the replay made.
    package let index: Index
    private let pages: [AttachedPages]
    private let pin: IndexPin
    /// The live bytes of segments as checkpoint and replay have them.
    package let usage: SegmentUsage
    /// Where the index came from, and what was replayed.
    package let report: OpeningReport

    /// Takes over what opening has made.
    package init(_ opened: consuming OpenedStore) {
        log = opened.log
        index = opened.index
        pages = opened.pages
        usage = opened.usage
        report = opened.report
        pin = opened.index.pin(note: 0)
    }

    deinit { index.unpin(pin) }

    /// The read path over the newest version.
    package var access: ReadAccess {
        ReadAccess(
            index: index.reader, segments: log.reader, trees: pin.root.pointee.trees,
            treeCount: pin.root.pointee.treeCount, pending: nil)
    }

    /// Whether all keyspaces have the same keys and values, but for derived ones that wait to be
    /// rebuilt.
    package func agrees(with other: ReplayedStore) throws(StoreError) -> Bool {
        let (left, right) = (access, other.access)
        guard left.treeCount == right.treeCount else { return false }
        for keyspace in KeyspaceID.ofTrees(0..<left.treeCount) {
            let (first, second) = (left.tree(of: keyspace), right.tree(of: keyspace))
            if (first.flags | second.flags) & TreeFlags.invalid != 0,
                first.flags & second.flags & TreeFlags.derived != 0
            {
                continue
            }
            guard first.count == second.count, first.flags == second.flags,
                try IndexComparison(left, right, keyspace: keyspace).differenceCount() == 0
            else { return false }
        }
        return true
    }
}
