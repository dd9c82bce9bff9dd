import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1

/// Moto's S3 on a loopback port, one for all tests of a run; each test has its own bucket.
public final class MotoServer: Sendable {
    /// The port on 127.0.0.1.
    public let port: Int
    private let process: Process
    /// The server ends when this does.
    private let input: Pipe

    private static let server: MotoServer? = try? MotoServer()

    /// The server; nil if it did not start. Starts it the first time.
    public static func shared() async -> MotoServer? { await Python.onThread { server } }

    private struct StartFailed: Error {}

    private init() throws {
        guard let interpreter = Python.interpreter else { throw StartFailed() }
        process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [interpreter, Python.script("moto_server.py")]
        input = Pipe()
        let output = Pipe()
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        guard let line = Self.line(from: output.fileHandleForReading, within: 60),
            let port = Int(line)
        else { throw StartFailed() }
        self.port = port
    }

    /// Creates a bucket of a new name and returns the name.
    public func makeBucket() async throws -> String {
        let name = "bucket-\(UInt64.random(in: 0...(.max)))"
        _ = try await send(.PUT, name)
        return name
    }

    /// Damages the first object of a prefix as nobody should: other bytes, of the same size or
    /// fewer. Returns its key.
    public func damageObject(
        in bucket: String, prefix: String, isSameSize: Bool
    ) async throws -> String {
        let list = try await send(.GET, "\(bucket)?list-type=2&prefix=\(prefix)")
        let text = String(decoding: list, as: UTF8.self)
        guard let start = text.range(of: "<Key>"), let end = text.range(of: "</Key>") else {
            throw StartFailed()
        }
        let key = String(text[start.upperBound..<end.lowerBound])
        var bytes = try await send(.GET, "\(bucket)/\(key)")
        bytes[bytes.count / 2] ^= 1
        if !isSameSize { bytes.removeLast() }
        _ = try await send(.PUT, "\(bucket)/\(key)", bytes)
        return key
    }

    /// Deletes an object as nobody should.
    public func deleteObject(in bucket: String, key: String) async throws {
        _ = try await send(.DELETE, "\(bucket)/\(key)")
    }

    /// Sends a request; moto demands a signature, and does not look at it.
    private func send(
        _ method: HTTPMethod, _ path: String, _ body: [UInt8] = []
    ) async throws -> [UInt8] {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)/\(path)")
        request.method = method
        let credential = "AKIDTEST/20260101/us-east-1/s3/aws4_request"
        request.headers.add(
            name: "authorization",
            value: "AWS4-HMAC-SHA256 Credential=\(credential), SignedHeaders=host, Signature=0")
        request.headers.add(name: "content-type", value: "application/octet-stream")
        if !body.isEmpty { request.body = .bytes(body) }
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
        let content = try await response.body.collect(upTo: 64 << 20)
        guard response.status == .ok || response.status == .noContent else { throw StartFailed() }
        return Array(content.readableBytesView)
    }

    /// One line that arrives within so many seconds.
    private static func line(from handle: FileHandle, within seconds: Double) -> String? {
        let deadline = Date(timeIntervalSinceNow: seconds)
        var bytes: [UInt8] = []
        while bytes.last != UInt8(ascii: "\n") {
            var descriptor = pollfd(
                fd: handle.fileDescriptor, events: Int16(POLLIN), revents: 0)
            let milliseconds = Int32(max(0, deadline.timeIntervalSinceNow * 1_000))
            guard poll(&descriptor, 1, milliseconds) > 0 else { return nil }
            var byte: UInt8 = 0
            guard read(handle.fileDescriptor, &byte, 1) == 1 else { return nil }
            bytes.append(byte)
        }
        return String(decoding: bytes.dropLast(), as: UTF8.self)
    }
}
