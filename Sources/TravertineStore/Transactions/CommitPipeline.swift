import Locks
import OrderedIndex
import SegmentLog

/// Publishes committed roots in order, each only when the commits that it contains may be seen.
///
/// Invariants:
/// 1. A root that contains a `.commit` transaction is published only when that transaction's LSN
///    is durable; readers never see what a power cut could take away from a `.commit`.
/// 2. Roots are published in commit order; a skipped root is contained in its successor.
/// 3. The names of keyspaces become visible with the root that has them.
/// 4. After a failed sync nothing is published any more.
/// 5. `newestChange` never counts a root that changed no key.
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
    private let waiting = Locked<[Waiting]>([])
    /// The LSNs of the commits that were published last and changed no key: the newest change is
    /// where they begin. Changed under the lock of `waiting`.
    private let unchanging = Locked<(change: LSN, last: LSN)>((.zero, .zero))
    /// Calls the code that waits for commits.
    let signal = CommitSignal()

    /// `catalog` is what readers see of keyspaces.
    init(index: Index, catalog: KeyspaceCatalog) {
        self.index = index
        self.catalog = catalog
    }

    /// Adds a committed root; returns the LSN that must be durable before it can be seen, or nil
    /// if it was published at once: then the caller, outside of the gate, calls
    /// `signal.didPublish` if the root changed a key.
    func add(
        _ root: CommittedRoot, lsn: LSN, mustBeDurable: Bool, changesKeys: Bool = true,
        keyspaces: [KeyspaceChange] = [], durableLSN: () -> LSN
    ) -> LSN? {
        return waiting.withLock { waiting -> LSN? in
            let required = mustBeDurable ? lsn : waiting.last?.required
            guard let required, required > durableLSN() else {
                if !changesKeys { noteUnchanging(lsn, publishesOthers: !waiting.isEmpty) }
                index.publish(root)
                // The commits that wait are published with this root. Their threads find nothing
                // left to publish, and call the subscribers.
                if !waiting.isEmpty { signal.didPublishInside() }
                for earlier in waiting { catalog.apply(earlier.keyspaces) }
                catalog.apply(keyspaces)
                waiting.removeAll(keepingCapacity: true)
                return nil
            }
            waiting.append(Waiting(root: root, required: required, keyspaces: keyspaces))
            return required
        }
    }

    /// Publishes the newest root that `durable` allows. Somebody waits for it who calls
    /// `signal.callPending` then.
    func publish(upTo durable: LSN) {
        waiting.withLock { waiting in
            guard let last = waiting.lastIndex(where: { $0.required <= durable }) else { return }
            index.publish(waiting[last].root)
            for published in waiting[...last] { catalog.apply(published.keyspaces) }
            waiting.removeSubrange(...last)
            signal.didPublishInside()
        }
    }

    /// The LSN of the newest commit that changed a key and may be seen.
    var newestChange: LSN {
        waiting.withLock { _ in change(of: LSN(rawValue: index.publishedTag)) }
    }

    private func change(of published: LSN) -> LSN {
        unchanging.withLock { published == $0.last ? $0.change : published }
    }

    /// Roots that wait begin with one that changes keys, so that a root that publishes others
    /// stands for a change.
    private func noteUnchanging(_ lsn: LSN, publishesOthers: Bool) {
        let published = LSN(rawValue: index.publishedTag)
        if publishesOthers || published == lsn { return }
        let change = change(of: published)
        unchanging.withLock { $0 = (change, lsn) }
    }
}
