import NIOHTTP1
import StorageServers
import Synchronization
import Testing

@testable import ObjectStorage

@Suite(
    "A conditional put whose answers are lost",
    .enabled(Python.absence, Python.isAvailable))
struct ConditionalPutTests {
    private static func isPut(_ request: ProxiedRequest) -> Bool { request.method == .PUT }
    private static func isHead(_ request: ProxiedRequest) -> Bool { request.method == .HEAD }

    @Test("It is recognised as one's own after a rejection")
    func lostAnswer() async throws {
        let faults = FaultList([.loseAnswer], to: Self.isPut)
        try await withStore(script: faults.next) { store, proxy async throws in
            let tag = try await store.put(.bytes([1]), at: "a", condition: .ifAbsent)
            #expect(try await store.head("a").entityTag == tag)
            #expect(proxy.requests.prefix(3).map(\.method) == [.PUT, .PUT, .HEAD])
        }
    }

    @Test("An error that follows the storing counts as a lost answer")
    func errorAfterStoring() async throws {
        let faults = FaultList(
            [.change { $0 = ProxiedResponse(status: .internalServerError) }], to: Self.isPut)
        try await withStore(script: faults.next) { store, _ async throws in
            let first = try await store.put(.bytes([1]), at: "a", condition: .ifAbsent)
            try await store.put(.bytes([2]), at: "a", condition: .ifMatch(first))
            #expect(try await store.get("a").bytes == [2])
        }
    }

    @Test("It is recognised when no attempt was answered")
    func noAnswer() async throws {
        let faults = FaultList(Array(repeating: .loseAnswer, count: 8), to: Self.isPut)
        try await withStore(script: faults.next) { store, _ async throws in
            let tag = try await store.put(.bytes([1]), at: "a", condition: .ifAbsent)
            #expect(try await store.head("a").entityTag == tag)
        }
    }

