import NIOCore
import NIOHTTP1
import NIOPosix
import StorageServers
import Synchronization
import Testing

@testable import ObjectStorage

@Suite("Time limits and cancellation")
struct TimeLimitTests {
    private func options(
        idle: Duration = .milliseconds(200), attempts: Int = 1
    ) -> ObjectStoreOptions {
        var options = ObjectStoreOptions.test()
        options.idleTimeout = idle
        options.retry = RetryPolicy(attemptCountMax: attempts)
        return options
    }

    private func object(_ count: Int) -> Fault {
        .answer(
            ProxiedResponse(
                status: .ok, headers: ["etag": "\"e\""], body: randomBytes(count)))
    }

    @Test("A service that does not answer is given up after the idle time")
    func stalledAnswer() async throws {
        try await withStore(answering: .stall, options: options()) { store, _ async throws in
            await #expect(throws: ObjectStorageError.timedOut(.idle)) { try await store.head("a") }
            await #expect(throws: ObjectStorageError.timedOut(.idle)) {
                try await store.put(.bytes(randomBytes(100_000)), at: "a")
            }
        }
    }

    @Test("A body that stalls is given up after the idle time, and read again")
    func stalledBody() async throws {
        let server = try await FaultProxy(upstream: nil) { _ in self.object(1_000) }
        let faults = FaultList([.stallBody(10)])
        let proxy = try await FaultProxy(upstream: server.port, script: faults.next)
        let location = try ObjectLocation(
            bucket: "bucket", endpoint: "http://127.0.0.1:\(proxy.port)")
        let store = try ObjectStore(location, options: options(idle: .seconds(1), attempts: 5)) {
            testCredentials
        }
        #expect(try await store.get("a").bytes == randomBytes(1_000))
        #expect(proxy.requests.count == 2)
        await store.close()
        await proxy.stop()
        await server.stop()
    }

    @Test("The total time ends an attempt that is under way")
    func total() async throws {
        var options = ObjectStoreOptions.test()
        options.totalTimeout = .milliseconds(200)
        try await withStore(answering: .stall, options: options) { store, _ async throws in
            await #expect(throws: ObjectStorageError.timedOut(.total)) { try await store.head("a") }
        }
    }

    @Test("A reader that is slow is not taken for a connection that is, and slows the service")
    func slowReader() async throws {
        let byteCount = 64 << 20
        let fault = Fault.answer(
            ProxiedResponse(
                status: .ok, headers: ["etag": "\"e\""],
                body: [UInt8](repeating: 7, count: byteCount)))
        try await withStore(
            answering: fault, options: options(idle: .seconds(2))
        ) { store, proxy async throws in
            var receivedCount = 0
            for try await piece in try await store.stream("a") {
                if receivedCount == 0 {
                    // The one wait for time to pass: its passing is what must not matter.
                    try await Task.sleep(for: .seconds(4))
                    // The rest is neither in the memory of the client nor in buffers of the system.
                    #expect(proxy.sentByteCount < byteCount / 2)
                }
                receivedCount += piece.count
            }
            #expect(receivedCount == byteCount)
            #expect(proxy.requests.count == 1)
        }
    }

    @Test("A service that stops reading is given up after the idle time")
    func stalledUpload() async throws {
        let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelOption(.autoRead, value: false)
            .bind(host: "127.0.0.1", port: 0).get()
        let location = try ObjectLocation(
            bucket: "bucket", endpoint: "http://127.0.0.1:\(server.localAddress!.port!)")
        let store = try ObjectStore(location, options: options()) { testCredentials }
        let body = ObjectBody.bytes([UInt8](repeating: 7, count: 32 << 20))
        await #expect(throws: ObjectStorageError.timedOut(.idle)) {
            try await store.put(body, at: "a")
        }
        await store.close()
        try await server.close()
    }

    @Test("More operations than connections wait for one another")
    func manyOperations() async throws {
        var options = ObjectStoreOptions.test()
        options.connectionCountMax = 2
        try await withStore(
            answering: object(10_000), options: options
        ) { store, proxy async throws in
            try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<50 {
                    group.addTask { try await store.get("\(number)").bytes.count }
                }
                for try await count in group { #expect(count == 10_000) }
            }
            #expect(proxy.requests.count == 50)
        }
    }

    @Test("Cancelling the task cancels the request, and is not tried again")
    func cancellation() async throws {
        let (arrivals, continuation) = AsyncStream.makeStream(of: Void.self)
        let script: FaultProxy.Script = { _ in
            continuation.yield()
            return .stall
        }
        try await withStore(moto: false, script: script) { store, proxy async throws in
            let task = Task { try await store.put(.bytes([1]), at: "a", condition: .ifAbsent) }
            for await _ in arrivals { break }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(proxy.requests.count == 1)
        }
    }

    @Test("Cancelling during a stream ends it")
    func cancelledStream() async throws {
        let server = try await FaultProxy(upstream: nil) { _ in self.object(1_000) }
        let (pieces, continuation) = AsyncStream.makeStream(of: Void.self)
        let proxy = try await FaultProxy(upstream: server.port) { _ in .stallBody(10) }
        let location = try ObjectLocation(
            bucket: "bucket", endpoint: "http://127.0.0.1:\(proxy.port)")
        let store = try ObjectStore(location, options: .test()) { testCredentials }
        let task = Task {
            for try await _ in try await store.stream("a") { continuation.yield() }
        }
        for await _ in pieces { break }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        await store.close()
        await proxy.stop()
        await server.stop()
    }
}
