/// Runs `body`, and cancels it at a point in time.
///
/// - Throws: `RequestFailure.timedOut` if it has not ended by then; what `body` throws.
func withDeadline<Result: Sendable>(
    _ deadline: ContinuousClock.Instant, _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result {
    try await withThrowingTaskGroup(of: Result.self) { group in
        group.addTask { try await body() }
        group.addTask {
            try await Task.sleep(until: deadline, clock: .continuous)
            throw RequestFailure.timedOut
        }
        defer { group.cancelAll() }
        guard let result = try await group.next() else { throw CancellationError() }
        return result
    }
}
