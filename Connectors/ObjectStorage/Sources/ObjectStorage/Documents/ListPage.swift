/// One page of a listing: the answer to `ListObjectsV2`.
struct ListPage: Hashable, Sendable {
    /// An object with its whole key.
    struct Entry: Hashable, Sendable {
        var key: String
        var byteCount: UInt64
        var entityTag: EntityTag
        var lastModified: UTCTime?
    }

    var entries: [Entry] = []
    /// What the next page is asked for with; nil on the last page.
    var continuationToken: String?

    /// Reads a page. Throws `ObjectStorageError.malformedResponse`, or the error that an `Error`
    /// document with a status of success describes.
    init(_ body: [UInt8], bucket: String) throws {
        let root = try XMLElement(answer: body, expected: "ListBucketResult", bucket: bucket)
        let isEncoded = root["EncodingType"]?.text == "url"
        for element in root.all("Contents") {
            entries.append(try Self.entry(element, isEncoded: isEncoded))
        }
        switch root["IsTruncated"]?.text {
        case "true":
            guard let token = root["NextContinuationToken"]?.text, !token.isEmpty else {
                throw ObjectStorageError.malformedResponse(
                    "a listing has no token to continue with")
            }
            continuationToken = token
        case "false": break
        default:
            throw ObjectStorageError.malformedResponse("a listing does not say if it is complete")
        }
    }

    private static func entry(_ element: XMLElement, isEncoded: Bool) throws -> Entry {
        let text = element["Key"]?.text ?? ""
        guard let key = isEncoded ? PercentEncoding.decode(text, plusIsSpace: true) : text,
            !key.isEmpty, let size = element["Size"].flatMap({ UInt64($0.text) }),
            let tag = element["ETag"].flatMap({ EntityTag(headerValue: $0.text) })
        else { throw ObjectStorageError.malformedResponse("a listing has an incomplete entry") }
        return Entry(
            key: key, byteCount: size, entityTag: tag,
            lastModified: element["LastModified"].flatMap { UTCTime(iso8601: $0.text) })
    }
}

extension XMLElement {
    /// Parses an answer with a status of success and checks the root's name. An `Error` document is
    /// thrown as the error that it describes: S3 sends some after the status is on its way.
    init(answer body: [UInt8], expected: String, bucket: String) throws {
        do {
            self = try XMLReader.document(body)
        } catch let failure as XMLReader.Failure {
            throw ObjectStorageError.malformedResponse(
                "\(failure.reason) at offset \(failure.offset)")
        }
        if name == "Error" {
            var answer = ServiceAnswer(status: 500)
            answer.take(self)
            throw ObjectStorageError(answer, key: nil, bucket: bucket)
        }
        guard name == expected else {
            throw ObjectStorageError.malformedResponse("\(name) instead of \(expected)")
        }
    }
}
