import Foundation
import Synchronization
import TestSupport
import Testing

@testable import SegmentLog
@testable import TravertineStore

@Suite("Guests of the writer's gate")
struct WriterGateGuestTests {
    /// Counts the calls of a guest, who comes when the test makes him.
    private final class Visitor: Sendable {
        private let calls: CallCount
        let guest: Guest

        final class CallCount: Sendable {
            let count = Atomic<Int>(0)
        }

        init(_ identity: WriterIdentity = .current) {
            let calls = CallCount()
            self.calls = calls
            guest = Guest(identity) { calls.count.add(1, ordering: .relaxed) }
        }

        var callCount: Int { calls.count.load(ordering: .relaxed) }
    }

    /// Nanoseconds that tests set.
    private final class Clock: Sendable {
        let time = Atomic<UInt64>(1)
        func advance(_ nanoseconds: UInt64) { time.add(nanoseconds, ordering: .relaxed) }
        var gate: WriterGate { WriterGate { self.time.load(ordering: .relaxed) } }
    }

    /// Enters the gate on another thread; the semaphore is signalled once that has left.
    private func enterElsewhere(_ gate: WriterGate) -> DispatchSemaphore {
        let hasBeenInside = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            _ = capture { () throws(StoreError) in try gate.enter() }
            gate.leave()
            hasBeenInside.signal()
        }
        return hasBeenInside
    }

    private func waitUntil(_ condition: () -> Bool) throws {
        let deadline = Deadline(seconds: 60)
        while !condition() {
            try #require(!deadline.isOver)
            sched_yield()
        }
    }

    private func isReached(_ semaphore: DispatchSemaphore) -> Bool {
        semaphore.wait(timeout: .now() + .seconds(60)) == .success
    }

    @Test("a guest takes the free gate, and is called when it becomes free otherwise")
    func calling() throws {
        let gate = WriterGate()
        let first = Visitor()
        let second = Visitor()
        #expect(try gate.enter(first.guest))
        #expect(try !gate.enter(second.guest))
        #expect(second.callCount == 0)
        gate.leave()
        #expect(second.callCount == 1)
        #expect(try gate.enter(second.guest))
        gate.leave()
        #expect(first.callCount == 0 && second.callCount == 1)
    }

    @Test("guests are called in the order in which they came")
    func order() throws {
        let gate = WriterGate()
        let visitors = (0..<5).map { _ in Visitor() }
        try gate.enter()
        for visitor in visitors { #expect(try !gate.enter(visitor.guest)) }
        for index in visitors.indices {
            gate.leave()
            #expect(visitors.map(\.callCount) == visitors.indices.map { $0 <= index ? 1 : 0 })
            #expect(try gate.enter(visitors[index].guest))
        }
        gate.leave()
    }

    @Test("a thread that comes back at once is faster; the guest is called again")
    func comingBack() throws {
        let gate = Clock().gate
        let visitor = Visitor()
        try gate.enter()
        #expect(try !gate.enter(visitor.guest))
        gate.leave()
        try gate.enter()
        #expect(try !gate.enter(visitor.guest))
        gate.leave()
        #expect(visitor.callCount == 2)
        #expect(try gate.enter(visitor.guest))
        gate.leave()
    }

    @Test("a thread stands back for a guest that has waited long")
    func patience() throws {
        let clock = Clock()
        let gate = clock.gate
        let visitor = Visitor()
        try gate.enter()
        #expect(try !gate.enter(visitor.guest))
        clock.advance(WriterGate.patience)
        gate.leave()
        let hasBeenInside = enterElsewhere(gate)
        try waitUntil { gate.monitor.withLock { gate.waiterCount == 1 } }
        #expect(
            try gate.enter(visitor.guest),
            "the clock does not advance, so that the thread stands back")
        gate.leave()
        #expect(isReached(hasBeenInside))
    }

    @Test("threads and other guests go on when a guest that was called does not come")
    func absence() throws {
        let gate = WriterGate()
        let absent = Visitor()
        let present = Visitor()
        try gate.enter()
        #expect(try !gate.enter(absent.guest))
        #expect(try !gate.enter(present.guest))
        gate.monitor.withLock { gate.isForCalled = true }
        gate.leave()
        #expect(absent.callCount == 1)
        try waitUntil { present.callCount == 1 }
        let hasBeenInside = enterElsewhere(gate)
        #expect(isReached(hasBeenInside))
        #expect(try gate.enter(present.guest))
        #expect(try !gate.enter(absent.guest), "it waits again, as one that has just come")
        gate.leave()
        #expect(absent.callCount == 2)
        gate.decline(absent.guest)
    }

    @Test("a guest's own place does not stand back for it")
    func ownPlace() throws {
        final class Place {}
        let place = Place()
        let identity = WriterIdentity.at(.init(ObjectIdentifier(place)) { false })
        let clock = Clock()
        let gate = clock.gate
        let visitor = Visitor(identity)
        try gate.enter()
        #expect(try !gate.enter(visitor.guest))
        clock.advance(WriterGate.patience)
        gate.leave()
        #expect(gate.isForCalled)
        try gate.enter(as: identity)
        #expect(try !gate.enter(visitor.guest))
        gate.leave()
        #expect(visitor.callCount == 2)
        gate.decline(visitor.guest)
    }

    @Test("where threads and guests wait, they are next alternately")
    func alternation() throws {
        let gate = Clock().gate
        let visitors = (0..<3).map { _ in Visitor() }
        try gate.enter()
        let threads = (0..<3).map { _ in enterElsewhere(gate) }
        try waitUntil { gate.monitor.withLock { gate.waiterCount == 3 } }
        for visitor in visitors { #expect(try !gate.enter(visitor.guest)) }
        gate.leave()
        // A thread has it, and leaves; then the first guest is called, whatever threads do.
        try waitUntil { visitors[0].callCount > 0 }
        for thread in threads { #expect(isReached(thread)) }
        for visitor in visitors {
            try waitUntil { visitor.callCount > 0 }
            #expect(try gate.enter(visitor.guest))
            gate.leave()
        }
    }

    @Test("a guest that leaves the line is not called, and one that declines lets the next come")
    func leaving() throws {
        let gate = WriterGate()
        let visitors = (0..<3).map { _ in Visitor() }
        try gate.enter()
        for visitor in visitors { #expect(try !gate.enter(visitor.guest)) }
        #expect(gate.withdraw(visitors[0].guest))
        #expect(!gate.withdraw(visitors[0].guest))
        gate.leave()
        #expect(visitors.map(\.callCount) == [0, 1, 0])
        #expect(!gate.withdraw(visitors[1].guest))
        gate.decline(visitors[1].guest)
        #expect(visitors.map(\.callCount) == [0, 1, 1])
        #expect(try gate.enter(visitors[2].guest))
        gate.leave()
    }

    @Test("closing calls the guests that wait, who are refused")
    func closing() throws {
        let gate = WriterGate()
        let visitor = Visitor()
        try gate.enter()
        #expect(try !gate.enter(visitor.guest))
        let isClosed = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            _ = capture { () throws(StoreError) in try gate.close() }
            isClosed.signal()
        }
        try waitUntil { gate.monitor.withLock { gate.waiterCount == 1 } }
        gate.leave()
        #expect(isReached(isClosed))
        #expect(visitor.callCount == 1)
        let error = #expect(throws: StoreError.self) { try gate.enter(visitor.guest) }
        #expect(error?.code == .closed)
    }

    @Test("a thread, a task and a place each get an error instead of waiting for themselves")
    func waitingForOneself() async throws {
        let gate = WriterGate()
        @Sendable func isRefused(_ identity: WriterIdentity = .current) -> Bool {
            let outcome = capture { () throws(StoreError) in try gate.checkNotInside(identity) }
            if case .failure(let error) = outcome { return error.code == .misuse }
            return false
        }
        // A task, whichever threads it goes on with; and no other task.
        try gate.enter()
        await Task.yield()
        #expect(isRefused())
        #expect(await Task.detached { !isRefused() }.value)
        gate.leave()
        // A place, where its code runs or what it has writes, and no thread beside it.
        final class Place {}
        let place = Place()
        try withExtendedLifetime(place) {
            nonisolated(unsafe) let there = UnsafeMutablePointer<Bool>.allocate(capacity: 1)
            there.initialize(to: false)
            defer { there.deallocate() }
            let identity = WriterIdentity.at(.init(ObjectIdentifier(place)) { there.pointee })
            try gate.enter(as: identity)
            #expect(!isRefused() && isRefused(identity))
            there.pointee = true
            #expect(isRefused())
            gate.leave()
        }
        // A bare thread.
        let isOver = DispatchSemaphore(value: 0)
        let refusals = Atomic<Int>(0)
        Thread.detachNewThread {
            _ = capture { () throws(StoreError) in try gate.enter() }
            if isRefused() { refusals.add(1, ordering: .relaxed) }
            gate.leave()
            isOver.signal()
        }
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "wait").async {
                isOver.wait()
                continuation.resume()
            }
        }
        #expect(refusals.load(ordering: .relaxed) == 1)
    }
}
