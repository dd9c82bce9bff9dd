/// What a connection waits for, and until when.
struct Request {
    /// For messages: "a connection", "the server's answer".
    var step: String
    /// The longest time without progress.
    let limit: Duration
    private(set) var deadline: ContinuousClock.Instant
    /// What is known of it if it ends now.
    var outcome: PostgreSQLError.Outcome = .notApplied
    /// Whether `isCancelled` is asked.
    var isCancellable = true
    /// Whether there is a statement that the server can be asked to end.
    var isStatement = false
    /// The caller wants it to end.
    private(set) var isCancelled = false
    /// What asks the server to end it.
    private(set) var cancellation: CancelRequest?

    init(
        waitingFor step: String, limit: Duration, since start: ContinuousClock.Instant = .now
    ) {
        self.step = step
        self.limit = limit
        deadline = start + limit
    }

    /// A byte came or went. After a cancellation the time that is left is fixed.
    mutating func madeProgress() {
        if !isCancelled { deadline = .now + limit }
    }

    /// Notes that the caller wants it to end, and how long the server may take for it.
    mutating func cancel(_ cancellation: CancelRequest?, limit: Duration) {
        isCancelled = true
        self.cancellation = cancellation
        deadline = .now + limit
    }

    /// The request to the server is answered or given up.
    mutating func endCancellation() -> CancelRequest? {
        defer { cancellation = nil }
        return cancellation
    }
}
