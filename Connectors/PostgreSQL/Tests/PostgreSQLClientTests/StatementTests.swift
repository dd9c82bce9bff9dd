import PostgreSQLClient
import Testing

struct StatementTests {
    private let connection: Connection

    init() throws { connection = try SharedServer.connect() }

    @Test func severalStatementsGiveTheResultOfTheLast() throws {
        let result = try connection.execute(
            "CREATE TEMP TABLE t (a int); INSERT INTO t VALUES (1), (2); SELECT a FROM t ORDER BY a"
        )
        #expect(result.rowCount == 2)
        #expect(result.columnNames == ["a"])
        #expect(try result.rows.map { try $0.int64(0) } == [1, 2])
        let update = try connection.execute("UPDATE t SET a = a + 1")
        #expect(update.affectedRowCount == 2)
        #expect(update.commandTag == "UPDATE 2")
        #expect(try connection.execute("").rowCount == 0)
    }

    @Test func parametersAreTextBinaryOrNull() throws {
        let row = try connection.query(
            "SELECT $1::int8, $2::text, $3::bytea, $4::text, $5::float8, $6::bool, $7::text",
            parameters: [
                .int(.min), "a'b\\c🦊", .binary([0, 1, 255]), nil, .double(0.1), .bool(true), "",
            ]
        ).row(0)
        #expect(try row.int64(0) == .min)
        #expect(try row.string(1) == "a'b\\c🦊")
        #expect(try row.bytes(2) == [0, 1, 255])
        #expect(try row.isNull(3))
        #expect(try row.string(3) == nil)
        #expect(try row.double(4) == 0.1)
        #expect(try row.bool(5) == true)
        #expect(try row.string(6)?.isEmpty == true)
    }

    @Test func aPreparedStatementRunsAgainAndAgain() throws {
        let statement = try connection.prepare("SELECT $1::int8 * 2, $2::bytea")
        for number in 0..<20 as Range<Int64> {
            let row = try connection.execute(
                statement, parameters: [.int(number), .binary([UInt8(number)])]
            ).row(0)
            #expect(try row.int64(0) == number * 2)
            #expect(try row.bytes(1) == [UInt8(number)])
        }
        try connection.deallocate(statement)
        let gone = try failure { try connection.execute(statement, parameters: [1, nil]) }
        #expect(gone?.sqlState == SQLState("26000"))
        let other = try SharedServer.connect()
        guard case .misuse = try failure({ try other.execute(statement) }) else {
            Issue.record("a statement of another connection")
            return
        }
    }

