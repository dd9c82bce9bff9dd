import NIOHTTP1
import StorageServers
import Synchronization
import Testing

@testable import ObjectStorage

@Suite("Attempts")
struct RetryTests {
    private let found: HTTPHeaders = ["etag": "\"e\"", "content-length": "0"]

    @Test(
        "What may pass is tried again until it succeeds",
        arguments: [500, 502, 503, 504, 429])
    func transient(status: Int) async throws {
        let faults = FaultList([.status(status), .status(status), .status(200, "", found)])
        try await withStore(moto: false, script: faults.next) { store, proxy async throws in
            #expect(try await store.head("a").entityTag == EntityTag("e"))
            #expect(proxy.requests.count == 3)
        }
    }

    @Test("A lost connection is tried again")
    func closed() async throws {
        let faults = FaultList([.close, .close, .status(200, "", found)])
        try await withStore(moto: false, script: faults.next) { store, proxy async throws in
            #expect(try await store.head("a").byteCount == 0)
            #expect(proxy.requests.count == 3)
        }
    }

    @Test("A request that arrived too slowly is tried again, with its body")
    func requestTimeout() async throws {
        let timeout = "<Error><Code>RequestTimeout</Code></Error>"
        let faults = FaultList([.status(400, timeout), .status(200, "", ["etag": "\"e\""])])
        try await withStore(moto: false, script: faults.next) { store, proxy async throws in
            try await store.put(.bytes([1, 2, 3]), at: "a")
            #expect(proxy.requests.map(\.body) == [[1, 2, 3], [1, 2, 3]])
        }
    }

    @Test(
        "A put that meets another operation on its key is tried again",
        arguments: ["OperationAborted", "ConditionalRequestConflict"])
    func conflict(code: String) async throws {
        let conflict = Fault.status(409, "<Error><Code>\(code)</Code></Error>")
        for condition in [PutCondition.always, .ifAbsent] {
            let faults = FaultList([conflict, conflict, .status(200, "", ["etag": "\"e\""])])
            try await withStore(moto: false, script: faults.next) { store, proxy async throws in
                try await store.put(.bytes([1, 2, 3]), at: "a", condition: condition)
                #expect(proxy.requests.map(\.method) == [.PUT, .PUT, .PUT])
                #expect(proxy.requests.last?.body == [1, 2, 3])
            }
        }
    }

    @Test("Each failure that is followed by another attempt is reported, the last one is thrown")
    func reports() async throws {
        let failures = Mutex<[ObjectStorageError]>([])
        var options = ObjectStoreOptions.test()
        options.retry = RetryPolicy(attemptCountMax: 3)
        options.attemptFailed = { failure in failures.withLock { $0.append(failure) } }
        try await withStore(answering: .status(500), options: options) { store, _ async throws in
            let failure = ObjectStorageError.server(ServiceAnswer(status: 500))
            await #expect(throws: failure) { try await store.get("a") }
            #expect(failures.withLock { $0 } == [failure, failure])
        }
    }

    @Test(
        "What does not pass is not tried again",
        arguments: [
            (404, "NoSuchKey"), (403, "AccessDenied"), (400, "InvalidRequest"), (301, ""),
            (405, "MethodNotAllowed"), (501, "NotImplemented"),
        ])
    func permanent(status: Int, code: String) async throws {
        let fault = Fault.status(status, "<Error><Code>\(code)</Code></Error>")
        try await withStore(answering: fault) { store, proxy async throws in
            await #expect(throws: ObjectStorageError.self) { try await store.get("a") }
            #expect(proxy.requests.count == 1)
        }
    }

    @Test("The number of attempts is limited, and the last error is thrown")
    func attemptCount() async throws {
        let clock = ImmediateClock()
        var options = ObjectStoreOptions.test(clock: clock)
        options.retry = RetryPolicy(attemptCountMax: 4)
        let fault = Fault.status(
            503, "<Error><Code>SlowDown</Code><Message>m</Message><RequestId>7</RequestId></Error>")
        try await withStore(answering: fault, options: options) { store, proxy async throws in
            let answer = ServiceAnswer(status: 503, code: "SlowDown", message: "m", requestID: "7")
            await #expect(throws: ObjectStorageError.throttled(answer)) { try await store.get("a") }
            #expect(proxy.requests.count == 4)
            #expect(clock.pauses.count == 3)
        }
    }

    @Test("The total time is limited: a pause that would outlast it is not made")
    func totalTime() async throws {
        let clock = ImmediateClock()
        var options = ObjectStoreOptions.test(clock: clock)
        options.totalTimeout = .seconds(10)
        options.retry = RetryPolicy(
            attemptCountMax: 100, delayBase: .seconds(4), delayMax: .seconds(4))
        options.randomNumber = { .max }
        try await withStore(answering: .status(500), options: options) {
            store, proxy async throws in
            await #expect(throws: ObjectStorageError.self) { try await store.get("a") }
            // The pauses are 4 seconds less one part in 2^53.
            #expect(clock.pauses.count == 2)
            #expect(proxy.requests.count == 3)
        }
    }

