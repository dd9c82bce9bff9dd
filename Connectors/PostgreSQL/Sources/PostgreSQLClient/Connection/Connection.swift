import CLibPQ

/// A connection to a PostgreSQL server, or to one that speaks its protocol.
///
/// One thread at a time may use it. Each call blocks its thread until the server has answered, and
/// no longer than the limit without progress (`ConnectionOptions.timeout`). Not limited is only the
/// name resolution of the second and further hosts of a list.
///
/// States, with what leads from one to the next:
///
///     open --a request--> busy --its results--> open
///     busy --lost, timed out, or cancelled without an answer--> closed
///     open --close, deinit--> closed: every request throws `.closed`
public final class Connection {
    /// libpq's connection; nil once closed.
    var handle: OpaquePointer?
    /// What the connection was made with.
    public let options: ConnectionOptions
    /// The request that runs, or the last one.
    var request: Request
    var secrets: Secrets
    /// Numbers the names of prepared statements, which differ from those of other connections: a
    /// pooler may give this one a server process that has some of another client.
    var preparedCount = 0
    let preparedName = "travertine_\(String(UInt64.random(in: 0 ... .max), radix: 36))"

    /// Connects, and checks who the user is.
    ///
    /// The limit is the option `connect_timeout` for each host that is listed, 10 s if nothing sets
    /// it.
    ///
    /// - Throws: `.invalidParameters`, `.connectionFailed`, `.timedOut`, `.cancelled`, and
    ///   `.server` if the server gave a reason: a wrong password (28P01), no such database (3D000),
    ///   too many connections (53300), starting up (57P03).
    public init(
        _ parameters: ConnectionParameters, options: ConnectionOptions = ConnectionOptions()
    ) throws(PostgreSQLError) {
        self.options = options
        secrets = parameters.secrets
        request = Request(waitingFor: "a connection", limit: options.timeout)
        try connect(parameters)
    }

    deinit { close() }

    /// Ends the connection; the server rolls an open transaction back. Closing twice does nothing.
    public func close() {
        guard let handle else { return }
        self.handle = nil
        PQfinish(handle)
    }

    /// Whether it was closed, by `close` or by a failure.
    public var isClosed: Bool { handle == nil }

    /// Whether statements are in a transaction block, a failed one too.
    public var isInTransaction: Bool {
        guard let handle else { return false }
        let status = PQtransactionStatus(handle)
        return status == PQTRANS_INTRANS || status == PQTRANS_INERROR
    }

    /// Whether the transport is encrypted by TLS.
    public var isEncrypted: Bool { handle.map { PQsslInUse($0) != 0 } ?? false }

    /// The server's version as a number, 150018 for 15.18; 0 if closed. Servers that speak the
    /// protocol report the version that they imitate.
    public var serverVersion: Int { handle.map { Int(PQserverVersion($0)) } ?? 0 }

    /// A setting that the server reports by itself, such as `server_version` or `TimeZone`.
    public func reportedSetting(_ name: String) -> String? {
        guard let handle, let value = PQparameterStatus(handle, name) else { return nil }
        return String(cString: value)
    }

    /// The server's process of this connection, as `pg_stat_activity` shows it.
    public var backendProcess: Int32 { handle.map { PQbackendPID($0) } ?? 0 }

    /// The user, host, port and database, for messages.
    public var summary: String {
        guard let handle else { return "closed connection" }
        func text(_ value: UnsafeMutablePointer<CChar>?) -> String {
            value.map { secrets.redact(String(cString: $0)) } ?? ""
        }
        return "\(text(PQuser(handle)))@\(text(PQhost(handle))):\(text(PQport(handle)))"
            + "/\(text(PQdb(handle)))"
    }
}

extension Connection {
    /// libpq's connection.
    ///
    /// - Throws: `.closed`.
    func open() throws(PostgreSQLError) -> OpaquePointer {
        guard let handle else { throw .closed }
        return handle
    }

    /// The last message of libpq in one line, without secrets.
    func lastMessage(_ handle: OpaquePointer) -> String {
        guard let text = PQerrorMessage(handle) else { return "out of memory" }
        return secrets.redact(Self.singleLine(String(cString: text)))
    }

    static func singleLine(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).map { $0.trimmingSpaces() }
            .filter { !$0.isEmpty }.joined(separator: " ")
    }
}
