import FlyingSocks
import Foundation
import Synchronization

/// Accepts connections on the loopback address, and answers their requests.
///
/// FlyingFox's sockets, without its server: that one has no limit for the size of a head, none for
/// the time that a request takes to arrive, and none for the number of connections.
final class Listener: Sendable {
    typealias Handler = @Sendable (Request) async -> Response

    /// The port that is listened on.
    let port: UInt16
    private let socket: AsyncSocket
    private let pool: any AsyncSocketPool
    private let limits: RequestLimits
    private let connectionCount = Atomic(0)

    /// Takes the port, without serving yet.
    ///
    /// - Parameters:
    ///   - port: 0 for any that is free.
    ///   - limits: what a connection may cost.
    /// - Throws: `SocketError` if the port is taken.
    init(port: UInt16, limits: RequestLimits = RequestLimits()) async throws {
        let pool: some AsyncSocketPool = SocketPool.make(maxEvents: 64)
        try await pool.prepare()
        let socket = try Socket(domain: AF_INET, type: .stream)
        try socket.setValue(true, for: .localAddressReuse)
        try socket.bind(to: .inet(ip4: "127.0.0.1", port: port))
        try socket.listen()
        guard case .ip4(_, port: let taken) = try socket.sockname() else {
            throw SocketError.unsupportedAddress
        }
        self.port = taken
        self.socket = try AsyncSocket(socket: socket, pool: pool)
        self.pool = pool
        self.limits = limits
    }

    /// Serves until the task is cancelled or the socket fails.
    func run(_ handler: @escaping Handler) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            let pool = pool
            group.addTask { try await pool.run() }
            group.addTask { try await self.accept(handler) }
            defer {
                group.cancelAll()
                try? socket.close()
            }
            try await group.next()
        }
    }

    private func accept(_ handler: @escaping Handler) async throws {
        try await withThrowingDiscardingTaskGroup { group in
            while true {
                let connection: AsyncSocket
                do {
                    connection = try await socket.accept()
                } catch SocketError.failed(_, let number, _) where Self.passes(number) {
                    try await Task.sleep(for: Self.acceptPause)
                    continue
                }
                guard connectionCount.load(ordering: .relaxed) < limits.connectionCount else {
                    try? connection.close()
                    continue
                }
                connectionCount.add(1, ordering: .relaxed)
                group.addTask {
                    await self.serve(connection, handler)
                    try? connection.close()
                    self.connectionCount.subtract(1, ordering: .relaxed)
                }
            }
        }
    }

    /// Whether a refusal of the system to accept a connection concerns that one only, or ends as
    /// soon as a file or memory is free again.
    private static func passes(_ number: Int32) -> Bool {
        [ECONNABORTED, EINTR, EMFILE, ENFILE, ENOBUFS, ENOMEM, EPERM, EPROTO].contains(number)
    }

    private static let acceptPause = Duration.milliseconds(50)

    private func serve(_ connection: AsyncSocket, _ handler: Handler) async {
        var reader = RequestReader(connection, limits)
        do {
            while let request = try await reader.next() {
                let response = await handler(request)
                guard try await send(response, closing: !request.keepsAlive, to: connection)
                else { return }
            }
        } catch let failure as RequestFailure {
            _ = try? await send(Response(failure), closing: true, to: connection)
            // The client sees the end of the answer, also while it still sends.
            shutdown(connection.socket.file.rawValue, Int32(SHUT_WR))
            await reader.drain()
        } catch {
            // The client has closed the connection, or the server ends.
        }
    }

    /// Sends a response; returns whether the connection stays open.
    private func send(
        _ response: Response, closing: Bool, to connection: AsyncSocket
    ) async throws -> Bool {
        switch response.body {
        case .bytes(let bytes):
            try await write(response.head(closing: closing) + bytes, to: connection)
            return !closing
        case .pieces(let pieces):
            defer { pieces.end() }
            // Where making the pieces fails, the end is missing, and the client knows.
            try await write(response.head(closing: true), to: connection)
            try await pieces.forEachPiece { piece in
                guard !piece.isEmpty else { return }
                let size = Array("\(String(piece.count, radix: 16))\r\n".utf8)
                try await write(size + piece + Array("\r\n".utf8), to: connection)
            }
            // A stream of a task that is cancelled ends as if it was complete.
            try Task.checkCancellation()
            try await write(Array("0\r\n\r\n".utf8), to: connection)
            return false
        case .events(let events):
            try await write(response.head(closing: true), to: connection)
            for await event in events { try await write(event, to: connection) }
            return false
        }
    }

    /// - Throws: `SocketError`, also for a client that takes too long: part of a response is sent
    ///   by then, and no other can follow it.
    private func write(_ bytes: [UInt8], to connection: AsyncSocket) async throws {
        do {
            try await withDeadline(.now + limits.responseTime) {
                try await connection.write(Data(bytes))
            }
        } catch is RequestFailure {
            throw SocketError.timeout(message: "the response was not accepted in time")
        }
    }
}
