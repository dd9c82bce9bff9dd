import Testing

@testable import ObjectStorage

@Suite("Attempts")
struct RetryTests {
    @Test("A missing object is not asked for again")
    func missing() async throws {
        try await withStore(moto: false, script: { _ in .status(404) }) { store, proxy in
            await #expect(throws: ObjectStorageError.notFound(key: "a")) {
                try await store.get("a")
            }
            #expect(proxy.requests.count == 1)
        }
    }
}
