import PostgreSQLClient
import PostgreSQLServer
import Testing

struct EncryptionTests {
    @Test func rowsGoThroughTLSInBothDirections() throws {
        let server = try TemporaryPostgreSQLServer(.password("correct_horse"), isEncrypted: true)
        let text = server.connectionString + " sslmode=verify-full sslrootcert="
        let connection = try Connection(ConnectionParameters(text + server.rootCertificate))
        #expect(connection.isEncrypted)
        try connection.execute("CREATE TABLE t (a int8, b text)")
        let stored = try connection.copyIn("COPY t FROM STDIN") { writer in
            for number in 0..<100_000 {
                try writer.writeRow { row in
                    row.append(number)
                    try row.append("some text to make it longer")
                }
            }
        }
        #expect(stored == 100_000)
        #expect(try connection.copyOut("COPY t TO STDOUT") { _ in } == 100_000)
        let long = try connection.query("SELECT repeat('x', 5000000)").row(0).string(0)
        #expect(long?.utf8.count == 5_000_000)

        // Another server's root did not sign the certificate.
        let other = try TemporaryPostgreSQLServer(isEncrypted: true)
        let error = try failure {
            _ = try Connection(ConnectionParameters(text + other.rootCertificate))
        }
        guard case .connectionFailed(let message) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(message.contains("certificate"))
    }
}
