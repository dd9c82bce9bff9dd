import CMeasurement

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A point in time of the monotonic clock, in nanoseconds.
public struct Stopwatch: Sendable {
    private let start: UInt64

    /// Starts the watch.
    @inline(__always)
    public init() { start = Self.now }

    /// Nanoseconds since the start.
    @inline(__always)
    public var nanoseconds: UInt64 { Self.now &- start }

    /// Seconds since the start.
    public var seconds: Double { Double(nanoseconds) / 1e9 }

    /// The monotonic clock; costs one call into the vDSO, some tens of nanoseconds.
    public static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }
}

/// Makes the compiler believe that all memory may have changed, so that a loop reads it again.
@inlinable
@inline(__always)
public func forgetMemory() { measurement_forget_memory() }
