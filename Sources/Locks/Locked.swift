#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// State that one thread at a time may touch, inside the lock that guards it.
///
/// The one lock of the library; a `Monitor` has a condition to wait for too. It is a lock of POSIX
/// and not `Synchronization.Mutex`, because the thread sanitizer knows the former. The latter waits
/// in system calls that the sanitizer does not see, so that each use is reported as a race, in the
/// programs of users too.
///
/// A thread that already has the lock waits for itself; in debug builds it stops.
///
/// Public, although the module is in no product, so that it is inlined into other modules: else each
/// use would look the metadata of the cell up, which costs more than the lock.
@frozen public struct Locked<State>: ~Copyable, @unchecked Sendable {
    /// The lock and what it guards, in heap memory: the system requires that a lock never moves.
    @usableFromInline struct Cell {
        @usableFromInline var mutex: pthread_mutex_t
        @usableFromInline var state: State
        /// Gives a state of no size an address inside the cell. The sanitizer looks at the address
        /// of every change, and another object could begin there.
        @usableFromInline var end: UInt8 = 0

        @usableFromInline init(state: State) {
            mutex = pthread_mutex_t()
            self.state = state
        }
    }

    @usableFromInline let cell: UnsafeMutablePointer<Cell>

    package init(_ state: State) {
        cell = .allocate(capacity: 1)
        cell.initialize(to: Cell(state: state))
        initializeMutex(&cell.pointee.mutex)
    }

    deinit {
        pthread_mutex_destroy(&cell.pointee.mutex)
        cell.deinitialize(count: 1)
        cell.deallocate()
    }

    /// Calls `body` with the state, alone; waits while another thread is inside.
    @inlinable @inline(__always)
    public borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        enter(&cell.pointee.mutex)
        defer { leave(&cell.pointee.mutex) }
        return try body(&cell.pointee.state)
    }
}

/// A lock whose state is elsewhere, or which lets one thread at a time do something.
extension Locked<Void> {
    package init() { self.init(()) }

    /// Enters, for the rest of a function: `defer { unlock() }` follows. Waits while another thread
    /// is inside.
    package borrowing func lock() { enter(&cell.pointee.mutex) }

    /// Leaves.
    package borrowing func unlock() { leave(&cell.pointee.mutex) }

    /// Calls `body`, alone.
    @inlinable @inline(__always)
    public borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        enter(&cell.pointee.mutex)
        defer { leave(&cell.pointee.mutex) }
        return try body()
    }
}
