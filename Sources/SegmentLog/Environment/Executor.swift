import Dispatch

/// Runs background steps: sync, checkpoint, compaction, the preparing of files.
///
/// Jobs run one at a time, in the order of their submission. `open` so that the simulator can run
/// them by hand; see `File`.
open class Executor: @unchecked Sendable {
    /// For subclasses.
    public init() {}

    /// Runs `job` soon.
    open func submit(_ job: @escaping @Sendable () -> Void) {
        preconditionFailure("\(type(of: self)) must override submit")
    }

    /// Runs `job` after a time.
    open func submit(afterNanoseconds delay: UInt64, _ job: @escaping @Sendable () -> Void) {
        preconditionFailure("\(type(of: self)) must override submit(afterNanoseconds:)")
    }

    /// A timer that runs `job` here, in its turn; nothing is set yet.
    open func timer(_ job: @escaping @Sendable () -> Void) -> ExecutorTimer {
        preconditionFailure("\(type(of: self)) must override timer")
    }

    /// Waits until the jobs that were submitted without a delay before this call have run.
    open func drain() {
        preconditionFailure("\(type(of: self)) must override drain")
    }
}

/// An executor on a serial Dispatch queue of its own.
public final class DispatchExecutor: Executor, @unchecked Sendable {
    private let queue: DispatchQueue

    /// `label` is what debuggers call the queue.
    public init(label: String = "travertine.background") {
        queue = DispatchQueue(label: label, qos: .utility)
    }

    public override func submit(_ job: @escaping @Sendable () -> Void) {
        queue.async(execute: job)
    }

    public override func submit(
        afterNanoseconds delay: UInt64, _ job: @escaping @Sendable () -> Void
    ) {
        let nanoseconds = Int(clamping: delay)
        queue.asyncAfter(deadline: .now() + .nanoseconds(nanoseconds), execute: job)
    }

    public override func timer(_ job: @escaping @Sendable () -> Void) -> ExecutorTimer {
        DispatchTimer(queue, job)
    }

    public override func drain() {
        queue.sync {}
    }
}
