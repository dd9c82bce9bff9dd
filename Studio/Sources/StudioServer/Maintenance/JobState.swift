import Synchronization

/// A job: how far it is, or what it has found.
struct JobState: Sendable {
    let number: Int
    let kind: Maintenance.JobRequest.Kind
    var step = "starting"
    var doneByteCount: UInt64 = 0
    var totalByteCount: UInt64 = 0
    var result: JSON?
    var failure: String?

    /// Jobs that the page can see the results of.
    static let keptCount = 8

    var isRunning: Bool { result == nil && failure == nil }

    var json: JSON {
        .object([
            ("number", .number(number)), ("kind", .string(kind.rawValue)),
            ("state", isRunning ? "running" : failure == nil ? "done" : "failed"),
            ("step", .string(step)), ("done", .number(Int(clamping: doneByteCount))),
            ("total", .number(Int(clamping: totalByteCount))), ("result", result ?? .null),
            ("error", .optional(failure)),
        ])
    }
}

/// Publishes how far a job is, ten times a second at most.
final class JobReporter {
    private var job: JobState
    private let publish: (JobState) -> Void
    private var next = ContinuousClock.now
    private static let pause = Duration.milliseconds(100)

    init(_ job: JobState, _ publish: @escaping (JobState) -> Void) {
        self.job = job
        self.publish = publish
    }

    func update(_ step: String, _ done: UInt64, _ total: UInt64) {
        job.step = step
        job.doneByteCount = done
        job.totalByteCount = total
        guard ContinuousClock.now >= next else { return }
        next = .now + Self.pause
        publish(job)
    }

    func finish(_ result: Result<JSON, RequestFailure>) {
        switch result {
        case .success(let value): job.result = value
        case .failure(let failure): job.failure = failure.message
        }
        publish(job)
    }
}
