#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension RetryPolicy {
    /// What the time is, and how to wait.
    public struct Timekeeper {
        /// The time since some moment that stays the same.
        public var now: () -> Duration
        /// Blocks the thread for a time. What it throws ends the attempts: a cancellation.
        public var sleep: (Duration) throws -> Void

        /// A clock of any kind, for tests.
        public init(now: @escaping () -> Duration, sleep: @escaping (Duration) throws -> Void) {
            self.now = now
            self.sleep = sleep
        }

        /// The machine's clock. Sleeping throws `.cancelled` at most 100 ms after `isCancelled` is
        /// true.
        public static func system(isCancelled: (() -> Bool)? = nil) -> Timekeeper {
            let start = ContinuousClock.now
            return Timekeeper {
                ContinuousClock.now - start
            } sleep: { duration in
                let end = ContinuousClock.now + duration
                while true {
                    if isCancelled?() == true { throw PostgreSQLError.cancelled(.notApplied) }
                    let left = end - .now
                    if left <= .zero { return }
                    let slice = min(left / .milliseconds(1), 100).rounded(.up)
                    // Without a descriptor it only waits; a signal may end it early.
                    poll(nil, 0, Int32(slice))
                }
            }
        }
    }

    /// Runs `body` until it succeeds, the policy gives up, or an error comes that must not be
    /// repeated.
    ///
    /// - Parameters:
    ///   - isRetryable: whether to repeat after an error. By default those of PostgreSQL that may
    ///     pass (`isRetryable`) and have not taken effect (`outcomeIsUnknown`).
    ///   - onRetry: called before each delay with the error, how many attempts failed, and the
    ///     delay.
    /// - Throws: the last error of `body`, and what sleeping throws.
    @discardableResult
    public func run<Value>(
        _ timekeeper: Timekeeper, using random: inout some RandomNumberGenerator,
        isRetryable: (any Error) -> Bool = RetryPolicy.repeatsSafely,
        onRetry: (any Error, Int, Duration) -> Void = { _, _, _ in },
        _ body: () throws -> Value
    ) throws -> Value {
        let start = timekeeper.now()
        var failureCount = 0
        while true {
            do {
                return try body()
            } catch {
                failureCount += 1
                guard isRetryable(error),
                    let delay = delay(
                        afterFailures: failureCount, elapsed: timekeeper.now() - start,
                        using: &random)
                else { throw error }
                onRetry(error, failureCount, delay)
                try timekeeper.sleep(delay)
            }
        }
    }

    /// Whether an error may pass, and what failed has certainly not taken effect.
    public static func repeatsSafely(_ error: any Error) -> Bool {
        guard let error = error as? PostgreSQLError else { return false }
        return error.isRetryable && !error.outcomeIsUnknown
    }
}
