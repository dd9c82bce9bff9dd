import SegmentLog

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Lets one write transaction at a time into a store; the others wait in line.
///
/// Not a mutex: a transaction may end on another thread than the one it began on. Who comes back at
/// once takes it before somebody wakes up who waits, which costs the least; but once somebody has
/// waited for `patience`, one of those who wait is next, so that a thread that writes without a
/// pause keeps neither others nor compaction out.
package final class WriterGate: @unchecked Sendable {
    /// Nanoseconds.
    static let patience: UInt64 = 500_000

    private let monitor = Monitor()
    private let now: @Sendable () -> UInt64
    private var isTaken = false
    private var isClosed = false
    private var owner: pthread_t?
    private var waiterCount = 0
    /// Since when somebody waits whom the gate was not given to.
    private var waitingSince: UInt64 = 0
    /// Whether a thread that has waited comes before all that have not.
    private var isForWaiter = false
    /// How often the gate was taken.
    private var entranceCount: UInt64 = 0

    /// - Parameter now: a monotonic clock, in nanoseconds; asked only where somebody waits.
    init(now: @escaping @Sendable () -> UInt64 = Environment.monotonicNanoseconds) {
        self.now = now
    }

    /// Waits for the gate and takes it; throws `.closed` when the store was closed in the
    /// meantime, and `.misuse` when the calling thread has it already (it would wait for itself).
    package func enter() throws(StoreError) {
        let thread = pthread_self()
        monitor.lock()
        defer { monitor.unlock() }
        if isOwner(thread) { throw .insideTransaction }
        var hasWaited = false
        while (isTaken || isForWaiter && !hasWaited) && !isClosed {
            if waiterCount == 0, !hasWaited { waitingSince = now() }
            waiterCount += 1
            monitor.wait()
            waiterCount -= 1
            hasWaited = true
        }
        if hasWaited, waiterCount > 0 { waitingSince = now() }
        isForWaiter = false
        if isClosed { throw .closedStore }
        isTaken = true
        owner = thread
        entranceCount += 1
    }

    /// The number of the transaction that has the gate.
    var number: UInt64 { monitor.withLock { entranceCount } }

    /// Throws `.misuse` when the calling thread has the gate.
    func checkNotInside() throws(StoreError) {
        monitor.lock()
        defer { monitor.unlock() }
        if isOwner(pthread_self()) { throw .insideTransaction }
    }

    private func isOwner(_ thread: pthread_t) -> Bool {
        guard isTaken, let owner else { return false }
        return pthread_equal(owner, thread) != 0
    }

    /// Makes the next `leave` give the gate to somebody who waits, if somebody does: who holds it
    /// again and again would keep them out otherwise, for waking up takes longer than coming back.
    /// True if somebody waits.
    @discardableResult
    func letWaiterBeNext() -> Bool {
        monitor.withLock {
            isForWaiter = waiterCount > 0
            return isForWaiter
        }
    }

    /// Gives the gate to the next in line.
    package func leave() {
        monitor.lock()
        isTaken = false
        owner = nil
        let wake = waiterCount > 0
        if wake, now() &- waitingSince >= Self.patience { isForWaiter = true }
        monitor.unlock()
        if wake { monitor.signal() }
    }

    /// Waits for the transaction in progress, then refuses every later one; true the first time.
    func close() throws(StoreError) -> Bool {
        do {
            try enter()
        } catch {
            if error.code == .closed { return false }
            throw error
        }
        monitor.lock()
        isClosed = true
        isTaken = false
        owner = nil
        monitor.unlock()
        monitor.broadcast()
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
        "This thread is inside a write transaction of the store already. Use the open "
            + "transaction, or its `savepoint`, and end it before anything that waits for it.")
    /// What calls of a closed store throw.
    package static let closedStore = StoreError(
        .closed, "The store was closed. Open it again with `Store.open(at:)`.")
    static let endedTransaction = StoreError(
        .transactionEnded,
        "The transaction was committed or rolled back before. Begin another with `store.write`.")
}
