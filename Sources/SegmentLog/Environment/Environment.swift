#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What the engine takes from the world: files, background work, time and randomness.
package struct Environment: Sendable {
    package var fileSystem: FileSystem
    package var executor: Executor
    /// Where `.interval` commits are synced; the same as `executor` unless set, where they would
    /// wait for a checkpoint to be written.
    package var syncExecutor: Executor
    /// Where compaction runs; the same as `executor` unless set.
    package var compactionExecutor: Executor
    /// Nanoseconds on a clock that never goes back.
    package var now: @Sendable () -> UInt64
    /// 64 random bits.
    package var random: @Sendable () -> UInt64
    /// Lets the calling thread sleep for so many nanoseconds.
    package var sleep: @Sendable (UInt64) -> Void
    /// The same clock, a few milliseconds late and cheaper, for ages in statistics.
    package var coarseNow: @Sendable () -> UInt64
    /// Seconds since 1970 by the calendar: what people see, and nothing that order depends on.
    package var calendarSeconds: @Sendable () -> UInt64
    /// Whether several threads may use it at once: not where one thread plays them all.
    package var mayUseThreads = false

    package init(
        fileSystem: FileSystem, executor: Executor, now: @escaping @Sendable () -> UInt64,
        random: @escaping @Sendable () -> UInt64
    ) {
        self.fileSystem = fileSystem
        self.executor = executor
        compactionExecutor = executor
        syncExecutor = executor
        self.now = now
        self.random = random
        coarseNow = now
        calendarSeconds = { now() / 1_000_000_000 }
        sleep = { _ in }
    }

    /// The machine itself. Each access makes another executor, with its own queue.
    package static var system: Environment {
        var environment = Environment(
            fileSystem: RealFileSystem(), executor: DispatchExecutor(), now: monotonicNanoseconds,
            random: { UInt64.random(in: .min ... .max) })
        environment.mayUseThreads = true
        environment.sleep = { nanoseconds in
            var time = timespec(
                tv_sec: Int(nanoseconds / 1_000_000_000),
                tv_nsec: Int(nanoseconds % 1_000_000_000))
            // A signal ends it early, which does no harm.
            nanosleep(&time, nil)
        }
        environment.calendarSeconds = { UInt64(clamping: time(nil)) }
        environment.syncExecutor = DispatchExecutor(label: "travertine.sync")
        environment.compactionExecutor = DispatchExecutor(label: "travertine.compaction")
        #if canImport(Glibc) || canImport(Musl)
            environment.coarseNow = { nanoseconds(of: CLOCK_MONOTONIC_COARSE) }
        #endif
        return environment
    }

    /// Nanoseconds of the system's monotonic clock.
    package static let monotonicNanoseconds: @Sendable () -> UInt64 = {
        nanoseconds(of: CLOCK_MONOTONIC)
    }

    private static func nanoseconds(of clock: clockid_t) -> UInt64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }
}
