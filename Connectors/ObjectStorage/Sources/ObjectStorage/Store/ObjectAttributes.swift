import NIOHTTP1

/// What the service knows of a stored object besides its content.
public struct ObjectAttributes: Hashable, Sendable {
    /// The key, relative to the store's prefix.
    public var key: String
    /// The size of the whole object, also where only a range was read.
    public var byteCount: UInt64
    /// The name of this state of the object.
    public var entityTag: EntityTag
    /// When this state was stored, in seconds since 1970 by the service's clock.
    public var lastModifiedSecondsSince1970: Int64?
    /// The user's metadata, names in lower case and without `x-amz-meta-`.
    public var metadata: [String: String]
    /// The SHA-256 of the whole content in base64, where the service has one.
    public var checksumSHA256: String?
}

extension ObjectAttributes {
    static let metadataPrefix = "x-amz-meta-"

    /// Reads the headers of an answer to HEAD, or to GET with `byteCount` from the content's range.
    /// Throws `ObjectStorageError.malformedResponse`.
    init(key: String, headers: HTTPHeaders, byteCount: UInt64? = nil) throws {
        guard let tag = headers.first(name: "etag").flatMap(EntityTag.init(headerValue:)) else {
            throw ObjectStorageError.malformedResponse("there is no ETag")
        }
        guard let byteCount = try byteCount ?? Self.contentLength(headers) else {
            throw ObjectStorageError.malformedResponse("there is no Content-Length")
        }
        self.key = key
        self.byteCount = byteCount
        entityTag = tag
        lastModifiedSecondsSince1970 = headers.first(name: "last-modified")
            .flatMap { UTCTime(httpDate: $0)?.secondsSince1970 }
        metadata = [:]
        for (name, value) in headers {
            let name = name.lowercased()
            guard name.hasPrefix(Self.metadataPrefix) else { continue }
            metadata[String(name.dropFirst(Self.metadataPrefix.count))] = value
        }
        checksumSHA256 = BodyChecksum.wholeObject(in: headers)
    }

    /// The value of `Content-Length`; throws if there are several or one that is not a number.
    static func contentLength(_ headers: HTTPHeaders) throws -> UInt64? {
        let values = headers["content-length"]
        guard let first = values.first else { return nil }
        guard values.count == 1, let count = UInt64(first) else {
            throw ObjectStorageError.malformedResponse("Content-Length is not a number")
        }
        return count
    }
}
