/// A replication timestamp: a second and a counter in it. Dates are `BSONDateTime`.
public struct BSONTimestamp: Sendable, Hashable, Comparable {
    /// Seconds since 1970.
    public var seconds: UInt32
    /// The number in the second.
    public var increment: UInt32

    /// A timestamp.
    public init(seconds: UInt32, increment: UInt32) {
        self.seconds = seconds
        self.increment = increment
    }

    /// Whether one timestamp is before another.
    public static func < (left: BSONTimestamp, right: BSONTimestamp) -> Bool {
        (left.seconds, left.increment) < (right.seconds, right.increment)
    }
}
