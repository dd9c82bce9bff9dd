import Testing

@testable import ObjectStorage

/// The four examples of "Authenticating Requests: Using the Authorization Header" in the API
/// reference of Amazon S3.
@Suite("The published examples of signatures")
struct PublishedSignatureTests {
    private let signer = RequestSigner(
        credentials: StorageCredentials(
            accessKeyID: "AKIAIOSFODNN7EXAMPLE",
            secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
        region: "us-east-1")
    /// 24 May 2013, 00:00:00.
    private let time = UTCTime(secondsSince1970: 1_369_353_600)
    private let hashOfNothing = BodyChecksum(of: []).hexadecimal

    private func request(
        _ method: String, _ path: String, query: [(name: String, value: String)] = [],
        headers: [(name: String, value: String)] = [], payloadHash: String
    ) -> CanonicalRequest {
        CanonicalRequest(
            method: method, path: path, query: query,
            headers: headers + [
                ("host", "examplebucket.s3.amazonaws.com"), ("x-amz-date", time.stamp),
                ("x-amz-content-sha256", payloadHash),
            ],
            payloadHash: payloadHash)
    }

    @Test("GET of a range of an object")
    func getObject() {
        let request = request(
            "GET", "/test.txt", headers: [("range", "bytes=0-9")], payloadHash: hashOfNothing)
        let signature = "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
        #expect(signer.signature(of: request, at: time) == signature)
        #expect(
            signer.authorization(for: request, at: time)
                == "AWS4-HMAC-SHA256 "
                + "Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,"
                + "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,Signature=\(signature)")
    }

    @Test("PUT of an object whose key needs percent-encoding")
    func putObject() {
        let path = "/" + PercentEncoding.encode("test$file.text", keepsSlashes: true)
        let request = request(
            "PUT", path,
            headers: [
                ("date", "Fri, 24 May 2013 00:00:00 GMT"),
                ("x-amz-storage-class", "REDUCED_REDUNDANCY"),
            ],
            payloadHash: BodyChecksum(of: Array("Welcome to Amazon S3.".utf8)).hexadecimal)
        #expect(
            signer.signature(of: request, at: time)
                == "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd")
    }

    @Test("GET of a bucket's lifecycle, a query without value")
    func getLifecycle() {
        let request = request("GET", "/", query: [("lifecycle", "")], payloadHash: hashOfNothing)
        #expect(
            signer.signature(of: request, at: time)
                == "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543")
    }

    @Test("A listing, whose query is sorted")
    func list() {
        let request = request(
            "GET", "/", query: [("prefix", "J"), ("max-keys", "2")], payloadHash: hashOfNothing)
        #expect(
            signer.signature(of: request, at: time)
                == "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7")
    }
}
