/// How often and after which pauses an operation is tried again.
///
/// The pause before attempt *n* + 1 is random between 0 and `min(delayMax, delayBase * 2^(n-1))`
/// ("full jitter"), so that clients which failed together do not return together. A pause that the
/// service asks for is the least.
public struct RetryPolicy: Hashable, Sendable {
    /// The most attempts, the first one included; at least 1.
    public var attemptCountMax: Int
    /// The longest pause after the first attempt.
    public var delayBase: Duration
    /// The longest pause.
    public var delayMax: Duration

    /// A policy with these limits.
    public init(
        attemptCountMax: Int = 8, delayBase: Duration = .milliseconds(100),
        delayMax: Duration = .seconds(20)
    ) {
        precondition(attemptCountMax >= 1, "an operation needs an attempt")
        precondition(delayBase >= .zero && delayMax >= .zero, "a pause cannot be negative")
        self.attemptCountMax = attemptCountMax
        self.delayBase = delayBase
        self.delayMax = delayMax
    }

    /// The pause after so many attempts, with `random` uniform over all its values.
    func delay(afterAttempt count: Int, random: UInt64) -> Duration {
        let factor = 1 << min(count - 1, 30)
        let limit = min(delayMax, delayBase * factor)
        return limit * (Double(random >> 11) / Double(1 << 53))
    }
}
