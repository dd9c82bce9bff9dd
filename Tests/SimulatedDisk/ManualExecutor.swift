import SegmentLog
import Synchronization

/// An executor whose jobs run when a test says so, on the thread of the test.
public final class ManualExecutor: Executor, @unchecked Sendable {
    private struct State {
        var jobs: [(due: UInt64, job: @Sendable () -> Void)] = []
        var time: UInt64 = 0
    }

    private let state = Mutex(State())

    public override init() {}

    /// The nanoseconds that have passed by `advance`.
    public var now: UInt64 { state.withLock { $0.time } }

    /// The number of jobs that wait, those for later included.
    public var jobCount: Int { state.withLock { $0.jobs.count } }

    public override func submit(_ job: @escaping @Sendable () -> Void) {
        state.withLock { $0.jobs.append(($0.time, job)) }
    }

    public override func submit(
        afterNanoseconds delay: UInt64, _ job: @escaping @Sendable () -> Void
    ) {
        state.withLock { $0.jobs.append(($0.time &+ delay, job)) }
    }

    /// Runs the oldest job that is due; false when there is none.
    @discardableResult
    public func runNext() -> Bool {
        let job = state.withLock { state -> (@Sendable () -> Void)? in
            guard let index = state.jobs.firstIndex(where: { $0.due <= state.time }) else {
                return nil
            }
            return state.jobs.remove(at: index).job
        }
        guard let job else { return false }
        job()
        return true
    }

    /// Lets time pass. Runs nothing.
    public func advance(byNanoseconds duration: UInt64) {
        state.withLock { $0.time &+= duration }
    }

    /// Forgets all jobs, as the end of a process does.
    public func removeAll() {
        state.withLock { $0.jobs.removeAll() }
    }

    public override func drain() {
        while runNext() {}
    }
}
