import ShippingFixtures
import Testing
import TravertineStore

@testable import StoreShipping

@Suite("Pruning")
struct PruningTests {
    private let clock = TestClock()
    private let storage = MemoryStorage()

    private var newestOnly: RetentionRules {
        var rules = RetentionRules()
        (rules.all, rules.hourly, rules.daily) = (.seconds(-1), .zero, .zero)
        return rules
    }

    private func prune(_ rules: RetentionRules) async throws -> PruningReport {
        try await Pruner(storage: storage, rules: rules, now: { [clock] in clock.now }).prune()
    }

    /// A store with points each of which replaces what the one before had.
    private func withPoints(
        _ count: Int, _ body: (ShippedStore, Shipper) async throws -> Void
    ) async throws {
        let store = try ShippedStore()
        defer { store.remove() }
        var random = SeededRandom(seed: 3)
        let shipper = Shipper(of: store.path, to: storage, options: clock.options())
        for _ in 0..<count {
            for _ in 0..<4 { try store.commit([("k", random.bytes(60_000))]) }
            try store.store.checkpoint()
            try store.store.compact()
            clock.advance(seconds: 60)
            try await shipper.round()
        }
        try await body(store, shipper)
    }

    @Test("Objects that no kept point needs go an hour after their points, and no others")
    func objects() async throws {
        try await withPoints(6) { store, _ in
            let before = storage.keys().count
            clock.advance(seconds: 10)
            let first = try await prune(newestOnly)
            #expect(first.pointCount == 5)
            #expect(first.objectCount == 0)
            #expect(storage.keys("points/").isEmpty)
            clock.advance(seconds: 3599)
            #expect(try await prune(newestOnly).objectCount == 0)
            clock.advance(seconds: 1)
            let second = try await prune(newestOnly)
            #expect(second.objectCount > 0)
            #expect(storage.keys().count < before - second.objectCount)
            #expect(try await store.restored(.newest, from: storage).contents == store.model)
            clock.advance(seconds: 4000)
            #expect(try await prune(newestOnly) == PruningReport(keptPointCount: 1))
        }
    }

    @Test("Two pruners at different times do not keep each other from removing objects")
    func twoPruners() async throws {
        try await withPoints(3) { store, shipper in
            var random = SeededRandom(seed: 8)
            var objectCount = 0
            // Each has its hour, half an hour after the other one.
            for _ in 0..<8 {
                clock.advance(seconds: 1800)
                for _ in 0..<4 { try store.commit([("k", random.bytes(60_000))]) }
                try store.store.checkpoint()
                try store.store.compact()
                try await shipper.round()
                objectCount += try await prune(newestOnly).objectCount
            }
            #expect(objectCount > 0)
            // What the points of two hours ago needed alone is gone.
            let oldest = storage.keys("data/").compactMap(ObjectName.firstPoint).min()
            #expect(try #require(oldest) > 3)
            #expect(try await store.restored(.newest, from: storage).contents == store.model)
        }
    }

    @Test("A clock that is hours ahead of the shipper's removes nothing")
    func clockAhead() async throws {
        try await withPoints(4) { store, shipper in
            let keys = storage.keys()
            let ahead = Pruner(
                storage: storage, rules: newestOnly,
                now: { [clock] in clock.now + 400 * 24 * 3_600_000 })
            let error = await #expect(throws: ShippingError.self) { try await ahead.prune() }
            #expect("\(try #require(error))".contains("clock"))
            #expect(storage.keys() == keys)
            // Of a backup to which nobody ships the points become old.
            try await shipper.end()
            #expect(try await ahead.prune().pointCount == 3)
        }
    }

    @Test("A clock that is ahead of the service's removes nothing, for days on end")
    func clockAheadOfService() async throws {
        try await withPoints(4) { store, shipper in
            try await shipper.end()
            let rules = RetentionRules()
            let ahead = Pruner(
                storage: storage, rules: rules,
                now: { [clock] in clock.now + 400 * 24 * 3_600_000 })
            #expect(try await ahead.prune(onlyCounts: true).pointCount == 3)
            for _ in 0..<5 {
                storage.time.withLock { $0 = clock.now }
                #expect(try await ahead.prune() == PruningReport(keptPointCount: 4))
                // Nor does a shipper, which believes its own clock after a day.
                let jump: Int64 = 400 * 86_400
                clock.jump(seconds: jump)
                try await shipOnce(store, process: 2)
                clock.jump(seconds: -jump)
                clock.advance(seconds: 7200)
            }
            #expect(storage.keys("points/").count == 3)
            // By the service's clock they become old. One that is before it removes nothing either.
            clock.advance(seconds: 31 * 86_400)
            storage.time.withLock { $0 = clock.now }
            let late = Pruner(
                storage: storage, rules: rules,
                now: { [clock] in clock.now - 31 * 24 * 3_600_000 })
            #expect(try await late.prune().pointCount == 0)
            #expect(try await ahead.prune().pointCount == 3)
        }
    }

