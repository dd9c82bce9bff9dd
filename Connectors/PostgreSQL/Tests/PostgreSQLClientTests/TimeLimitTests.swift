import PostgreSQLClient
import PostgreSQLServer
import Synchronization
import Testing

struct TimeLimitTests {
    private static let short: Duration = .milliseconds(300)

    /// Says yes from the n-th question on, once it is set.
    final class Signal {
        private var questionsLeft: Int?

        func set(afterQuestions count: Int) { questionsLeft = count }

        func clear() { questionsLeft = nil }

        func isRaised() -> Bool {
            guard let left = questionsLeft else { return false }
            questionsLeft = left - 1
            return left <= 0
        }
    }

    @Test func aStalledServerTimesOutAndClosesTheConnection() throws {
        let proxy = try SharedServer.proxy()
        let connection = try SharedServer.connect(through: proxy)
        #expect(try connection.query("SELECT 1").rowCount == 1)
        proxy.stall()
        let error = try failure { try connection.execute("SELECT 1", timeout: Self.short) }
        #expect(
            error
                == .timedOut(waitingFor: "the server's answer", limit: Self.short, .unknown))
        #expect(error?.isRetryable == true)
        #expect(connection.isClosed)
        #expect(try failure { try connection.execute("SELECT 1") } == .closed)
    }

    @Test func aStallInATransactionHasNoEffect() throws {
        let proxy = try SharedServer.proxy()
        let connection = try SharedServer.connect(through: proxy)
        let error = try failure {
            try connection.transaction { connection in
                proxy.stall()
                try connection.execute("SELECT 1", timeout: Self.short)
            }
        }
        #expect(error?.outcomeIsUnknown == false)
        #expect(connection.isClosed)
    }

    @Test func aStatementThatTimedOutIsEndedOnTheServer() throws {
        let connection = try SharedServer.connect(options(timeout: Self.short))
        let process = connection.backendProcess
        guard case .timedOut = try failure({ try connection.execute("SELECT pg_sleep(600)") })
        else {
            Issue.record("it ended")
            return
        }
        let other = try SharedServer.connect()
        let sql = "SELECT count(*) FROM pg_stat_activity WHERE pid = \(process)"
        let end = ContinuousClock.now + .seconds(60)
        while try other.query(sql).row(0).int64(0) != 0 {
            guard ContinuousClock.now < end else {
                Issue.record("the statement still runs")
                return
            }
        }
    }

    @Test func rowsThatComeSlowlyAreProgress() throws {
        let connection = try SharedServer.connect(options(timeout: .seconds(2)))
        // Each row is larger than the server's buffer, so that it comes when it is made.
        var rowCount = 0
        try connection.copyOut(
            "COPY (SELECT repeat('x', 20000), pg_sleep(0.3) FROM generate_series(1, 10)) TO STDOUT"
        ) { _ in rowCount += 1 }
        #expect(rowCount == 10)
    }

    @Test func aStatementIsCancelledAndTheConnectionGoesOn() throws {
        let signal = Signal()
        var options = ConnectionOptions()
        options.isCancelled = signal.isRaised
        options.cancellationLimit = .seconds(60)
        let connection = try SharedServer.connect(options)
        signal.set(afterQuestions: 3)
        let error = try failure { try connection.execute("SELECT pg_sleep(600)") }
        #expect(error == .cancelled(.notApplied))
        #expect(!connection.isClosed)
        // Nothing more is begun.
        #expect(try failure { try connection.execute("SELECT 1") } == .cancelled(.notApplied))
        signal.clear()
        #expect(try connection.query("SELECT 1").row(0).int64(0) == 1)
    }

    @Test func aTransactionThatIsCancelledIsRolledBack() throws {
        let signal = Signal()
        var options = ConnectionOptions()
        options.isCancelled = signal.isRaised
        options.cancellationLimit = .seconds(60)
        let connection = try SharedServer.connect(options)
        let error = try failure {
            try connection.transaction { connection in
                signal.set(afterQuestions: 3)
                try connection.execute("SELECT pg_sleep(600)")
            }
        }
        #expect(error == .cancelled(.notApplied))
        #expect(!connection.isClosed)
        #expect(!connection.isInTransaction)
    }

    @Test func cancellingAStalledServerHasALimit() throws {
        let proxy = try SharedServer.proxy()
        let isStalled = Atomic(false)
        var options = ConnectionOptions()
        options.isCancelled = { isStalled.load(ordering: .relaxed) }
        options.cancellationLimit = Self.short
        let connection = try SharedServer.connect(through: proxy, options)
        proxy.intercept("SELECT 1") {
            isStalled.store(true, ordering: .relaxed)
            return .stall
        }
        #expect(try failure { try connection.execute("SELECT 1") } == .cancelled(.unknown))
        #expect(connection.isClosed)
    }

    @Test func limitsOfTheServerAreItsErrors() throws {
        let connection = try SharedServer.connect()
        try connection.execute("SET statement_timeout = '50ms'")
        let late = try failure { try connection.execute("SELECT pg_sleep(600)") }
        #expect(late?.sqlState == .queryCanceled)
        #expect(late?.isRetryable == false)
        #expect(!connection.isClosed)
    }

    @Test func aLockThatIsHeldIsRetryable() throws {
        let holder = try SharedServer.connect()
        try holder.execute("CREATE TABLE held (a int)")
        try holder.transaction { _ in
            try holder.execute("LOCK TABLE held")
            let other = try SharedServer.connect()
            try other.execute("SET lock_timeout = '20ms'")
            let error = try failure { try other.query("SELECT * FROM held") }
            #expect(error?.sqlState == .lockNotAvailable)
            #expect(error?.isRetryable == true)
        }
    }
}
