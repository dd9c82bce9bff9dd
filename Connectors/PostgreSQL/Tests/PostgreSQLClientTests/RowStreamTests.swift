import PostgreSQLClient
import PostgreSQLServer
import Testing

/// Rows that come one after the other.
struct RowStreamTests {
    @Test func anErrorInTheMiddleComesAfterTheRowsBeforeIt() throws {
        let connection = try SharedServer.connect()
        let statement = try connection.prepare(
            "SELECT 1 / (500 - i) FROM generate_series(1, 900) i")
        var count = 0
        let error = try failure { try connection.forEachRow(of: statement) { _ in count += 1 } }
        #expect(error?.sqlState == SQLState("22012"))
        #expect(count == 499)
        #expect(try connection.query("SELECT 7").row(0).int64(0) == 7)
    }

    @Test func aClosureThatThrowsEndsTheQueryAndTheConnectionGoesOn() throws {
        struct Stop: Error {}
        let connection = try SharedServer.connect()
        let endless = try connection.prepare("SELECT generate_series(1, 1000000000) AS i")
        var count = 0
        #expect(throws: Stop.self) {
            try connection.forEachRow(of: endless) { _ in
                count += 1
                if count == 3 { throw Stop() }
            }
        }
        #expect(count == 3)
        #expect(try connection.query("SELECT 7").row(0).int64(0) == 7)
    }

    @Test func aConnectionThatIsLostInTheMiddleIsAnError() throws {
        let proxy = try SharedServer.proxy()
        let connection = try SharedServer.connect(through: proxy)
        let statement = try connection.prepare(
            "SELECT repeat('x', 100) FROM generate_series(1, 10000)")
        proxy.cut(.toClient, afterByteCount: 200_000)
        var count = 0
        let error = try failure { try connection.forEachRow(of: statement) { _ in count += 1 } }
        guard case .connectionLost = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect((1..<10_000).contains(count))
        #expect(connection.isClosed)
    }

    @Test func aTransactionThatOnlyReadsChangesNothing() throws {
        let connection = try SharedServer.connect()
        try connection.execute("CREATE TABLE IF NOT EXISTS read_only_test (a int)")
        defer { _ = try? connection.execute("DROP TABLE IF EXISTS read_only_test") }
        for sql in [
            "INSERT INTO read_only_test VALUES (1) RETURNING a",
            "WITH x AS (DELETE FROM read_only_test RETURNING a) SELECT * FROM x",
        ] {
            let error = try failure {
                try connection.transaction(isReadOnly: true) { connection in
                    try connection.forEachRow(of: connection.prepare(sql)) { _ in }
                }
            }
            #expect(error?.sqlState == SQLState("25006"))
        }
        // One statement, so that none ends the transaction.
        let two = try failure { _ = try connection.prepare("COMMIT; SELECT 1") }
        #expect(two?.sqlState == SQLState("42601"))
    }

    @Test func columnsAreKnownBeforeARowIs() throws {
        let connection = try SharedServer.connect()
        let statement = try connection.prepare(
            "SELECT 1 AS a, ARRAY[1.5] AS b, 'x'::name AS a WHERE false")
        let columns = try connection.columns(of: statement)
        #expect(columns.map(\.name) == ["a", "b", "a"])
        #expect(
            columns.map(\.type)
                == [.integer, .array(of: .numeric, delimiter: UInt8(ascii: ",")), .text])
        #expect(try connection.columns(of: connection.prepare("SET timezone = 'UTC'")).isEmpty)
        let other = try SharedServer.connect()
        guard case .misuse = try failure({ try other.columns(of: statement) }) else {
            Issue.record("a statement of another connection")
            return
        }
    }
}
