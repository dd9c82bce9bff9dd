import PostgreSQLClient
import PostgreSQLServer
import Testing

@Test func smoke() throws {
    let server = try TemporaryPostgreSQLServer()
    let connection = try Connection(ConnectionParameters(server.connectionString))
    let result = try connection.query("SELECT $1::int8 + 1, 'x', NULL", parameters: [41])
    #expect(try result.row(0).int64(0) == 42)
    try connection.execute("CREATE TABLE t (a int8, b text)")
    let count = try connection.copyIn("COPY t FROM STDIN") { writer in
        for i in 0..<100_000 {
            try writer.writeRow { row in
                row.append(i)
                try row.append("text \t \\ \n \(i)")
            }
        }
    }
    #expect(count == 100_000)
    var seen = 0
    try connection.copyOut("COPY t TO STDOUT") { row in seen += 1 }
    #expect(seen == 100_000)
}
