import Locks
import SegmentLog
import Synchronization

/// Calls its subscribers after commits, in the thread that committed.
///
/// 1. Bodies are called after a root that changed keys became visible, which for a `.commit` is
///    when it is durable. One call may stand for several commits, and some calls for none.
/// 2. They are called outside of the gate and of every lock of the commit; nothing is called for
///    roots that changed no key: those of compaction, adoption and consolidation.
/// 3. A subscriber that looks at the newest version after it subscribed misses nothing: either it
///    sees the root, or the committing thread sees the subscription. (The root and `isWatched` are
///    both stored, and then the other one loaded, in one total order.)
/// 4. Without a subscriber a commit pays one load and a branch.
package final class CommitSignal: Sendable {
    private struct State {
        var bodies: [UInt64: @Sendable () -> Void] = [:]
        var nextNumber: UInt64 = 0
    }

    private let isWatched = Atomic<Bool>(false)
    /// Whether a root was published in the middle of a sync, where nobody may be called.
    private let isPending = Atomic<Bool>(false)
    private let state = Locked(State())

    package init() {}

    /// Whether somebody is subscribed.
    package var isSubscribed: Bool { isWatched.load(ordering: .sequentiallyConsistent) }

    /// Whom a subscription calls; ends with it.
    package final class Subscription: Sendable {
        private let signal: CommitSignal
        private let number: UInt64

        fileprivate init(_ signal: CommitSignal, _ number: UInt64) {
            self.signal = signal
            self.number = number
        }

        /// Ends it. A call that is under way in another thread goes on.
        package func cancel() { signal.remove(number) }

        deinit { cancel() }
    }

    /// Calls `body` after commits from now on, as long as the subscription lives.
    ///
    /// - Parameter body: wakes somebody, or puts a job into a queue. It is called by threads that
    ///   commit, several at once; it must not wait, and not read or write the store.
    package func subscribe(_ body: @escaping @Sendable () -> Void) -> Subscription {
        let number = state.withLock { state in
            let number = state.nextNumber
            state.nextNumber += 1
            state.bodies[number] = body
            isWatched.store(true, ordering: .sequentiallyConsistent)
            return number
        }
        return Subscription(self, number)
    }

    private func remove(_ number: UInt64) {
        // The body is released outside: what it holds may end other subscriptions.
        let body = state.withLock { state in
            let body = state.bodies.removeValue(forKey: number)
            if state.bodies.isEmpty { isWatched.store(false, ordering: .sequentiallyConsistent) }
            return body
        }
        _ = consume body
    }

    /// A root was published just now, outside of every lock.
    @inline(__always)
    func didPublish() {
        if isWatched.load(ordering: .sequentiallyConsistent) { callAll() }
    }

    /// A root was published under a lock; `callPending` follows.
    func didPublishInside() {
        if isWatched.load(ordering: .sequentiallyConsistent) {
            isPending.store(true, ordering: .sequentiallyConsistent)
        }
    }

    /// Makes up for the calls that `didPublishInside` could not make.
    @inline(__always)
    func callPending() {
        if isWatched.load(ordering: .sequentiallyConsistent) { callIfPending() }
    }

    @inline(never)
    private func callIfPending() {
        if isPending.exchange(false, ordering: .sequentiallyConsistent) { callAll() }
    }

    /// Calls everybody, whatever happened: also when there will be no commit any more.
    @inline(never)
    package func callAll() {
        for body in state.withLock({ Array($0.bodies.values) }) { body() }
    }
}
