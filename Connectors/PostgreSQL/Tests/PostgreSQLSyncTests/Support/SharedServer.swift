import PostgreSQLServer

/// One server for all tests that leave it alone. It does not sync its files: none of them kills it.
enum SharedServer {
    private static let started = Result {
        try TemporaryPostgreSQLServer(settings: ["max_connections": "200", "fsync": "off"])
    }

    /// The server, which the first test starts.
    ///
    /// - Throws: why there is none.
    static func running() throws -> TemporaryPostgreSQLServer { try started.get() }
}
