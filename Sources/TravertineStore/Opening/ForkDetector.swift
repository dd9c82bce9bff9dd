import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Counts the forks that this process came out of as the child (2).
///
/// A store remembers the count at opening: in a child it differs, and the store refuses to work, at
/// the cost of one load instead of a system call.
enum ForkDetector {
    private static let forks = Atomic<Int>(0)

    private static let registration: Int32 = pthread_atfork(nil, nil) {
        ForkDetector.forks.add(1, ordering: .relaxed)
    }

    /// The number of forks so far.
    static var count: Int { forks.load(ordering: .relaxed) }

    /// Starts counting; called before a store is opened.
    static func start() { _ = registration }
}
