import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import Synchronization

/// Sends signed requests, one attempt each, and turns every failure into `ObjectStorageError`.
final class HTTPTransport: Sendable {
    private let client: HTTPClient
    private let endpoint: StorageEndpoint
    private let bucket: String
    private let options: ObjectStoreOptions
    private let isClosed = Mutex(false)
    private let latestTime = Mutex<Int64?>(nil)

    /// The most that is read of an answer whose content is of no interest, or is an error.
    private static let smallBodyByteCountMax = 64 << 10

    init(endpoint: StorageEndpoint, bucket: String, options: ObjectStoreOptions) {
        self.endpoint = endpoint
        self.bucket = bucket
        self.options = options
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.timeout.connect = .nanoseconds(options.connectTimeout.nanosecondCount)
        configuration.httpVersion = .http1Only
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit =
            options.connectionCountMax
        // Attempts are counted here, and nowhere else.
        configuration.connectionPool.retryConnectionEstablishment = false
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    deinit {
        let client = client
        // The client insists on being shut down.
        if !isClosed.withLock({ $0 }) { Task { try? await client.shutdown() } }
    }

    /// What the newest answer that has a header `Date` said, in seconds since 1970.
    var serviceSecondsSince1970: Int64? { latestTime.withLock { $0 } }

    /// Closes all connections; requests that are under way fail. Does nothing the second time.
    func close() async {
        let isFirst = isClosed.withLock { isClosed in
            defer { isClosed = true }
            return !isClosed
        }
        if isFirst { try? await client.shutdown() }
    }

    /// Sends a request once and passes an answer with a status of success to `receive`.
    ///
    /// `key` is the key for error messages. Throws `ObjectStorageError` or `CancellationError`.
    /// Costs a task group and a connection of the pool.
    func send<Result: Sendable>(
        _ request: StorageRequest, key: String?, credentials: StorageCredentials,
        within remaining: Duration,
        receive: @escaping @Sendable (HTTPClientResponse, Activity) async throws -> Result
    ) async throws -> Result {
        guard !isClosed.withLock({ $0 }) else { throw ObjectStorageError.closed }
        guard remaining > .zero else { throw ObjectStorageError.timedOut(.total) }
        let activity = Activity()
        let httpRequest = self.httpRequest(request, credentials, activity)
        do {
            return try await activity.limit(idle: options.idleTimeout, total: remaining) {
                // The limits end the request earlier, this one at last.
                let deadline = NIODeadline.now() + .nanoseconds(remaining.nanosecondCount)
                let response = try await self.client.execute(
                    httpRequest, deadline: deadline + .seconds(60))
                activity.note()
                self.noteTime(response.headers)
                guard (200..<300).contains(response.status.code) else {
                    throw try await self.failure(response, key: key, activity)
                }
                return try await receive(response, activity)
            }
        } catch {
            try Task.checkCancellation()
            throw ObjectStorageError(transportError: activity.failure ?? error)
        }
    }

    /// The whole body, if it is no longer than `limit`.
    static func collect(
        _ response: HTTPClientResponse, upTo limit: UInt64, _ activity: Activity
    ) async throws -> [UInt8] {
        if let count = try ObjectAttributes.contentLength(response.headers), count > limit {
            throw ObjectStorageError.responseTooLarge(byteCount: count, limit: limit)
        }
        var bytes: [UInt8] = []
        for try await piece in response.body {
            activity.note()
            let count = UInt64(bytes.count) + UInt64(piece.readableBytes)
            guard count <= limit else {
                throw ObjectStorageError.responseTooLarge(byteCount: count, limit: limit)
            }
            bytes += piece.readableBytesView
        }
        return bytes
    }

    /// Reads what there is of a body that is of no interest, so that the connection can be reused.
    static func drain(_ response: HTTPClientResponse, _ activity: Activity) async throws {
        _ = try await collect(response, upTo: UInt64(smallBodyByteCountMax), activity)
    }

    private func httpRequest(
        _ request: StorageRequest, _ credentials: StorageCredentials, _ activity: Activity
    ) -> HTTPClientRequest {
        let time = UTCTime(secondsSince1970: options.secondsSince1970())
        let signed = request.signed(for: endpoint, credentials: credentials, at: time)
        var httpRequest = HTTPClientRequest(url: signed.url)
        httpRequest.method = request.method
        httpRequest.headers = signed.headers
        if request.payload.byteCount > 0 || request.method == .PUT || request.method == .POST {
            httpRequest.body = .stream(
                PayloadPieces(payload: request.payload, activity: activity),
                length: .known(Int64(request.payload.byteCount)))
        }
        return httpRequest
    }

    private func noteTime(_ headers: HTTPHeaders) {
        guard let text = headers.first(name: "date"), let time = UTCTime(httpDate: text) else {
            return
        }
        latestTime.withLock { $0 = time.secondsSince1970 }
    }

    private func failure(
        _ response: HTTPClientResponse, key: String?, _ activity: Activity
    ) async throws -> ObjectStorageError {
        // The status stands even if the body does not arrive.
        let body = try? await Self.collect(
            response, upTo: UInt64(Self.smallBodyByteCountMax), activity)
        try Task.checkCancellation()
        let answer = ServiceAnswer(
            status: response.status, headers: response.headers, body: body ?? [])
        return ObjectStorageError(answer, key: key, bucket: bucket)
    }
}

extension Duration {
    /// The whole duration in nanoseconds, as far as that fits.
    var nanosecondCount: Int64 {
        let (seconds, attoseconds) = components
        guard abs(seconds) < 1 << 32 else { return seconds < 0 ? -(1 << 62) : 1 << 62 }
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