    @Test func aNULNeverCutsAStatementOff() throws {
        #expect(try failure { try connection.execute("SELECT 1\u{0}") } == .nulCharacter)
        #expect(try failure { try connection.query("SELECT 1\u{0}") } == .nulCharacter)
        #expect(
            try failure { try connection.query("SELECT $1::text", parameters: ["a\u{0}b"]) }
                == .nulCharacter)
        #expect(try failure { _ = try connection.prepare("\u{0}") } == .nulCharacter)
    }

    @Test func anErrorHasItsFieldsAndNoValues() throws {
        try connection.execute(
            "CREATE TEMP TABLE people (name text CONSTRAINT one_name UNIQUE); "
                + "INSERT INTO people VALUES ('secret')")
        let insert = "INSERT INTO people VALUES ('secret')"
        let error = try failure { try connection.execute(insert) }
        guard case .server(let message) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(message.sqlState == .uniqueViolation)
        #expect(message.severity == "ERROR")
        #expect(message.table == "people")
        #expect(message.constraint == "one_name")
        #expect(message.detail == nil)
        #expect(!error!.description.contains("secret"))
        #expect(!error!.isRetryable)
        // The connection goes on.
        #expect(try connection.query("SELECT count(*) FROM people").row(0).int64(0) == 1)
        let syntax = try failure { try connection.execute("SELEKT 1") }
        guard case .server(let message) = syntax else { return }
        #expect(message.position == 1)
    }

    @Test func theDetailIsThereOnRequest() throws {
        var options = ConnectionOptions()
        options.includesDetail = true
        let connection = try SharedServer.connect(options)
        let sql = "CREATE TEMP TABLE t (a int UNIQUE); INSERT INTO t VALUES (7), (7)"
        guard case .server(let message) = try failure({ try connection.execute(sql) }) else {
            Issue.record("no error")
            return
        }
        #expect(message.detail?.contains("(a)=(7)") == true)
    }

    @Test func anErrorEndsAllStatementsOfARequest() throws {
        let error = try failure {
            try connection.execute("CREATE TEMP TABLE gone (a int); SELECT 1/0; SELECT 2")
        }
        #expect(error?.sqlState == SQLState("22012"))
        let table = try connection.query("SELECT to_regclass('gone')").row(0)
        #expect(try table.isNull(0))
    }

    @Test func whatCannotBeReadIsAnError() throws {
        let result = try connection.query("SELECT 'x', 99999999999999999999, NULL, '\\x0g', ''")
        let row = try result.row(0)
        func isMalformed(_ body: () throws -> Void) throws -> Bool {
            if case .malformedValue = try failure(body) { true } else { false }
        }
        #expect(try isMalformed { _ = try row.int64(0) })
        #expect(try isMalformed { _ = try row.int64(1) })
        #expect(try isMalformed { _ = try row.double(0) })
        #expect(try isMalformed { _ = try row.bool(0) })
        #expect(try isMalformed { _ = try row.bytes(0) })
        #expect(try isMalformed { _ = try row.bytes(3) })
        #expect(try isMalformed { _ = try row.int64(4) })
        #expect(try isMalformed { _ = try row.int64(5) })
        #expect(try isMalformed { _ = try row.int64(-1) })
        #expect(try isMalformed { _ = try result.row(1) })
        #expect(try isMalformed { _ = try result.row(-1) })
        #expect(try isMalformed { _ = try result.column("nothing") })
        #expect(try row.int64(2) == nil)
        #expect(try row.rawText(3) == Array("\\x0g".utf8))
    }

    @Test func oneRowAtMostIsARow() throws {
        #expect(try connection.row("SELECT 1 WHERE false") == nil)
        #expect(try connection.row("SELECT 1")?.int64(0) == 1)
        guard
            case .unexpectedResult = try failure({
                _ = try connection.row("SELECT generate_series(1, 2)")
            })
        else {
            Issue.record("two rows")
            return
        }
    }

    @Test func noticesGoToTheHandler() throws {
        var notices: [ServerMessage] = []
        var options = ConnectionOptions()
        options.noticeHandler = { notices.append($0) }
        let connection = try SharedServer.connect(options)
        try connection.execute("DROP TABLE IF EXISTS nothing")
        #expect(notices.map(\.severity) == ["NOTICE"])
        #expect(notices.first?.message.contains("nothing") == true)
    }

    @Test(arguments: ["COPY t FROM STDIN", "COPY t TO STDOUT"])
    func aCopyIsNoStatementAndEndsAtOnce(copy: String) throws {
        try connection.execute(
            "CREATE TEMP TABLE t (a int); INSERT INTO t SELECT generate_series(1, 1000)")
        guard case .unexpectedResult = try failure({ try connection.execute(copy) }) else {
            Issue.record("a COPY was executed")
            return
        }
        #expect(try connection.query("SELECT count(*) FROM t").row(0).int64(0) == 1_000)
    }

    @Test func aLargeResultComesWhole() throws {
        let result = try connection.query(
            "SELECT i, repeat('x', 100) FROM generate_series(1, 50000) i")
        #expect(result.rowCount == 50_000)
        #expect(try result.row(49_999).int64(0) == 50_000)
    }

    @Test func valuesAreQuotedWhateverTheServersSetting() throws {
        let odd = ["", "'", "\\", "a'b\\'c\\\\", "\n\t\r🦊", "E'"]
        for setting in ["on", "off"] {
            try connection.execute(
                "SET standard_conforming_strings = \(setting); SET escape_string_warning = off")
            for text in odd {
                let row = try connection.query("SELECT \(SQLLiteral.text(text))").row(0)
                #expect(try row.string(0) == text)
            }
            let bytes: [UInt8] = [0, 0x5c, 0x27, 255]
            let row = try connection.query("SELECT \(SQLLiteral.bytes(bytes))::bytea").row(0)
            #expect(try row.bytes(0) == bytes)
        }
        #expect(try failure { _ = try SQLLiteral.text("\u{0}") } == .nulCharacter)
    }
}
