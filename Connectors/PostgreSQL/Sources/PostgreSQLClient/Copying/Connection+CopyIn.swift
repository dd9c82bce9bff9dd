import CLibPQ

extension Connection {
    /// Runs a `COPY … FROM STDIN`, and sends what `body` writes. Returns how many rows the server
    /// stored.
    ///
    /// If `body` throws, the server is asked to fail the statement, so that it stores nothing, and
    /// the error is thrown on. The server reports an error in a row at the end: until then it reads
    /// and discards what follows.
    ///
    /// Memory: two chunks of 64 KiB, or two rows if they are larger.
    ///
    /// - Throws: what `body` throws, and as `execute`.
    @discardableResult
    public func copyIn(
        _ sql: String, timeout: Duration? = nil, _ body: (inout CopyWriter) throws -> Void
    ) throws -> Int64 {
        let handle = try beginCopy(sql, timeout, expecting: PGRES_COPY_IN)
        let commitsByItself = request.outcome
        // Nothing is stored before the server has seen the end.
        request.outcome = .notApplied
        request.step = "the server to take rows"
        do {
            var writer = CopyWriter(self, handle)
            try body(&writer)
            try writer.sendRows()
        } catch {
            abandonCopyIn(handle)
            throw error
        }
        return try endCopy(handle, commitsByItself)
    }

    /// Ends the statement, which has this outcome if nothing is heard any more.
    func endCopy(
        _ handle: OpaquePointer, _ outcome: PostgreSQLError.Outcome
    ) throws(PostgreSQLError) -> Int64 {
        guard self.handle == handle else { throw .closed }
        request.outcome = outcome
        request.step = "the server to store the rows"
        try putCopyEnd(handle, failure: nil)
        return try finish(handle)?.affectedRowCount ?? 0
    }

    /// Sends a statement that must be a COPY.
    func beginCopy(
        _ sql: String, _ timeout: Duration?, expecting status: ExecStatusType
    ) throws(PostgreSQLError) -> OpaquePointer {
        let handle = try begin(sql, "the server's answer", timeout)
        try send(handle, PQsendQuery(handle, sql))
        guard let result = try nextResult(handle) else {
            throw .unexpectedResult("the server sent no result")
        }
        if PQresultStatus(result.handle) == status { return handle }
        try end(with: result, handle)
        throw .unexpectedResult("the statement is no COPY in that direction")
    }

    /// Reads what is left of a request whose error is known.
    func drain(_ handle: OpaquePointer) {
        do throws(PostgreSQLError) {
            try finish(handle)
        } catch {
            // It is not the first error. If it is that of the transport, the connection is closed.
        }
    }

    /// Queues bytes, and waits until the system has taken all of them.
    func putCopyData(
        _ bytes: UnsafeRawBufferPointer, _ handle: OpaquePointer
    ) throws(PostgreSQLError) {
        guard self.handle == handle else { throw .closed }
        var rest = bytes[...]
        while !rest.isEmpty {
            let chunk = UnsafeRawBufferPointer(rebasing: rest.prefix(CopyWriter.chunkByteCount))
            switch PQputCopyData(
                handle, chunk.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(chunk.count))
            {
            case 1: rest = rest.dropFirst(chunk.count)
            case 0: break
            default: throw lose(handle)
            }
            try flush(handle)
            if request.isCancelled || options.isCancelled?() == true {
                throw .cancelled(.notApplied)
            }
        }
    }

    private func putCopyEnd(
        _ handle: OpaquePointer, failure: String?
    ) throws(PostgreSQLError) {
        while true {
            switch PQputCopyEnd(handle, failure) {
            case 1: return try flush(handle)
            case 0: try flush(handle)
            default: throw lose(handle)
            }
        }
    }

    /// Has the server fail the statement. If that fails too, the connection is closed, which has
    /// the same effect.
    private func abandonCopyIn(_ handle: OpaquePointer) {
        guard !isClosed else { return }
        request.step = "the server to give the rows up"
        if !request.isCancelled { request.cancel(nil, limit: options.cancellationLimit) }
        do throws(PostgreSQLError) {
            try putCopyEnd(handle, failure: "the client gave up")
            try finish(handle)
        } catch {
            // The server's error is the one that was asked for. Others have closed the connection.
        }
    }
}
