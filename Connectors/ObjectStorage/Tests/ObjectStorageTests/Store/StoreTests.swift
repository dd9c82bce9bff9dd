import Foundation
import StorageServers
import Testing

@testable import ObjectStorage

@Suite("A store on an S3 server", .enabled(Python.absence, Python.isAvailable))
struct StoreTests {
    @Test("What was put is read back, with its attributes")
    func putAndGet() async throws {
        try await withStore { store, _ async throws in
            let tag = try await store.put(
                .bytes("hello".utf8), at: "a/b", metadata: ["kind": "greeting card"])
            let content = try await store.get("a/b")
            #expect(content.bytes == Array("hello".utf8))
            #expect(content.range == 0..<5)
            #expect(content.attributes.key == "a/b")
            #expect(content.attributes.entityTag == tag)
            #expect(content.attributes.byteCount == 5)
            #expect(content.attributes.metadata["kind"] == "greeting card")
            #expect(
                content.attributes.checksumSHA256 == "LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=")
            let stored = try #require(content.attributes.lastModifiedSecondsSince1970)
            #expect(abs(Double(stored) - Date().timeIntervalSince1970) < 300)
            #expect(try await store.head("a/b") == content.attributes)
        }
    }

    @Test("An empty object is an object")
    func empty() async throws {
        try await withStore { store, _ async throws in
            try await store.put(.bytes([]), at: "a")
            #expect(try await store.get("a").bytes == [])
            for try await _ in try await store.stream("a") { Issue.record("bytes") }
            await #expect(throws: ObjectStorageError.rangeNotSatisfiable(key: "a")) {
                try await store.get("a", range: 0..<1)
            }
        }
    }

    @Test("What does not exist is not found")
    func notFound() async throws {
        try await withStore { store, _ async throws in
            for operation in [
                { _ = try await store.get("a") }, { _ = try await store.head("a") },
                { _ = try await store.stream("a") },
            ] {
                await #expect(throws: ObjectStorageError.notFound(key: "a")) {
                    try await operation()
                }
            }
        }
    }

    @Test("A bucket that does not exist is reported as that")
    func noBucket() async throws {
        let server = try #require(await MotoServer.shared())
        let location = try ObjectLocation(
            bucket: "no-such-bucket", endpoint: "http://127.0.0.1:\(server.port)")
        let store = try ObjectStore(location, options: .test()) { testCredentials }
        let expected = ObjectStorageError.bucketNotFound(bucket: "no-such-bucket")
        await #expect(throws: expected) { try await store.get("a") }
        await #expect(throws: expected) { try await store.put(.bytes([]), at: "a") }
        await #expect(throws: expected) { for try await _ in store.list() {} }
        await store.close()
    }

    @Test("Ranges are read exactly, also over the end")
    func ranges() async throws {
        let bytes = randomBytes(1_000)
        var generator = SeededGenerator(seed: announcedSeed())
        try await withStore { store, _ async throws in
            try await store.put(.bytes(bytes), at: "a")
            for _ in 0..<20 {
                let start = Int.random(in: 0..<1_000, using: &generator)
                let end = start + Int.random(in: 1..<600, using: &generator)
                let content = try await store.get("a", range: UInt64(start)..<UInt64(end))
                #expect(content.bytes == Array(bytes[start..<min(end, 1_000)]))
                #expect(content.attributes.byteCount == 1_000)
            }
        }
    }

    @Test("Reading with an entity tag reads that state or fails")
    func matchingState() async throws {
        try await withStore { store, _ async throws in
            let first = try await store.put(.bytes([1]), at: "a")
            #expect(try await store.get("a", ifMatch: first).bytes == [1])
            try await store.put(.bytes([2]), at: "a")
            await #expect(throws: ObjectStorageError.conditionFailed(key: "a")) {
                try await store.get("a", ifMatch: first)
            }
        }
    }

    @Test("Keys with unusual characters are stored, listed and deleted as they are")
    func oddNames() async throws {
        try await withStore(prefix: "p re/fi+x") { store, _ async throws in
            for key in oddKeys { try await store.put(.bytes(key.utf8), at: key) }
            for key in oddKeys { #expect(try await store.get(key).bytes == Array(key.utf8)) }
            var listed: [String] = []
            for try await object in store.list(pageSize: 7) {
                #expect(object.byteCount == UInt64(object.key.utf8.count))
                listed.append(object.key)
            }
            // By bytes: two of the keys are the same text in two normal forms.
            #expect(Set(listed.map { Array($0.utf8) }) == Set(oddKeys.map { Array($0.utf8) }))
            #expect(listed.count == oddKeys.count)
            try await store.delete(oddKeys)
            for try await object in store.list() { Issue.record("\(object)") }
        }
    }

    @Test("A listing has all objects of the prefix, over many pages, and no others")
    func listing() async throws {
        try await withStore { outside, proxy async throws in
            try await outside.put(.bytes([]), at: "b")
            let location = try ObjectLocation(
                bucket: outside.location.bucket, prefix: "a",
                endpoint: outside.location.endpoint)
            try await withTaskStore(location) { store async throws in
                let keys = (0..<25).map { "k\($0 + 10)" }
                for key in keys { try await store.put(.bytes(key.utf8), at: key) }
                let before = proxy.requests.count
                var listed: [ListedObject] = []
                for try await object in store.list(pageSize: 10) { listed.append(object) }
                #expect(listed.map(\.key) == keys)
                #expect(proxy.requests.count - before == 3)
                #expect(listed[0].entityTag == (try await store.head("k10").entityTag))
                #expect(listed[0].lastModifiedSecondsSince1970 != nil)
                var some: [String] = []
                for try await object in store.list(prefix: "k1", startAfter: "k15") {
                    some.append(object.key)
                }
                #expect(some == ["k16", "k17", "k18", "k19"])
            }
        }
    }

    private func withTaskStore(
        _ location: ObjectLocation, _ test: (ObjectStore) async throws -> Void
    ) async throws {
        let store = try ObjectStore(location, options: .test()) { testCredentials }
        do {
            try await test(store)
        } catch {
            await store.close()
            throw error
        }
        await store.close()
    }

    @Test("Deleting succeeds whether the object exists or not")
    func deleting() async throws {
        try await withStore { store, _ async throws in
            try await store.put(.bytes([1]), at: "a")
            try await store.delete("a")
            try await store.delete("a")
            await #expect(throws: ObjectStorageError.notFound(key: "a")) {
                try await store.head("a")
            }
            try await store.delete([])
        }
    }

    @Test("Many objects are deleted, a thousand in a request")
    func deletingMany() async throws {
        try await withStore { store, proxy async throws in
            for number in 0..<5 { try await store.put(.bytes([1]), at: "\(number)") }
            let before = proxy.requests.count
            try await store.delete((1..<1_500).map { "\($0)" })
            #expect(proxy.requests.count - before == 2)
            var listed: [String] = []
            for try await object in store.list() { listed.append(object.key) }
            #expect(listed == ["0"])
        }
    }

    @Test("Objects that cannot be deleted now are tried again, others reported")
    func partialDeletion() async throws {
        let answer = """
            <DeleteResult><Error><Key>p/a</Key><Code>InternalError</Code></Error>
            <Error><Key>p/b</Key><Code>AccessDenied</Code><Message>m</Message></Error>
            </DeleteResult>
            """
        let faults = FaultList([.status(200, answer)])
        try await withStore(prefix: "p", script: faults.next) { store, proxy async throws in
            let remaining = UndeletedObject(key: "b", code: "AccessDenied", message: "m")
            await #expect(throws: ObjectStorageError.deletionIncomplete([remaining])) {
                try await store.delete(["a", "b", "c"])
            }
            #expect(proxy.requests.count == 2)
            let again = String(decoding: proxy.requests[1].body, as: UTF8.self)
            #expect(again.contains("p/a") && !again.contains("p/b"))
        }
    }

    @Test("A put is conditional on absence")
    func ifAbsent() async throws {
        try await withStore { store, _ async throws in
            try await store.put(.bytes([1]), at: "a", condition: .ifAbsent)
            await #expect(throws: ObjectStorageError.conditionFailed(key: "a")) {
                try await store.put(.bytes([2]), at: "a", condition: .ifAbsent)
            }
            #expect(try await store.get("a").bytes == [1])
        }
    }

    @Test("A put is conditional on a state")
    func ifMatch() async throws {
        try await withStore { store, _ async throws in
            let first = try await store.put(.bytes([1]), at: "a")
            try await store.put(.bytes([2]), at: "a", condition: .ifMatch(first))
            await #expect(throws: ObjectStorageError.conditionFailed(key: "a")) {
                try await store.put(.bytes([3]), at: "a", condition: .ifMatch(first))
            }
            await #expect(throws: ObjectStorageError.conditionFailed(key: "b")) {
                try await store.put(.bytes([3]), at: "b", condition: .ifMatch(first))
            }
            #expect(try await store.get("a").bytes == [2])
        }
    }

    @Test("Metadata that cannot be sent unchanged is refused before a request")
    func metadata() async throws {
        try await withStore { store, proxy async throws in
            for (name, value) in [
                ("", "v"), ("Name", "v"), ("a b", "v"), ("travertine-put", "v"), ("n", ""),
                ("n", " v"), ("n", "v\r\nx: y"), ("n", "é"), ("n", "a  b"),
            ] {
                await #expect(throws: ObjectStorageError.self) {
                    try await store.put(.bytes([1]), at: "a", metadata: [name: value])
                }
            }
            #expect(proxy.requests.isEmpty)
        }
    }
}
