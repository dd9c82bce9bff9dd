import Locks
import SegmentLog

/// Lets one write transaction at a time into a store; the others wait in line.
///
/// Not a mutex: a transaction may end on another thread than the one it began on. Who comes back at
/// once takes it before somebody wakes up who waits, which costs the least; but once somebody has
/// waited for `patience`, one of those who wait is next, so that a thread that writes without a
/// pause keeps neither others nor compaction out.
///
/// Threads wait in `enter`, and are woken one at a time. Tasks and queues do not wait: a `Guest` is
/// called when the gate is free, comes to take it, and goes back to the head of the line where
/// somebody was faster. The gate is never held by one that has not come yet: what it needs in order
/// to come may be held up by a thread that waits for the gate. Threads stand back for one that has
/// waited for `patience`, but not for long (`courtesy`). Where both kinds wait, they are next
/// alternately.
package final class WriterGate: @unchecked Sendable {
    /// Nanoseconds.
    static let patience: UInt64 = 500_000

    let monitor = Monitor()
    let now: @Sendable () -> UInt64
    var isTaken = false
    var isClosed = false
    /// What is thrown once it is closed.
    var closedError = StoreError.closedStore
    private(set) var owner: WriterIdentity?
    var waiterCount = 0
    /// Since when somebody waits whom the gate was not given to.
    private var waitingSince: UInt64 = 0
    /// Whether a thread that has waited comes before all that have not.
    var isForWaiter = false
    /// How often the gate was taken.
    private var entranceCount: UInt64 = 0
    /// Who is to be called, in order.
    var guests: [Guest] = []
    /// Who was called and has not come yet.
    var called: Guest?
    /// When it was called.
    var callTime: UInt64 = 0
    /// Whether threads stand back for it.
    var isForCalled = false
    /// Whether somebody looks whether it comes.
    var isWatched = false
    /// Whether a guest is next, where threads wait too.
    var isTurnOfGuests = false

    /// - Parameter now: a monotonic clock, in nanoseconds; asked only where somebody waits.
    init(now: @escaping @Sendable () -> UInt64 = Environment.monotonicNanoseconds) {
        self.now = now
    }

    /// Waits for the gate and takes it; throws `.closed` when the store was closed in the
    /// meantime, and `.misuse` when the caller has it already (it would wait for itself).
    package func enter(as identity: WriterIdentity = .current) throws(StoreError) {
        monitor.lock()
        if isTaken {
            monitor.unlock()
            try checkNotInside(identity)
            monitor.lock()
        }
        defer { monitor.unlock() }
        var hasWaited = false
        while (isTaken || isForWaiter && !hasWaited || mustStandBack(identity)) && !isClosed {
            if waiterCount == 0, !hasWaited { waitingSince = now() }
            waiterCount += 1
            monitor.wait()
            waiterCount -= 1
            hasWaited = true
        }
        if hasWaited, waiterCount > 0 { waitingSince = now() }
        isForWaiter = false
        if isClosed { throw closedError }
        take(identity)
    }

    /// Whether a thread leaves the free gate to the guest that was called.
    private func mustStandBack(_ identity: WriterIdentity) -> Bool {
        isForCalled && !identity.isAt(called?.identity.place)
    }

    /// Takes the free gate. The caller holds the lock.
    func take(_ identity: WriterIdentity) {
        assert(!isTaken, "two writers are in the gate")
        isTaken = true
        owner = identity
        entranceCount += 1
    }

    /// The number of the transaction that has the gate.
    var number: UInt64 { monitor.withLock { entranceCount } }

    /// Throws `.misuse` when the caller has the gate.
    func checkNotInside(_ identity: WriterIdentity = .current) throws(StoreError) {
        // Only the caller could give it back if it is the owner. A place is asked outside the lock.
        guard let owner = monitor.withLock({ owner }) else { return }
        if identity.isInside(owner) { throw .insideTransaction }
    }

    /// Makes the next `leave` give the gate to somebody who waits, if somebody does: who holds it
    /// again and again would keep them out otherwise, for waking up takes longer than coming back.
    /// True if somebody waits.
    @discardableResult
    func letWaiterBeNext() -> Bool {
        monitor.withLock {
            isForWaiter = waiterCount > 0
            isForCalled = isForCalled || called != nil
            return isForWaiter || called != nil || !guests.isEmpty
        }
    }

    /// Gives the gate to the next in line.
    package func leave() {
        monitor.lock()
        isTaken = false
        owner = nil
        let threadsWait = waiterCount > 0
        let guestsWait = called != nil || !guests.isEmpty
        let time = threadsWait || guestsWait ? now() : 0
        if threadsWait, time &- waitingSince >= Self.patience { isForWaiter = true }
        let guest = threadsWait && !isTurnOfGuests || !guestsWait ? nil : nextGuest(at: time)
        isTurnOfGuests = guest == nil
        monitor.unlock()
        if let guest { guest.call() }
        if threadsWait { monitor.signal() }
    }

    /// Waits for the transaction in progress, then refuses every later one; true the first time.
    ///
    /// - Parameter refusal: what later ones throw; its code is `.closed`.
    func close(_ refusal: StoreError = .closedStore) throws(StoreError) -> Bool {
        assert(refusal.code == .closed)
        do {
            try enter()
        } catch {
            if error.code == .closed { return false }
            throw error
        }
        monitor.lock()
        closedError = refusal
        isClosed = true
        isTaken = false
        owner = nil
        let waiting = guests
        guests = []
        monitor.unlock()
        monitor.broadcast()
        for guest in waiting { guest.call() }
        return true
    }
}

extension StoreError {
    static func forked(file: String? = nil) -> StoreError {
        StoreError(
            .forked,
            "The store was opened before `fork`. Open it in the child process, after the parent "
                + "has closed it.", file: file)
    }
    static let insideTransaction = StoreError(
        .misuse,
        "This thread, task, queue or actor is inside a write transaction of the store already. Use "
            + "the open transaction, or its `savepoint`, and end it before anything that waits for "
            + "it.")
    /// What calls of a closed store throw.
    package static let closedStore = StoreError(
        .closed, "The store was closed. Open it again with `Store.open(at:)`.")
    /// What writing throws in the store that a `StoreReader` reads.
    static let readOnlyStore = StoreError(
        .closed,
        "The store was opened for reading only. Write to it in the process that has it open with "
            + "`Store.open(at:)`, or let go of the reader and open it so.")
    static let endedTransaction = StoreError(
        .transactionEnded,
        "The transaction was committed or rolled back before. Begin another with `store.write`.")
}
