#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A lock with one condition to wait for. What it guards is beside it. Where nobody waits for a
/// condition, `Locked` is the lock.
package final class Monitor: @unchecked Sendable {
    // In heap memory: the system requires that they never move.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>

    package init() {
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        condition = .allocate(capacity: 1)
        condition.initialize(to: pthread_cond_t())
        initializeMutex(mutex)
        let outcome = pthread_cond_init(condition, nil)
        precondition(outcome == 0, "the system has no more locks")
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Enters; waits while another thread is inside.
    package func lock() { enter(mutex) }

    /// Leaves.
    package func unlock() { leave(mutex) }

    /// Leaves, sleeps until a signal, enters again. May wake without one.
    package func wait() { pthread_cond_wait(condition, mutex) }

    /// Wakes one sleeper.
    package func signal() { pthread_cond_signal(condition) }

    /// Wakes every sleeper.
    package func broadcast() { pthread_cond_broadcast(condition) }

    /// Runs `body` inside.
    package func withLock<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
        lock()
        defer { unlock() }
        return try body()
    }
}
