import CLibPQ

extension Connection {
    private static let connectTimeout: Duration = .seconds(10)

    /// Establishes the connection, within a limit for all hosts together.
    func connect(_ parameters: ConnectionParameters) throws(PostgreSQLError) {
        let beginning = ContinuousClock.now
        let started = try start(parameters)
        handle = started
        // A password of `~/.pgpass` or of the environment is as secret as one of the text.
        if let password = PQpass(started) { secrets.insert(String(cString: password)) }
        guard PQstatus(started) != CONNECTION_BAD else { throw connectFailure(started) }
        // The code of an error of the server is in its message only with this, as there is no
        // result.
        PQsetErrorVerbosity(started, PQERRORS_VERBOSE)
        receiveNotices(started)
        request = Request(
            waitingFor: "a connection", limit: Self.connectLimit(started), since: beginning)
        // libpq's rule: begin as if it had asked for writing.
        var next = PGRES_POLLING_WRITING
        while next != PGRES_POLLING_OK {
            switch next {
            case PGRES_POLLING_READING: _ = try wait(for: .reading)
            case PGRES_POLLING_WRITING: _ = try wait(for: .writing)
            default: throw connectFailure(started)
            }
            next = PQconnectPoll(started)
        }
        PQsetErrorVerbosity(started, PQERRORS_DEFAULT)
        guard PQsetnonblocking(started, 1) == 0 else { throw lose(started) }
    }

    /// Makes libpq's handle, which looks the host up.
    private func start(
        _ parameters: ConnectionParameters
    ) throws(PostgreSQLError) -> OpaquePointer {
        let start = ConnectionStart(parameters.connectingValues)
        // libpq knows only afterwards what its other sources say.
        let seconds = parameters["connect_timeout"].flatMap { Int($0) } ?? 0
        let limit: Duration = seconds > 0 ? .seconds(seconds) : Self.connectTimeout
        let end = ContinuousClock.now + limit
        while true {
            let left = end - .now
            if left <= .zero {
                start.abandon()
                throw .timedOut(waitingFor: "the address of the host", limit: limit, .notApplied)
            }
            if options.isCancelled?() == true {
                start.abandon()
                throw .cancelled(.notApplied)
            }
            if start.wait(min(left, Self.questionInterval)) { break }
        }
        guard let handle = start.take() else { throw .connectionFailed("out of memory") }
        return handle
    }

    /// `connect_timeout` as libpq has it from all of its sources, for each host.
    ///
    /// libpq itself follows it in its blocking functions only.
    private static func connectLimit(_ handle: OpaquePointer) -> Duration {
        guard let list = PQconninfo(handle) else { return connectTimeout }
        let options = ConninfoOption.all(consuming: list)
        func value(_ keyword: String) -> String {
            options.first { $0.keyword == keyword }?.value ?? ""
        }
        let hosts = max(
            value("host").split(separator: ",").count, value("hostaddr").split(separator: ",").count
        )
        let seconds = Int(value("connect_timeout")) ?? 0
        let each: Duration = seconds > 0 ? .seconds(seconds) : connectTimeout
        return each * max(1, hosts)
    }

    /// Closes what did not become a connection.
    private func connectFailure(_ handle: OpaquePointer) -> PostgreSQLError {
        let message = PQerrorMessage(handle).map { String(cString: $0) } ?? "out of memory"
        close()
        return ConnectFailure.error(message: secrets.redact(message))
    }

    /// Has notices given to the handler; libpq would write them to the standard error.
    private func receiveNotices(_ handle: OpaquePointer) {
        let receiver: PQnoticeReceiver = { context, result in
            guard let context, let result else { return }
            let connection = Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue()
            connection.receiveNotice(result)
        }
        // The connection owns the handle, so it lives at least as long.
        PQsetNoticeReceiver(handle, receiver, Unmanaged.passUnretained(self).toOpaque())
    }

    private func receiveNotice(_ result: OpaquePointer) {
        guard let handler = options.noticeHandler else { return }
        let notice = ServerMessage(
            result, includesDetail: options.includesDetail, redacting: secrets)
        if let notice { handler(notice) }
    }
}
