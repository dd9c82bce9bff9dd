/// How a connection waits and what it reports, apart from where it leads.
public struct ConnectionOptions {
    /// The longest time without progress: no byte came and none could be sent. A statement that
    /// computes for longer must be given its own limit.
    public var timeout: Duration = .seconds(60)
    /// How long a cancelled statement may go on before the connection is closed instead.
    public var cancellationLimit: Duration = .seconds(2)
    /// Whether errors have the server's DETAIL, which may have values of rows in it.
    public var includesDetail = false
    /// Asked at least every 100 ms in each wait, on the thread that waits; true ends it with
    /// `.cancelled`.
    public var isCancelled: (() -> Bool)?
    /// Gets the text of each statement before it is sent, with the values that are written in it.
    public var statementHandler: ((String) -> Void)?
    /// Gets warnings and notices of the server, on the thread that uses the connection. It must not
    /// use the connection.
    public var noticeHandler: ((ServerMessage) -> Void)?

    /// The defaults.
    public init() {}
}
