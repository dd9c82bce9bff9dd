import Testing

@testable import ObjectStorage

@Suite("Endpoints")
struct EndpointTests {
    private func endpoint(
        _ url: String?, bucket: String = "bucket", region: String? = "eu-west-1",
        allowInsecure: Bool = false
    ) throws -> StorageEndpoint {
        try StorageEndpoint(
            bucket: bucket, endpoint: url, region: region, allowInsecure: allowInsecure)
    }

    @Test("AWS is addressed by host")
    func virtualHost() throws {
        let endpoint = try endpoint(nil)
        #expect(endpoint.scheme == "https")
        #expect(endpoint.hostHeader == "bucket.s3.eu-west-1.amazonaws.com")
        #expect(endpoint.path(key: "a b/c") == "/a%20b/c")
        #expect(endpoint.path(key: nil) == "/")
        #expect(try self.endpoint(nil, region: "cn-north-1").host.hasSuffix(".amazonaws.com.cn"))
    }

    @Test(
        "A bucket whose name no wildcard certificate covers is addressed by path",
        arguments: ["dotted.bucket", "Upper", "under_score"])
    func dotted(bucket: String) throws {
        let endpoint = try endpoint(nil, bucket: bucket)
        #expect(endpoint.hostHeader == "s3.eu-west-1.amazonaws.com")
        #expect(endpoint.path(key: "a") == "/\(bucket)/a")
    }

    @Test("A custom endpoint is addressed by path, below its own path")
    func custom() throws {
        let endpoint = try endpoint("https://Host.example:9000/base/")
        #expect(endpoint.hostHeader == "host.example:9000")
        #expect(endpoint.path(key: "/a") == "/base/bucket//a")
        #expect(endpoint.path(key: nil) == "/base/bucket")
    }

    @Test("The scheme's own port is not in the host header")
    func ports() throws {
        #expect(try endpoint("https://host.example:443").hostHeader == "host.example")
        #expect(try endpoint("http://localhost:80").hostHeader == "localhost")
        #expect(try endpoint("http://localhost:443").hostHeader == "localhost:443")
    }

    @Test(
        "Plain http is taken for this machine",
        arguments: ["http://127.0.0.1:1", "http://127.8.9.1", "http://localhost", "http://[::1]:9"])
    func loopback(url: String) throws { #expect(try endpoint(url).scheme == "http") }

    @Test(
        "Plain http to another machine is refused unless it is allowed",
        arguments: [
            "http://host.example", "http://10.0.0.1", "http://127.0.0.1.example", "http://[::2]",
            "http://127.0.0", "http://localhost.example",
        ])
    func insecure(url: String) throws {
        #expect(throws: StorageConfigurationError.insecureEndpoint(url)) { try endpoint(url) }
        #expect(try endpoint(url, allowInsecure: true).scheme == "http")
    }

    @Test(
        "What is not an endpoint is refused",
        arguments: [
            "", "host", "ftp://host", "https://", "https://host:0", "https://host:65536",
            "https://host:x", "https://user@host", "https://host?a", "https://host#a",
            "https://ho st", "https://[::1", "https://host\\a", "https://host/%zz",
        ])
    func refused(url: String) {
        let error = #expect(throws: StorageConfigurationError.self) { try endpoint(url) }
        guard case .invalidEndpoint = error else {
            Issue.record("\(url): \(error!)")
            return
        }
    }

    @Test("AWS needs a region, other services do not")
    func region() throws {
        #expect(throws: StorageConfigurationError.missingRegion) { try endpoint(nil, region: nil) }
        #expect(try endpoint("https://host.example", region: nil).region == "us-east-1")
    }
}
