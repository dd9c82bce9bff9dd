/// Runs background steps: sync, checkpoint, compaction, the preparing of files.
///
/// Jobs run one at a time, in the order of their submission. `open` so that the simulator can run
/// them by hand; see `File`.
open class Executor: @unchecked Sendable {
    /// For subclasses.
    public init() {}

    /// Takes from the system what jobs and timers need; called whenever a store is opened.
    ///
    /// - Throws: `FileSystemError` where the system refuses.
    package func start() throws(FileSystemError) {}

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

    /// Whether the calling code is one of its jobs, which can't wait for the others.
    package var isCurrent: Bool { false }

    /// Waits until the jobs that were submitted without a delay before this call have run.
    open func drain() {
        preconditionFailure("\(type(of: self)) must override drain")
    }
}
