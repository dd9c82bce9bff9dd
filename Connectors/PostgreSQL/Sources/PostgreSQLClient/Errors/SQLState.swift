/// The code of an error of the server: five digits or capital letters, of which the first two are
/// the class (PostgreSQL's documentation, appendix A).
public struct SQLState: Hashable, Sendable, CustomStringConvertible {
    /// The five characters.
    public let code: String

    /// A code as the server sent it, of any length.
    public init(_ code: String) { self.code = code }

    /// The first two characters.
    public var classCode: Substring { code.prefix(2) }

    /// The code.
    public var description: String { code }
}

extension SQLState {
    /// 40001: the transaction conflicts with another one. CockroachDB ("restart transaction") and
    /// YugabyteDB report all conflicts like this.
    public static let serializationFailure = SQLState("40001")
    /// 40003: the server does not know whether the statement took effect.
    public static let statementCompletionUnknown = SQLState("40003")
    /// 40P01.
    public static let deadlockDetected = SQLState("40P01")
    /// 08007: the server does not know whether the transaction was committed.
    public static let transactionResolutionUnknown = SQLState("08007")
    /// 53300.
    public static let tooManyConnections = SQLState("53300")
    /// 55P03.
    public static let lockNotAvailable = SQLState("55P03")
    /// 57014: a request of a client or a limit of the server ended the statement.
    public static let queryCanceled = SQLState("57014")
    /// 57P01: the server is stopped, or somebody ended this connection.
    public static let adminShutdown = SQLState("57P01")
    /// 57P03: the server is starting or stopping.
    public static let cannotConnectNow = SQLState("57P03")
    /// 28P01.
    public static let invalidPassword = SQLState("28P01")
    /// 23505.
    public static let uniqueViolation = SQLState("23505")
    /// 42P01.
    public static let undefinedTable = SQLState("42P01")
    /// 2BP01: something depends on what was to be dropped.
    public static let dependentObjectsStillExist = SQLState("2BP01")
    /// 22P02: a text is not a value of the column's type.
    public static let invalidTextRepresentation = SQLState("22P02")
}

extension SQLState {
    /// Codes after which the same transaction may succeed when it is repeated, besides class 08.
    ///
    /// 53400 is not among them: the limits that it reports are configured, and stay. Neither is
    /// 57014, which a limit of the server's configuration gives again.
    private static let transientCodes: Set<String> = [
        "40000", "40001", "40003", "40P01",
        "53000", "53100", "53200", "53300",
        "55P03",
        "57P01", "57P02", "57P03", "57P05",
        // Idle in a transaction for too long; a server that only reads, as after a failover.
        "25P03", "25006",
        // CockroachDB: a range is unavailable; a node could not reach another one.
        "58C00", "58C01",
    ]

    /// Whether the same transaction may succeed when it is repeated, on a new connection if this
    /// one was lost.
    ///
    /// Class 08 is the connection, to the server or between its nodes. 08P01 is left out: a broken
    /// protocol stays broken.
    public var isTransient: Bool {
        if classCode == "08" { return code != "08P01" }
        return Self.transientCodes.contains(code)
    }

    /// Whether the server says that it does not know what became of the statement.
    public var reportsUnknownOutcome: Bool {
        self == .statementCompletionUnknown || self == .transactionResolutionUnknown
    }

    /// Whether a COMMIT that ended with this error may have taken effect.
    ///
    /// With synchronous replication PostgreSQL commits locally, waits for another server, and ends
    /// the wait with 57P01 when it is shut down. Class XX is a failure inside of the server.
    var leavesCommitOpen: Bool {
        reportsUnknownOutcome || classCode == "08" || classCode == "58" || classCode == "XX"
            || code.hasPrefix("57P0")
    }
}