    @Test("Pauses are random between nothing and a limit that doubles")
    func jitter() {
        let policy = RetryPolicy(
            attemptCountMax: 9, delayBase: .milliseconds(100), delayMax: .seconds(1))
        var limit = Duration.milliseconds(100)
        for count in 1..<9 {
            #expect(policy.delay(afterAttempt: count, random: 0) == .zero)
            let half = policy.delay(afterAttempt: count, random: 1 << 63)
            #expect(abs((half - limit / 2) / .nanoseconds(1)) < 1)
            let longest = policy.delay(afterAttempt: count, random: .max)
            #expect(longest <= limit && longest > limit * 0.999)
            limit = min(limit * 2, .seconds(1))
        }
        #expect(policy.delay(afterAttempt: 1_000, random: .max) <= .seconds(1))
    }

    @Test("A pause that the service asks for is the least")
    func retryAfter() async throws {
        let clock = ImmediateClock()
        let faults = FaultList([
            .status(503, "", ["retry-after": "7"]), .status(200, "", found),
        ])
        try await withStore(
            moto: false, options: .test(clock: clock), script: faults.next
        ) { store, _ async throws in
            _ = try await store.head("a")
            #expect(clock.pauses == [.seconds(7)])
        }
    }

    @Test("A service that cannot be reached is tried again, and reported as that")
    func unreachable() async throws {
        let clock = ImmediateClock()
        let proxy = try await FaultProxy(upstream: nil) { _ in .none }
        await proxy.stop()
        let location = try ObjectLocation(
            bucket: "bucket", endpoint: "http://127.0.0.1:\(proxy.port)")
        let store = try ObjectStore(location, options: .test(clock: clock)) { testCredentials }
        let error = await #expect(throws: ObjectStorageError.self) { try await store.get("a") }
        guard case .unreachable = error else {
            Issue.record("\(error!)")
            return
        }
        #expect(clock.pauses.count == 7)
        await store.close()
    }

    @Test("Credentials that have expired are read again, and the request is signed anew")
    func renewal() async throws {
        let expired = Fault.status(400, "<Error><Code>ExpiredToken</Code></Error>")
        let headers = found
        let proxy = try await FaultProxy(upstream: nil) { request in
            let authorization = request.headers.first(name: "authorization") ?? ""
            return authorization.contains("Credential=NEW/") ? .status(200, "", headers) : expired
        }
        let reads = Mutex(0)
        let location = try ObjectLocation(
            bucket: "bucket", endpoint: "http://127.0.0.1:\(proxy.port)")
        let store = try ObjectStore(location, options: .test()) {
            let count = reads.withLock { reads in
                reads += 1
                return reads
            }
            return StorageCredentials(
                accessKeyID: count == 1 ? "OLD" : "NEW", secretAccessKey: "s")
        }
        // An answer to HEAD has no body, and so no name of the error.
        _ = try await store.head("a")
        _ = try await store.head("a")
        #expect(reads.withLock { $0 } == 2)
        #expect(proxy.requests.count == 3)
        await store.close()
        await proxy.stop()
    }

    @Test("Expired credentials that have not been renewed are reported")
    func expired() async throws {
        let expired = Fault.status(403, "<Error><Code>ExpiredToken</Code></Error>")
        try await withStore(answering: expired) { store, proxy async throws in
            await #expect(
                throws: ObjectStorageError.accessDenied(
                    ServiceAnswer(status: 403, code: "ExpiredToken"))
            ) { try await store.get("a") }
            #expect(proxy.requests.count == 1)
        }
    }

    @Test("Expired credentials are noticed in an answer that names them, too")
    func namedRenewal() async throws {
        let expired = FaultList([
            .status(403, "<Error><Code>ExpiredToken</Code></Error>"),
            .status(200, "abc", ["etag": "\"e\""]),
        ])
        let proxy = try await FaultProxy(upstream: nil, script: expired.next)
        let reads = Mutex(0)
        let location = try ObjectLocation(
            bucket: "bucket", endpoint: "http://127.0.0.1:\(proxy.port)")
        let store = try ObjectStore(location, options: .test()) {
            let count = reads.withLock { reads in
                reads += 1
                return reads
            }
            return StorageCredentials(accessKeyID: "KEY\(count)", secretAccessKey: "s")
        }
        #expect(try await store.get("a").bytes == Array("abc".utf8))
        #expect(proxy.requests.count == 2)
        await store.close()
        await proxy.stop()
    }

    @Test("A redirect is not followed; it names the region")
    func redirect() async throws {
        let fault = Fault.status(
            301, "", ["location": "http://127.0.0.1:1/", "x-amz-bucket-region": "eu-west-3"])
        try await withStore(answering: fault) { store, _ async throws in
            await #expect(
                throws: ObjectStorageError.wrongRegion(bucket: "bucket", actual: "eu-west-3")
            ) { try await store.get("a") }
        }
    }

    @Test("A closed store takes no requests, and is closed once")
    func closedStore() async throws {
        try await withStore(moto: false) { store, proxy async throws in
            await store.close()
            await store.close()
            await #expect(throws: ObjectStorageError.closed) { try await store.head("a") }
            #expect(proxy.requests.isEmpty)
        }
    }
}
