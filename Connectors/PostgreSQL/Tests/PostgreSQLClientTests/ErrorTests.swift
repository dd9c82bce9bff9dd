import Testing

@testable import PostgreSQLClient

struct ErrorTests {
    private static func server(_ code: String) -> PostgreSQLError {
        .server(ServerMessage(sqlState: SQLState(code), message: ""))
    }

    @Test(arguments: [
        "40001", "40P01", "40003", "08000", "08001", "08003", "08004", "08006", "08007", "53300",
        "57P01", "57P02", "57P03", "55P03",
    ])
    func whatPassesIsRetryable(code: String) {
        #expect(Self.server(code).isRetryable)
    }

    @Test(arguments: [
        "08P01", "22P02", "23505", "25P02", "28P01", "3D000", "42601", "42P01", "53400",
        "57014", "57P04", "XX000", "", "4", "08",
    ])
    func whatStaysIsNotRetryable(code: String) {
        // Class 08 as a whole is the connection.
        #expect(Self.server(code).isRetryable == (code == "08"))
    }

    @Test func theServerSaysWhatIsUnknown() {
        #expect(Self.server("40003").outcomeIsUnknown)
        #expect(Self.server("08007").outcomeIsUnknown)
        #expect(!Self.server("40001").outcomeIsUnknown)
        #expect(PostgreSQLError.commitOutcomeUnknown(.closed).outcomeIsUnknown)
        #expect(PostgreSQLError.connectionLost("", .unknown).outcomeIsUnknown)
        #expect(!PostgreSQLError.connectionLost("", .notApplied).outcomeIsUnknown)
    }

    @Test func aCancellationIsNotRepeated() {
        #expect(!PostgreSQLError.cancelled(.unknown).isRetryable)
        #expect(!PostgreSQLError.commitOutcomeUnknown(.cancelled(.unknown)).isRetryable)
    }

    @Test func theReasonOfAFailedConnectionHasItsCode() {
        let message = """
            connection to server at "db" (10.0.0.1), port 5432 failed: FATAL:  53300: too many clients
            LOCATION:  InitProcess, proc.c:354
            """
        #expect(
            ConnectFailure.error(message: message)
                == .server(
                    ServerMessage(
                        severity: "FATAL", sqlState: .tooManyConnections,
                        message: "too many clients")))
        #expect(
            ConnectFailure.error(message: "could not connect\n\tIs the server running?\n")
                == .connectionFailed("could not connect Is the server running?"))
    }
}
