import Crypto

/// Signs requests to S3 with Signature Version 4.
///
/// Source of the algorithm: "Authenticating Requests: Using the Authorization Header" in the API
/// reference of Amazon S3. The body's hash is always signed; a body is hashed before it is sent.
struct RequestSigner {
    var credentials: StorageCredentials
    var region: String
    var service = "s3"

    private static let algorithm = "AWS4-HMAC-SHA256"

    /// The value of the `authorization` header.
    ///
    /// The request's headers must contain `host` and `x-amz-date`, and `x-amz-security-token` where
    /// the credentials have a session token.
    func authorization(for request: CanonicalRequest, at time: UTCTime) -> String {
        let scope = "\(time.day)/\(region)/\(service)/aws4_request"
        return "\(Self.algorithm) Credential=\(credentials.accessKeyID)/\(scope),"
            + "SignedHeaders=\(request.signedHeaders),Signature=\(signature(of: request, at: time))"
    }

    /// The signature as lower-case hexadecimal digits.
    func signature(of request: CanonicalRequest, at time: UTCTime) -> String {
        let scope = "\(time.day)/\(region)/\(service)/aws4_request"
        let requestHash = Hexadecimal.encode(SHA256.hash(data: Array(request.text.utf8)))
        let text = [Self.algorithm, time.stamp, scope, requestHash].joined(separator: "\n")
        var key = SymmetricKey(data: Array("AWS4\(credentials.secretAccessKey)".utf8))
        for part in [time.day, region, service, "aws4_request"] {
            key = SymmetricKey(data: Self.code(part, key: key))
        }
        return Hexadecimal.encode(Self.code(text, key: key))
    }

    private static func code(_ text: String, key: SymmetricKey) -> HMAC<SHA256>.MAC {
        HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: key)
    }
}
