import Dispatch

/// A timer of a Dispatch queue.
final class DispatchTimer: ExecutorTimer, @unchecked Sendable {
    private let source: any DispatchSourceTimer

    init(_ queue: DispatchQueue, _ job: @escaping @Sendable () -> Void) {
        source = DispatchSource.makeTimerSource(queue: queue)
        super.init()
        source.setEventHandler(handler: job)
        source.schedule(deadline: .distantFuture)
        source.activate()
    }

    deinit { source.cancel() }

    override func set(afterNanoseconds delay: UInt64) {
        source.schedule(
            deadline: .now() + .nanoseconds(Int(clamping: delay)), leeway: .nanoseconds(0))
    }

    override func cancel() { source.schedule(deadline: .distantFuture) }
}