    @Test("A clock that is some seconds ahead of what the service said is right")
    func serviceOfSecondsAgo() async throws {
        try await withPoints(4) { _, _ async throws in
            clock.advance(seconds: 10)
            storage.time.withLock { $0 = clock.now - 300_000 }
            #expect(try await prune(newestOnly).pointCount == 3)
        }
    }

    @Test("A record of the last pruning that a wrong clock put delays the next one by an hour")
    func futureRecord() async throws {
        try await withPoints(4) { store, shipper in
            try await shipper.end()
            let ahead = Pruner(
                storage: storage, rules: newestOnly,
                now: { [clock] in clock.now + 400 * 24 * 3_600_000 })
            #expect(try await ahead.prune().pointCount == 3)
            let record = try await storage.get("pruned", byteCountMax: 1_000).bytes
            let counting = Pruner(
                storage: storage, rules: newestOnly, now: { [clock] in clock.now })
            #expect(try await counting.prune(onlyCounts: true).waitMilliseconds == 3_600_000)
            #expect(try await storage.get("pruned", byteCountMax: 1_000).bytes == record)
            #expect(try await prune(newestOnly).waitMilliseconds == 3_600_000)
            clock.advance(seconds: 3599)
            #expect(try await prune(newestOnly).objectCount == 0)
            clock.advance(seconds: 1)
            #expect(try await prune(newestOnly).objectCount > 0)
            #expect(try await store.restored(.newest, from: storage).contents == store.model)
        }
    }

    @Test("Clocks that differ by minutes do not change the record of each other's pruning")
    func recordOfAnotherClock() async throws {
        try await withPoints(4) { _, _ in
            let ahead = Pruner(
                storage: storage, rules: newestOnly, now: { [clock] in clock.now + 600_000 })
            #expect(try await ahead.prune().pointCount == 3)
            let record = try await storage.get("pruned", byteCountMax: 1_000).bytes
            #expect(try await prune(newestOnly).waitMilliseconds == 3_600_000)
            #expect(try await storage.get("pruned", byteCountMax: 1_000).bytes == record)
        }
    }

    /// Ships what is new, and prunes, as a program that does it once.
    private func shipOnce(_ store: ShippedStore, process: Int32) async throws {
        let shipper = Shipper(
            of: store.path, to: storage, options: clock.options(process: process))
        try await shipper.round()
        try await shipper.end()
        try await shipper.pruneOnce()
    }

    @Test("One that ships once does not prune by a clock that was set forth since the last time")
    func clockAheadOnce() async throws {
        try await withPoints(4) { store, shipper in
            try await shipper.end()
            clock.jump(seconds: 400 * 86_400)
            try store.put("a", "1")
            try await shipOnce(store, process: 2)
            #expect(storage.keys("points/").count == 4)
            // It goes by the manifest of the time before, which now has this time, too.
            clock.advance(seconds: 60)
            try await shipOnce(store, process: 3)
            #expect(storage.keys("points/").count < 4)
        }
    }

