#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Limits of an object store, and where it takes time and randomness from.
public struct ObjectStoreOptions: Sendable {
    /// Allows plain `http` to other machines than this one. What is stored is then readable, and
    /// can be replaced, on the way.
    public var allowInsecure = false
    /// How long a connection may take to be made, a name lookup and TLS included. Real time.
    public var connectTimeout: Duration = .seconds(10)
    /// How long a connection may be idle while the store waits for it. Real time.
    public var idleTimeout: Duration = .seconds(30)
    /// How long one operation may take, with all attempts and pauses. For a stream or a download it
    /// is how long it may take to go on after a failure.
    public var totalTimeout: Duration = .seconds(600)
    /// How often and after which pauses an operation is tried again.
    public var retry = RetryPolicy()
    /// The most connections at a time. Further operations wait for one, each attempt for no longer
    /// than `connectTimeout`.
    public var connectionCountMax = 8
    /// The largest body of a put in bytes. S3 takes no more than 5 GiB in a single put.
    public var putByteCountMax: UInt64 = 5 << 30
    /// Called when an attempt failed and another one follows, with the reason, before the pause:
    /// long before an operation that goes on failing is given up. On any task.
    public var attemptFailed: @Sendable (ObjectStorageError) -> Void = { _ in }
    /// The clock of `totalTimeout` and of pauses.
    public var clock: any Clock<Duration> = ContinuousClock()
    /// The time that signatures carry, in seconds since 1970. S3 refuses one that is more than 15
    /// minutes wrong.
    public var secondsSince1970: @Sendable () -> Int64 = { Int64(time(nil)) }
    /// Random numbers, uniform over all values: for pauses, and for marks of conditional puts.
    public var randomNumber: @Sendable () -> UInt64 = { .random(in: 0...(.max)) }

    /// The default limits.
    public init() {}
}
