/// The reason in libpq's message of a failed connection.
enum ConnectFailure {
    /// The error of a message of several lines, in which the server's own have a code:
    ///
    ///     connection to server at "db" (10.0.0.1), port 5432 failed: FATAL:  28P01: password …
    ///     LOCATION:  auth_failed, auth.c:338
    static func error(message: String) -> PostgreSQLError {
        let lines = message.split(whereSeparator: \.isNewline).map { $0.trimmingSpaces() }
        // The place in the server's source says nothing to a user.
        let told = lines.filter { !$0.hasPrefix("LOCATION:") }.joined(separator: " ")
        // With several hosts the last is the one that was tried last.
        for line in lines.reversed() {
            if let (code, text) = serverError(in: line) {
                return .server(
                    ServerMessage(severity: "FATAL", sqlState: SQLState(code), message: text))
            }
        }
        return .connectionFailed(told)
    }

    /// The code and the message after it: a severity, a colon, two spaces, the code, a colon. Every
    /// code has a digit in it, the severities have none.
    private static func serverError(in line: String) -> (code: String, message: String)? {
        let match = line.firstMatch(of: /:\s+(?=[A-Z]*[0-9])([0-9A-Z]{5}):\s+(.*)$/)
        return match.map { (String($0.1), String($0.2)) }
    }
}
