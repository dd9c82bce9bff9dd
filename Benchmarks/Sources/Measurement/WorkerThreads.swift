import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Runs one body on several threads that start together.
public enum WorkerThreads {
    /// What the threads share.
    private final class Team: Sendable {
        let body: @Sendable (Int) throws -> Void
        let nextIndex = Atomic<Int>(0)
        let readyCount = Atomic<Int>(0)
        let isStarted = Atomic<Bool>(false)
        let failure = Mutex<(any Error)?>(nil)

        init(body: @escaping @Sendable (Int) throws -> Void) { self.body = body }

        func runNext() {
            let index = nextIndex.wrappingAdd(1, ordering: .relaxed).oldValue
            readyCount.wrappingAdd(1, ordering: .releasing)
            while !isStarted.load(ordering: .acquiring) { sched_yield() }
            do {
                try body(index)
            } catch {
                failure.withLock { $0 = $0 ?? error }
            }
        }
    }

    /// Calls `body` with 0..<count, each on its own thread, and waits for all.
    ///
    /// - Returns: seconds from the common start until the last thread has ended.
    /// - Throws: the first error that a body threw.
    @discardableResult
    public static func run(
        count: Int, _ body: @escaping @Sendable (Int) throws -> Void
    ) throws -> Double {
        let team = Team(body: body)
        let context = Unmanaged.passRetained(team)
        defer { context.release() }
        #if canImport(Glibc)
            var threads = [pthread_t](repeating: 0, count: count)
        #else
            var threads = [pthread_t?](repeating: nil, count: count)
        #endif
        for index in 0..<count {
            let code = pthread_create(
                &threads[index], nil,
                { argument in
                    #if canImport(Glibc)
                        guard let argument else { return nil }
                    #endif
                    Unmanaged<Team>.fromOpaque(argument).takeUnretainedValue().runNext()
                    return nil
                }, context.toOpaque())
            precondition(code == 0, "no thread could be created")
        }
        while team.readyCount.load(ordering: .acquiring) < count { sched_yield() }
        let watch = Stopwatch()
        team.isStarted.store(true, ordering: .releasing)
        for thread in threads {
            #if canImport(Glibc)
                pthread_join(thread, nil)
            #else
                if let thread { pthread_join(thread, nil) }
            #endif
        }
        let seconds = watch.seconds
        if let failure = team.failure.withLock({ $0 }) { throw failure }
        return seconds
    }
}
