import NIOHTTP1

extension ServiceAnswer {
    /// Reads an answer that is not a success. A body that is not an `Error` document is ignored: it
    /// comes from a proxy, or was cut.
    init(status: HTTPResponseStatus, headers: HTTPHeaders, body: [UInt8]) {
        self.init(status: Int(status.code))
        if let root = try? XMLReader.document(body), root.name == "Error" { take(root) }
        if requestID.isEmpty { requestID = headers.first(name: "x-amz-request-id") ?? "" }
        region = region ?? headers.first(name: "x-amz-bucket-region")
        retryAfterSeconds = headers.first(name: "retry-after").flatMap { Int($0) }
            .flatMap { $0 >= 0 ? $0 : nil }
    }

    /// Reads an `Error` document.
    mutating func take(_ root: XMLElement) {
        code = root["Code"]?.text ?? ""
        message = root["Message"]?.text ?? ""
        requestID = root["RequestId"]?.text ?? ""
        region = root["Region"]?.text
    }
}

extension ObjectStorageError {
    /// The error for an answer that is not a success.
    init(_ answer: ServiceAnswer, key: String?, bucket: String) {
        let key = key ?? ""
        switch (answer.status, answer.code) {
        case (_, "NoSuchBucket"): self = .bucketNotFound(bucket: bucket)
        case (404, "NoSuchKey"), (404, ""): self = .notFound(key: key)
        case (412, _): self = .conditionFailed(key: key)
        case (416, _): self = .rangeNotSatisfiable(key: key)
        case (301, _), (307, _), (400, "AuthorizationHeaderMalformed"):
            self = .wrongRegion(bucket: bucket, actual: answer.region)
        case (401, _), (403, _): self = .accessDenied(answer)
        case (400, _) where answer.concernsCredentials: self = .accessDenied(answer)
        case _ where answer.isThrottling: self = .throttled(answer)
        default: self = .server(answer)
        }
    }
}
