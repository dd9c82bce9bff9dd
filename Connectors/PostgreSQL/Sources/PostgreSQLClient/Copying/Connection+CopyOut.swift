import CLibPQ

extension Connection {
    /// Runs a `COPY … TO STDOUT`, and calls `body` with each row as it comes. Returns how many
    /// there were.
    ///
    /// In text format a row ends with its newline; `CopyFields` takes it apart. The bytes are valid
    /// during the call. If `body` throws, the server is asked to stop and the error is thrown on;
    /// if it does not stop within `ConnectionOptions.cancellationLimit`, the connection is closed.
    ///
    /// Memory: some rows, whatever the size of the result. The limit of time does not count what
    /// `body` takes.
    ///
    /// - Throws: what `body` throws, and as `execute`.
    @discardableResult
    public func copyOut(
        _ sql: String, timeout: Duration? = nil,
        _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> Int64 {
        let handle = try beginCopy(sql, timeout, expecting: PGRES_COPY_OUT)
        request.step = "rows"
        var rowCount: Int64 = 0
        while let row = try nextCopyRow(handle) {
            do {
                defer { PQfreemem(row.baseAddress) }
                try body(UnsafeRawBufferPointer(row))
            } catch {
                abandonCopyOut(handle)
                throw error
            }
            request.madeProgress()
            rowCount += 1
        }
        try finish(handle)
        return rowCount
    }

    /// The next row, which the caller frees; nil at the end.
    private func nextCopyRow(
        _ handle: OpaquePointer
    ) throws(PostgreSQLError) -> UnsafeMutableRawBufferPointer? {
        guard self.handle == handle else { throw .closed }
        while true {
            var row: UnsafeMutablePointer<CChar>?
            let count = PQgetCopyData(handle, &row, 1)
            if count > 0 { return UnsafeMutableRawBufferPointer(start: row, count: Int(count)) }
            if count == -1 { return nil }
            if count < 0 { throw lose(handle) }
            _ = try wait(for: .reading)
            request.madeProgress()
            if PQconsumeInput(handle) == 0 { throw lose(handle) }
        }
    }

    /// Reads the rest of the rows.
    func discardCopy(_ handle: OpaquePointer) throws(PostgreSQLError) {
        while let row = try nextCopyRow(handle) { PQfreemem(row.baseAddress) }
    }

    private func abandonCopyOut(_ handle: OpaquePointer) {
        guard self.handle == handle else { return }
        if !request.isCancelled { beginCancellation(handle) }
        do throws(PostgreSQLError) {
            try discardCopy(handle)
            try finish(handle)
        } catch {
            // The server's error is the one that was asked for. Others have closed the connection.
        }
    }
}
