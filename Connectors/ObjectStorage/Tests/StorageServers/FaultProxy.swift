import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// A request that arrived at the proxy, whole.
public struct ProxiedRequest: Sendable {
    /// The method.
    public var method: HTTPMethod
    /// The request target as it was on the wire.
    public var target: String
    /// All headers.
    public var headers: HTTPHeaders
    /// The whole body.
    public var body: [UInt8]
}

/// An answer on its way to the client.
public struct ProxiedResponse: Sendable {
    /// The status.
    public var status: HTTPResponseStatus
    /// All headers.
    public var headers: HTTPHeaders
    /// The whole body.
    public var body: [UInt8]

    /// An answer of these parts.
    public init(status: HTTPResponseStatus, headers: HTTPHeaders = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// What the proxy does with a request.
public enum Fault: Sendable {
    /// Passes the request on, and the answer back.
    case none
    /// Answers itself; the server does not receive the request.
    case answer(ProxiedResponse)
    /// Closes the connection; the server does not receive the request.
    case close
    /// Never answers; the server does not receive the request.
    case stall
    /// Passes the request on, and closes the connection instead of answering.
    case loseAnswer
    /// Passes the request on with changes.
    case changeRequest(@Sendable (inout ProxiedRequest) -> Void)
    /// Passes the request on, and changes the answer.
    case change(@Sendable (inout ProxiedResponse) -> Void)
    /// Passes the request on, sends so many bytes of the answer's body, and closes the connection.
    case truncate(Int)
    /// Passes the request on, sends so many bytes of the answer's body, and no more.
    case stallBody(Int)

    /// Answers with a status itself.
    public static func status(_ code: Int, _ body: String = "", _ headers: HTTPHeaders = [:])
        -> Fault
    {
        .answer(
            ProxiedResponse(
                status: HTTPResponseStatus(statusCode: code), headers: headers,
                body: Array(body.utf8)))
    }
}

/// An HTTP server on a loopback port that passes requests on to another one, or does not, as a
/// script says. Without an upstream it answers `502` to what the script passes on.
public final class FaultProxy: Sendable {
    /// Says what is done with each request.
    public typealias Script = @Sendable (ProxiedRequest) -> Fault

    /// The port on 127.0.0.1.
    public let port: Int
    private let service: ProxyService
    private let task: Task<Void, Never>

    /// All requests so far.
    public var requests: [ProxiedRequest] { service.log.withLock { $0 } }

    /// Bytes of bodies that were handed to the system.
    public var sentByteCount: Int { service.sentByteCount.withLock { $0 } }

    /// Begins to listen.
    public init(upstream: Int?, script: @escaping Script) async throws {
        let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .bind(host: "127.0.0.1", port: 0) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    return try ProxyService.Connection(wrappingChannelSynchronously: channel)
                }
            }
        port = server.channel.localAddress!.port!
        let service = ProxyService(upstream: upstream, script: script)
        self.service = service
        task = Task {
            try? await server.executeThenClose { inbound in
                try await withThrowingDiscardingTaskGroup { group in
                    for try await connection in inbound {
                        group.addTask { await service.serve(connection) }
                    }
                }
            }
        }
    }

    /// Closes all connections.
    public func stop() async {
        task.cancel()
        await task.value
    }
}

/// What serves the connections of a proxy.
///
/// Requests are passed on one at a time, because moto checks a condition and stores an object in
/// two steps.
private final class ProxyService: Sendable {
    typealias Connection = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>

    private let upstream: Int?
    private let script: FaultProxy.Script
    let log = Mutex<[ProxiedRequest]>([])
    let sentByteCount = Mutex(0)
    private let turn = Turn()

    init(upstream: Int?, script: @escaping FaultProxy.Script) {
        self.upstream = upstream
        self.script = script
    }

    func serve(_ connection: Connection) async {
        try? await connection.executeThenClose { inbound, outbound in
            var parts = inbound.makeAsyncIterator()
            while let request = try await Self.request(from: &parts) {
                log.withLock { $0.append(request) }
                let fault = script(request)
                if case .stall = fault {
                    while try await parts.next() != nil {}
                    return
                }
                guard try await self.answer(request, fault, outbound) else {
                    if case .stallBody = fault { while try await parts.next() != nil {} }
                    return
                }
            }
        }
    }

    private static func request(
        from parts: inout NIOAsyncChannelInboundStream<HTTPServerRequestPart>.AsyncIterator
    ) async throws -> ProxiedRequest? {
        var request: ProxiedRequest?
        while let part = try await parts.next() {
            switch part {
            case .head(let head):
                request = ProxiedRequest(
                    method: head.method, target: head.uri, headers: head.headers, body: [])
            case .body(let bytes): request?.body += bytes.readableBytesView
            case .end: return request
            }
        }
        return nil
    }

    /// Answers one request; false if the connection is to be closed.
    private func answer(
        _ request: ProxiedRequest, _ fault: Fault,
        _ outbound: NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>
    ) async throws -> Bool {
        var response: ProxiedResponse
        switch fault {
        case .close, .stall: return false
        case .answer(let answer): response = answer
        case .changeRequest(let change):
            var changed = request
            change(&changed)
            response = try await forward(changed)
        default: response = try await forward(request)
        }
        var sentCount: Int?
        switch fault {
        case .loseAnswer: return false
        case .change(let change): change(&response)
        case .truncate(let count), .stallBody(let count): sentCount = count
        default: break
        }
        var headers = response.headers
        if !headers.contains(name: "content-length") {
            headers.add(name: "content-length", value: "\(response.body.count)")
        }
        headers.remove(name: "connection")
        headers.remove(name: "transfer-encoding")
        try await outbound.write(
            .head(HTTPResponseHead(version: .http1_1, status: response.status, headers: headers)))
        var rest = (sentCount.map { response.body.prefix($0) } ?? response.body[...])
        while !rest.isEmpty {
            try await outbound.write(.body(.byteBuffer(ByteBuffer(bytes: rest.prefix(64 << 10)))))
            sentByteCount.withLock { $0 += min(rest.count, 64 << 10) }
            rest = rest.dropFirst(64 << 10)
        }
        if sentCount != nil { return false }
        try await outbound.write(.end(nil))
        return true
    }

    private func forward(_ request: ProxiedRequest) async throws -> ProxiedResponse {
        guard let upstream else { return ProxiedResponse(status: .badGateway) }
        return try await turn.take {
            var forwarded = HTTPClientRequest(url: "http://127.0.0.1:\(upstream)\(request.target)")
            forwarded.method = request.method
            forwarded.headers = request.headers
            forwarded.body = .bytes(ByteBuffer(bytes: request.body))
            let response = try await HTTPClient.shared.execute(forwarded, timeout: .seconds(60))
            let body = try await response.body.collect(upTo: 256 << 20)
            return ProxiedResponse(
                status: response.status, headers: response.headers,
                body: Array(body.readableBytesView))
        }
    }
}

/// Lets one operation run at a time, in the order of their arrival.
private actor Turn {
    private var last: Task<Void, Never>?

    func take<Result: Sendable>(
        _ operation: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let previous = last
        let task = Task {
            await previous?.value
            return try await operation()
        }
        last = Task { _ = await task.result }
        return try await task.value
    }
}
