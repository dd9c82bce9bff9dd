import NIOHTTP1

/// A request to the service, not yet signed.
struct StorageRequest: Sendable {
    var method: HTTPMethod
    /// The whole key; nil for the bucket.
    var key: String?
    var query: [(name: String, value: String)] = []
    /// Names in lower case. Hold neither host, date nor signature.
    var headers: [(name: String, value: String)] = []
    var payload = RequestPayload.empty
}

extension StorageRequest {
    /// The URL and all headers, signed.
    func signed(
        for endpoint: StorageEndpoint, credentials: StorageCredentials, at time: UTCTime
    ) -> (url: String, headers: HTTPHeaders) {
        var headers = headers
        headers.append(("host", endpoint.hostHeader))
        headers.append(("x-amz-date", time.stamp))
        headers.append(("x-amz-content-sha256", payload.checksum.hexadecimal))
        if let token = credentials.sessionToken {
            headers.append(("x-amz-security-token", token))
        }
        let canonical = CanonicalRequest(
            method: method.rawValue, path: endpoint.path(key: key), query: query, headers: headers,
            payloadHash: payload.checksum.hexadecimal)
        let signer = RequestSigner(credentials: credentials, region: endpoint.region)
        headers.append(("authorization", signer.authorization(for: canonical, at: time)))
        let queryText = canonical.queryText
        let url =
            "\(endpoint.scheme)://\(endpoint.hostHeader)\(canonical.path)"
            + (queryText.isEmpty ? "" : "?\(queryText)")
        return (url, HTTPHeaders(headers.map { ($0.name, $0.value) }))
    }
}
