import PostgreSQLClient
import PostgreSQLServer
import Testing

struct TransactionTests {
    private struct Stop: Error {}

    private let connection: Connection

    init() throws {
        connection = try SharedServer.connect()
        try connection.execute("CREATE TEMP TABLE t (a int)")
    }

    private func count() throws -> Int64? {
        try connection.query("SELECT count(*) FROM t").row(0).int64(0)
    }

    @Test func whatReturnsIsCommitted() throws {
        let value = try connection.transaction { connection in
            #expect(connection.isInTransaction)
            try connection.execute("INSERT INTO t VALUES (1)")
            return 42
        }
        #expect(value == 42)
        #expect(!connection.isInTransaction)
        #expect(try count() == 1)
    }

    @Test(arguments: [IsolationLevel.readCommitted, .repeatableRead, .serializable])
    func theLevelIsTheOneAskedFor(level: IsolationLevel) throws {
        let shown = try connection.transaction(isolation: level) { connection in
            try connection.query("SHOW transaction_isolation").row(0).string(0)
        }
        #expect(shown == level.rawValue.lowercased())
    }

    @Test func whatThrowsIsRolledBack() throws {
        #expect(throws: Stop.self) {
            try connection.transaction { connection in
                try connection.execute("INSERT INTO t VALUES (1)")
                throw Stop()
            }
        }
        #expect(!connection.isInTransaction)
        #expect(try count() == 0)
    }

    @Test func aFailureThatIsIgnoredIsNotTakenForACommit() throws {
        let error = try failure {
            try connection.transaction { connection in
                try connection.execute("INSERT INTO t VALUES (1)")
                #expect(try failure { try connection.execute("SELECT 1/0") } != nil)
            }
        }
        #expect(error == .transactionAborted)
        #expect(!connection.isInTransaction)
        #expect(try count() == 0)
    }

    @Test func transactionsAreNotNested() throws {
        try connection.transaction { connection in
            guard case .misuse = try failure({ try connection.transaction { _ in } }) else {
                Issue.record("nested")
                return
            }
            try connection.execute("INSERT INTO t VALUES (1)")
        }
        #expect(try count() == 1)
        guard
            case .misuse = try failure({ try connection.transaction { try $0.execute("COMMIT") } })
        else {
            Issue.record("committed inside")
            return
        }
    }

    @Test(arguments: [false, true])
    func aCopyThatIsNotEndedIsRolledBack(throwsInside: Bool) throws {
        let name = "copy_open_\(throwsInside)"
        try connection.execute("CREATE TABLE \(name) (a int)")
        let body = { (connection: Connection) in
            try connection.openCopy("COPY \(name) FROM STDIN").write(Array("1\n".utf8))
            if throwsInside { throw PostgreSQLError.nulCharacter }
        }
        let error = try failure { try connection.transaction(body) }
        if throwsInside {
            #expect(error == .nulCharacter)
        } else if case .misuse = error {
        } else {
            Issue.record("\(String(describing: error))")
        }
        #expect(connection.isClosed)
        #expect(try SharedServer.connect().query("SELECT * FROM \(name)").rowCount == 0)
    }

    @Test func aConstraintThatIsCheckedAtTheEndFailsTheCommit() throws {
        try connection.execute(
            "CREATE TEMP TABLE u (a int UNIQUE DEFERRABLE INITIALLY DEFERRED)")
        let error = try failure {
            try connection.transaction { try $0.execute("INSERT INTO u VALUES (1), (1)") }
        }
        #expect(error?.sqlState == .uniqueViolation)
        #expect(error?.outcomeIsUnknown == false)
        #expect(!connection.isInTransaction)
    }

    @Test func aConflictIsRetriedUntilItPasses() throws {
        let other = try SharedServer.connect()
        try connection.execute("CREATE TABLE counters (n int); INSERT INTO counters VALUES (0)")
        var attemptCount = 0
        var random = SeededRandom(seed: 1)
        let timekeeper = RetryPolicy.Timekeeper(now: { .zero }, sleep: { _ in })
        try RetryPolicy().run(timekeeper, using: &random) {
            try connection.transaction(isolation: .repeatableRead) { connection in
                attemptCount += 1
                _ = try connection.query("SELECT n FROM counters")
                // Another one is faster, once.
                if attemptCount == 1 { try other.execute("UPDATE counters SET n = n + 10") }
                try connection.execute("UPDATE counters SET n = n + 1")
            }
        }
        #expect(attemptCount == 2)
        #expect(try connection.query("SELECT n FROM counters").row(0).int64(0) == 11)
    }
}
