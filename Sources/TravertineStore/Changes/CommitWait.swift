import Dispatch
import SegmentLog

/// Waiting until something that is looked for is there.
struct CommitWait {
    /// Nanoseconds after which it is looked for again though nothing was reported; nil for never.
    var pause: UInt64?
    /// Looks whether it is there.
    let look: () throws(StoreError) -> Bool

    /// Blocks the thread until it is there; false when the time is over.
    ///
    /// - Parameter begin: has a body called whenever it is worth a look, as long as the value that
    ///   it returns lives.
    func block<Watch>(
        timeout: Duration?, _ begin: (@escaping @Sendable () -> Void) -> Watch
    ) throws(StoreError) -> Bool {
        let clock = ContinuousClock()
        let deadline = timeout.map { clock.now.advanced(by: max($0, .zero)) }
        let semaphore = DispatchSemaphore(value: 0)
        let watch = begin { semaphore.signal() }
        defer { withExtendedLifetime(watch) {} }
        while true {
            if try look() { return true }
            var nanoseconds = pause
            if let deadline {
                let rest = clock.now.duration(to: deadline)
                if rest <= .zero { return false }
                nanoseconds = min(nanoseconds ?? .max, rest.nanoseconds)
            }
            guard let nanoseconds else {
                semaphore.wait()
                continue
            }
            _ = semaphore.wait(timeout: .now() + .nanoseconds(Int(clamping: nanoseconds)))
        }
    }

    /// Suspends the task until it is there.
    ///
    /// - Parameters:
    ///   - executor: where the time of `pause` is counted.
    ///   - begin: as in `block`.
    /// - Throws: `CancellationError` when the task is cancelled; what `look` throws.
    func suspend<Watch>(
        _ executor: Executor, _ begin: (@escaping @Sendable () -> Void) -> Watch
    ) async throws {
        let wakeup = Wakeup()
        let watch = begin { wakeup.wake() }
        defer { withExtendedLifetime(watch) {} }
        let timer = pause.map { _ in executor.timer { wakeup.wake() } }
        defer { timer?.cancel() }
        while true {
            try Task.checkCancellation()
            if try look() { return }
            if let pause { timer?.set(afterNanoseconds: pause) }
            await wakeup.wait()
        }
    }
}

extension Duration {
    /// The whole nanoseconds of a duration that is not negative, as far as they can be counted.
    fileprivate var nanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        let (product, isTooMuch) = UInt64(clamping: seconds)
            .multipliedReportingOverflow(by: 1_000_000_000)
        if isTooMuch { return .max }
        // At least one, so that a wait for the rest does not become a loop.
        return product &+ UInt64(clamping: attoseconds / 1_000_000_000) &+ 1
    }
}