    @Test("One that ships once a day, or after a week, prunes what is old")
    func onceADay() async throws {
        try await withPoints(4) { store, shipper in
            try await shipper.end()
            for (number, days) in [1, 1, 1, 7, 1, 1, 1, 60, 60, 60].enumerated() {
                clock.advance(seconds: Int64(days) * 86_400)
                try store.put("a", "\(number)")
                try await shipOnce(store, process: Int32(number + 2))
                if number == 4 { #expect(storage.keys("points/").count < 8) }
            }
            #expect(storage.keys("points/").count <= 2)
            #expect(try await store.restored(.newest, from: storage).contents == store.model)
        }
    }

    @Test("A restore of a point that is pruned in the meantime ends, or says that it was pruned")
    func restoring() async throws {
        try await withPoints(3) { store, _ in
            let point = try #require(try await Restorer(storage: storage).contents().points.first)
            let read = try await PointReader(storage: storage).point(point)
            clock.advance(seconds: 10)
            _ = try await prune(newestOnly)
            let lists = try await PointReader(storage: storage).lists(of: read)
            #expect(!lists.isEmpty)
            clock.advance(seconds: 3600)
            _ = try await prune(newestOnly)
            let error = await #expect(throws: ShippingError.self) {
                for file in lists.flatMap(\.files) + read.files {
                    for part in file.locatedParts {
                        _ = try await PointReader(storage: storage).content(
                            part.key, sha256: part.part.sha256, byteCountMax: 1 << 30,
                            point: point.number)
                    }
                }
                _ = try await PointReader(storage: storage).lists(of: read)
            }
            #expect("\(try #require(error))".contains("pruned"))
            #expect(try await store.restored(.newest, from: storage).contents == store.model)
        }
    }

    @Test("What an upload in progress has put is not pruned")
    func upload() async throws {
        try await withPoints(2) { store, shipper in
            for _ in 0..<5 { try store.commit([("k", SeededBytes.some(90_000))]) }
            try await shipper.end()
            var options = clock.options(process: 2)
            options.putCountMax = 1
            let dying = Shipper(
                of: store.path, to: FaultyStorage(storage, seed: 1, percent: 0, partCount: 2),
                options: options)
            await #expect(throws: Killed.self) { try await dying.round() }
            let put = storage.keys("data/").filter { ObjectName.firstPoint(inKey: $0) == 3 }
            #expect(!put.isEmpty)
            clock.advance(seconds: 10_000)
            _ = try await prune(newestOnly)
            clock.advance(seconds: 10_000)
            _ = try await prune(newestOnly)
            #expect(Set(put).isSubset(of: storage.keys("data/")))
            _ = storage.takePutKeys()
            let next = Shipper(of: store.path, to: storage, options: clock.options(process: 3))
            let round = try #require(try await next.round())
            #expect(round.resumedByteCount > 0)
            #expect(Set(storage.takePutKeys()).isDisjoint(with: put))
            #expect(try await store.restored(.newest, from: storage).contents == store.model)
        }
    }

    @Test("A point that can't be read keeps what it may need, and no other objects")
    func damagedPoint() async throws {
        try await withPoints(8) { store, _ in
            // Points 3 and 6 stay.
            let points = storage.keys("points/")
            let removed = points.indices.filter { ![2, 5].contains($0) }
            try await storage.delete(removed.map { points[$0] })
            storage.change(points[2]) { $0[0] = 0 }
            clock.advance(seconds: 4000)
            var rules = newestOnly
            rules.daily = .seconds(1_000_000)
            let pruner = Pruner(storage: storage, rules: rules, now: { [clock] in clock.now })
            let report = try await pruner.prune(onlyCounts: true)
            #expect(report.unreadablePointCount == 1)
            #expect(report.objectCount > 0)
            let before = storage.keys("data/").compactMap(ObjectName.firstPoint)
            _ = try await prune(newestOnly)
            let after = storage.keys("data/").compactMap(ObjectName.firstPoint)
            #expect(after.filter { $0 < 4 } == before.filter { $0 < 4 })
            #expect(after.count < before.count)
            #expect(try await store.restored(.newest, from: storage).contents == store.model)
        }
    }

    @Test("A damaged record of the last pruning counts as one of now")
    func damagedRecord() async throws {
        try await withPoints(4) { _, _ in
            clock.advance(seconds: 10)
            _ = try await prune(newestOnly)
            storage.change("pruned") { $0 = [1, 2, 3] }
            clock.advance(seconds: 10_000)
            #expect(try await prune(newestOnly).objectCount == 0)
            clock.advance(seconds: 3600)
            #expect(try await prune(newestOnly).objectCount > 0)
        }
    }

    @Test("A count removes nothing")
    func counting() async throws {
        try await withPoints(3) { _, _ in
            clock.advance(seconds: 10)
            let keys = storage.keys()
            let pruner = Pruner(storage: storage, rules: newestOnly, now: { [clock] in clock.now })
            let report = try await pruner.prune(onlyCounts: true)
            #expect(report.pointCount == 2)
            #expect(storage.keys() == keys)
        }
    }
}

private enum SeededBytes {
    static func some(_ count: Int) -> [UInt8] {
        var random = SeededRandom(seed: 77)
        return random.bytes(count)
    }
}
