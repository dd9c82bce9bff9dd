import Locks
import SegmentLog
import Synchronization

/// The sync that `.interval` commits have asked for: when it is due, and the one timer that waits
/// for it.
final class IntervalSync: Sendable {
    private struct State {
        var timer: ExecutorTimer?
        var isEnded = false
    }

    /// No sync is asked for.
    private static let never = UInt64.max

    /// When it is due, on the environment's clock; changed under the lock of `state`, or by `take`.
    private let due = Atomic<UInt64>(IntervalSync.never)
    private let state = Locked(State())

    /// Asks for a sync at a time, unless one is due by then already; one that was due later is
    /// brought forward.
    ///
    /// - Parameter makeTimer: the timer whose job calls `take`; called for the first sync.
    func ask(at time: UInt64, now: UInt64, makeTimer: () -> ExecutorTimer) {
        guard time < due.load(ordering: .acquiring) else { return }
        state.withLock { state in
            guard time < due.load(ordering: .acquiring), !state.isEnded else { return }
            due.store(time, ordering: .releasing)
            let timer = state.timer ?? makeTimer()
            state.timer = timer
            timer.set(afterNanoseconds: time > now ? time - now : 0)
        }
    }

    /// Whether a sync is asked for; from here on it is the caller's, who syncs what was written.
    func take() -> Bool { due.exchange(Self.never, ordering: .acquiringAndReleasing) != Self.never }

    /// Asks for nothing any more.
    func end() {
        state.withLock { state in
            state.timer?.cancel()
            state = State(isEnded: true)
        }
    }
}

extension Store {
    /// The longest interval, in milliseconds: who asks for more than a year means never.
    private static let intervalMax = 366 * 86_400_000

    /// Asks for a sync at most so long after `start`.
    func scheduleSync(after milliseconds: Int, from start: UInt64) {
        let delay = UInt64(clamping: min(max(0, milliseconds), Self.intervalMax)) * 1_000_000
        let environment = options.environment
        intervalSync.ask(at: start &+ delay, now: environment.now()) {
            environment.syncExecutor.timer { [handle] in
                guard let store = handle.target, store.intervalSync.take() else { return }
                if store.closing.load(ordering: .relaxed) { return }
                // A failure poisons the store and was reported as an event; the next write throws
                // it.
                _ = capture { () throws(StoreError) in
                    try store.waitUntilDurable(store.log.writtenLSN)
                }
            }
        }
    }
}
