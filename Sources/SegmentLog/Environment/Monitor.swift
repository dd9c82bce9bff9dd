#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A mutual-exclusion lock with one condition.
///
/// A class and not `Mutex`, because `Mutex` has no condition to wait for.
package final class Monitor: @unchecked Sendable {
    // In heap memory: the system requires that they never move.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>

    package init() {
        mutex = .allocate(capacity: 1)
        condition = .allocate(capacity: 1)
        let first = pthread_mutex_init(mutex, nil)
        let second = pthread_cond_init(condition, nil)
        precondition(first == 0 && second == 0, "the system has no more locks")
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Enters; waits while another thread is inside.
    package func lock() {
        let result = pthread_mutex_lock(mutex)
        precondition(result == 0, "a lock was taken twice or is destroyed")
    }

    /// Leaves.
    package func unlock() {
        let result = pthread_mutex_unlock(mutex)
        precondition(result == 0, "a lock was released that was not held")
    }

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
