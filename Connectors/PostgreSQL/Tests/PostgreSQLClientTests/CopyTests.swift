import PostgreSQLClient
import PostgreSQLServer
import Testing

struct CopyTests {
    private struct Stop: Error {}

    private let connection: Connection

    init() throws {
        connection = try SharedServer.connect()
        try connection.execute("CREATE TEMP TABLE t (a int8, b text)")
    }

    private func count() throws -> Int64? {
        try connection.query("SELECT count(*) FROM t").row(0).int64(0)
    }

    private func write(_ range: Range<Int>, _ writer: inout CopyWriter) throws {
        for number in range {
            try writer.writeRow { row in
                row.append(number)
                try row.append("row\t\(number)\n🦊")
            }
        }
    }

    @Test func aHundredThousandRowsGoInAndOut() throws {
        let stored = try connection.copyIn("COPY t FROM STDIN") { writer in
            try write(0..<100_000, &writer)
            #expect(writer.rowCount == 100_000)
            #expect(writer.sentByteCount > 1_000_000)
        }
        #expect(stored == 100_000)
        var next = 0
        let read = try connection.copyOut("COPY (SELECT * FROM t ORDER BY a) TO STDOUT") { row in
            let fields = try CopyFields.decode(row)
            let expected = [Array("\(next)".utf8), Array("row\t\(next)\n🦊".utf8)]
            if fields != expected { Issue.record("row \(next)") }
            next += 1
        }
        #expect(read == 100_000)
        #expect(next == 100_000)
    }

    @Test func oddTextsAreStoredAsTheyAre() throws {
        let odd = [
            "", "\\N", "\\.", "\\", "\\\\", "a\\", "\t", "\n", "\r\n", "\u{B}\u{8}\u{C}", "NULL",
            "👩‍👩‍👧‍👦", "e\u{301}", "é", "\u{FEFF}x", "\u{10FFFF}",
            String(repeating: "1 MB of it \\ \t", count: 80_000),
        ]
        try connection.copyIn("COPY t FROM STDIN") { writer in
            for (index, text) in odd.enumerated() {
                try writer.writeRow { row in
                    row.append(index)
                    try row.append(text)
                }
            }
        }
        let result = try connection.query("SELECT b FROM t ORDER BY a")
        #expect(result.rowCount == odd.count)
        for (index, text) in odd.enumerated() {
            // Bytes, not what Swift takes for equal.
            #expect(try result.row(index).rawText(0) == Array(text.utf8), "\(index)")
        }
    }

    @Test func aRowWithNULIsLeftOutAndTheOthersAreStored() throws {
        try connection.copyIn("COPY t FROM STDIN") { writer in
            try write(0..<10, &writer)
            let error = try failure {
                try writer.writeRow { row in
                    row.append(10)
                    try row.append("a\u{0}b")
                }
            }
            #expect(error == .nulCharacter)
            try write(11..<20, &writer)
        }
        #expect(try count() == 19)
    }

