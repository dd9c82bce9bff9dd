import NIOHTTP1

/// The part of an object that an answer to GET carries, checked against the request.
struct ContentRange: Hashable, Sendable {
    /// Where the answer's bytes are in the object.
    var range: Range<UInt64>
    /// The size of the whole object.
    var wholeByteCount: UInt64

    var isWhole: Bool { range == 0..<wholeByteCount }

    /// Checks the status, `Content-Range` and `Content-Length` of an answer. A range may end after
    /// the object; it is cut there. Throws `ObjectStorageError.malformedResponse`.
    init(requested: Range<UInt64>?, status: HTTPResponseStatus, headers: HTTPHeaders) throws {
        func fail(_ reason: String) -> ObjectStorageError { .malformedResponse(reason) }
        guard let length = try ObjectAttributes.contentLength(headers) else {
            throw fail("there is no Content-Length")
        }
        guard let requested else {
            guard status == .ok else { throw fail("status \(status.code) for a whole object") }
            range = 0..<length
            wholeByteCount = length
            return
        }
        guard status == .partialContent else { throw fail("status \(status.code) for a range") }
        guard let text = headers.first(name: "content-range"), let parsed = Self.parse(text) else {
            throw fail("Content-Range is missing or malformed")
        }
        self = parsed
        let expected = requested.lowerBound..<min(requested.upperBound, wholeByteCount)
        guard range == expected else { throw fail("range \(range) instead of \(expected)") }
        guard length == UInt64(range.count) else {
            throw fail("Content-Length \(length) for a range of \(range.count) bytes")
        }
    }

    private init(range: Range<UInt64>, wholeByteCount: UInt64) {
        self.range = range
        self.wholeByteCount = wholeByteCount
    }

    /// Parses `bytes first-last/size`.
    private static func parse(_ text: String) -> ContentRange? {
        guard text.hasPrefix("bytes ") else { return nil }
        let parts = text.dropFirst(6).split(separator: "/", omittingEmptySubsequences: false)
        let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, ends.count == 2, let first = UInt64(ends[0]),
            let last = UInt64(ends[1]), let size = UInt64(parts[1]), first <= last, last < size
        else { return nil }
        return ContentRange(range: first..<last + 1, wholeByteCount: size)
    }
}
