import AsyncHTTPClient
import NIOHTTP1

extension ObjectStore {
    /// The default limit for reading an object into memory: 64 MiB.
    public static let contentByteCountMax: UInt64 = 64 << 20

    /// Reads an object, or a range of it, into memory.
    ///
    /// - Parameters:
    ///   - key: Relative to the store's prefix.
    ///   - range: Offsets in the object, not empty. One that ends after the object is cut; one that
    ///     begins after it throws `rangeNotSatisfiable`.
    ///   - entityTag: The state to be read; `conditionFailed` if the object is in another one.
    ///   - byteCountMax: The most bytes to read, else `responseTooLarge`.
    ///
    /// Throws `notFound` where there is no object. The length is checked always; the checksum of a
    /// whole object where the service has one. Costs one request if all goes well.
    public func get(
        _ key: String, range: Range<UInt64>? = nil, ifMatch entityTag: EntityTag? = nil,
        byteCountMax: UInt64 = contentByteCountMax
    ) async throws -> ObjectContent {
        let request = try getRequest(key, range: range, ifMatch: entityTag)
        return try await sendRepeatedly(request, key: key) { response, activity in
            let (content, attributes) = try Self.checkedHead(
                response, key: key, range: range, ifMatch: entityTag)
            let bytes = try await HTTPTransport.collect(response, upTo: byteCountMax, activity)
            guard bytes.count == content.range.count else {
                throw ObjectStorageError.connectionLost(
                    "\(bytes.count) of \(content.range.count) bytes were received")
            }
            if content.isWhole, let checksum = attributes.checksumSHA256 {
                guard BodyChecksum(of: bytes).base64 == checksum else {
                    throw ObjectStorageError.checksumMismatch("'\(key)' was received otherwise")
                }
            }
            return ObjectContent(bytes: bytes, range: content.range, attributes: attributes)
        }
    }

    /// Opens an object, or a range of it, as a stream; parameters and errors as for `get`.
    ///
    /// Costs one request if all goes well. The object is read as fast as the stream is.
    public func stream(
        _ key: String, range: Range<UInt64>? = nil, ifMatch entityTag: EntityTag? = nil
    ) async throws -> ObjectStream {
        let request = try getRequest(key, range: range, ifMatch: entityTag)
        return try await sendRepeatedly(request, key: key) { response, _ in
            let (content, attributes) = try Self.checkedHead(
                response, key: key, range: range, ifMatch: entityTag)
            return ObjectStream(
                store: self, attributes: attributes, range: content.range, first: response.body)
        }
    }

    /// Sends a GET for the rest of a stream once.
    func streamBody(
        _ key: String, range: Range<UInt64>, ifMatch entityTag: EntityTag,
        within remaining: Duration
    ) async throws -> HTTPClientResponse.Body {
        let request = try getRequest(key, range: range, ifMatch: entityTag)
        return try await send(request, key: key, within: remaining) { response, _ in
            _ = try Self.checkedHead(response, key: key, range: range, ifMatch: entityTag)
            return response.body
        }
    }

    private func getRequest(
        _ key: String, range: Range<UInt64>?, ifMatch entityTag: EntityTag?
    ) throws -> StorageRequest {
        var request = StorageRequest(method: .GET, key: try wholeKey(key))
        request.headers.append(("x-amz-checksum-mode", "ENABLED"))
        if let range {
            guard !range.isEmpty else {
                throw ObjectStorageError.invalidArgument("the range of '\(key)' is empty")
            }
            request.headers.append(("range", "bytes=\(range.lowerBound)-\(range.upperBound - 1)"))
        }
        if let entityTag { request.headers.append(("if-match", entityTag.headerValue)) }
        return request
    }

    /// Checks that an answer carries what was asked for.
    private static func checkedHead(
        _ response: HTTPClientResponse, key: String, range: Range<UInt64>?,
        ifMatch entityTag: EntityTag?
    ) throws -> (ContentRange, ObjectAttributes) {
        let content = try ContentRange(
            requested: range, status: response.status, headers: response.headers)
        let attributes = try ObjectAttributes(
            key: key, headers: response.headers, byteCount: content.wholeByteCount)
        guard entityTag == nil || attributes.entityTag == entityTag else {
            throw ObjectStorageError.malformedResponse(
                "the state \(attributes.entityTag) instead of \(entityTag!)")
        }
        return (content, attributes)
    }
}
