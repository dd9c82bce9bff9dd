import ShippingFixtures
import Synchronization
import Testing
import TravertineStore

@testable import StoreShipping

@Suite("Shipping until the end")
struct RunningTests {
    @Test(
        "While the storage is down it goes on trying, reports it once, and reports when it is back")
    func outage() async throws {
        let store = try ShippedStore()
        defer { store.remove() }
        try store.put("a", "1")
        let storage = MemoryStorage()
        let outage = Outage(storage)
        let clock = TestClock()
        let events = Mutex<[String]>([])
        let shipper = Shipper(of: store.path, to: outage, options: clock.options()) { event in
            events.withLock { events in
                switch event {
                case .waiting: events.append("waiting")
                case .recovered: events.append("recovered")
                case .shipped(let round): events.append("point \(round.point.number)")
                default: break
                }
            }
        }
        try await shipper.run(until: {
            outage.failuresLeft.withLock { $0 == 0 } && events.withLock { $0.contains("recovered") }
        })
        #expect(events.withLock { $0 } == ["waiting", "point 1", "recovered"])
        let contents = try await Restorer(storage: storage).contents()
        #expect(contents.holder.isHeld == false)
        #expect(try await store.restored(.newest, from: storage).contents == store.model)
    }

    @Test("It gives signs of life also where points are far apart")
    func longInterval() async throws {
        let store = try ShippedStore()
        defer { store.remove() }
        try store.put("a", "1")
        let storage = MemoryStorage()
        let clock = TestClock()
        var options = clock.options()
        options.interval = .seconds(3600)
        let start = clock.now
        let shipper = Shipper(of: store.path, to: storage, options: options)
        try await shipper.run(until: { clock.now - start >= 600_000 })
        #expect((10...14).contains(storage.takePutKeys().filter { $0 == "manifest" }.count))
        #expect(storage.keys("points/").isEmpty)
    }

    @Test("It gives signs of life, and not too many, where the clock is set back or forth")
    func clockJumps() async throws {
        for seconds in [Int64(-86_400), 86_400] {
            let store = try ShippedStore()
            defer { store.remove() }
            try store.put("a", "1")
            let storage = MemoryStorage()
            let clock = TestClock()
            let shipper = Shipper(of: store.path, to: storage, options: clock.options())
            try await shipper.round()
            clock.jump(seconds: seconds)
            _ = storage.takePutKeys()
            for _ in 0..<600 {
                clock.advance(seconds: 1)
                try await shipper.round()
            }
            let count = storage.takePutKeys().filter { $0 == "manifest" }.count
            #expect((9...11).contains(count), "\(seconds) s: \(count) manifests")
        }
    }

    @Test("Where the clock was set forth by hours nothing is pruned, which is reported")
    func pruningAfterJump() async throws {
        let store = try ShippedStore()
        defer { store.remove() }
        try store.put("a", "0")
        let storage = MemoryStorage()
        let clock = TestClock()
        let written = store.store
        let failures = Mutex<[String]>([])
        let rounds = Mutex(0)
        var options = clock.options()
        options.interval = .seconds(60)
        let sleep = options.sleep
        options.sleep = {
            try await sleep($0)
            // What prunes runs beside the rounds.
            await Task.yield()
        }
        let shipper = Shipper(of: store.path, to: storage, options: options) { event in
            if case .pruningFailed(let reason) = event { failures.withLock { $0.append(reason) } }
        }
        try await shipper.run(until: {
            let count = rounds.withLock { count in
                count += 1
                return count
            }
            if count % 250 == 0 { try? written.write { try $0.put("\(count)", forKey: "a") } }
            if count == 2_000 { clock.jump(seconds: 400 * 86_400) }
            return count > 30_000
        })
        // Points of the time before are as they were, a minute apart.
        let points = try await Restorer(storage: storage).contents().points
        let start = try #require(points.first).timeMilliseconds
        #expect(points.count { $0.timeMilliseconds < start + 86_400_000 } > 3)
        let seen = failures.withLock { $0 }
        #expect(!seen.isEmpty && seen.allSatisfy { $0.contains("clock") }, "\(seen)")
    }

