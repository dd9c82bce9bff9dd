/// Runs a job of an executor at the time that was set last.
///
/// A job that is submitted with a delay can't be called back, and stays in memory until its time; a
/// timer that is set anew, or released, keeps nothing of what was set before. A job that is just
/// about to run when its time is changed may run all the same.
open class ExecutorTimer: @unchecked Sendable {
    /// For subclasses.
    public init() {}

    /// Runs the job once after a time, and not at the time that was set before.
    open func set(afterNanoseconds delay: UInt64) {
        preconditionFailure("\(type(of: self)) must override set")
    }

    /// Sets no time.
    open func cancel() {
        preconditionFailure("\(type(of: self)) must override cancel")
    }
}
