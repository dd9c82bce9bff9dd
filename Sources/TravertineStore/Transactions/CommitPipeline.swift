import OrderedIndex
import SegmentLog
import Synchronization

/// Publishes committed roots in order, each only when the commits that it contains may be seen.
///
/// Invariants:
/// 1. A root that contains a `.commit` transaction is published only when that transaction's LSN
///    is durable; readers never see what a power cut could take away from a `.commit`.
/// 2. Roots are published in commit order; a skipped root is contained in its successor.
/// 3. The names of keyspaces become visible with the root that has them.
/// 4. After a failed sync nothing is published any more.
///
/// States of a root: *committed* (`add`) → *published* (`add` at once, or `publish(upTo:)` when the
/// sync that covers it returned). There is no arrow back.
final class CommitPipeline: Sendable {
    private struct Waiting: @unchecked Sendable {
        var root: CommittedRoot
        /// The LSN that must be durable before the root may be seen.
        var required: LSN
        var keyspaces: [KeyspaceChange]
    }

    private let index: Index
    private let catalog: KeyspaceCatalog
    private let waiting = Mutex<[Waiting]>([])

    /// `catalog` is what readers see of keyspaces.
    init(index: Index, catalog: KeyspaceCatalog) {
        self.index = index
        self.catalog = catalog
    }

    /// Adds a committed root; returns the LSN that must be durable before it can be seen, or nil
    /// if it was published at once.
    func add(
        _ root: CommittedRoot, lsn: LSN, mustBeDurable: Bool, keyspaces: [KeyspaceChange] = [],
        durableLSN: () -> LSN
    ) -> LSN? {
        return waiting.withLock { waiting -> LSN? in
            let required = mustBeDurable ? lsn : waiting.last?.required
            guard let required, required > durableLSN() else {
                index.publish(root)
                for earlier in waiting { catalog.apply(earlier.keyspaces) }
                catalog.apply(keyspaces)
                waiting.removeAll(keepingCapacity: true)
                return nil
            }
            waiting.append(Waiting(root: root, required: required, keyspaces: keyspaces))
            return required
        }
    }

    /// Publishes the newest root that `durable` allows.
    func publish(upTo durable: LSN) {
        waiting.withLock { waiting in
            guard let last = waiting.lastIndex(where: { $0.required <= durable }) else { return }
            index.publish(waiting[last].root)
            for published in waiting[...last] { catalog.apply(published.keyspaces) }
            waiting.removeSubrange(...last)
        }
    }
}
