/// How long to wait between attempts of something that fails for a time, and when to give up.
///
/// Exponential backoff with full jitter: the delay after the n-th failure in a row is random,
/// equally likely anywhere from 0 to a bound that is `baseDelay` first, doubles each time, and is
/// `maximumDelay` at most. So clients that failed together do not come back together.
public struct RetryPolicy: Hashable, Sendable {
    /// When to give up.
    public enum Limit: Hashable, Sendable {
        /// After so many attempts, the first one included.
        case attempts(Int)
        /// When the next attempt would begin later than this after the first.
        case time(Duration)
        /// Never.
        case none
    }

    /// The greatest delay after the first failure.
    public var baseDelay: Duration
    /// The greatest delay of all.
    public var maximumDelay: Duration
    /// When to give up.
    public var limit: Limit

    /// A policy; negative delays count as none.
    public init(
        baseDelay: Duration = .milliseconds(100), maximumDelay: Duration = .seconds(30),
        limit: Limit = .attempts(5)
    ) {
        self.baseDelay = max(.zero, baseDelay)
        self.maximumDelay = max(.zero, maximumDelay)
        self.limit = limit
    }

    /// The greatest delay after so many failures in a row.
    public func delayMax(afterFailures failureCount: Int) -> Duration {
        var delay = min(baseDelay, maximumDelay)
        var doublings = max(0, failureCount - 1)
        // Ends early at the maximum, and with no delay at all.
        while doublings > 0, delay > .zero, delay != maximumDelay {
            delay = min(delay * 2, maximumDelay)
            doublings -= 1
        }
        return delay
    }

    /// The delay before the next attempt; nil to give up.
    ///
    /// - Parameters:
    ///   - failureCount: how many attempts have failed in a row, 1 or more.
    ///   - elapsed: the time since the first of them began.
    public func delay(
        afterFailures failureCount: Int, elapsed: Duration,
        using random: inout some RandomNumberGenerator
    ) -> Duration? {
        if case .attempts(let count) = limit, failureCount >= count { return nil }
        let fraction = Double.random(in: 0...1, using: &random)
        let delay = delayMax(afterFailures: failureCount) * fraction
        if case .time(let time) = limit, elapsed + delay > time { return nil }
        return delay
    }
}
