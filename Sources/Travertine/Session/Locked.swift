#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// State that only one thread at a time may touch, inside the lock that guards it.
///
/// A POSIX mutex and not `Synchronization.Mutex`, because the thread sanitizer knows the former.
/// The latter waits in system calls that it does not see, so that every use would be reported as a
/// race.
final class Locked<State>: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    @exclusivity(unchecked) private var state: State

    init(_ state: State) {
        self.state = state
        mutex = .allocate(capacity: 1)
        let outcome = pthread_mutex_init(mutex, nil)
        precondition(outcome == 0, "the system can't make another mutex")
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Calls `body` with the state, alone.
    func withLock<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&state)
    }
}
