import Dispatch

/// An executor on its own serial Dispatch queue.
public final class DispatchExecutor: Executor, @unchecked Sendable {
    private let queue: DispatchQueue
    private let mark = DispatchSpecificKey<Bool>()

    /// `label` is what debuggers call the queue.
    public init(label: String = "travertine.background") {
        queue = DispatchQueue(label: label, qos: .utility)
        queue.setSpecific(key: mark, value: true)
    }

    deinit {
        // Disposing of a queue makes Dispatch start a worker thread, which opens descriptors.
        if !DispatchEvents.areStarted { _ = Unmanaged.passRetained(queue) }
    }

    package override func start() throws(FileSystemError) { try DispatchEvents.start() }

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

    package override var isCurrent: Bool { DispatchQueue.getSpecific(key: mark) != nil }

    public override func drain() {
        queue.sync {}
    }
}