    @Test("A clock that was wrong at the start removes nothing for a day, which is reported once")
    func wrongClockAtStart() async throws {
        let store = try ShippedStore()
        defer { store.remove() }
        let storage = MemoryStorage()
        let clock = TestClock()
        let first = Shipper(of: store.path, to: storage, options: clock.options())
        for number in 0..<4 {
            try store.put("a", "\(number)")
            clock.advance(seconds: 60)
            try await first.round()
        }
        try await first.end()
        clock.jump(seconds: 400 * 86_400)
        try store.put("a", "new")
        let start = clock.now
        let doubts = Mutex<[Int64]>([])
        var options = clock.options(process: 2)
        // Five minutes pass between two rounds, in one step.
        options.interval = .milliseconds(100)
        options.sleep = { _ in
            try Task.checkCancellation()
            clock.advance(seconds: 300)
            await Task.yield()
        }
        options.retention?.all = .seconds(48 * 3600)
        let shipper = Shipper(of: store.path, to: storage, options: options) { event in
            if case .clockDoubted(let hours) = event { doubts.withLock { $0.append(hours) } }
        }
        let least = Mutex(Int.max)
        try await shipper.run(until: {
            let passed = clock.now - start
            // The first point of this shipper is put in the first ten minutes.
            if (600_000..<86_000_000).contains(passed) {
                least.withLock { $0 = min($0, storage.keys("points/").count) }
            }
            return passed > 100_000_000
        })
        #expect(least.withLock { $0 } == 4)
        #expect(doubts.withLock { $0 } == [400 * 24])
        // It is believed in the end: it may have been off for so long.
        #expect(storage.keys("points/").count < 4)
    }

    @Test("A refusal ends it")
    func refusal() async throws {
        let store = try ShippedStore()
        defer { store.remove() }
        let storage = Outage(MemoryStorage(), failure: .refused("no"))
        let shipper = Shipper(of: store.path, to: storage, options: TestClock().options())
        await #expect(throws: StorageFailure.refused("no")) {
            try await shipper.run(until: { false })
        }
    }

    @Test("A store that is not there ends it")
    func missingStore() async throws {
        let shipper = Shipper(
            of: "/nowhere/at-all", to: MemoryStorage(), options: TestClock().options())
        let error = await #expect(throws: StoreError.self) {
            try await shipper.run(until: { false })
        }
        #expect(error?.code == .notFound)
    }

    @Test("During a long upload it gives signs of life", .timeLimit(.minutes(2)))
    func slowUpload() async throws {
        let store = try ShippedStore()
        defer { store.remove() }
        try store.put("a", "1")
        let clock = TestClock()
        let base = MemoryStorage()
        // The part is stored when the manifest was put twice more.
        let storage = HoldingStorage(base, holdsParts: true) { clock.advance(seconds: 61) }
        var options = clock.options()
        options.heartbeatCheck = .milliseconds(1)
        let shipper = Shipper(of: store.path, to: storage, options: options)
        #expect(try await shipper.round() != nil)
        #expect(base.takePutKeys().filter { $0 == "manifest" }.count >= 4)
    }

    @Test("Pruning that takes long, or fails, delays no point", .timeLimit(.minutes(2)))
    func slowPruning() async throws {
        let store = try ShippedStore()
        defer { store.remove() }
        try store.put("a", "1")
        let clock = TestClock()
        let base = MemoryStorage()
        let storage = HoldingStorage(base, holdsParts: false) {}
        var options = clock.options()
        options.pruningInterval = .seconds(2)
        let events = Mutex<[String]>([])
        let shipper = Shipper(of: store.path, to: storage, options: options) { event in
            events.withLock { events in
                switch event {
                case .shipped(let round): events.append("point \(round.point.number)")
                case .pruningFailed: events.append("pruning failed")
                default: break
                }
            }
        }
        let commits = Mutex(0)
        let written = store.store
        try await shipper.run(until: {
            // A commit between any two rounds, and some more rounds after the failure.
            let count = commits.withLock { count in
                count += 1
                return count
            }
            try? written.write { try $0.put("\(count)", forKey: "a") }
            let seen = events.withLock { $0 }
            guard let failure = seen.firstIndex(of: "pruning failed") else { return false }
            return seen[failure...].count > 3
        })
        let seen = events.withLock { $0 }
        // It was held until the manifest was put three times.
        #expect(try #require(seen.firstIndex(of: "pruning failed")) > 3)
        #expect(seen.filter { $0.hasPrefix("point") }.count > 6)
        let last = commits.withLock { Array("\($0)".utf8) }
        #expect(try await store.restored(.newest, from: base).contents == ["a": last])
    }

    @Test("Nothing is put at a place where there is no store to ship")
    func noTrace() async throws {
        let storage = MemoryStorage()
        let shipper = Shipper(of: "/nowhere", to: storage, options: TestClock().options())
        await #expect(throws: StoreError.self) { try await shipper.round() }
        #expect(storage.keys().isEmpty)
    }
}

