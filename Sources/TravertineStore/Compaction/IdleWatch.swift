import Locks
import SegmentLog
import Synchronization

/// Finds the times at which users write little: a while after a commit it looks, and looks again
/// as long as much was written in the meantime.
///
/// States: *resting* → *armed* (`arm`: somebody committed); *armed* → *resting* (`look`: little was
/// written since the last look); *armed* → *armed* (`look`: much was); any → *ended* (`end`).
final class IdleWatch: Sendable {
    private struct State {
        var timer: ExecutorTimer?
        var byteCountAtLook: UInt64 = 0
        var isEnded = false
    }

    /// The time between a commit and the look, in nanoseconds.
    static let pauseNanoseconds: UInt64 = 10_000_000_000
    /// Users who write less than this between two looks are idle.
    static let byteCountMax: UInt64 = 1 << 20

    private let isArmed = Atomic<Bool>(false)
    private let state = Locked(State())

    /// Looks after a while, unless that was asked for already. Costs each commit one load.
    ///
    /// - Parameters:
    ///   - byteCount: the bytes that users have written so far.
    ///   - makeTimer: the timer whose job calls `look`; called once.
    @inline(__always)
    func arm(byteCount: @autoclosure () -> UInt64, makeTimer: () -> ExecutorTimer) {
        if isArmed.load(ordering: .relaxed) { return }
        armNow(byteCount: byteCount(), makeTimer)
    }

    private func armNow(byteCount: UInt64, _ makeTimer: () -> ExecutorTimer) {
        if isArmed.exchange(true, ordering: .acquiringAndReleasing) { return }
        state.withLock { state in
            if state.isEnded { return }
            let timer = state.timer ?? makeTimer()
            state.timer = timer
            state.byteCountAtLook = byteCount
            timer.set(afterNanoseconds: Self.pauseNanoseconds)
        }
    }

    /// Whether little was written since the last look; else looks again after a while.
    func look(byteCount: UInt64) -> Bool {
        state.withLock { state in
            if state.isEnded { return false }
            guard byteCount &- state.byteCountAtLook < Self.byteCountMax else {
                state.byteCountAtLook = byteCount
                state.timer?.set(afterNanoseconds: Self.pauseNanoseconds)
                return false
            }
            // Who commits from here on arms it again, so that no commit is left out.
            isArmed.store(false, ordering: .releasing)
            return true
        }
    }

    /// Looks no more.
    func end() {
        state.withLock { state in
            state.timer?.cancel()
            state = State(isEnded: true)
        }
    }
}

extension Store {
    /// Somebody committed, or opened the store: once little is written the store looks at its
    /// space.
    @inline(__always)
    func watchForIdleTime() {
        idleWatch.arm(byteCount: counters.byteCount) {
            options.environment.compactionExecutor.timer { [handle] in
                guard let store = handle.target, !store.closing.load(ordering: .relaxed),
                    store.idleWatch.look(byteCount: store.counters.byteCount)
                else { return }
                store.compaction.shared.withLock { $0.isIdle = true }
                store.scheduleCompaction()
            }
        }
    }
}