    @Test func aClosureThatThrowsStoresNothing() throws {
        #expect(throws: Stop.self) {
            try connection.copyIn("COPY t FROM STDIN") { writer in
                try write(0..<10_000, &writer)
                throw Stop()
            }
        }
        #expect(try count() == 0)
    }

    @Test func anErrorInARowIsTheServers() throws {
        let error = try failure {
            try connection.copyIn("COPY t FROM STDIN") { writer in
                try write(0..<10, &writer)
                try writer.writeRow { row in
                    try row.append("no number")
                    row.appendNull()
                }
                try write(0..<100_000, &writer)
            }
        }
        #expect(error?.sqlState == .invalidTextRepresentation)
        #expect(try count() == 0)
    }

    @Test func aStatementThatIsNoCopyInThatDirectionIsRefused() throws {
        for sql in ["SELECT 1", "COPY t TO STDOUT", "SELEKT", "SELECT 1; COPY t FROM STDIN"] {
            #expect(
                try failure {
                    try connection.copyIn(sql) { _ in Issue.record("called") }
                } != nil)
            #expect(try count() == 0)
        }
        for sql in ["SELECT 1", "COPY t FROM STDIN", "COPY nothing TO STDOUT"] {
            #expect(
                try failure {
                    try connection.copyOut(sql) { _ in Issue.record("called") }
                } != nil)
            #expect(try count() == 0)
        }
    }

    @Test func aStatementWithinACopyIsRefused() throws {
        try connection.copyIn("COPY t FROM STDIN") { writer in
            try write(0..<10, &writer)
            guard case .misuse = try failure({ try connection.execute("SELECT 1") }) else {
                Issue.record("a statement within a COPY")
                return
            }
            try write(10..<20, &writer)
        }
        #expect(try count() == 20)
    }

    @Test func aCancellationEndsACopyEvenIfTheClosureIgnoresIt() throws {
        var isCancelled = false
        var options = ConnectionOptions()
        options.isCancelled = { isCancelled }
        options.cancellationLimit = .seconds(60)
        let connection = try SharedServer.connect(options)
        try connection.execute("CREATE TEMP TABLE t (a int8, b text)")
        let error = try failure {
            try connection.copyIn("COPY t FROM STDIN") { writer in
                try write(0..<10, &writer)
                isCancelled = true
                #expect(try failure { try write(10..<100_000, &writer) } == .cancelled(.notApplied))
            }
        }
        isCancelled = false
        #expect(error == .cancelled(.notApplied))
        #expect(!connection.isClosed)
        #expect(try connection.query("SELECT count(*) FROM t").row(0).int64(0) == 0)
    }

    @Test func bytesThatAreRowsAlreadyAreSentAsTheyAre() throws {
        try connection.copyIn("COPY t FROM STDIN (FORMAT csv)") { writer in
            for piece in ["1,o", "ne\n2,\"t,", "wo\"\n"] {
                try Array(piece.utf8).withUnsafeBytes { try writer.write($0) }
            }
            #expect(writer.sentByteCount == 15)
        }
        let texts = try connection.query("SELECT b FROM t ORDER BY a").rows.map { try $0.string(0) }
        #expect(texts == ["one", "t,wo"])
    }

    @Test func readingCanEndEarly() throws {
        try connection.execute(
            "INSERT INTO t SELECT i, repeat('x', 1000) FROM generate_series(1, 50000) i")
        var seen = 0
        #expect(throws: Stop.self) {
            try connection.copyOut("COPY t TO STDOUT") { _ in
                seen += 1
                if seen == 10 { throw Stop() }
            }
        }
        #expect(seen == 10)
        #expect(try count() == 50_000)
    }

    @Test func closingWithinACopyIsAnError() throws {
        let error = try failure {
            try connection.copyIn("COPY t FROM STDIN") { writer in
                connection.close()
                try write(0..<10_000, &writer)
            }
        }
        #expect(error == .closed)
    }

    @Test(arguments: 0..<10 as Range<UInt64>)
    func randomValuesAreStoredAsTheyAre(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        try connection.execute(
            "CREATE TEMP TABLE v (i int8, d float8, f float4, s text, b bytea, y bool)")
        let rows = (0..<200).map { _ in
            (
                Double(bitPattern: random.next()),
                Float(bitPattern: UInt32(truncatingIfNeeded: random.next())),
                random.text(characterCountMax: 40), random.bytes(countMax: 60),
                Bool.random(using: &random)
            )
        }
        try connection.copyIn("COPY v FROM STDIN") { writer in
            for (index, value) in rows.enumerated() {
                try writer.writeRow { row in
                    row.append(index)
                    row.append(value.0)
                    row.append(value.1)
                    try row.append(value.2)
                    row.append(bytea: value.3)
                    row.append(value.4)
                }
            }
        }
        let result = try connection.query("SELECT * FROM v ORDER BY i")
        #expect(result.rowCount == rows.count)
        for (row, value) in zip(result.rows, rows) {
            let double = try row.double(1) ?? 0
            #expect(double.bitPattern == value.0.bitPattern || (double.isNaN && value.0.isNaN))
            let float = Float(try row.string(2) ?? "") ?? 0
            #expect(float.bitPattern == value.1.bitPattern || (float.isNaN && value.1.isNaN))
            #expect(try row.rawText(3) == Array(value.2.utf8))
            #expect(try row.bytes(4) == value.3)
            #expect(try row.bool(5) == value.4)
        }
    }
}
