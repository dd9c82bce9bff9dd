import PostgreSQLClient

/// Sends rows and statements. A COPY stays open as long as rows of one table come, so that the
/// server stores them while the next ones are made.
final class ServerWriter {
    private let connection: Connection
    /// What the server is.
    let dialect: Dialect
    private var open: (statement: String, copy: OpenCopy)?

    /// - Parameter dialect: nil for what the server says of itself.
    init(_ connection: Connection, dialect: Dialect? = nil) {
        self.connection = connection
        self.dialect = dialect ?? Dialect(connection)
    }

    /// Sends rows by a COPY.
    func copy(_ rows: [UInt8], by statement: String) throws {
        if let open, open.statement != statement { try endCopy() }
        if open == nil { open = (statement, try connection.openCopy(statement)) }
        try open?.copy.write(rows)
    }

    /// Runs a statement, after what was sent before it.
    @discardableResult
    func execute(_ statement: String) throws -> QueryResult {
        try endCopy()
        return try connection.execute(statement)
    }

    /// Ends the COPY that is open, if there is one: any other statement comes after that.
    func endCopy() throws {
        guard let copy = open?.copy else { return }
        open = nil
        try copy.end()
    }
}
