import FlyingSocks

/// Reads the requests of one connection, one after the other, within limits.
struct RequestReader {
    private let socket: AsyncSocket
    private let limits: RequestLimits
    /// What arrived and belongs to no request yet.
    private var buffer: [UInt8] = []

    init(_ socket: AsyncSocket, _ limits: RequestLimits) {
        self.socket = socket
        self.limits = limits
    }

    /// The next request; nil if the client has closed the connection or was idle for too long.
    ///
    /// - Throws: `RequestFailure` for what must be answered before the connection is closed;
    ///   errors of the socket.
    mutating func next() async throws -> Request? {
        if buffer.isEmpty {
            do {
                guard try await receive(by: .now + limits.idleTime) else { return nil }
            } catch let failure as RequestFailure where failure.status == 408 {
                return nil
            }
        }
        let deadline = ContinuousClock.now + limits.requestTime
        let headEnd = try await findHeadEnd(by: deadline)
        let head = try RequestParser.head(buffer[..<headEnd.lowerBound], limits)
        buffer.removeSubrange(..<headEnd.upperBound)
        while buffer.count < head.bodyByteCount {
            guard try await receive(by: deadline) else { return nil }
        }
        var request = head.request
        request.body = Array(buffer[..<head.bodyByteCount])
        buffer.removeSubrange(..<head.bodyByteCount)
        return request
    }

    /// Takes what the client still sends, for a moment, so that it reads the answer to a request
    /// that was not read as a whole: closing a socket with unread bytes resets the connection.
    mutating func drain() async {
        let deadline = ContinuousClock.now + .seconds(1)
        var byteCount = 0
        while byteCount < 4 << 20 {
            buffer.removeAll()
            guard (try? await receive(by: deadline)) == true else { return }
            byteCount += buffer.count
        }
    }

    private var tooLarge: RequestFailure {
        RequestFailure(
            431, "The head of the request is too large: at most \(limits.headByteCount) bytes.")
    }

    /// Where the empty line after the fields is, with the LF of the line before.
    private mutating func findHeadEnd(
        by deadline: ContinuousClock.Instant
    ) async throws -> Range<Int> {
        var start = 0
        while true {
            while let end = buffer[start...].firstIndex(of: UInt8(ascii: "\n")) {
                guard end > 0, buffer[end - 1] == UInt8(ascii: "\r") else {
                    throw RequestFailure(
                        400, "The request is malformed: a line does not end with CR and LF.")
                }
                // The line is empty.
                if end == start + 1, start > 0 {
                    guard end <= limits.headByteCount else { throw tooLarge }
                    return start - 1..<end + 1
                }
                start = end + 1
            }
            guard buffer.count <= limits.headByteCount else { throw tooLarge }
            guard try await receive(by: deadline) else {
                throw RequestFailure(400, "The request ends before its head does.")
            }
        }
    }

    /// Waits for bytes; false if the client has closed the connection.
    private mutating func receive(by deadline: ContinuousClock.Instant) async throws -> Bool {
        let socket = socket
        do {
            let bytes = try await withDeadline(deadline) { try await socket.read(atMost: 4096) }
            buffer += bytes
            return !bytes.isEmpty
        } catch SocketError.disconnected {
            return false
        }
    }
}
