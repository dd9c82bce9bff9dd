import CLibPQ

extension Connection {
    /// Begins a request whose statement commits by itself outside of a transaction. All statements
    /// go through here; nil stands for one that the server knows already.
    ///
    /// - Throws: `.nulCharacter`, `.closed`, `.cancelled` before anything is sent, `.misuse` within
    ///   another request.
    func begin(
        _ statement: String?, _ step: String, _ limit: Duration?, isCancellable: Bool = true
    ) throws(PostgreSQLError) -> OpaquePointer {
        try statement?.checkForNUL()
        let handle = try open()
        let status = PQtransactionStatus(handle)
        if status == PQTRANS_ACTIVE {
            throw .misuse("the connection is busy: a COPY must end before the next statement")
        }
        if isCancellable, options.isCancelled?() == true { throw .cancelled(.notApplied) }
        request = Request(waitingFor: step, limit: limit ?? options.timeout)
        request.isStatement = true
        request.isCancellable = isCancellable
        request.outcome = status == PQTRANS_IDLE ? .unknown : .notApplied
        if let statement { options.statementHandler?(statement) }
        return handle
    }

    /// Checks what a function of libpq returned that queues a request, then sends all of it.
    func send(_ handle: OpaquePointer, _ isQueued: Int32) throws(PostgreSQLError) {
        guard isQueued == 1 else {
            if PQstatus(handle) == CONNECTION_BAD { throw lose(handle) }
            throw .unexpectedResult(lastMessage(handle))
        }
        try flush(handle)
    }

    /// Sends what is queued. Reads too, so that a server that sends does not wait for us.
    func flush(_ handle: OpaquePointer) throws(PostgreSQLError) {
        while true {
            let state = PQflush(handle)
            if state == 0 { return }
            if state < 0 { throw lose(handle) }
            let ready = try wait(for: [.reading, .writing])
            request.madeProgress()
            if ready.contains(.reading), PQconsumeInput(handle) == 0 { throw lose(handle) }
        }
    }

    /// The next result of the request; nil after the last.
    func nextResult(_ handle: OpaquePointer) throws(PostgreSQLError) -> QueryResult? {
        while PQisBusy(handle) != 0 {
            _ = try wait(for: .reading)
            request.madeProgress()
            if PQconsumeInput(handle) == 0 { throw lose(handle) }
        }
        return PQgetResult(handle).map { QueryResult($0) }
    }

    /// Reads all results of the request, and returns the last one.
    ///
    /// - Throws: the first error of the server; `.cancelled` if that is what ended the statement;
    ///   `.unexpectedResult` for a COPY, which is ended.
    @discardableResult
    func finish(_ handle: OpaquePointer) throws(PostgreSQLError) -> QueryResult? {
        var last: QueryResult?
        var failure: PostgreSQLError?
        while true {
            do throws(PostgreSQLError) {
                guard let result = try nextResult(handle) else { break }
                try check(result, handle)
                last = result
            } catch {
                failure = failure ?? error
                // The server says why it ends a connection, then the connection is lost.
                if isClosed { throw failure ?? error }
            }
        }
        settleCancellation()
        if PQstatus(handle) == CONNECTION_BAD { close() }
        if let failure { throw failure }
        return last
    }

    /// Throws the error of a result, if it is one.
    func check(_ result: QueryResult, _ handle: OpaquePointer) throws(PostgreSQLError) {
        switch PQresultStatus(result.handle) {
        // Single rows are left of a query that was given up.
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_SINGLE_TUPLE: return
        case PGRES_EMPTY_QUERY: return
        case PGRES_COPY_IN:
            _ = PQputCopyEnd(handle, "this statement must not be a COPY")
            try flush(handle)
            throw .unexpectedResult("the statement is a COPY; use copyIn")
        case PGRES_COPY_OUT:
            try discardCopy(handle)
            throw .unexpectedResult("the statement is a COPY; use copyOut")
        case PGRES_COPY_BOTH:
            close()
            throw .unexpectedResult("the server began to replicate")
        default: throw failure(of: result, handle)
        }
    }

    /// The error of a result that is one.
    func failure(of result: QueryResult, _ handle: OpaquePointer) -> PostgreSQLError {
        let message = ServerMessage(
            result.handle, includesDetail: options.includesDetail, redacting: secrets)
        if let message {
            if request.isCancelled, message.sqlState == .queryCanceled {
                return .cancelled(.notApplied)
            }
            return .server(message)
        }
        let text = PQresultErrorMessage(result.handle).map { String(cString: $0) } ?? ""
        let line = secrets.redact(Self.singleLine(text))
        if PQstatus(handle) == CONNECTION_BAD { return .connectionLost(line, request.outcome) }
        return .unexpectedResult(line)
    }

    /// Waits until a request to end the statement was taken: later it would end the next one.
    private func settleCancellation() {
        guard let cancellation = request.endCancellation() else { return }
        if !cancellation.waitUntilTaken(limit: options.cancellationLimit) { close() }
    }
}
