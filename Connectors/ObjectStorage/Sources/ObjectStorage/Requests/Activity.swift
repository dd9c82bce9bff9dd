import Synchronization

/// When an attempt last sent or received bytes, and the limits on that.
///
/// These limits are in real time: they concern the network, which no test can speed up.
final class Activity: Sendable {
    private struct State {
        var latest = ContinuousClock.now
        var failure: (any Error)?
    }

    private let state = Mutex(State())

    /// Bytes were sent or received.
    func note() { state.withLock { $0.latest = .now } }

    /// Reading the request's body failed; the HTTP client may report this as another error.
    func fail(_ error: any Error) { state.withLock { $0.failure = $0.failure ?? error } }

    var failure: (any Error)? { state.withLock { $0.failure } }

    /// Runs `operation`, and cancels it when no byte has moved for `idle`, or after `total`.
    ///
    /// Throws `ObjectStorageError.timedOut` then. Returns only after the operation has ended.
    func limit<Result: Sendable>(
        idle: Duration, total: Duration?, operation: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        note()
        return try await withThrowingTaskGroup(of: Result.self) { group in
            group.addTask(operation: operation)
            group.addTask { try await self.waitForLimit(idle: idle, total: total) }
            defer { group.cancelAll() }
            // One of the two always ends.
            return try await group.next()!
        }
    }

    private func waitForLimit<Result>(idle: Duration, total: Duration?) async throws -> Result {
        let end = total.map { ContinuousClock.now + $0 }
        while true {
            let idleEnd = state.withLock { $0.latest } + idle
            if let end, end <= .now { throw ObjectStorageError.timedOut(.total) }
            if idleEnd <= .now { throw ObjectStorageError.timedOut(.idle) }
            try await Task.sleep(until: min(idleEnd, end ?? idleEnd), clock: .continuous)
        }
    }
}
