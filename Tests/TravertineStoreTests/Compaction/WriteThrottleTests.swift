import Synchronization
import Testing

@testable import TravertineStore

/// How writers are slowed down, by an injected clock.
@Suite struct WriteThrottleTests {
    @Test("within the bound there is no rate, and without a rate no delay")
    func withinBound() {
        #expect(WriteThrottle.rate(excess: 0, allowed: 1000, gainRate: 1) == nil)
        #expect(WriteThrottle.rate(excess: 10, allowed: 1000, gainRate: nil) == nil)
        let throttle = WriteThrottle()
        #expect(throttle.delay(forByteCount: 1 << 30, now: 5) == 0)
        throttle.set(rate: 0.001, now: 5)
        throttle.set(rate: nil, now: 6)
        #expect(throttle.delay(forByteCount: 1 << 30, now: 7) == 0)
    }

    @Test("the rate falls the further the store is beyond its bound, and never to nothing")
    func falls() throws {
        let rates = try [1, 50, 125, 200, 1000, 100_000].map {
            try #require(WriteThrottle.rate(excess: $0, allowed: 1000, gainRate: 2))
        }
        #expect(rates == rates.sorted(by: >))
        #expect(rates[2] == 2)
        #expect(rates[5] == 0.5)
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
        for time in 0..<20 as Range<UInt64> {
            #expect(throttle.delay(forByteCount: 1 << 30, now: time) <= WriteThrottle.delayMax)
        }
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
        private let sum = Mutex<UInt64>(0)
        var total: UInt64 { sum.withLock { $0 } }
        func add(_ nanoseconds: UInt64) { sum.withLock { $0 += nanoseconds } }
    }
}
