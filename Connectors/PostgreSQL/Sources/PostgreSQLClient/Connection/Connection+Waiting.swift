import CLibPQ

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension Connection {
    /// How often `isCancelled` is asked.
    static let questionInterval: Duration = .milliseconds(100)

    /// How many results to look at after the end of a connection.
    private static let resultCountMax = 4

    /// What a socket is ready for.
    struct Readiness: OptionSet {
        let rawValue: Int16
        static let reading = Readiness(rawValue: Int16(POLLIN))
        static let writing = Readiness(rawValue: Int16(POLLOUT))
    }

    /// Waits until the socket is ready for one of `events`. An error of the socket counts as ready
    /// for reading: the next call of libpq reports it.
    ///
    /// - Throws: `.timedOut`, `.cancelled`; the connection is then closed.
    func wait(for events: Readiness) throws(PostgreSQLError) -> Readiness {
        while true {
            let handle = try open()
            if request.isCancellable, !request.isCancelled, options.isCancelled?() == true {
                beginCancellation(handle)
            }
            let left = request.deadline - .now
            if left <= .zero { throw expire(handle) }
            let slice = options.isCancelled == nil ? left : min(left, Self.questionInterval)
            var descriptor = pollfd(
                fd: PQsocket(handle), events: events.rawValue, revents: 0)
            if poll(&descriptor, 1, Self.milliseconds(slice)) > 0 {
                var ready = Readiness(rawValue: descriptor.revents).intersection(events)
                if descriptor.revents & Int16(POLLERR | POLLHUP | POLLNVAL) != 0 {
                    ready.insert(.reading)
                }
                return ready
            }
            // Nothing is ready, or a signal interrupted the wait.
        }
    }

    /// Rounded up, so that a wait does not end before its time.
    private static func milliseconds(_ duration: Duration) -> Int32 {
        let milliseconds = (duration / .milliseconds(1)).rounded(.up)
        return Int32(max(1, min(milliseconds, 86_400_000)))
    }

    /// Asks the server to end the request.
    func beginCancellation(_ handle: OpaquePointer) {
        guard request.isStatement else { return request.cancel(nil, limit: .zero) }
        request.cancel(CancelRequest(handle), limit: options.cancellationLimit)
    }

    /// Closes the connection at the end of the time.
    private func expire(_ handle: OpaquePointer) -> PostgreSQLError {
        defer { close() }
        if request.isCancelled { return .cancelled(request.outcome) }
        // The statement would go on without anybody who waits for it.
        if request.isStatement { _ = CancelRequest(handle) }
        return .timedOut(waitingFor: request.step, limit: request.limit, request.outcome)
    }

    /// Closes the connection after a failure of the transport. The error is that of the server if
    /// it had sent one before.
    func lose(_ handle: OpaquePointer) -> PostgreSQLError {
        let message = lastMessage(handle)
        defer { close() }
        // Only when libpq has closed the socket does it read nothing more, and not block.
        guard PQstatus(handle) == CONNECTION_BAD else {
            return .connectionLost(message, request.outcome)
        }
        // Within a COPY libpq looks at errors only after its end, which goes nowhere.
        _ = PQputCopyEnd(handle, "the connection was lost")
        for _ in 0..<Self.resultCountMax {
            guard let result = PQgetResult(handle).map({ QueryResult($0) }) else { break }
            let error = failure(of: result, handle)
            if error.sqlState != nil { return error }
        }
        return .connectionLost(message, request.outcome)
    }
}
