import Locks
import SegmentLog

/// An executor whose jobs run when a test asks for it, on the thread of the test.
public final class ManualExecutor: Executor, @unchecked Sendable {
    private struct State {
        var jobs: [Job] = []
        var time: UInt64 = 0
    }

    private struct Job {
        let due: UInt64
        /// The timer that it belongs to.
        var timer: ObjectIdentifier?
        let body: @Sendable () -> Void
    }

    private let state = Locked(State())

    public override init() {}

    /// The nanoseconds that have passed by `advance`.
    public var now: UInt64 { state.withLock { $0.time } }

    /// The number of jobs that wait, those for later included.
    public var jobCount: Int { state.withLock { $0.jobs.count } }

    /// The number of jobs that wait, those of timers not included.
    public var submittedJobCount: Int {
        state.withLock { $0.jobs.reduce(0) { $0 + ($1.timer == nil ? 1 : 0) } }
    }

    public override func submit(_ job: @escaping @Sendable () -> Void) {
        state.withLock { $0.jobs.append(Job(due: $0.time, body: job)) }
    }

    public override func submit(
        afterNanoseconds delay: UInt64, _ job: @escaping @Sendable () -> Void
    ) {
        state.withLock { $0.jobs.append(Job(due: $0.time &+ delay, body: job)) }
    }

    public override func timer(_ job: @escaping @Sendable () -> Void) -> ExecutorTimer {
        ManualTimer(self, job)
    }

    /// Replaces the job of a timer.
    fileprivate func set(
        _ timer: ManualTimer, afterNanoseconds delay: UInt64?, _ job: @escaping @Sendable () -> Void
    ) {
        let identity = ObjectIdentifier(timer)
        state.withLock { state in
            state.jobs.removeAll { $0.timer == identity }
            guard let delay else { return }
            state.jobs.append(Job(due: state.time &+ delay, timer: identity, body: job))
        }
    }

    /// Runs the oldest job that is due; false when there is none.
    @discardableResult
    public func runNext() -> Bool {
        let job = state.withLock { state -> (@Sendable () -> Void)? in
            guard let index = state.jobs.firstIndex(where: { $0.due <= state.time }) else {
                return nil
            }
            return state.jobs.remove(at: index).body
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

/// A timer whose time passes by `ManualExecutor.advance`.
private final class ManualTimer: ExecutorTimer, @unchecked Sendable {
    private let executor: ManualExecutor
    private let job: @Sendable () -> Void

    init(_ executor: ManualExecutor, _ job: @escaping @Sendable () -> Void) {
        self.executor = executor
        self.job = job
    }

    deinit { cancel() }

    override func set(afterNanoseconds delay: UInt64) {
        executor.set(self, afterNanoseconds: delay, job)
    }

    override func cancel() { executor.set(self, afterNanoseconds: nil, job) }
}
