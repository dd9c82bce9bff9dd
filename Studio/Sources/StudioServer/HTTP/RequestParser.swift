/// Reads the head of an HTTP/1.1 request.
///
/// It takes less than the protocol allows: no folded fields, no transfer codings, no absolute or
/// authority form, and no field twice that decides about safety or framing. Two readers of such
/// requests could understand them differently.
enum RequestParser {
    /// A head without its body.
    struct Head: Sendable {
        var request: Request
        var bodyByteCount: Int
    }

    /// Fields that may be there once only.
    private static let single: Set<String> = [
        "host", "origin", "content-length", "content-type", "cookie", "transfer-encoding",
        "sec-fetch-site",
    ]

    /// The head that some bytes are.
    ///
    /// - Parameters:
    ///   - bytes: up to the empty line, without it.
    ///   - limits: of fields and of the body.
    /// - Throws: `RequestFailure` with the status to answer.
    static func head(
        _ bytes: ArraySlice<UInt8>, _ limits: RequestLimits
    ) throws(RequestFailure) -> Head {
        var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0 }[...]
        guard let first = lines.popFirst() else { throw malformed("it is empty") }
        var request = try requestLine(first)
        guard lines.count <= limits.fieldCount else {
            throw RequestFailure(431, "The request has too many header fields.")
        }
        for line in lines {
            let (name, value) = try field(line)
            guard request.fields[name] == nil else {
                guard !single.contains(name) else {
                    throw malformed("the field \(name) is there twice")
                }
                request.fields[name]! += ", " + value
                continue
            }
            request.fields[name] = value
        }
        guard request.fields["transfer-encoding"] == nil else {
            throw RequestFailure(501, "Transfer codings are not supported; send a Content-Length.")
        }
        let connection = request.fields["connection"]?.lowercased() ?? ""
        request.keepsAlive = request.keepsAlive && !connection.contains("close")
        return Head(
            request: request,
            bodyByteCount: try contentLength(request.fields["content-length"], limits))
    }

    private static func malformed(_ what: String) -> RequestFailure {
        RequestFailure(400, "The request is malformed: \(what).")
    }

    private static func requestLine(_ line: ArraySlice<UInt8>) throws(RequestFailure) -> Request {
        let parts = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard parts.count == 3, let method = text(parts[0]), let target = text(parts[1]),
            let version = text(parts[2]), !method.isEmpty, method.utf8.allSatisfy(isTokenByte)
        else { throw malformed("the first line is not METHOD PATH VERSION") }
        guard version == "HTTP/1.1" || version == "HTTP/1.0" else {
            throw RequestFailure(505, "Only HTTP/1.1 is spoken here.")
        }
        guard target.hasPrefix("/"), !target.contains("#") else {
            throw malformed("the path does not begin with a slash")
        }
        let pieces = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        return Request(
            method: method, path: String(pieces[0]),
            query: try pieces.count == 2 ? parameters(pieces[1]) : [:], fields: [:], body: [],
            keepsAlive: version == "HTTP/1.1")
    }

    private static func field(
        _ line: ArraySlice<UInt8>
    ) throws(RequestFailure) -> (name: String, value: String) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
            let name = text(line[..<colon]), !name.isEmpty, name.utf8.allSatisfy(isTokenByte)
        else { throw malformed("a header field has no name") }
        let value = line[line.index(after: colon)...]
        guard value.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }),
            let decoded = String(validating: value, as: UTF8.self)
        else { throw malformed("the field \(name.lowercased()) has bytes that are no text") }
        let isSpace = { (character: Character) in character == " " || character == "\t" }
        var trimmed = decoded[...].drop(while: isSpace)
        while let last = trimmed.last, isSpace(last) { trimmed.removeLast() }
        return (name.lowercased(), String(trimmed))
    }

    private static func contentLength(
        _ text: String?, _ limits: RequestLimits
    ) throws(RequestFailure) -> Int {
        guard let text else { return 0 }
        guard !text.isEmpty, text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), text.utf8.count <= 18,
            let count = Int(text)
        else { throw malformed("the field content-length is no number") }
        guard count <= limits.bodyByteCount else {
            throw RequestFailure(
                413, "The body is too large: at most \(limits.bodyByteCount) bytes are taken.")
        }
        return count
    }

    // MARK: Text

    /// Visible ASCII only.
    private static func text(_ bytes: ArraySlice<UInt8>) -> String? {
        bytes.allSatisfy { 0x21...0x7E ~= $0 } ? String(decoding: bytes, as: UTF8.self) : nil
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }

    /// The parameters after a question mark.
    private static func parameters(
        _ text: Substring
    ) throws(RequestFailure) -> [String: String] {
        var result: [String: String] = [:]
        for pair in text.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts.count == 2 ? parts[1] : ""
            guard let name = decoded(parts[0]), let value = decoded(value) else {
                throw malformed("a parameter is not percent-encoded UTF-8")
            }
            result[name] = value
        }
        return result
    }

    /// A percent-encoded text; nil if it is none.
    static func decoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(digit),
                let low = rest.popFirst().flatMap(digit)
            else { return nil }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }
}
