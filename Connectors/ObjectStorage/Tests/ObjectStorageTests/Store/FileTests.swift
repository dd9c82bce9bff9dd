import Foundation
import StorageServers
import Testing

@testable import ObjectStorage

@Suite("Files and streams", .enabled(Python.absence, Python.isAvailable))
struct FileTests {
    private func isGet(_ request: ProxiedRequest) -> Bool { request.method == .GET }

    @Test("A file of 64 MiB is put and downloaded in one request each")
    func large() async throws {
        try await withTemporaryDirectory { directory async throws in
            let bytes = Data(randomBytes(64 << 20))
            try bytes.write(to: URL(filePath: directory + "/a"))
            try await withStore { store, proxy async throws in
                let tag = try await store.put(.file(directory + "/a"), at: "a")
                let attributes = try await store.download("a", to: directory + "/b")
                #expect(attributes.entityTag == tag)
                #expect(attributes.byteCount == 64 << 20)
                #expect(try Data(contentsOf: URL(filePath: directory + "/b")) == bytes)
                #expect(proxy.requests.count == 2)
            }
        }
    }

    @Test("A part of a file is put")
    func part() async throws {
        try await withTemporaryDirectory { directory async throws in
            try Data(0..<100).write(to: URL(filePath: directory + "/a"))
            try await withStore { store, _ async throws in
                try await store.put(.file(directory + "/a", offset: 10, byteCount: 5), at: "a")
                #expect(try await store.get("a").bytes == [10, 11, 12, 13, 14])
                try await store.put(.file(directory + "/a", offset: 98), at: "b")
                #expect(try await store.get("b").bytes == [98, 99])
                await #expect(throws: ObjectStorageError.self) {
                    try await store.put(.file(directory + "/a", offset: 98, byteCount: 3), at: "c")
                }
            }
        }
    }

    @Test("A file that cannot be read is reported with its path")
    func unreadable() async throws {
        try await withTemporaryDirectory { directory async throws in
            try await withStore(moto: false) { store, proxy async throws in
                for path in [directory + "/none", directory] {
                    let error = await #expect(throws: ObjectStorageError.self) {
                        try await store.put(.file(path), at: "a")
                    }
                    guard case .file(_, path, _) = error else {
                        Issue.record("\(error!)")
                        continue
                    }
                }
                #expect(proxy.requests.isEmpty)
            }
        }
    }

    @Test("A body over the limit is refused before it is read")
    func tooLarge() async throws {
        try await withTemporaryDirectory { directory async throws in
            // A sparse file: one byte more than S3 takes in a single put.
            let path = directory + "/a"
            #expect(FileManager.default.createFile(atPath: path, contents: nil))
            #expect(truncate(path, 5 << 30 + 1) == 0)
            try await withStore(moto: false) { store, proxy async throws in
                await #expect(
                    throws: ObjectStorageError.bodyTooLarge(
                        byteCount: 5 << 30 + 1, limit: 5 << 30)
                ) { try await store.put(.file(path), at: "a") }
                #expect(proxy.requests.isEmpty)
            }
        }
    }

    @Test("A file that becomes shorter while it is sent fails the put")
    func shrinking() async throws {
        try await withTemporaryDirectory { directory async throws in
            let path = directory + "/a"
            try Data(randomBytes(1 << 20)).write(to: URL(filePath: path))
            let faults = FaultList([.close])
            let script: FaultProxy.Script = { request in
                truncate(path, 10)
                return faults.next(request)
            }
            try await withStore(moto: false, script: script) { store, proxy async throws in
                let error = await #expect(throws: ObjectStorageError.self) {
                    try await store.put(.file(path), at: "a")
                }
                guard case .file("read", path, _) = error else {
                    Issue.record("\(error!)")
                    return
                }
            }
        }
    }

    @Test("A stream goes on after lost connections, with the rest of the same state")
    func resumedStream() async throws {
        let bytes = randomBytes(300_000)
        let faults = FaultList(
            [.truncate(1_000), .close, .status(503), .truncate(200_000), .truncate(0)],
            to: isGet)
        try await withStore(script: faults.next) { store, proxy async throws in
            let tag = try await store.put(.bytes(bytes), at: "a")
            let stream = try await store.stream("a")
            #expect(stream.range == 0..<300_000)
            var received: [UInt8] = []
            for try await piece in stream { received += piece }
            #expect(received == bytes)
            let last = try #require(proxy.requests.last)
            #expect(last.headers.first(name: "if-match") == tag.headerValue)
            #expect(last.headers.first(name: "range")?.hasSuffix("-299999") == true)
            #expect(proxy.requests.count == 7)
        }
    }

    @Test("A stream of a range goes on within the range")
    func resumedRange() async throws {
        let bytes = randomBytes(10_000)
        let faults = FaultList([.truncate(100), .truncate(100)], to: isGet)
        try await withStore(script: faults.next) { store, _ async throws in
            try await store.put(.bytes(bytes), at: "a")
            var received: [UInt8] = []
            for try await piece in try await store.stream("a", range: 500..<9_000) {
                received += piece
            }
            #expect(received == Array(bytes[500..<9_000]))
        }
    }

    @Test("A stream does not go on with another state of the object")
    func replacedObject() async throws {
        let faults = FaultList([.truncate(1_000)], to: isGet)
        try await withStore(script: faults.next) { store, _ async throws in
            try await store.put(.bytes(randomBytes(100_000)), at: "a")
            let stream = try await store.stream("a")
            try await store.put(.bytes(randomBytes(100_000, seed: 2)), at: "a")
            await #expect(throws: ObjectStorageError.conditionFailed(key: "a")) {
                for try await _ in stream {}
            }
        }
    }

    @Test("A stream that gets nowhere is given up")
    func stuckStream() async throws {
        let faults = FaultList([.truncate(1_000)] + Array(repeating: .close, count: 100), to: isGet)
        try await withStore(script: faults.next) { store, proxy async throws in
            try await store.put(.bytes(randomBytes(100_000)), at: "a")
            await #expect(throws: ObjectStorageError.self) {
                for try await _ in try await store.stream("a") {}
            }
            // One for the stream, and seven for the rest: the lost one is the first of eight.
            #expect(proxy.requests.filter(isGet).count == 8)
        }
    }

    @Test("A wrong byte in a stream is noticed at its end")
    func wrongStream() async throws {
        let faults = FaultList([.change { $0.body[5] ^= 1 }], to: isGet)
        try await withStore(script: faults.next) { store, _ async throws in
            try await store.put(.bytes(randomBytes(100_000)), at: "a")
            let error = await #expect(throws: ObjectStorageError.self) {
                for try await _ in try await store.stream("a") {}
            }
            guard case .checksumMismatch = error else {
                Issue.record("\(error!)")
                return
            }
        }
    }

    @Test("A download with a wrong byte begins again")
    func wrongDownload() async throws {
        let bytes = randomBytes(100_000)
        let faults = FaultList([.change { $0.body[5] ^= 1 }, .truncate(10)], to: isGet)
        try await withTemporaryDirectory { directory async throws in
            try await withStore(script: faults.next) { store, proxy async throws in
                try await store.put(.bytes(bytes), at: "a")
                try await store.download("a", to: directory + "/a")
                #expect(try Data(contentsOf: URL(filePath: directory + "/a")) == Data(bytes))
                #expect(proxy.requests.filter(isGet).count == 3)
            }
        }
    }

    @Test("A download that fails leaves no file, and none that exists is replaced")
    func failedDownload() async throws {
        try await withTemporaryDirectory { directory async throws in
            try await withStore { store, _ async throws in
                await #expect(throws: ObjectStorageError.notFound(key: "a")) {
                    try await store.download("a", to: directory + "/a")
                }
                #expect(!FileManager.default.fileExists(atPath: directory + "/a"))
                try await store.put(.bytes([1]), at: "a")
                try Data([2]).write(to: URL(filePath: directory + "/b"))
                await #expect(throws: ObjectStorageError.self) {
                    try await store.download("a", to: directory + "/b")
                }
                #expect(try Data(contentsOf: URL(filePath: directory + "/b")) == Data([2]))
            }
        }
    }

    @Test("A stream that is dropped does not keep the store from closing")
    func droppedStream() async throws {
        try await withStore { store, _ async throws in
            try await store.put(.bytes(randomBytes(8 << 20)), at: "a")
            var first: [UInt8]?
            for try await piece in try await store.stream("a") {
                first = piece
                break
            }
            #expect(first?.isEmpty == false)
        }
    }
}
