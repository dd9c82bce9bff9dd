import CLibPQ

extension Connection {
    /// Begins a `COPY … FROM STDIN` that is fed piece by piece, while the server stores what it
    /// has.
    ///
    /// It must be ended before the next statement. An error in between closes the connection, or
    /// leaves it such that closing it is all that can be done.
    ///
    /// - Throws: as `execute`.
    public func openCopy(
        _ sql: String, timeout: Duration? = nil
    ) throws(PostgreSQLError) -> OpenCopy {
        let handle = try beginCopy(sql, timeout, expecting: PGRES_COPY_IN)
        let outcome = request.outcome
        // Nothing is stored before the server has seen the end.
        request.outcome = .notApplied
        request.step = "the server to take rows"
        return OpenCopy(self, handle, outcomeAtEnd: outcome)
    }
}

/// A COPY to the server that goes on.
public final class OpenCopy {
    private let connection: Connection
    private let handle: OpaquePointer
    private let outcomeAtEnd: PostgreSQLError.Outcome

    init(
        _ connection: Connection, _ handle: OpaquePointer,
        outcomeAtEnd: PostgreSQLError.Outcome
    ) {
        self.connection = connection
        self.handle = handle
        self.outcomeAtEnd = outcomeAtEnd
    }

    /// Sends bytes that are whole rows in the format of the statement; waits if the server is
    /// slower.
    ///
    /// - Throws: `.connectionLost`, `.timedOut`, `.cancelled`, `.closed`.
    public func write(_ rows: [UInt8]) throws(PostgreSQLError) {
        // A closure that throws typed errors does not get through `withUnsafeBytes` of an array.
        try rows.withUnsafeBytes { bytes in
            Result { () throws(PostgreSQLError) in try connection.putCopyData(bytes, handle) }
        }.get()
    }

    /// Ends the statement. Returns how many rows the server stored.
    ///
    /// - Throws: the server's error in a row, if there was one; as `execute`.
    @discardableResult
    public func end() throws(PostgreSQLError) -> Int64 {
        try connection.endCopy(handle, outcomeAtEnd)
    }
}
