import PostgreSQLClient
import PostgreSQLServer
import Testing

struct LostConnectionTests {
    private static let short: Duration = .milliseconds(300)

    /// A table that all connections see, with its rows.
    private func makeTable(_ name: String, on connection: Connection) throws {
        try connection.execute("CREATE TABLE \(name) (a int8, b text)")
    }

    private func count(_ name: String) throws -> Int64? {
        try SharedServer.connect().query("SELECT count(*) FROM \(name)").row(0).int64(0)
    }

    private func write(_ count: Int, _ writer: inout CopyWriter) throws {
        for number in 0..<count {
            try writer.writeRow { row in
                row.append(number)
                try row.append("some text to make it longer")
            }
        }
    }

    @Test func aDroppedConnectionIsLost() throws {
        let proxy = try SharedServer.proxy()
        let connection = try SharedServer.connect(through: proxy)
        proxy.dropConnections()
        let error = try failure { try connection.execute("SELECT 1") }
        guard case .connectionLost(let message, .unknown) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(!message.isEmpty)
        #expect(error?.isRetryable == true)
        #expect(connection.isClosed)
    }

    @Test func anAnswerThatIsCutIsNotTakenForWhole() throws {
        let proxy = try SharedServer.proxy()
        let connection = try SharedServer.connect(through: proxy)
        proxy.cut(.toClient, afterByteCount: 100_000)
        let error = try failure {
            try connection.query("SELECT repeat('x', 1000) FROM generate_series(1, 10000)")
        }
        guard case .connectionLost = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func aDelayIsNoFailure() throws {
        let proxy = try SharedServer.proxy()
        let connection = try SharedServer.connect(through: proxy)
        proxy.delay(.milliseconds(50))
        let start = ContinuousClock.now
        #expect(try connection.query("SELECT 1").rowCount == 1)
        #expect(ContinuousClock.now - start >= .milliseconds(100))
    }

    @Test func aServerThatIsStoppedGivesTheReason() throws {
        let connection = try SharedServer.connect()
        try SharedServer.connect().query(
            "SELECT pg_terminate_backend($1::int, 60000)",
            parameters: [.int(Int64(connection.backendProcess))])
        let error = try failure { try connection.execute("SELECT 1") }
        #expect(error?.sqlState == .adminShutdown, "\(String(describing: error))")
        #expect(error?.isRetryable == true)
        #expect(connection.isClosed)
    }

    @Test func aServerThatIsStoppedInACopyEndsIt() throws {
        for direction in ["FROM STDIN", "TO STDOUT"] {
            let connection = try SharedServer.connect()
            try connection.execute(
                "CREATE TEMP TABLE t (a int8, b text); "
                    + "INSERT INTO t SELECT i, repeat('x', 100) FROM generate_series(1, 200000) i")
            let process = connection.backendProcess
            func end() throws {
                try SharedServer.connect().query(
                    "SELECT pg_terminate_backend($1::int)", parameters: [.int(Int64(process))])
            }
            var seen = 0
            let error = try failure {
                if direction == "TO STDOUT" {
                    try connection.copyOut("COPY t TO STDOUT") { _ in
                        seen += 1
                        if seen == 1 { try end() }
                    }
                } else {
                    try connection.copyIn("COPY t FROM STDIN") { writer in
                        try write(10_000, &writer)
                        try end()
                        try write(2_000_000, &writer)
                    }
                }
            }
            // A server that ends with rows unread resets the connection, which may remove its
            // message before it is read. In the middle of a row it sends none.
            if case .connectionLost(_, let outcome) = error {
                #expect(outcome == .notApplied || direction == "TO STDOUT")
            } else {
                #expect(error?.sqlState == .adminShutdown, "\(String(describing: error))")
            }
            #expect(error?.isRetryable == true)
            #expect(connection.isClosed)
        }
    }

    @Test func rowsThatAreCutOffAreNotStored() throws {
        let proxy = try SharedServer.proxy()
        let connection = try SharedServer.connect(through: proxy)
        try makeTable("cut_off", on: connection)
        proxy.cut(.toServer, afterByteCount: 500_000)
        let error = try failure {
            try connection.copyIn("COPY cut_off FROM STDIN") { try write(100_000, &$0) }
        }
        guard case .connectionLost(_, .notApplied) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try count("cut_off") == 0)
    }

