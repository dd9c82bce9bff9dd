import Testing

@testable import ObjectStorage

@Suite("A store", .enabled(if: Python.isAvailable, "\(Python.absence)"))
struct StoreTests {
    @Test("What was put is read back, with its attributes")
    func putAndGet() async throws {
        try await withStore { store, _ in
            let tag = try await store.put(
                .bytes("hello".utf8), at: "a/b", metadata: ["kind": "greeting card"])
            let content = try await store.get("a/b")
            #expect(content.bytes == Array("hello".utf8))
            #expect(content.range == 0..<5)
            #expect(content.attributes.entityTag == tag)
            #expect(content.attributes.byteCount == 5)
            #expect(content.attributes.metadata["kind"] == "greeting card")
            #expect(
                content.attributes.checksumSHA256 == "LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=")
            #expect(try await store.head("a/b") == content.attributes)
        }
    }
}
