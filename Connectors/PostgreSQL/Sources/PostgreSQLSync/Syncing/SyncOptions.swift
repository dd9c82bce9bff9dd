import PostgreSQLClient

/// How a realm is copied.
public struct SyncOptions: Sendable {
    /// What tables look like.
    public var mapping = MappingOptions()
    /// Whether a U+0000 in a text is replaced by U+FFFD, since PostgreSQL has none.
    public var replacesNUL = false
    /// Whether tables that are there are dropped, and everything is copied again.
    public var rebuilds = false
    /// After how many objects the first load commits; nil for once, at its end.
    public var loadCommitCount: Int?
    /// How long lost connections are tried again.
    public var retries = RetryPolicy(
        baseDelay: .milliseconds(100), maximumDelay: .seconds(10), limit: .none)

    /// The longest time that the server may make no progress before the connection is given up, and
    /// tried again.
    public var timeout = Duration.seconds(60)
    /// Gets each statement before it is sent.
    public var statementHandler: (@Sendable (String) -> Void)?
    /// What the server is taken for; nil for what it says of itself.
    var dialect: Dialect?

    /// The defaults.
    public init() {}
}

/// What was copied.
public struct SyncSummary: Sendable, Codable, Hashable {
    /// Objects that were added or changed.
    public var putCount = 0
    /// Objects that were deleted.
    public var deletedCount = 0
    /// Transactions of the server with objects in them.
    public var commitCount = 0
    /// How often a connection was lost, or the server asked to try again.
    public var retryCount = 0
    /// Texts that lost a U+0000.
    public var replacedTextCount = 0
    /// Points in time beyond PostgreSQL's range, which became infinite or null.
    public var unboundedDateCount = 0
    /// Asymmetric objects whose primary key the server had already: the first one with it stays.
    public var keptRowCount = 0
    /// The LSN of the realm's store up to which the tables have everything.
    public var lsn: UInt64 = 0
}

/// What happens while a realm is copied.
public enum SyncEvent: Sendable {
    /// All objects are copied, for a reason.
    case load(reason: String, objectCount: Int)
    /// So many were copied since.
    case loaded(objectCount: Int)
    /// A transaction was committed.
    case committed(putCount: Int, deletedCount: Int, lsn: UInt64, position: String)
    /// Tables were changed.
    case note(String)
    /// The server failed, and is tried again after a time.
    case retry(PostgreSQLError, delay: Duration)
}
