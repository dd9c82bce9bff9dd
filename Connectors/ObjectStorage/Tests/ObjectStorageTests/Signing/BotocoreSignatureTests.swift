import Foundation
import NIOHTTP1
import StorageServers
import Testing

@testable import ObjectStorage

@Suite("Signatures compared with botocore", .enabled(Python.absence, Python.isAvailable))
struct BotocoreSignatureTests {
    /// What `signatures.py` reads.
    private struct Item: Encodable {
        var method: String
        var url: String
        var headers: [String: String]
        var stamp: String
        var region: String
        var accessKeyID: String
        var secretAccessKey: String
    }

    private func botocore(_ items: [Item]) async throws -> [String] {
        let output = try #require(
            await Python.run([Python.script("signatures.py")], input: JSONEncoder().encode(items)))
        return try JSONDecoder().decode([String].self, from: output)
    }

    @Test("Random requests have the same signature")
    func randomRequests() async throws {
        var generator = SeededGenerator(seed: announcedSeed())
        var items: [Item] = []
        var signatures: [String] = []
        for _ in 0..<300 {
            let (request, endpoint, credentials, time) = randomRequest(using: &generator)
            let signed = request.signed(for: endpoint, credentials: credentials, at: time)
            var headers: [String: String] = [:]
            for (name, value) in signed.headers where name != "authorization" {
                headers[name] = value
            }
            items.append(
                Item(
                    method: request.method.rawValue, url: signed.url, headers: headers,
                    stamp: time.stamp, region: endpoint.region,
                    accessKeyID: credentials.accessKeyID,
                    secretAccessKey: credentials.secretAccessKey))
            signatures.append(try signature(in: signed.headers))
        }
        let expected = try await botocore(items)
        #expect(expected.count == signatures.count)
        for (index, item) in items.enumerated() {
            #expect(signatures[index] == expected[index], "\(item)")
        }
    }

    @Test("What is on the wire is what was signed")
    func wire() async throws {
        try await withStore(prefix: "p re/fix") { store, proxy async throws in
            for key in oddKeys {
                try await store.put(.bytes(key.utf8), at: key, condition: .ifAbsent)
                #expect(try await store.get(key, range: 0..<1).bytes.count == 1)
            }
            for try await _ in store.list(prefix: "a", pageSize: 3) {}
            try await store.delete(oddKeys)
            let items = try proxy.requests.map { request in
                let authorization = try #require(request.headers.first(name: "authorization"))
                let names = try #require(authorization.firstMatch(of: /SignedHeaders=([^,]*),/)).1
                var headers: [String: String] = [:]
                for name in names.split(separator: ";") {
                    headers[String(name)] = request.headers.first(name: String(name))
                }
                let host = try #require(headers["host"])
                return Item(
                    method: request.method.rawValue, url: "http://\(host)\(request.target)",
                    headers: headers, stamp: try #require(headers["x-amz-date"]),
                    region: "eu-central-1", accessKeyID: testCredentials.accessKeyID,
                    secretAccessKey: testCredentials.secretAccessKey)
            }
            let expected = try await botocore(items)
            for (index, request) in proxy.requests.enumerated() {
                let sent = try signature(in: request.headers)
                #expect(sent == expected[index], "\(request.method) \(request.target)")
            }
            #expect(proxy.requests.count > 2 * oddKeys.count)
        }
    }

    private func signature(in headers: HTTPHeaders) throws -> String {
        let authorization = try #require(headers.first(name: "authorization"))
        return String(try #require(authorization.firstMatch(of: /Signature=([0-9a-f]{64})$/)).1)
    }

    private func randomRequest(
        using generator: inout SeededGenerator
    ) -> (StorageRequest, StorageEndpoint, StorageCredentials, UTCTime) {
        let methods: [HTTPMethod] = [.GET, .PUT, .HEAD, .POST, .DELETE]
        var request = StorageRequest(
            method: methods.randomElement(using: &generator)!,
            key: Bool.random(using: &generator) ? nil : randomText(using: &generator))
        for _ in 0..<Int.random(in: 0..<4, using: &generator) {
            request.query.append(
                (randomText(using: &generator), randomText(using: &generator)))
        }
        for number in 0..<Int.random(in: 0..<4, using: &generator) {
            let value = (0..<3).map { _ in "v\(generator.next() % 100)" }.joined(separator: " ")
            request.headers.append(("x-amz-meta-\(number)\(generator.next() % 10)", value))
        }
        request.payload = RequestPayload(bytes: randomBytes(Int(generator.next() % 100)))
        let endpoints = [nil, "http://127.0.0.1:9000", "https://host.example/base%20path"]
        let endpoint = try! StorageEndpoint(
            bucket: ["bucket", "dotted.bucket"].randomElement(using: &generator)!,
            endpoint: endpoints.randomElement(using: &generator)!, region: "eu-west-3",
            allowInsecure: false)
        let credentials = StorageCredentials(
            accessKeyID: "AKID\(generator.next())", secretAccessKey: "s/\(generator.next())+",
            sessionToken: Bool.random(using: &generator) ? "token/\(generator.next())=" : nil)
        let time = UTCTime(secondsSince1970: Int64(generator.next() % 4_000_000_000))
        return (request, endpoint, credentials, time)
    }

    private func randomText(using generator: inout SeededGenerator) -> String {
        let alphabet = Array("abzAZ059-._~/ +%&=?#:;@!$'()*,[]\\\"<>^`{|}é日\u{301}🙂")
        let count = Int.random(in: 1..<12, using: &generator)
        return String((0..<count).map { _ in alphabet.randomElement(using: &generator)! })
    }
}

/// Keys that a server, a proxy or a URL parser could take for others.
let oddKeys = [
    "a", "a b", "a+b", "a%20b", "a%2Fb", "a//b", "/a", "a/", "a?b", "a#b", "a&b=c", "a;b", "a:b",
    "a'b", "a\"b", "a<b>c", "a\\b", "a~b", "a*b", "(a)", "[a]", "{a}", "a|b", "a^b", "a`b", "a@b",
    "a!b", "a$b", "a,b", "é", "e\u{301}", "日本", "🙂", "...", "a/.b", "%", "=", " a ",
]
