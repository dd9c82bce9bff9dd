/// The attempts of one operation: counts them, pauses between them, and ends them.
struct Attempts {
    private let options: ObjectStoreOptions
    private let stopwatch: Stopwatch
    private(set) var failureCount = 0

    /// Starts the time of `totalTimeout`.
    init(_ options: ObjectStoreOptions) {
        self.options = options
        stopwatch = .started(options.clock)
    }

    /// What is left of `totalTimeout`.
    var remaining: Duration { options.totalTimeout - stopwatch.elapsed() }

    /// Pauses before the next attempt. Throws `error` if there is to be none: it is not transient,
    /// all attempts are used up, or the pause would outlast the total time.
    mutating func pause(after error: any Error) async throws {
        failureCount += 1
        guard let failure = error as? ObjectStorageError, failure.isTransient else { throw error }
        try await pause(orThrow: failure)
    }

    /// Pauses like `pause(after:)`, for a failure that the caller knows to be transient.
    mutating func pause(afterTransient error: ObjectStorageError) async throws {
        failureCount += 1
        try await pause(orThrow: error)
    }

    private func pause(orThrow error: ObjectStorageError) async throws {
        guard failureCount < options.retry.attemptCountMax else { throw error }
        var delay = options.retry.delay(
            afterAttempt: failureCount, random: options.randomNumber())
        if case .throttled(let answer) = error, let seconds = answer.retryAfterSeconds {
            delay = max(delay, .seconds(seconds))
        }
        guard delay < remaining else { throw error }
        options.attemptFailed(error)
        try await stopwatch.pause(delay)
    }
}

/// A clock whose type is no longer known, from the moment of its start.
private struct Stopwatch: Sendable {
    let elapsed: @Sendable () -> Duration
    let pause: @Sendable (Duration) async throws -> Void

    static func started(_ clock: any Clock<Duration>) -> Stopwatch { started(opened: clock) }

    private static func started<C: Clock>(opened clock: C) -> Stopwatch
    where C.Duration == Duration {
        let start = clock.now
        return Stopwatch(
            elapsed: { start.duration(to: clock.now) },
            pause: { try await clock.sleep(until: clock.now.advanced(by: $0), tolerance: nil) })
    }
}
