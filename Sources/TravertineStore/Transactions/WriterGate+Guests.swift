import Dispatch
import SegmentLog

/// A write transaction that is to begin without a thread that waits for it.
package final class Guest: @unchecked Sendable {
    let identity: WriterIdentity
    /// Makes its owner come, and call `WriterGate.enter(_:)`. On any thread, outside locks.
    let call: @Sendable () -> Void
    /// Since when it waits; guarded by the gate.
    fileprivate(set) var waitingSince: UInt64 = 0

    package init(_ identity: WriterIdentity, call: @escaping @Sendable () -> Void) {
        self.identity = identity
        self.call = call
    }
}

extension WriterGate {
    /// How long a guest that was called may take to come before others go on, in nanoseconds: its
    /// queue may be waiting for one of them.
    static let courtesy: UInt64 = 5_000_000

    /// Throws `.misuse` where the task that is about to wait for a guest's turn has the gate
    /// itself, at the same place.
    package func checkNotInside(_ guest: Guest) throws(StoreError) {
        guard let owner = monitor.withLock({ isTaken ? owner : nil }) else { return }
        if guest.identity.isTask(of: owner) { throw .insideTransaction }
    }

    /// Takes the gate for a guest, or enters it in line, or again at the head of the line if it was
    /// called. False if it waits; it is called then.
    ///
    /// - Throws: `.closed`. A guest never waits for itself; its task may (`checkNotInside(_:)`).
    package func enter(_ guest: Guest) throws(StoreError) -> Bool {
        monitor.lock()
        defer { monitor.unlock() }
        let wasCalled = called === guest
        let isNext = wasCalled && isForCalled
        if wasCalled { forgetCalled() }
        if isClosed { throw closedError }
        if !isTaken, isNext || !isForWaiter {
            take(guest.identity)
            return true
        }
        if wasCalled {
            guests.insert(guest, at: 0)
        } else {
            guest.waitingSince = now()
            guests.append(guest)
        }
        return false
    }

    /// Takes a guest out of the line; false if it is not there, because it was called, has the gate
    /// or left the line before.
    package func withdraw(_ guest: Guest) -> Bool {
        monitor.withLock {
            guard let index = guests.firstIndex(where: { $0 === guest }) else { return false }
            guests.remove(at: index)
            return true
        }
    }

    /// What a guest calls that was called, and does not want the gate any more.
    package func decline(_ guest: Guest) {
        let next: Guest? = monitor.withLock {
            guard called === guest else { return nil }
            forgetCalled()
            return isTaken || isClosed ? nil : nextGuest(at: now())
        }
        monitor.broadcast()
        next?.call()
    }

    /// The guest that is to be called now, if any; the caller holds the lock, and calls it outside.
    func nextGuest(at time: UInt64) -> Guest? {
        if let called {
            if time &- called.waitingSince >= Self.patience { isForCalled = true }
            return nil
        }
        if guests.isEmpty { return nil }
        let guest = guests.removeFirst()
        called = guest
        callTime = time
        isForCalled = time &- guest.waitingSince >= Self.patience
        watch()
        return guest
    }

    private func forgetCalled() {
        called = nil
        isForCalled = false
    }

    /// Looks after the guest that was called, once it has had time to come.
    private func watch() {
        if isWatched { return }
        isWatched = true
        Self.watchQueue.asyncAfter(
            deadline: .now() + .nanoseconds(Int(Self.courtesy)), execute: lookAfterCalled)
    }

    /// A serial queue gets a separate thread also where all threads of the pool are blocked.
    private static let watchQueue = DispatchQueue(label: "travertine.gate")

    /// If the guest has not come, threads do not stand back any longer, and the next guest is
    /// called. The first one may still come, as one that has just begun to wait.
    @Sendable
    private func lookAfterCalled() {
        let next: Guest? = monitor.withLock {
            isWatched = false
            guard called != nil, !isClosed else { return nil }
            let time = now()
            if isTaken || time &- callTime < Self.courtesy {
                watch()
                return nil
            }
            forgetCalled()
            return nextGuest(at: time)
        }
        monitor.broadcast()
        next?.call()
    }
}
