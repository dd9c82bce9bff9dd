import CLibPQ

/// A column of the rows that a query gives.
public struct QueryColumn: Hashable, Sendable {
    /// Its name, which others may have too.
    public let name: String
    /// How its values are read.
    public let type: ColumnType
}

extension Connection {
    /// The columns that a prepared statement gives; empty for one that gives no rows.
    ///
    /// Types that are not PostgreSQL's own are looked up in its catalog.
    ///
    /// - Throws: as `execute`; `.misuse` for a statement of another connection.
    public func columns(
        of statement: PreparedStatement, timeout: Duration? = nil
    ) throws(PostgreSQLError) -> [QueryColumn] {
        try check(statement)
        let handle = try begin(nil, "the server's answer", timeout)
        try send(handle, PQsendDescribePrepared(handle, statement.name))
        guard let result = try finish(handle) else {
            throw .unexpectedResult("the server sent no result")
        }
        let identifiers = (0..<Int32(result.columnCount)).map { PQftype(result.handle, $0) }
        let others = try types(of: identifiers.filter { ColumnType(identifier: $0) == nil })
        return zip(result.columnNames, identifiers).map { name, identifier in
            QueryColumn(
                name: name,
                type: ColumnType(identifier: identifier) ?? others[identifier] ?? .text)
        }
    }

    /// What the catalog says of types: which ones are arrays, and of what.
    private func types(
        of identifiers: [UInt32]
    ) throws(PostgreSQLError) -> [UInt32: ColumnType] {
        if identifiers.isEmpty { return [:] }
        let list = Set(identifiers).sorted().map(String.init).joined(separator: ", ")
        let result = try query(
            "SELECT oid, typelem, typdelim FROM pg_catalog.pg_type WHERE typcategory = 'A' "
                + "AND oid IN (\(list))")
        var types: [UInt32: ColumnType] = [:]
        for row in result.rows {
            guard let identifier = try row.int64(0), let element = try row.int64(1),
                let delimiter = try row.rawText(2)?.first
            else { continue }
            types[UInt32(truncatingIfNeeded: identifier)] = .array(
                of: ColumnType(identifier: UInt32(truncatingIfNeeded: element)) ?? .text,
                delimiter: delimiter)
        }
        return types
    }

    /// Runs a prepared query, and calls `body` with each row as it comes. Returns how many there
    /// were.
    ///
    /// The row is valid during the call. If `body` throws, the server is asked to stop and the
    /// error is thrown on; if it does not stop within `ConnectionOptions.cancellationLimit`, the
    /// connection is closed. Rows that came before an error of the server are of a result that was
    /// never complete.
    ///
    /// Memory: some rows, whatever the size of the result. The limit of time does not count what
    /// `body` takes.
    ///
    /// - Throws: what `body` throws, and as `execute`.
    @discardableResult
    public func forEachRow(
        of statement: PreparedStatement, parameters: [Parameter] = [], timeout: Duration? = nil,
        _ body: (Row) throws -> Void
    ) throws -> Int {
        try check(statement)
        let values = try ParameterList(parameters)
        let handle = try begin(nil, "rows", timeout)
        let isQueued = values.withPointers { count, pointers, lengths, formats in
            PQsendQueryPrepared(handle, statement.name, count, pointers, lengths, formats, 0)
        }
        guard isQueued == 0 || PQsetSingleRowMode(handle) == 1 else {
            throw PostgreSQLError.unexpectedResult("libpq gives no single rows")
        }
        try send(handle, isQueued)
        var rowCount = 0
        while let result = try nextResult(handle) {
            guard PQresultStatus(result.handle) == PGRES_SINGLE_TUPLE else {
                try end(with: result, handle)
                break
            }
            do {
                try body(Row(result: result, index: 0))
            } catch {
                abandonRows(handle)
                throw error
            }
            request.madeProgress()
            rowCount += 1
        }
        return rowCount
    }

    /// Takes the last result of a request, which has no rows, or is an error.
    func end(with result: QueryResult, _ handle: OpaquePointer) throws(PostgreSQLError) {
        do throws(PostgreSQLError) {
            try check(result, handle)
        } catch {
            // The error is the first one; a connection that is lost is closed by this.
            if !isClosed { drain(handle) }
            throw error
        }
        try finish(handle)
    }

    private func abandonRows(_ handle: OpaquePointer) {
        guard self.handle == handle else { return }
        if !request.isCancelled { beginCancellation(handle) }
        drain(handle)
    }
}
