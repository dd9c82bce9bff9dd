import Dispatch
import Locks
import Testing

struct LockTests {
    @Test func changesFromManyThreadsAreAllThere() {
        let count = Locked(0)
        let names = Locked<[Int: Int]>([:])
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for _ in 0..<2_000 {
                count.withLock { $0 += 1 }
                names.withLock { $0[thread, default: 0] += 1 }
            }
        }
        #expect(count.withLock { $0 } == 16_000)
        #expect(names.withLock { $0.values.allSatisfy { $0 == 2_000 } })
    }

    @Test func aLockWithoutStateLetsOneThreadAtATimePass() {
        final class Sum: @unchecked Sendable {
            let lock = Locked<Void>()
            var value = 0
        }
        let sum = Sum()
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for _ in 0..<1_000 {
                if thread.isMultiple(of: 2) {
                    sum.lock.lock()
                    defer { sum.lock.unlock() }
                    sum.value += 1
                } else {
                    sum.lock.withLock { sum.value += 1 }
                }
            }
        }
        #expect(sum.value == 8_000)
    }

    @Test func anErrorIsThrownOnAndLeavesTheLock() {
        struct Failure: Error {}
        let text = Locked("before")
        #expect(throws: Failure.self) {
            try text.withLock { text throws(Failure) in
                text = "after"
                throw Failure()
            }
        }
        #expect(text.withLock { $0 } == "after")
    }

    @Test func theStateIsReleasedWithTheLock() {
        final class Thing {}
        weak var thing: Thing?
        do {
            let first = Thing()
            thing = first
            let lock = Locked<Thing?>(first)
            #expect(lock.withLock { $0 } === first)
        }
        #expect(thing == nil)
    }

    #if DEBUG
        @Test func aThreadThatWouldWaitForItselfStops() async {
            await #expect(processExitsWith: .failure) {
                let lock = Locked<Void>()
                lock.lock()
                lock.lock()
            }
            await #expect(processExitsWith: .failure) {
                let monitor = Monitor()
                monitor.withLock { monitor.lock() }
            }
        }

        @Test func aLockThatTheThreadDoesNotHaveIsNotReleased() async {
            await #expect(processExitsWith: .failure) { Locked<Void>().unlock() }
        }
    #endif

    @Test func aSignalWakesWhoWaitsForTheCondition() {
        final class Box: @unchecked Sendable {
            let monitor = Monitor()
            var value: Int?
            var taken = 0
        }
        let box = Box()
        let group = DispatchGroup()
        for _ in 0..<2 {
            DispatchQueue.global().async(group: group) {
                box.monitor.withLock {
                    while box.value == nil { box.monitor.wait() }
                    box.taken += 1
                }
            }
        }
        box.monitor.withLock { box.value = 1 }
        box.monitor.broadcast()
        group.wait()
        #expect(box.taken == 2)
        box.monitor.withLock { box.value = nil }
        DispatchQueue.global().async(group: group) {
            box.monitor.withLock { box.value = 2 }
            box.monitor.signal()
        }
        box.monitor.withLock { while box.value == nil { box.monitor.wait() } }
        group.wait()
        #expect(box.value == 2)
    }
}