    @Test("One that never arrived is not taken for another's")
    func neverArrived() async throws {
        let faults = FaultList(Array(repeating: .close, count: 8), to: Self.isPut)
        try await withStore(script: faults.next) { store, _ async throws in
            let error = await #expect(throws: ObjectStorageError.self) {
                try await store.put(.bytes([1]), at: "a", condition: .ifAbsent)
            }
            guard case .outcomeUnknown("a", _) = error else {
                Issue.record("\(error!)")
                return
            }
        }
    }

    @Test("One that no service received is a plain failure")
    func unreachable() async throws {
        let proxy = try await FaultProxy(upstream: nil) { _ in .none }
        await proxy.stop()
        let location = try ObjectLocation(
            bucket: "bucket", endpoint: "http://127.0.0.1:\(proxy.port)")
        let store = try ObjectStore(location, options: .test()) { testCredentials }
        let error = await #expect(throws: ObjectStorageError.self) {
            try await store.put(.bytes([1]), at: "a", condition: .ifAbsent)
        }
        guard case .unreachable = error else {
            Issue.record("\(error!)")
            return
        }
        await store.close()
    }

    @Test("Another's put in the same state is recognised, although an answer was lost")
    func anotherWon() async throws {
        try await withStore { other, proxy async throws in
            let first = try await other.put(.bytes([0]), at: "a")
            let closing = FaultList([.close], to: Self.isPut)
            let bucket = other.location.bucket
            let faulty = try await FaultProxy(upstream: proxy.port, script: closing.next)
            let location = try ObjectLocation(
                bucket: bucket, endpoint: "http://127.0.0.1:\(faulty.port)")
            let store = try ObjectStore(location, options: .test()) { testCredentials }
            try await other.put(.bytes([1]), at: "a", condition: .ifMatch(first))
            await #expect(throws: ObjectStorageError.conditionFailed(key: "a")) {
                try await store.put(.bytes([2]), at: "a", condition: .ifMatch(first))
            }
            await store.close()
            await faulty.stop()
        }
    }

    @Test("One that was replaced before it could be recognised has an unknown outcome")
    func replaced() async throws {
        let other = Mutex<ObjectStore?>(nil)
        try await withStore { store, proxy async throws in
            other.withLock { $0 = store }
            let pending = Mutex<Task<Void, any Error>?>(nil)
            // The answer is lost, and another client replaces the object before the next attempt.
            let losing = FaultList([.loseAnswer], to: Self.isPut)
            let faulty = try await FaultProxy(upstream: proxy.port, script: losing.next)
            var options = ObjectStoreOptions.test()
            let clock = ReplacingClock {
                let task = pending.withLock { task in
                    if task == nil {
                        task = Task {
                            let tag = try await store.head("a").entityTag
                            try await store.put(.bytes([2]), at: "a", condition: .ifMatch(tag))
                        }
                    }
                    return task
                }
                try await task?.value
            }
            options.clock = clock
            let location = try ObjectLocation(
                bucket: store.location.bucket, endpoint: "http://127.0.0.1:\(faulty.port)")
            let losingStore = try ObjectStore(location, options: options) { testCredentials }
            let error = await #expect(throws: ObjectStorageError.self) {
                try await losingStore.put(.bytes([1]), at: "a", condition: .ifAbsent)
            }
            if case .outcomeUnknown("a", _) = error {} else { Issue.record("\(error!)") }
            await losingStore.close()
            await faulty.stop()
        }
    }

    @Test("An answer to HEAD that is not up to date is asked for again")
    func staleHead() async throws {
        let losing = FaultList([.loseAnswer], to: Self.isPut)
        let stale = FaultList(
            [.status(404), .status(500), .close, .status(404)], to: Self.isHead)
        let script: FaultProxy.Script = { Self.isPut($0) ? losing.next($0) : stale.next($0) }
        try await withStore(script: script) { store, proxy async throws in
            let tag = try await store.put(.bytes([1]), at: "a", condition: .ifAbsent)
            #expect(proxy.requests.filter(Self.isHead).count == 5)
            #expect(try await store.head("a").entityTag == tag)
        }
    }

    @Test("Without permission for HEAD a rejection stands, and a lost answer is unknown")
    func noPermission() async throws {
        let denied = FaultList(Array(repeating: .status(403), count: 9), to: Self.isHead)
        let losing = FaultList([.none, .none, .loseAnswer], to: Self.isPut)
        let script: FaultProxy.Script = { Self.isPut($0) ? losing.next($0) : denied.next($0) }
        try await withStore(script: script) { store, _ async throws in
            try await store.put(.bytes([1]), at: "a", condition: .ifAbsent)
            await #expect(throws: ObjectStorageError.conditionFailed(key: "a")) {
                try await store.put(.bytes([2]), at: "a", condition: .ifAbsent)
            }
            let error = await #expect(throws: ObjectStorageError.self) {
                try await store.put(.bytes([3]), at: "b", condition: .ifAbsent)
            }
            if case .outcomeUnknown("b", _) = error {} else { Issue.record("\(error!)") }
        }
    }

    @Test("A conflict of two operations is tried again")
    func conflict() async throws {
        let conflict = "<Error><Code>ConditionalRequestConflict</Code></Error>"
        let faults = FaultList([.status(409, conflict)], to: Self.isPut)
        try await withStore(script: faults.next) { store, proxy async throws in
            try await store.put(.bytes([1]), at: "a", condition: .ifAbsent)
            #expect(proxy.requests.map(\.method) == [.PUT, .PUT])
        }
    }
}

/// A clock on which each sleep runs a function instead.
private struct ReplacingClock: Clock {
    let wakeUp: @Sendable () async throws -> Void
    private let clock = ContinuousClock()

    init(_ wakeUp: @escaping @Sendable () async throws -> Void) { self.wakeUp = wakeUp }

    var now: ContinuousClock.Instant { clock.now }
    var minimumResolution: Duration { clock.minimumResolution }

    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
        try await wakeUp()
    }
}
