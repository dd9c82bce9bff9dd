import Foundation
import Testing

@testable import StudioServer

@Suite("Who is let in")
struct AccessTests {
    @Test("the page is there without a key, and nothing else (H2)")
    func pageWithoutKey() async throws {
        let studio = try await StudioFixture()
        let host = "Host: 127.0.0.1:\(studio.server.port)\r\nConnection: close\r\n\r\n"
        #expect(try await studio.send("GET / HTTP/1.1\r\n" + host).status == 200)
        #expect(try await studio.send("GET /main.js HTTP/1.1\r\n" + host).status == 200)
        for path in ["overview", "rows", "object", "data", "space", "jobs", "events", "nothing"] {
            #expect(try await studio.send("GET /api/\(path) HTTP/1.1\r\n" + host).status == 401)
        }
    }

    @Test("the key becomes a cookie that scripts can't read and other sites don't send")
    func keyBecomesCookie() async throws {
        let studio = try await StudioFixture()
        let answer = try await studio.post("/api/session", #"{"token":"\#(studio.server.token)"}"#)
        #expect(try answer.json["base"] as? String == studio.server.base)
        let cookie = answer.head.split(separator: "\r\n").first { $0.hasPrefix("Set-Cookie:") }
        #expect(cookie?.contains("; HttpOnly; SameSite=Strict") == true)
        #expect(cookie?.contains("-\(studio.server.port)=") == true)
        #expect(cookie?.contains("; Path=\(studio.server.base); ") == true)
    }

    @Test("a key of a browser that was opened lets in once, and not for long (H3)")
    func singleUse() {
        let token = AccessToken()
        let once = token.makeSingleUse()
        #expect(once != token.text)
        #expect(!token.matches(once))
        #expect(token.redeem(once))
        #expect(!token.redeem(once))
        #expect(!token.redeem(token.makeSingleUse(for: .zero)))
        #expect(token.redeem(token.text))
        #expect(token.redeem(token.text))
    }

    @Test("keys have 256 bits, and no two are equal")
    func keysDiffer() {
        let tokens = (0..<100).map { _ in AccessToken().text }
        #expect(Set(tokens).count == 100)
        let token = AccessToken()
        #expect(token.path != token.text && token.path.count == 64)
        #expect(token.rest(ofPath: "/\(token.path)/api/rows") == "/api/rows")
        for path in [
            "/api/rows", "/\(token.path)", "/\(token.text)/api/rows", "\(token.path)/a", "",
        ] {
            #expect(token.rest(ofPath: path) == nil)
        }
        #expect(tokens.allSatisfy { $0.count == 64 && $0.allSatisfy(\.isHexDigit) })
        #expect(!AccessToken().matches(""))
        #expect(!AccessToken().redeem(String(repeating: "0", count: 64)))
    }

    @Test("every answer has the policy that allows scripts of this server only (H9)")
    func policy() async throws {
        let studio = try await StudioFixture()
        for path in ["/", "/main.js", "/api/overview", "/nothing"] {
            let head = try await studio.get(path).head
            #expect(head.contains("Content-Security-Policy: default-src 'none'; script-src 'self'"))
            #expect(head.contains("X-Content-Type-Options: nosniff"))
            #expect(head.contains("Cache-Control: no-store"))
        }
    }
}
