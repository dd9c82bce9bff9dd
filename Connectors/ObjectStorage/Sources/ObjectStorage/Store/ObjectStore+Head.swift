import AsyncHTTPClient

extension ObjectStore {
    /// What the service knows of an object besides its content. Throws `notFound` where there is
    /// none, also where there is no bucket: an answer to HEAD has no body to distinguish them by.
    ///
    /// Costs one request if all goes well.
    public func head(_ key: String) async throws -> ObjectAttributes {
        var attempts = Attempts(options)
        while true {
            do {
                return try await head(key, within: attempts.remaining)
            } catch {
                try await attempts.pause(after: error)
            }
        }
    }

    /// Sends a HEAD once.
    func head(_ key: String, within remaining: Duration) async throws -> ObjectAttributes {
        var request = StorageRequest(method: .HEAD, key: try wholeKey(key))
        request.headers.append(("x-amz-checksum-mode", "ENABLED"))
        return try await send(request, key: key, within: remaining) { response, activity in
            try await HTTPTransport.drain(headersOnly(response), activity)
            return try ObjectAttributes(key: key, headers: response.headers)
        }
    }
}

/// The answer without `Content-Length`, which in an answer to HEAD is not that of the body.
private func headersOnly(_ response: HTTPClientResponse) -> HTTPClientResponse {
    var response = response
    response.headers.remove(name: "content-length")
    return response
}
