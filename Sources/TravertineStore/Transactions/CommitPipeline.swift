import OrderedIndex
import SegmentLog
import Synchronization

/// Publishes committed roots in order, each only when the commits that it contains may be seen.
///
/// Invariants:
/// 1. A root that contains a `.commit` transaction is published only when that transaction's LSN
///    is durable; readers never see what a power cut could take away from a `.commit`.
/// 2. Roots are published in commit order; a skipped root is contained in its successor.
/// 3. After a failed sync nothing is published any more.
///
/// States of a root: *committed* (`add`) → *published* (`add` at once, or `publish(upTo:)` when the
/// sync that covers it returned). There is no arrow back.
final class CommitPipeline: Sendable {
    private struct Waiting: @unchecked Sendable {
        var root: CommittedRoot
        /// The LSN that must be durable before the root may be seen.
        var required: LSN
    }

    private let index: Index
    private let waiting = Mutex<[Waiting]>([])

    init(index: Index) { self.index = index }

    /// Adds a committed root; returns the LSN that must be durable before it can be seen, or nil
    /// if it was published at once.
    func add(_ root: CommittedRoot, lsn: LSN, mustBeDurable: Bool, durableLSN: () -> LSN) -> LSN? {
        return waiting.withLock { waiting -> LSN? in
            let required = mustBeDurable ? lsn : waiting.last?.required
            guard let required, required > durableLSN() else {
                waiting.removeAll(keepingCapacity: true)
                index.publish(root)
                return nil
            }
            waiting.append(Waiting(root: root, required: required))
            return required
        }
    }

    /// Publishes the newest root that `durable` allows.
    func publish(upTo durable: LSN) {
        waiting.withLock { waiting in
            guard let last = waiting.lastIndex(where: { $0.required <= durable }) else { return }
            index.publish(waiting[last].root)
            waiting.removeSubrange(...last)
        }
    }
}
