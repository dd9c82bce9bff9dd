/// Why an operation on stored objects failed.
///
/// Operations throw this type, or `CancellationError` when the task was cancelled. Keys are
/// relative to the store's prefix, as the caller gave them.
public enum ObjectStorageError: Error, Hashable, Sendable {
    /// The call itself is wrong: a key, a range or a metadata name that S3 does not take.
    case invalidArgument(String)
    /// There is no object of this key.
    case notFound(key: String)
    /// There is no such bucket. A HEAD request cannot distinguish this from `notFound`.
    case bucketNotFound(bucket: String)
    /// The object is not in the state that the condition names, and the operation changed nothing.
    case conditionFailed(key: String)
    /// A conditional put was sent, and it cannot be found out whether it took place. Read the
    /// object before you decide what to do next.
    case outcomeUnknown(key: String, reason: String)
    /// The range begins at or after the object's end.
    case rangeNotSatisfiable(key: String)
    /// The credentials are wrong, have expired, or do not permit the operation.
    case accessDenied(ServiceAnswer)
    /// The bucket is in another region, named where the service gave it.
    case wrongRegion(bucket: String, actual: String?)
    /// The service asks for fewer requests, and did so for every attempt.
    case throttled(ServiceAnswer)
    /// The service answered with another error.
    case server(ServiceAnswer)
    /// A time limit of the options passed.
    case timedOut(TimeLimit)
    /// The answer breaks the protocol, or contradicts the request.
    case malformedResponse(String)
    /// The bytes received, or stored, are not those that were sent.
    case checksumMismatch(String)
    /// No connection could be made; the service received nothing.
    case unreachable(String)
    /// The connection ended early. The service may have received the request.
    case connectionLost(String)
    /// The body is larger than a single put can be.
    case bodyTooLarge(byteCount: UInt64, limit: UInt64)
    /// The object is larger than the caller's limit for reading it into memory.
    case responseTooLarge(byteCount: UInt64, limit: UInt64)
    /// Some of the objects could not be deleted; the others are deleted.
    case deletionIncomplete([UndeletedObject])
    /// A local file could not be read or written.
    case file(operation: String, path: String, reason: String)
    /// The store is closed.
    case closed

    /// The time limits of `ObjectStoreOptions`.
    public enum TimeLimit: String, Hashable, Sendable {
        /// No connection within `connectTimeout`.
        case connecting
        /// No byte was sent or received for `idleTimeout`.
        case idle
        /// The operation, with all its attempts, took `totalTimeout`.
        case total
    }
}

extension ObjectStorageError {
    /// Whether the same request may succeed a little later.
    public var isTransient: Bool {
        switch self {
        case .throttled, .malformedResponse, .checksumMismatch, .unreachable, .connectionLost:
            true
        case .timedOut(let limit): limit != .total
        case .server(let answer): answer.isTransient
        default: false
        }
    }

    /// Whether the service may have carried out the request although it failed.
    var leavesOutcomeOpen: Bool {
        switch self {
        case .connectionLost, .malformedResponse, .checksumMismatch, .throttled: true
        case .timedOut(let limit): limit != .connecting
        case .server(let answer): answer.status >= 500
        default: false
        }
    }
}

extension ObjectStorageError: CustomStringConvertible {
    /// One line: what failed and why.
    public var description: String {
        switch self {
        case .invalidArgument(let reason): reason
        case .notFound(let key): "there is no object '\(key)'"
        case .bucketNotFound(let bucket): "there is no bucket '\(bucket)'"
        case .conditionFailed(let key): "'\(key)' is not in the state that the condition names"
        case .outcomeUnknown(let key, let reason):
            "whether '\(key)' was written is unknown (\(reason)); read it before you go on"
        case .rangeNotSatisfiable(let key): "the range begins after the end of '\(key)'"
        case .accessDenied(let answer): "access was denied: \(answer)"
        case .wrongRegion(let bucket, let actual):
            "the bucket '\(bucket)' is in " + (actual.map { "region \($0)" } ?? "another region")
        case .throttled(let answer): "the service asks for fewer requests: \(answer)"
        case .server(let answer): "the service failed: \(answer)"
        case .timedOut(.connecting): "no connection was made in time"
        case .timedOut(.idle): "the connection was idle for too long"
        case .timedOut(.total): "the operation took too long"
        case .malformedResponse(let reason): "the answer is malformed: \(reason)"
        case .checksumMismatch(let reason): "a checksum is wrong: \(reason)"
        case .unreachable(let reason): "no connection could be made: \(reason)"
        case .connectionLost(let reason): "the connection was lost: \(reason)"
        case .bodyTooLarge(let count, let limit):
            "a body of \(count) bytes is over the limit of \(limit) for a single put"
        case .responseTooLarge(let count, let limit):
            "an object of \(count) bytes is over the limit of \(limit)"
        case .deletionIncomplete(let objects):
            "\(objects.count) objects were not deleted, the first: \(objects[0])"
        case .file(let operation, let path, let reason): "\(operation) of \(path) failed: \(reason)"
        case .closed: "the object store is closed"
        }
    }
}