/// A storage that fails for some requests.
private final class Outage: BackupStorage {
    private let base: MemoryStorage
    private let failure: StorageFailure
    let failuresLeft: Mutex<Int>

    init(_ base: MemoryStorage, failure: StorageFailure = .unavailable("down")) {
        self.base = base
        self.failure = failure
        failuresLeft = Mutex(7)
    }

    private func fail() throws {
        try failuresLeft.withLock { left in
            if left == 0 { return }
            left -= 1
            throw failure
        }
    }

    func put(
        _ bytes: [UInt8], at key: String, condition: StorageCondition
    ) async throws -> StorageTag {
        try fail()
        return try await base.put(bytes, at: key, condition: condition)
    }

    func get(_ key: String, byteCountMax: Int) async throws -> StoredContent {
        try fail()
        return try await base.get(key, byteCountMax: byteCountMax)
    }

    func list(prefix: String, _ body: (StoredItem) throws -> Void) async throws {
        try fail()
        try await base.list(prefix: prefix, body)
    }

    func delete(_ keys: [String]) async throws {
        try fail()
        try await base.delete(keys)
    }
}

/// A storage that holds the first put of a part, or all listings, until the manifest was put some
/// times more; listings fail then.
private final class HoldingStorage: BackupStorage {
    private let base: MemoryStorage
    private let holdsParts: Bool
    private let willHold: @Sendable () -> Void
    private let manifestCount = Mutex(0)

    init(_ base: MemoryStorage, holdsParts: Bool, willHold: @escaping @Sendable () -> Void) {
        self.base = base
        self.holdsParts = holdsParts
        self.willHold = willHold
    }

    private func hold(until more: Int) async {
        let start = manifestCount.withLock { $0 }
        for number in 1...more {
            willHold()
            while !Task.isCancelled, manifestCount.withLock({ $0 }) < start + number {
                await Task.yield()
            }
        }
    }

    func put(
        _ bytes: [UInt8], at key: String, condition: StorageCondition
    ) async throws -> StorageTag {
        if key == "manifest" { manifestCount.withLock { $0 += 1 } }
        if holdsParts, key.hasPrefix("data/") { await hold(until: 2) }
        return try await base.put(bytes, at: key, condition: condition)
    }

    func get(_ key: String, byteCountMax: Int) async throws -> StoredContent {
        try await base.get(key, byteCountMax: byteCountMax)
    }

    func list(prefix: String, _ body: (StoredItem) throws -> Void) async throws {
        if !holdsParts, prefix == "points/", manifestCount.withLock({ $0 > 0 }) {
            await hold(until: 3)
            throw StorageFailure.denied("no")
        }
        try await base.list(prefix: prefix, body)
    }

    func delete(_ keys: [String]) async throws { try await base.delete(keys) }
}
