import FlyingSocks
import Foundation
import Testing

@testable import StudioServer

@Suite("Requests that the studio refuses")
struct HostileRequestTests {
    /// Requests to the data, each with what is wrong with it and the status of the answer. `{…}` is
    /// replaced: the host, the cookie, the key.
    static let refused: [(what: String, text: String, status: Int)] = [
        (
            "another host", "GET /api/overview HTTP/1.1\r\nHost: evil.example\r\n{cookie}\r\n\r\n",
            421
        ),
        ("another host for the page", "GET / HTTP/1.1\r\nHost: evil.example:80\r\n\r\n", 421),
        ("a host with another port", "GET / HTTP/1.1\r\nHost: 127.0.0.1:1\r\n\r\n", 421),
        (
            "a host that begins like ours", "GET / HTTP/1.1\r\nHost: {host}.evil.example\r\n\r\n",
            421
        ),
        ("localhost", "GET / HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n", 421),
        ("no host", "GET /api/overview HTTP/1.1\r\n{cookie}\r\n\r\n", 421),
        ("two hosts", "GET / HTTP/1.1\r\nHost: {host}\r\nHost: evil.example\r\n\r\n", 400),
        (
            "another origin",
            "GET /api/overview HTTP/1.1\r\nHost: {host}\r\n{cookie}\r\nOrigin: http://evil.example\r\n\r\n",
            403
        ),
        (
            "the origin of a file",
            "GET /api/overview HTTP/1.1\r\nHost: {host}\r\n{cookie}\r\nOrigin: null\r\n\r\n", 403
        ),
        (
            "an origin of the same host with another port",
            "GET /api/overview HTTP/1.1\r\nHost: {host}\r\n{cookie}\r\nOrigin: http://127.0.0.1:1\r\n\r\n",
            403
        ),
        (
            "a picture on another site",
            "GET /api/data HTTP/1.1\r\nHost: {host}\r\n{cookie}\r\nSec-Fetch-Site: cross-site\r\n\r\n",
            403
        ),
        (
            "the cookie without the path that only the page knows",
            "GET /api/overview HTTP/1.1\r\nHost: {host}\r\n{cookie}\r\n\r\n", 401
        ),
        (
            "the path without the cookie",
            "GET {base}/api/overview HTTP/1.1\r\nHost: {host}\r\n\r\n", 401
        ),
        ("no key", "GET /api/overview HTTP/1.1\r\nHost: {host}\r\n\r\n", 401),
        (
            "a wrong key",
            "GET {base}/api/overview HTTP/1.1\r\nHost: {host}\r\nCookie: {name}=\(String(repeating: "0", count: 64))\r\n\r\n",
            401
        ),
        (
            "an empty key",
            "GET {base}/api/overview HTTP/1.1\r\nHost: {host}\r\nCookie: {name}=\r\n\r\n",
            401
        ),
        (
            "the key as a parameter",
            "GET /api/overview?key={key}&token={key} HTTP/1.1\r\nHost: {host}\r\n\r\n", 401
        ),
        (
            "the key in another field",
            "GET {base}/api/overview HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {key}\r\n\r\n",
            401
        ),
        (
            "the key under another name",
            "GET {base}/api/overview HTTP/1.1\r\nHost: {host}\r\nCookie: key={key}\r\n\r\n", 401
        ),
        (
            "a form of another site",
            "POST /api/jobs HTTP/1.1\r\nHost: {host}\r\n{cookie}\r\nContent-Type: text/plain\r\nContent-Length: 17\r\n\r\n{\"kind\":\"backup\"}",
            403
        ),
        (
            "a body that is not JSON by its type",
            "POST /api/jobs HTTP/1.1\r\nHost: {host}\r\n{cookie}\r\nOrigin: http://{host}\r\nContent-Type: text/plain\r\nContent-Length: 17\r\n\r\n{\"kind\":\"backup\"}",
            415
        ),
        (
            "a method that changes nothing here",
            "DELETE {base}/api/overview HTTP/1.1\r\nHost: {host}\r\n{cookie}\r\nOrigin: http://{host}\r\n\r\n",
            405
        ),
        (
            "a preflight request",
            "OPTIONS /api/rows HTTP/1.1\r\nHost: {host}\r\nOrigin: http://evil.example\r\n\r\n", 403
        ),
        (
            "a path to a file",
            "GET {base}/../../etc/passwd HTTP/1.1\r\nHost: {host}\r\n{cookie}\r\n\r\n", 404
        ),
        (
            "an encoded path to a file",
            "GET {base}/%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\nHost: {host}\r\n{cookie}\r\n\r\n", 404
        ),
        (
            "a path below a file",
            "GET {base}/main.js/../../../etc/passwd HTTP/1.1\r\nHost: {host}\r\n{cookie}\r\n\r\n",
            404
        ),
        (
            "a path with a backslash",
            "GET {base}/..\\etc HTTP/1.1\r\nHost: {host}\r\n{cookie}\r\n\r\n",
            404
        ),
        ("no path", "GET HTTP/1.1\r\nHost: {host}\r\n\r\n", 400),
        ("an absolute address", "GET http://{host}/ HTTP/1.1\r\nHost: {host}\r\n\r\n", 400),
        ("a proxy's method", "CONNECT evil.example:443 HTTP/1.1\r\nHost: {host}\r\n\r\n", 400),
        ("another version", "GET / HTTP/2.0\r\nHost: {host}\r\n\r\n", 505),
        (
            "a chunked body",
            "POST /api/rows HTTP/1.1\r\nHost: {host}\r\nTransfer-Encoding: chunked\r\n\r\n", 501
        ),
        (
            "two lengths",
            "POST /api/rows HTTP/1.1\r\nHost: {host}\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
            400
        ),
        (
            "a negative length",
            "POST /api/rows HTTP/1.1\r\nHost: {host}\r\nContent-Length: -1\r\n\r\n", 400
        ),
        (
            "a length beyond all numbers",
            "POST /api/rows HTTP/1.1\r\nHost: {host}\r\nContent-Length: 99999999999999999999\r\n\r\n",
            400
        ),
        (
            "a large body",
            "POST /api/rows HTTP/1.1\r\nHost: {host}\r\nContent-Length: 2000000\r\n\r\n", 413
        ),
        ("a folded field", "GET / HTTP/1.1\r\nHost: {host}\r\n folded\r\n\r\n", 400),
        ("a field without a name", "GET / HTTP/1.1\r\n: x\r\n\r\n", 400),
        ("a space before the colon", "GET / HTTP/1.1\r\nHost : {host}\r\n\r\n", 400),
        ("a zero byte in a field", "GET / HTTP/1.1\r\nHost: {host}\u{0}\r\n\r\n", 400),
        ("a wrong percent escape", "GET /?a=%zz HTTP/1.1\r\nHost: {host}\r\n\r\n", 400),
        ("a parameter that is not UTF-8", "GET /?a=%ff HTTP/1.1\r\nHost: {host}\r\n\r\n", 400),
        (
            "many fields",
            "GET / HTTP/1.1\r\nHost: {host}\r\n"
                + (0..<80).map { "X-\($0): 1\r\n" }.joined() + "\r\n", 431
        ),
        (
            "a long field",
            "GET / HTTP/1.1\r\nHost: {host}\r\nX: \(String(repeating: "x", count: 40_000))\r\n\r\n",
            431
        ),
        (
            "fields that are a little too long together",
            "GET / HTTP/1.1\r\nHost: {host}\r\nX: \(String(repeating: "x", count: 16 << 10))\r\n\r\n",
            431
        ),
        ("lines without CR", "GET / HTTP/1.1\nHost: {host}\n\n", 400),
        ("an empty line without CR", "GET / HTTP/1.1\r\nHost: {host}\r\n\n", 400),
        ("a CR within a field", "GET / HTTP/1.1\r\nHost: {host}\rX: 1\r\n\r\n", 400),
        ("a long line without an end", String(repeating: "G", count: 40_000), 431),
    ]

