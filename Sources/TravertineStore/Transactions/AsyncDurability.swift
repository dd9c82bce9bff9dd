import Locks
import SegmentLog

/// Commits that wait for their sync without a thread.
///
/// One job of the environment's executor leads or follows syncs for all of them. Those that are
/// added during a sync share the next one.
final class AsyncDurability: Sendable {
    private struct Waiting {
        var lsn: LSN
        var done: @Sendable (StoreError?) -> Void
    }

    private struct State {
        var waiting: [Waiting] = []
        var isRunning = false
    }

    private let state = Locked(State())

    /// Calls `done` once an LSN is durable, or with the error of the sync that failed.
    func wait(
        for lsn: LSN, in store: Store, _ done: @escaping @Sendable (StoreError?) -> Void
    ) {
        let mustRun = state.withLock { state in
            state.waiting.append(Waiting(lsn: lsn, done: done))
            let mustRun = !state.isRunning
            state.isRunning = true
            return mustRun
        }
        // The job keeps the store open: what it waits for was asked of it.
        if mustRun { store.options.environment.syncExecutor.submit { self.run(store) } }
    }

    private func run(_ store: Store) {
        while true {
            let waiting = state.withLock { state in
                let waiting = state.waiting
                state.waiting = []
                state.isRunning = !waiting.isEmpty
                return waiting
            }
            guard let newest = waiting.map(\.lsn).max() else { return }
            let outcome = capture { () throws(StoreError) in
                try store.waitUntilDurable(newest)
            }
            for commit in waiting { commit.done(outcome.failure(for: commit.lsn, store)) }
        }
    }
}

extension Result where Failure == StoreError {
    /// The error of a commit: one that an earlier sync made durable has none.
    fileprivate func failure(for lsn: LSN, _ store: Store) -> StoreError? {
        guard case .failure(let error) = self, lsn > store.log.durableLSN else { return nil }
        return error
    }
}
