import PostgreSQLClient
import PostgreSQLServer

/// One server for all tests that leave it alone.
enum SharedServer {
    private static let started = Result {
        try TemporaryPostgreSQLServer(settings: ["max_connections": "100"])
    }

    /// The server, which the first test starts.
    ///
    /// - Throws: why there is none.
    static func running() throws -> TemporaryPostgreSQLServer { try started.get() }

    /// A new connection, with short limits.
    static func connect(
        _ options: ConnectionOptions = ConnectionOptions()
    ) throws -> Connection {
        try Connection(ConnectionParameters(running().connectionString), options: options)
    }

    /// A new connection through a proxy.
    static func connect(
        through proxy: FaultProxy, _ options: ConnectionOptions = ConnectionOptions()
    ) throws -> Connection {
        let text = try running().connectionString(port: proxy.port)
        return try Connection(ConnectionParameters(text), options: options)
    }

    /// A proxy in front of the server.
    static func proxy() throws -> FaultProxy { try FaultProxy(to: running().port) }
}

/// The error of PostgreSQL that a closure throws; nil if none.
///
/// An error of another kind fails the test.
func failure<Value>(_ body: () throws -> Value) throws -> PostgreSQLError? {
    do {
        _ = try body()
        return nil
    } catch let error as PostgreSQLError {
        return error
    }
}

/// Options with a short limit.
func options(timeout: Duration) -> ConnectionOptions {
    var options = ConnectionOptions()
    options.timeout = timeout
    return options
}
