/// Why something failed that a connection was asked for.
///
/// No case has a password in it. Values of rows are in the server's own messages at most.
public enum PostgreSQLError: Error, Hashable, Sendable {
    /// The text that says where to connect is not valid.
    case invalidParameters(String)
    /// No connection came about, for a reason that the server did not give a code for.
    case connectionFailed(String)
    /// The connection ended in the middle of a request, and is closed.
    case connectionLost(String, Outcome)
    /// The server made no progress for longer than the limit; the connection is closed.
    case timedOut(waitingFor: String, limit: Duration, Outcome)
    /// `ConnectionOptions.isCancelled` returned true.
    case cancelled(Outcome)
    /// The server refused the connection, or the statement. The connection goes on unless
    /// the severity is FATAL.
    case server(ServerMessage)
    /// A COMMIT ended such that it may have taken effect or not, for the reason given.
    indirect case commitOutcomeUnknown(PostgreSQLError)
    /// A transaction was to be committed, but a statement in it had failed: it was rolled back.
    case transactionAborted
    /// The server answered with something else than what the function is for.
    case unexpectedResult(String)
    /// A value of a result is null, out of range, or not what the accessor reads.
    case malformedValue(String)
    /// A text has the character U+0000, which PostgreSQL cannot store.
    case nulCharacter
    /// A name is empty, or has the character U+0000.
    case invalidIdentifier
    /// The connection was closed, or has failed before.
    case closed
    /// A function was called when it must not be.
    case misuse(String)

    /// What became of a request that did not end.
    public enum Outcome: Hashable, Sendable {
        /// It has not taken effect: it was in a transaction, which is rolled back, or was not sent.
        case notApplied
        /// It may have taken effect or not: it would have committed by itself.
        case unknown
    }
}

extension PostgreSQLError {
    /// Whether what failed may have taken effect all the same.
    ///
    /// To repeat it is right only if that does no harm, or after looking.
    public var outcomeIsUnknown: Bool {
        switch self {
        case .connectionLost(_, let outcome), .timedOut(_, _, let outcome),
            .cancelled(let outcome):
            outcome == .unknown
        case .server(let message): message.sqlState.reportsUnknownOutcome
        case .commitOutcomeUnknown: true
        case .invalidParameters, .connectionFailed, .transactionAborted, .unexpectedResult,
            .malformedValue, .nulCharacter, .invalidIdentifier, .closed, .misuse:
            false
        }
    }

    /// Whether the whole transaction may succeed when it is repeated after a delay, on a new
    /// connection if this one is closed.
    ///
    /// Says nothing about whether to repeat it is right: see `outcomeIsUnknown`.
    public var isRetryable: Bool {
        switch self {
        // What libpq says itself, and no server, before a connection: in English always.
        case .connectionFailed(let message):
            !message.contains("no password supplied") && !message.contains("does not support SSL")
        case .connectionLost, .timedOut, .closed: true
        case .commitOutcomeUnknown(.cancelled): false
        case .commitOutcomeUnknown: true
        case .server(let message): message.isTransient
        case .invalidParameters, .cancelled, .transactionAborted, .unexpectedResult,
            .malformedValue, .nulCharacter, .invalidIdentifier, .misuse:
            false
        }
    }

    /// The code that the server gave, of the COMMIT too.
    public var sqlState: SQLState? {
        switch self {
        case .server(let message): message.sqlState
        case .commitOutcomeUnknown(let cause): cause.sqlState
        default: nil
        }
    }
}

extension PostgreSQLError: CustomStringConvertible {
    /// What happened, in one line, without a password.
    public var description: String {
        switch self {
        case .invalidParameters(let message): "the connection string is not valid: \(message)"
        case .connectionFailed(let message): "could not connect: \(message)"
        case .connectionLost(let message, let outcome):
            "the connection was lost: \(message)\(outcome.explanation)"
        case .timedOut(let step, let limit, let outcome):
            "timed out while waiting for \(step): no progress for \(limit)\(outcome.explanation)"
        case .cancelled(let outcome): "cancelled\(outcome.explanation)"
        case .server(let message): message.description
        case .commitOutcomeUnknown(let cause):
            "whether the transaction was committed is unknown: \(cause)"
        case .transactionAborted:
            "the transaction was rolled back instead of committed: a statement in it had failed"
        case .unexpectedResult(let message): "unexpected answer of the server: \(message)"
        case .malformedValue(let message): "unexpected value in a result: \(message)"
        case .nulCharacter: "a text has the character U+0000, which PostgreSQL cannot store"
        case .invalidIdentifier: "a name in SQL must not be empty or have the character U+0000"
        case .closed: "the connection is closed"
        case .misuse(let message): message
        }
    }
}

extension PostgreSQLError.Outcome {
    fileprivate var explanation: String {
        self == .unknown ? "; whether the statement took effect is unknown" : ""
    }
}
