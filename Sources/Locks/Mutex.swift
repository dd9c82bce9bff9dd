#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Makes a lock of POSIX. In debug builds it is one that finds a thread that waits for itself.
func initializeMutex(_ mutex: UnsafeMutablePointer<pthread_mutex_t>) {
    var attributes = pthread_mutexattr_t()
    var outcome = pthread_mutexattr_init(&attributes)
    #if DEBUG
        if outcome == 0 {
            outcome = pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_ERRORCHECK))
        }
    #endif
    if outcome == 0 { outcome = pthread_mutex_init(mutex, &attributes) }
    precondition(outcome == 0, "the system has no more locks")
    pthread_mutexattr_destroy(&attributes)
}

@inlinable @inline(__always)
func enter(_ mutex: UnsafeMutablePointer<pthread_mutex_t>) {
    let outcome = pthread_mutex_lock(mutex)
    assert(outcome == 0, "a lock was taken twice by one thread")
}

@inlinable @inline(__always)
func leave(_ mutex: UnsafeMutablePointer<pthread_mutex_t>) {
    let outcome = pthread_mutex_unlock(mutex)
    assert(outcome == 0, "a lock was released that the thread does not have")
}