    @Test func aServerThatTakesNoRowsTimesOut() throws {
        let proxy = try SharedServer.proxy()
        let connection = try SharedServer.connect(through: proxy)
        try makeTable("stalled", on: connection)
        let error = try failure {
            try connection.copyIn("COPY stalled FROM STDIN", timeout: Self.short) { writer in
                proxy.stall()
                // More than all buffers between here and the server take.
                try write(2_000_000, &writer)
            }
        }
        #expect(
            error
                == .timedOut(
                    waitingFor: "the server to take rows", limit: Self.short, .notApplied))
        #expect(connection.isClosed)
    }

    @Test func rowsThatStopComingTimeOut() throws {
        let proxy = try SharedServer.proxy()
        let connection = try SharedServer.connect(through: proxy)
        var seen = 0
        let error = try failure {
            try connection.copyOut(
                "COPY (SELECT repeat('x', 1000) FROM generate_series(1, 1000000)) TO STDOUT",
                timeout: Self.short
            ) { _ in
                seen += 1
                if seen == 1_000 { proxy.stall() }
            }
        }
        guard case .timedOut = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(seen >= 1_000)
    }

    @Test(arguments: [false, true])
    func aCommitWhoseAnswerIsLostIsUnknown(isApplied: Bool) throws {
        let name = "commit_\(isApplied)"
        let proxy = try SharedServer.proxy()
        let connection = try SharedServer.connect(through: proxy)
        try makeTable(name, on: connection)
        proxy.intercept("COMMIT\u{0}") { isApplied ? .cutAfterAnswer : .cut }
        let error = try failure {
            try connection.transaction { try $0.execute("INSERT INTO \(name) VALUES (1)") }
        }
        guard case .commitOutcomeUnknown(.connectionLost(_, .unknown)) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.outcomeIsUnknown == true)
        #expect(try count(name) == (isApplied ? 1 : 0))
    }

    @Test func aCommitThatStallsIsUnknown() throws {
        let proxy = try SharedServer.proxy()
        let connection = try SharedServer.connect(through: proxy)
        proxy.intercept("COMMIT\u{0}") { .stall }
        let error = try failure {
            try connection.transaction(timeout: Self.short) { try $0.execute("SELECT 1") }
        }
        guard case .commitOutcomeUnknown(.timedOut) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func aServerThatIsKilledInACopyStoresNothingOfIt() throws {
        let server = try TemporaryPostgreSQLServer()
        let connection = try Connection(ConnectionParameters(server.connectionString))
        try makeTable("t", on: connection)
        try connection.execute("INSERT INTO t VALUES (0, 'committed')")
        let error = try failure {
            try connection.copyIn("COPY t FROM STDIN") { writer in
                try write(10_000, &writer)
                try server.kill9()
                try write(1_000_000, &writer)
            }
        }
        guard case .connectionLost(_, .notApplied) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        let refused = try failure {
            _ = try Connection(ConnectionParameters(server.connectionString))
        }
        #expect(refused?.isRetryable == true)
        try server.start()
        let again = try Connection(ConnectionParameters(server.connectionString))
        #expect(try again.query("SELECT b FROM t").rows.map { try $0.string(0) } == ["committed"])
    }

    @Test func aServerThatIsKilledInACommitLeavesAllOrNothing() throws {
        let server = try TemporaryPostgreSQLServer()
        let proxy = try FaultProxy(to: server.port)
        let parameters = try ConnectionParameters(server.connectionString(port: proxy.port))
        let connection = try Connection(parameters)
        try makeTable("t", on: connection)
        proxy.intercept("COMMIT\u{0}") {
            #expect(throws: Never.self) { try server.kill9() }
            return .forward
        }
        let error = try failure {
            try connection.transaction { connection in
                try connection.copyIn("COPY t FROM STDIN") { try write(1_000, &$0) }
            }
        }
        guard case .commitOutcomeUnknown = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        try server.start()
        let again = try Connection(ConnectionParameters(server.connectionString))
        let count = try again.query("SELECT count(*) FROM t").row(0).int64(0)
        #expect(count == 0)
    }
}
