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
    /// Nanoseconds on a clock that never goes back.
    package var now: @Sendable () -> UInt64
    /// 64 random bits.
    package var random: @Sendable () -> UInt64

    package init(
        fileSystem: FileSystem, executor: Executor, now: @escaping @Sendable () -> UInt64,
        random: @escaping @Sendable () -> UInt64
    ) {
        self.fileSystem = fileSystem
        self.executor = executor
        self.now = now
        self.random = random
    }

    /// The machine itself. Each access makes an executor, and so a queue, of its own.
    package static var system: Environment {
        Environment(
            fileSystem: RealFileSystem(), executor: DispatchExecutor(), now: monotonicNanoseconds,
            random: { UInt64.random(in: .min ... .max) })
    }

    /// Nanoseconds of the system's monotonic clock.
    package static let monotonicNanoseconds: @Sendable () -> UInt64 = {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }
}
