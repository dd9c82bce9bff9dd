import Dispatch
import SegmentLog
import SimulatedDisk
import Synchronization
import Testing

@testable import StoreFixtures
@testable import TravertineStore

/// When commits at level `.interval` are synced, by a clock that the test moves.
@Suite struct IntervalTests {
    private let machine = SimulatedMachine(seed: 41)
    private let syncs = ManualExecutor()

    private func open() throws -> Store {
        var options = machine.options()
        let syncs = syncs
        options.environment.now = { syncs.now }
        options.environment.syncExecutor = syncs
        options.checkpointInterval = 0
        return try Store.open(at: SimulatedMachine.path, options: options)
    }

    private func put(_ key: String, within milliseconds: Int, _ store: Store) throws {
        try store.write(durability: .interval(milliseconds: milliseconds)) {
            try $0.put("v", forKey: key)
        }
    }

    private func pass(milliseconds: UInt64) {
        syncs.advance(byNanoseconds: milliseconds * 1_000_000)
        syncs.drain()
    }

    @Test("a shorter interval brings the sync forward, a longer one does not put it off")
    func earliest() throws {
        let store = try open()
        try put("long", within: 60_000, store)
        try put("short", within: 10, store)
        let written = store.log.writtenLSN.rawValue
        try put("longer", within: 90_000, store)
        pass(milliseconds: 9)
        #expect(store.durableLSN == 0)
        pass(milliseconds: 1)
        #expect(store.durableLSN > written)
        #expect(syncs.jobCount == 0, "the time that was superseded is forgotten")
        try put("next", within: 20, store)
        pass(milliseconds: 19)
        #expect(store.durableLSN < store.log.writtenLSN.rawValue)
        pass(milliseconds: 1)
        #expect(store.durableLSN == store.log.writtenLSN.rawValue)
        let count = store.log.statistics.syncCount
        pass(milliseconds: 100_000)
        #expect(store.log.statistics.syncCount == count)
        #expect(syncs.jobCount == 0)
        try store.close()
    }

    @Test(
        "one timer waits at most, however many commits bring the sync forward, and none when closed"
    )
    func oneTimer() throws {
        let store = try open()
        for number in 0..<1000 {
            try put("key \(number)", within: 1_000_000 - number, store)
            #expect(syncs.jobCount == 1)
        }
        pass(milliseconds: 999_000)
        #expect(store.durableLSN == 0)
        pass(milliseconds: 1)
        #expect(store.durableLSN == store.log.writtenLSN.rawValue)
        #expect(syncs.jobCount == 0)
        try put("last", within: 1_000_000, store)
        #expect(syncs.jobCount == 1)
        try store.close()
        #expect(syncs.jobCount == 0)
    }

    @Test("the timer of a queue runs its job at the time that was set last, and once")
    func dispatchTimer() {
        let executor = DispatchExecutor(label: "test")
        let count = Atomic<Int>(0)
        let ran = DispatchSemaphore(value: 0)
        let timer = executor.timer {
            count.add(1, ordering: .relaxed)
            ran.signal()
        }
        timer.set(afterNanoseconds: 3_600_000_000_000)
        timer.set(afterNanoseconds: .max)
        timer.set(afterNanoseconds: 0)
        ran.wait()
        timer.set(afterNanoseconds: 3_600_000_000_000)
        timer.cancel()
        executor.drain()
        #expect(count.load(ordering: .relaxed) == 1)
    }

    @Test("a sync does not wait for a checkpoint that is due")
    func besideCheckpoints() throws {
        let store = try open()
        try put("k", within: 5, store)
        // The checkpoint of that commit waits in the other executor.
        #expect(machine.executor.submittedJobCount > 0)
        pass(milliseconds: 5)
        #expect(store.durableLSN == store.log.writtenLSN.rawValue)
        try #expect(store.statistics.checkpointCount == 0)
        try store.close()
    }

    @Test("intervals beyond all bounds are accepted", arguments: [Int.min, -1, 0, .max])
    func extremes(milliseconds: Int) throws {
        let store = try open()
        try put("k", within: milliseconds, store)
        pass(milliseconds: 0)
        #expect((store.durableLSN > 0) == (milliseconds <= 0))
        try put("k", within: 1, store)
        pass(milliseconds: 1)
        #expect(store.durableLSN == store.log.writtenLSN.rawValue)
        try store.close()
    }
}