    @Test("each request of the list is answered with its refusal", .timeLimit(.minutes(2)))
    func refusals() async throws {
        let studio = try await StudioFixture()
        for (what, text, status) in Self.refused {
            let request = text.replacing("{host}", with: "127.0.0.1:\(studio.server.port)")
                .replacing("{base}", with: studio.server.base)
                .replacing("{port}", with: "\(studio.server.port)")
                .replacing("{cookie}", with: "Cookie: \(studio.cookie)")
                .replacing("{name}", with: studio.server.cookieName)
                .replacing("{key}", with: studio.server.token)
            let closing = request.replacing(
                "HTTP/1.1\r\n", with: "HTTP/1.1\r\nConnection: close\r\n", maxReplacements: 1)
            let answer = try await studio.send(closing)
            #expect(answer.status == status, "\(what): \(answer.head.prefix(200))")
            #expect(!answer.text.contains("Keeper"), "\(what)")
        }
        #expect(try await studio.get("/api/overview").status == 200)
    }

    static let badBodies: [(what: String, path: String, body: String, status: Int)] = [
        ("no JSON", "/api/rows", "{", 400),
        ("no body", "/api/rows", "", 400),
        ("another shape", "/api/rows", "[1, 2]", 400),
        ("a deep array", "/api/rows", String(repeating: "[", count: 100_000), 400),
        ("a number beyond all", "/api/rows", rows("Keeper", from: "1e400"), 400),
        ("a type that there is not", "/api/rows", rows("Nobody"), 404),
        ("a type whose name is a path", "/api/rows", rows("../../etc"), 404),
        ("a negative position", "/api/rows", rows("Keeper", from: "-1"), 422),
        ("too many rows", "/api/rows", rows("Keeper", count: 100_000), 422),
        ("a condition that is wrong", "/api/rows", rows("Keeper", filter: "age >"), 422),
        ("an unknown property", "/api/rows", rows("Keeper", filter: "size > 1"), 422),
        ("an argument that is not there", "/api/rows", rows("Keeper", filter: "age > %@"), 422),
        (
            "a deep condition", "/api/rows",
            rows("Keeper", filter: String(repeating: "(", count: 8000) + "age > 1"), 422
        ),
        (
            "a long condition", "/api/rows",
            rows("Keeper", filter: String(repeating: "a", count: 20_000)), 413
        ),
        ("an order by a list", "/api/rows", rows("Keeper", order: "animals"), 422),
        ("an order by nothing", "/api/rows", rows("Keeper", order: "\\\") ASC, age DESC"), 422),
        ("an object that there is not", "/api/object", #"{"type":"Keeper","id":"=99999"}"#, 410),
        ("a key of another type", "/api/object", #"{"type":"Keeper","id":"=abc"}"#, 410),
        ("an address that was never given", "/api/object", #"{"type":"Animal","id":"@12"}"#, 410),
        ("an empty address", "/api/object", #"{"type":"Animal","id":""}"#, 410),
        ("a key where there is none", "/api/object", #"{"type":"Animal","id":"=1"}"#, 404),
        (
            "a path to no property", "/api/elements",
            #"{"type":"Keeper","id":"=1","path":["nothing"],"from":0}"#, 404
        ),
        (
            "a path to no collection", "/api/elements",
            #"{"type":"Keeper","id":"=1","path":["name"],"from":0}"#, 410
        ),
        (
            "a position beyond a list", "/api/elements",
            #"{"type":"Keeper","id":"=1","path":["animals","99"],"from":0}"#, 410
        ),
        (
            "a negative start", "/api/elements",
            #"{"type":"Keeper","id":"=1","path":["animals"],"from":-5}"#, 422
        ),
        ("a job that there is not", "/api/jobs", #"{"kind":"remove"}"#, 400),
        ("a wrong key", "/api/session", #"{"token":"00"}"#, 401),
    ]

    private static func rows(
        _ type: String, filter: String = "", from: String = "0", count: Int = 10,
        order: String? = nil
    ) -> String {
        let order = order.map { #"[{"name":"\#($0)","isDescending":false}]"# } ?? "[]"
        return #"{"query":{"type":"\#(type)","filter":"\#(filter)","order":\#(order)},"#
            + #""from":\#(from),"count":\#(count)}"#
    }

    @Test("each body of the list is answered with its refusal, and the server goes on (H11)")
    func bodies() async throws {
        let studio = try await StudioFixture()
        for (what, path, body, status) in Self.badBodies {
            let answer = try await studio.post(path, body)
            #expect(answer.status == status, "\(what): \(answer.text)")
        }
        #expect(try await studio.get("/api/overview").status == 200)
    }

    @Test("a body that is not UTF-8 is refused")
    func invalidText() async throws {
        let studio = try await StudioFixture()
        let body: [UInt8] =
            Array(#"{"type":"Keeper","id":""#.utf8) + [0xFF, 0xFE] + Array("\"}".utf8)
        let head = studio.head("POST", "/api/object", length: body.count)
        #expect(try await studio.send(Array(head.utf8) + body).status == 400)
    }

    @Test(
        "a request that does not arrive in time is answered with 408 (H7)", .timeLimit(.minutes(1)))
    func slowRequest() async throws {
        var limits = RequestLimits()
        limits.requestTime = .milliseconds(300)
        let studio = try await StudioFixture(limits: limits)
        for part in ["GET / HT", studio.head("POST", "/api/rows", length: 100) + "{"] {
            #expect(try await studio.send(part).status == 408)
        }
    }

    @Test("a connection that sends nothing is closed without an answer", .timeLimit(.minutes(1)))
    func idleConnection() async throws {
        var limits = RequestLimits()
        limits.idleTime = .milliseconds(200)
        let studio = try await StudioFixture(limits: limits)
        #expect(try await studio.send("").status == 0)
    }

    @Test("connections beyond the limit are closed, and others go on", .timeLimit(.minutes(1)))
    func manyConnections() async throws {
        var limits = RequestLimits()
        limits.connectionCount = 2
        let studio = try await StudioFixture(limits: limits)
        let first = try await studio.connect()
        let second = try await studio.connect()
        // The socket may say that the other side has closed it, at writing or at reading.
        let refused = try? await studio.get("/")
        #expect(refused?.status ?? 0 == 0)
        try await first.write(Data(studio.head("GET", "/").utf8))
        #expect(try await StudioFixture.answer(of: first).status == 200)
        try second.close()
    }
}
