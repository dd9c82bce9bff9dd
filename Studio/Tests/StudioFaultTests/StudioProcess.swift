import FlyingSocks
import Foundation
import TestSupport

/// The program `travertine-studio --write`, and requests as the page sends them.
final class StudioProcess: @unchecked Sendable {
    private let program: RunningProgram
    private let port: UInt16
    private var base = ""
    private var cookie = ""

    /// Starts the program, and exchanges the key that it prints.
    init(_ directory: String) async throws {
        program = try RunningProgram(
            BuiltProgram.url("travertine-studio"), [directory, "--write", "--no-open"])
        let address = program.readLine().flatMap { URL(string: $0) }
        guard let port = address?.port, let key = address?.fragment?.split(separator: "=").last
        else { throw StudioProcessError.notStarted }
        self.port = UInt16(port)
        let answer = try await post("/api/session", #"{"token":"\#(key)"}"#)
        base = answer.json["base"] as? String ?? ""
        let field = answer.head.split(separator: "\r\n").first { $0.hasPrefix("Set-Cookie: ") }
        cookie = String(field?.dropFirst(12).prefix { $0 != ";" } ?? "")
    }

    /// Kills the program and waits for its end.
    func kill() { program.end() }

    /// Sends a request, and reads until the server closes the connection.
    ///
    /// - Throws: `StudioProcessError.noAnswer` where that ends before the answer does.
    func post(
        _ path: String, _ body: String
    ) async throws -> (status: Int, head: String, json: [String: Any]) {
        let socket = try await send(path, body)
        defer { try? socket.close() }
        var received: [UInt8] = []
        do {
            while true { received += try await socket.read(atMost: 4096) }
        } catch SocketError.disconnected {
            let text = String(decoding: received, as: UTF8.self)
            guard let end = text.range(of: "\r\n\r\n") else { throw StudioProcessError.noAnswer }
            let head = String(text[..<end.lowerBound])
            let body = Data(text[end.upperBound...].utf8)
            // An answer that is cut off is none.
            let status = Int(head.split(separator: " ").dropFirst().first ?? "") ?? 0
            guard
                let json = try? JSONSerialization.jsonObject(with: body) as? [String: Any]
            else { throw StudioProcessError.noAnswer }
            return (status, head, json)
        }
    }

    /// Sends a request, and waits for no answer.
    func send(_ path: String, _ body: String) async throws -> AsyncSocket {
        let socket = try await AsyncSocket.connected(
            to: .inet(ip4: "127.0.0.1", port: port), timeout: 60)
        let head = [
            "POST \(base)\(path) HTTP/1.1", "Host: 127.0.0.1:\(port)",
            "Origin: http://127.0.0.1:\(port)", "Cookie: \(cookie)",
            "Content-Type: application/json", "Content-Length: \(body.utf8.count)",
            "Connection: close",
        ].joined(separator: "\r\n")
        try await socket.write(Data("\(head)\r\n\r\n\(body)".utf8))
        return socket
    }
}

enum StudioProcessError: Error {
    case notStarted
    case noAnswer
}
