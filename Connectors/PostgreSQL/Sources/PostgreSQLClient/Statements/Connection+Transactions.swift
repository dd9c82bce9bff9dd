import CLibPQ

extension Connection {
    /// The limit of ROLLBACK, which has nothing to wait for.
    private static let rollbackTimeout: Duration = .seconds(10)

    /// Runs `body` in a transaction: commits if it returns, rolls back if it throws.
    ///
    /// If the rollback fails, the connection is closed, which has the same effect. `body` must not
    /// begin or end transactions.
    ///
    /// - Parameters:
    ///   - isReadOnly: whether the server refuses statements that change something.
    ///   - timeout: the longest time without progress for BEGIN and COMMIT.
    /// - Throws: what `body` throws, as `execute`, and `.commitOutcomeUnknown` if COMMIT was sent
    ///   and its answer did not come or leaves the outcome open; `.transactionAborted` if a
    ///   statement had failed and `body` returned all the same; `.misuse` within a transaction, and
    ///   if `body` ended it.
    @discardableResult
    public func transaction<Value>(
        isolation: IsolationLevel = .readCommitted, isReadOnly: Bool = false,
        timeout: Duration? = nil,
        _ body: (Connection) throws -> Value
    ) throws -> Value {
        guard !isInTransaction else {
            throw PostgreSQLError.misuse("a transaction is open on this connection")
        }
        try execute(
            "BEGIN ISOLATION LEVEL \(isolation.rawValue)" + (isReadOnly ? ", READ ONLY" : ""),
            timeout: timeout)
        let value: Value
        do {
            value = try body(self)
        } catch {
            rollBack()
            throw error
        }
        try commit(timeout)
        return value
    }

    private func commit(_ timeout: Duration?) throws(PostgreSQLError) {
        switch PQtransactionStatus(try open()) {
        case PQTRANS_INTRANS: break
        case PQTRANS_INERROR:
            rollBack()
            throw .transactionAborted
        case PQTRANS_IDLE: throw .misuse("the transaction was ended by a statement in it")
        default:
            rollBack()
            throw .misuse("a COPY was not ended in the transaction, which is rolled back")
        }
        let result: QueryResult
        do throws(PostgreSQLError) {
            result = try sendCommit(timeout)
        } catch {
            throw Self.commitFailure(error)
        }
        // The answer of a server to COMMIT in a transaction that has failed.
        if result.commandTag == "ROLLBACK" { throw .transactionAborted }
    }

    private func sendCommit(_ timeout: Duration?) throws(PostgreSQLError) -> QueryResult {
        let handle = try begin("COMMIT", "the answer to COMMIT", timeout)
        request.outcome = .unknown
        try send(handle, PQsendQuery(handle, "COMMIT"))
        guard let result = try finish(handle) else {
            throw .unexpectedResult("the server sent no result")
        }
        return result
    }

    /// What an error of COMMIT means for the transaction.
    private static func commitFailure(_ error: PostgreSQLError) -> PostgreSQLError {
        switch error {
        case .server(let message):
            message.sqlState.leavesCommitOpen ? .commitOutcomeUnknown(error) : error
        case .connectionLost, .timedOut, .unexpectedResult: .commitOutcomeUnknown(error)
        case .cancelled(.unknown): .commitOutcomeUnknown(error)
        default: error
        }
    }

    /// Rolls back whether `isCancelled` or not, or closes the connection.
    private func rollBack() {
        guard let handle else { return }
        let status = PQtransactionStatus(handle)
        if status == PQTRANS_IDLE { return }
        // Within a COPY that was not ended the server takes no statement.
        guard status == PQTRANS_INTRANS || status == PQTRANS_INERROR else { return close() }
        do throws(PostgreSQLError) {
            let limit = min(options.timeout, Self.rollbackTimeout)
            _ = try execute("ROLLBACK", timeout: limit, isCancellable: false)
        } catch {
            close()
        }
    }
}
