import Locks
import Testing

@testable import StoreFixtures
@testable import TravertineStore

/// How writers are slowed down, by an injected clock.
@Suite struct WriteThrottleTests {
    @Test("within the bound there is no rate, and without a rate no delay")
    func withinBound() {
        #expect(WriteThrottle.rate(excess: 0, room: 1000, gainRate: 1) == nil)
        #expect(WriteThrottle.rate(excess: 10, room: 1000, gainRate: 0) == nil)
        let throttle = WriteThrottle()
        #expect(throttle.delay(forByteCount: 1 << 30, now: 5) == 0)
        throttle.set(rate: 0.001, now: 5)
        throttle.set(rate: nil, now: 6)
        #expect(throttle.delay(forByteCount: 1 << 30, now: 7) == 0)
    }

    @Test("writers reach the next checkpoint when there is room for it, and never stall")
    func falls() throws {
        let rates = try [1, 500, 1000, 1500, 100_000].map {
            try #require(WriteThrottle.rate(excess: $0, room: 1000, gainRate: 2))
        }
        #expect(rates == rates.sorted(by: >))
        #expect(rates[1] == 4 && rates[2] == 2)
        #expect(rates[4] == 1)
        #expect(WriteThrottle.rate(excess: 1000, room: 0, gainRate: 2) == 1)
        #expect(
            WriteThrottle.rate(excess: 1000, room: 0, gainRate: 1e-9) == WriteThrottle.rateMin)
    }

    @Test("over a long time writers get the rate, in small delays")
    func rate() {
        let throttle = WriteThrottle()
        // 100 bytes for each microsecond.
        throttle.set(rate: 0.1, now: 0)
        var now: UInt64 = 0
        var written = 0
        var longest: UInt64 = 0
        while now < 10_000_000_000 {
            let delay = throttle.delay(forByteCount: 10_000, now: now)
            longest = max(longest, delay)
            written += 10_000
            now += delay + 1000
        }
        let share = Double(written) / (Double(now) * 0.1)
        #expect((0.98...1.02).contains(share), "\(share)")
        #expect(longest <= 200_000)
    }

    @Test("a commit never waits longer than the longest delay, however large it is")
    func longestDelay() {
        let throttle = WriteThrottle()
        throttle.set(rate: 0.000_001, now: 0)
        for byteCount in [100, 100_000, 1 << 20] {
            let delay = throttle.delay(forByteCount: byteCount, now: 1)
            #expect(Double(delay) <= WriteThrottle.longestDelay(forByteCount: byteCount))
            #expect(Double(delay) >= WriteThrottle.delayMax)
        }
        #expect(WriteThrottle.longestDelay(forByteCount: 100) < 1_100_000)
    }

    @Test("what is left over of a large commit the next ones pay, up to a limit")
    func debt() {
        let throttle = WriteThrottle()
        // Ten bytes for each microsecond: 100,000 bytes are worth ten milliseconds, one of them
        // saved.
        throttle.set(rate: 0.01, now: 0)
        var now: UInt64 = 0
        func delaysUntilPaid() -> [UInt64] {
            var delays: [UInt64] = []
            while true {
                let delay = throttle.delay(forByteCount: 1, now: now)
                // What a commit of one byte costs by itself.
                if delay <= 100 { return delays }
                delays.append(delay)
                now += delay
            }
        }
        let own = throttle.delay(forByteCount: 100_000, now: now)
        #expect(own == 2_000_000)
        now += own
        let left = delaysUntilPaid()
        #expect(left.allSatisfy { $0 <= 1_000_010 })
        #expect((6_900_000...7_100_000).contains(left.reduce(0, +)))
        now += throttle.delay(forByteCount: 1 << 30, now: now)
        #expect(delaysUntilPaid().reduce(0, +) <= 10_100_000)
    }

    @Test("writers who outrun compaction are slowed down, others are not")
    func inAStore() throws {
        let fixture = CompactionFixture(seed: 31)
        let slept = Slept()
        let clock = Slept()
        let store = try fixture.open {
            $0.environment.sleep = { slept.add($0) }
            $0.environment.now = { clock.total }
        }
        var model = CompactionModel()
        for number in 0..<100 {
            clock.add(1000)
            try model.put(number, 0, store)
        }
        fixture.machine.executor.drain()
        #expect(try store.statistics.compaction.delayCount == 0)
        for round in 1..<100 {
            for number in 0..<100 {
                try model.put(number, round, store)
                // A step of the background for twenty commits: too few to keep up.
                clock.add(1000)
                if number % 20 == 0 { fixture.machine.executor.runNext() }
            }
        }
        let compaction = try store.statistics.compaction
        #expect(compaction.delayCount > 0)
        #expect(compaction.delayNanoseconds == slept.total)
        fixture.machine.executor.drain()
        let count = try store.statistics.compaction.delayCount
        try model.put(0, 99, store)
        #expect(try store.statistics.compaction.delayCount == count)
        let writes = try store.statistics.writes
        #expect(writes.amplification > 1)
        #expect(writes.movedByteCount == UInt64(compaction.total.movedByteCount))
    }

    private final class Slept: Sendable {
        private let sum = Locked<UInt64>(0)
        var total: UInt64 { sum.withLock { $0 } }
        func add(_ nanoseconds: UInt64) { sum.withLock { $0 += nanoseconds } }
    }
}
