import Testing

@testable import ObjectStorage

@Suite("Locations")
struct LocationTests {
    @Test("A URL names bucket, prefix, endpoint and region")
    func whole() throws {
        let location = try ObjectLocation(
            "s3://my-bucket/backup/a%20b?endpoint=http%3A%2F%2F127.0.0.1%3A9000&region=eu-west-1")
        #expect(location.bucket == "my-bucket")
        #expect(location.prefix == "backup/a b/")
        #expect(location.endpoint == "http://127.0.0.1:9000")
        #expect(location.region == "eu-west-1")
        #expect(try ObjectLocation(location.description) == location)
    }

    @Test("The endpoint need not be percent-encoded")
    func plainEndpoint() throws {
        let location = try ObjectLocation("s3://bucket?endpoint=https://host.example:9000/base")
        #expect(location.endpoint == "https://host.example:9000/base")
        #expect(location.prefix == "")
    }

    @Test(
        "A prefix ends with a slash, given or not", arguments: ["s3://bucket/a", "s3://bucket/a/"])
    func slash(text: String) throws { #expect(try ObjectLocation(text).prefix == "a/") }

    @Test(
        "A bucket alone has no prefix", arguments: ["s3://bucket", "s3://bucket/", "S3://bucket"])
    func bucketAlone(text: String) throws { #expect(try ObjectLocation(text).prefix == "") }

    @Test(
        "What is not a location is refused, with a reason",
        arguments: [
            ("http://bucket", "s3://"), ("s3://", "bucket"), ("s3:///key", "bucket"),
            ("s3://ab", "bucket"), ("s3://-bucket", "bucket"), ("s3://bu..cket", "bucket"),
            ("s3://bucket?colour=red", "setting"), ("s3://bucket?region=", "region"),
            ("s3://bucket?region=a&region=b", "twice"), ("s3://bucket?region=a/b", "region"),
            ("s3://bucket/%zz", "percent"), ("s3://bucket/a#b", "fragment"),
            ("s3://bucket/../a", "segment"), ("s3://key:secret@bucket", "credentials"),
        ])
    func refused(text: String, reason: String) {
        let error = #expect(throws: StorageConfigurationError.self) { try ObjectLocation(text) }
        guard case .invalidLocation(let found) = error else {
            Issue.record("\(error!)")
            return
        }
        #expect(found.contains(reason))
        #expect(!error!.description.contains("secret"))
    }

    @Test("Keys that cannot be stored everywhere are refused before a request")
    func keys() async throws {
        try await withStore(moto: false, prefix: "p") { store, proxy async throws in
            let long = String(repeating: "x", count: 1023)
            for key in ["", "a/../b", ".", "a\u{1}", "a\n", "a\u{7F}", "\u{FFFF}", long] {
                let error = await #expect(throws: ObjectStorageError.self) {
                    try await store.head(key)
                }
                guard case .invalidArgument = error else {
                    Issue.record("\(key): \(error!)")
                    continue
                }
            }
            #expect(proxy.requests.isEmpty)
        }
    }
}
