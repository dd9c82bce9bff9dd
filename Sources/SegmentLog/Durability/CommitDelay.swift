#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Decides how long a leader waits for others to join before it syncs.
///
/// The threads that the last sync served are expected back. The leader yields the processor until
/// as many have arrived, for at most half of a usual sync; when they stay away several times
/// in a row, it stops expecting them for a while.
struct CommitDelay {
    /// The number of arrivals that is worth waiting for.
    private var expected: UInt64 = 0
    private var arrivedAtLastSync: UInt64 = 0
    private var averageNanoseconds: UInt64 = 100_000
    private var failures = 0
    private var pause = 0

    static let nanosecondsMax: UInt64 = 200_000
    /// For clocks that do not advance, which a simulator may have.
    static let yieldCountMax = 4000

    /// Waits for the expected arrivals, with a limit.
    mutating func wait(now: () -> UInt64, arrivals: () -> UInt64) {
        if arrivals() >= expected { return }
        if pause > 0 {
            pause -= 1
            return
        }
        let limit = min(averageNanoseconds / 2, Self.nanosecondsMax)
        let start = now()
        var yieldCount = 0
        while arrivals() < expected {
            yieldCount += 1
            if now() &- start > limit || yieldCount > Self.yieldCountMax {
                failures += 1
                if failures >= 4 {
                    failures = 0
                    pause = 32
                }
                return
            }
            sched_yield()
        }
        failures = 0
    }

    /// Takes note of a sync that served everybody who arrived before it began.
    ///
    /// - Returns: how many it served.
    mutating func didSync(
        arrivedBefore: UInt64, arrivedNow: UInt64, nanoseconds: UInt64
    ) -> UInt64 {
        let served = arrivedBefore &- arrivedAtLastSync
        arrivedAtLastSync = arrivedBefore
        expected = served > 1 || arrivedNow > arrivedBefore ? arrivedNow &+ served : 0
        averageNanoseconds = averageNanoseconds - averageNanoseconds / 8 + nanoseconds / 8
        return served
    }
}
