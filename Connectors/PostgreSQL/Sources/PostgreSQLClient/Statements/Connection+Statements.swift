import CLibPQ

extension Connection {
    /// Runs one statement or several, separated by semicolons, and returns the result of the last.
    ///
    /// Outside of a transaction the server runs several as one transaction, unless they begin and
    /// end transactions themselves. After an error the rest is not run.
    ///
    /// - Parameter timeout: the longest time without progress instead of that of the options.
    /// - Throws: `.server`, `.connectionLost`, `.timedOut`, `.cancelled`, `.closed`,
    ///   `.nulCharacter`, `.unexpectedResult` for a COPY.
    @discardableResult
    public func execute(
        _ sql: String, timeout: Duration? = nil
    ) throws(PostgreSQLError) -> QueryResult {
        try execute(sql, timeout: timeout, isCancellable: true)
    }

    func execute(
        _ sql: String, timeout: Duration?, isCancellable: Bool
    ) throws(PostgreSQLError) -> QueryResult {
        let handle = try begin(
            sql, "the server's answer", timeout, isCancellable: isCancellable)
        try send(handle, PQsendQuery(handle, sql))
        return try result(handle)
    }

    /// Runs one statement with values for `$1`, `$2`, and so on, at most 65,535 of them.
    ///
    /// Returns all rows, in memory, as text. See `copyOut` for results of any size.
    ///
    /// - Throws: as `execute`.
    @discardableResult
    public func query(
        _ sql: String, parameters: [Parameter] = [], timeout: Duration? = nil
    ) throws(PostgreSQLError) -> QueryResult {
        let values = try ParameterList(parameters)
        let handle = try begin(sql, "the server's answer", timeout)
        let isQueued = values.withPointers { count, pointers, lengths, formats in
            PQsendQueryParams(handle, sql, count, nil, pointers, lengths, formats, 0)
        }
        try send(handle, isQueued)
        return try result(handle)
    }

    /// Runs a query that has one row at most; nil if it has none.
    ///
    /// - Throws: as `query`; `.unexpectedResult` for more rows.
    public func row(
        _ sql: String, parameters: [Parameter] = [], timeout: Duration? = nil
    ) throws(PostgreSQLError) -> Row? {
        let result = try query(sql, parameters: parameters, timeout: timeout)
        guard result.rowCount <= 1 else {
            throw .unexpectedResult("\(result.rowCount) rows where there must be one at most")
        }
        return result.rows.first
    }

    /// Has the server parse a statement, which can then be run several times on this connection.
    ///
    /// - Throws: as `execute`.
    public func prepare(
        _ sql: String, timeout: Duration? = nil
    ) throws(PostgreSQLError) -> PreparedStatement {
        let handle = try begin(sql, "the server's answer", timeout)
        preparedCount += 1
        let statement = PreparedStatement(
            name: "\(preparedName)_\(preparedCount)", connection: ObjectIdentifier(self))
        try send(handle, PQsendPrepare(handle, statement.name, sql, 0, nil))
        _ = try result(handle)
        return statement
    }

    /// Runs a prepared statement.
    ///
    /// - Throws: as `query`; `.misuse` for a statement of another connection.
    @discardableResult
    public func execute(
        _ statement: PreparedStatement, parameters: [Parameter] = [], timeout: Duration? = nil
    ) throws(PostgreSQLError) -> QueryResult {
        try check(statement)
        let values = try ParameterList(parameters)
        let handle = try begin(nil, "the server's answer", timeout)
        let isQueued = values.withPointers { count, pointers, lengths, formats in
            PQsendQueryPrepared(handle, statement.name, count, pointers, lengths, formats, 0)
        }
        try send(handle, isQueued)
        return try result(handle)
    }

    /// - Throws: `.misuse` for a statement of another connection.
    func check(_ statement: PreparedStatement) throws(PostgreSQLError) {
        guard statement.connection == ObjectIdentifier(self) else {
            throw .misuse("the statement was prepared on another connection")
        }
    }

    /// Has the server forget a prepared statement.
    ///
    /// - Throws: as `execute`.
    public func deallocate(
        _ statement: PreparedStatement, timeout: Duration? = nil
    ) throws(PostgreSQLError) {
        try execute("DEALLOCATE \(statement.name)", timeout: timeout)
    }

    private func result(_ handle: OpaquePointer) throws(PostgreSQLError) -> QueryResult {
        guard let result = try finish(handle) else {
            throw .unexpectedResult("the server sent no result")
        }
        return result
    }
}

/// A statement that the server has parsed, on one connection.
public struct PreparedStatement: Sendable {
    let name: String
    /// The connection that it belongs to. A connection that was closed and freed may have had the
    /// same identity; then the server does not know the name, and reports it.
    let connection: ObjectIdentifier
}

extension String {
    /// - Throws: `.nulCharacter` if it has U+0000, where C would end it.
    func checkForNUL() throws(PostgreSQLError) {
        if utf8.contains(0) { throw .nulCharacter }
    }
}
