import PostgreSQLClient
import PostgreSQLServer
import Testing

struct RetryPolicyTests {
    /// A clock that sleeping moves.
    private final class TestClock {
        var time: Duration = .zero
        var delays: [Duration] = []

        var timekeeper: RetryPolicy.Timekeeper {
            RetryPolicy.Timekeeper {
                self.time
            } sleep: { delay in
                self.delays.append(delay)
                self.time += delay
            }
        }
    }

    private struct Passing: Error {}

    private func attempts(
        _ policy: RetryPolicy, seed: UInt64, clock: TestClock, each: Duration = .zero,
        succeedAt: Int = .max
    ) -> Int {
        var random = SeededRandom(seed: seed)
        var count = 0
        let isRetryable = { (error: any Error) in error is Passing }
        try? policy.run(clock.timekeeper, using: &random, isRetryable: isRetryable) {
            count += 1
            clock.time += each
            if count < succeedAt { throw Passing() }
        }
        return count
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func delaysAreRandomBelowABoundThatDoubles(seed: UInt64) {
        let clock = TestClock()
        let policy = RetryPolicy(
            baseDelay: .milliseconds(100), maximumDelay: .seconds(1), limit: .attempts(12))
        #expect(attempts(policy, seed: seed, clock: clock) == 12)
        let bounds = [100, 200, 400, 800] + Array(repeating: 1_000, count: 7)
        #expect(clock.delays.count == bounds.count)
        for (delay, bound) in zip(clock.delays, bounds) {
            #expect(delay >= .zero && delay <= .milliseconds(bound))
        }
        #expect(Set(clock.delays).count > 5)
    }

    @Test func theDelaysUseTheWholeRange() {
        var random = SeededRandom(seed: 7)
        let delays = (0..<1_000).compactMap { _ in
            RetryPolicy(limit: .none).delay(afterFailures: 3, elapsed: .zero, using: &random)
        }
        #expect(delays.count == 1_000)
        #expect(delays.min()! < .milliseconds(20))
        #expect(delays.max()! > .milliseconds(380))
    }

    @Test func theTimeIsBounded() {
        let clock = TestClock()
        let policy = RetryPolicy(
            baseDelay: .seconds(1), maximumDelay: .seconds(1), limit: .time(.seconds(60)))
        let count = attempts(policy, seed: 3, clock: clock, each: .seconds(1))
        #expect(count > 25 && count < 61)
        #expect(clock.time <= .seconds(61))
    }

    @Test func withoutALimitItGoesOnWithDelaysBelowTheMaximum() {
        let clock = TestClock()
        let policy = RetryPolicy(maximumDelay: .seconds(30), limit: .none)
        #expect(attempts(policy, seed: 5, clock: clock, succeedAt: 10_000) == 10_000)
        #expect(clock.delays.max()! <= .seconds(30))
        #expect(policy.delayMax(afterFailures: .max) == .seconds(30))
        #expect(RetryPolicy(baseDelay: .zero).delayMax(afterFailures: .max) == .zero)
        #expect(RetryPolicy(baseDelay: .seconds(-1)).delayMax(afterFailures: 2) == .zero)
    }

    @Test func onlyWhatPassesAndHadNoEffectIsRepeated() {
        let retryable: [PostgreSQLError] = [
            .connectionFailed(""), .connectionLost("", .notApplied), .closed,
            .server(ServerMessage(sqlState: .serializationFailure, message: "")),
        ]
        let final: [PostgreSQLError] = [
            .connectionLost("", .unknown), .commitOutcomeUnknown(.closed), .nulCharacter,
            .cancelled(.notApplied), .invalidParameters(""),
            .server(ServerMessage(sqlState: .statementCompletionUnknown, message: "")),
        ]
        #expect(retryable.allSatisfy { RetryPolicy.repeatsSafely($0) })
        #expect(!final.contains { RetryPolicy.repeatsSafely($0) })
        #expect(!RetryPolicy.repeatsSafely(Passing()))
    }

    @Test func retriesAreReported() throws {
        let clock = TestClock()
        var random = SeededRandom(seed: 1)
        var reported: [Int] = []
        let report = { (_: any Error, count: Int, _: Duration) in reported.append(count) }
        #expect(throws: PostgreSQLError.connectionFailed("gone")) {
            let policy = RetryPolicy(limit: .attempts(3))
            try policy.run(clock.timekeeper, using: &random, onRetry: report) {
                throw PostgreSQLError.connectionFailed("gone")
            }
        }
        #expect(reported == [1, 2])
    }

    @Test func aSleepCanBeCancelled() throws {
        var questionCount = 0
        let timekeeper = RetryPolicy.Timekeeper.system {
            questionCount += 1
            return questionCount > 1
        }
        #expect(try failure { try timekeeper.sleep(.seconds(600)) } == .cancelled(.notApplied))
        try RetryPolicy.Timekeeper.system().sleep(.zero)
        #expect(timekeeper.now() >= .zero)
    }
}
