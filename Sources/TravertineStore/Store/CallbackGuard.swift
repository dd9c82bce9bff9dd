import Locks
import SegmentLog

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The threads that are inside of code of the user that the store has called.
///
/// Such a call may come from a background job, or with locks held, so that some methods of the
/// store would wait there for their own thread: they throw instead.
final class CallbackGuard: @unchecked Sendable {
    /// A thread is there as often as it is inside.
    private let threads = Locked<[pthread_t]>([])

    /// Calls the user's code.
    func call(_ body: () -> Void) {
        let thread = pthread_self()
        threads.withLock { $0.append(thread) }
        defer {
            threads.withLock { threads in
                if let place = Self.place(of: thread, in: threads) { threads.remove(at: place) }
            }
        }
        body()
    }

    /// Throws `.misuse` inside of `call`.
    func checkNotInside() throws(StoreError) {
        let thread = pthread_self()
        guard threads.withLock({ Self.place(of: thread, in: $0) }) != nil else { return }
        throw StoreError(
            .misuse,
            "The store is calling this thread to report what happens, perhaps in the middle of it. Call "
                + "this from a thread or queue of your own, once it has returned.")
    }

    private static func place(of thread: pthread_t, in threads: [pthread_t]) -> Int? {
        threads.lastIndex { pthread_equal($0, thread) != 0 }
    }
}

extension Store {
    /// Notifies the event handler, if there is one.
    func notify(_ event: StoreEvent) {
        guard let handler = options.eventHandler else { return }
        eventCallbacks.call { handler(event) }
    }
}

extension StoreError {
    /// What compaction throws when a sync that forbids removals has failed.
    static func reclaimStopped(_ failure: StoreError) -> StoreError {
        StoreError(
            .poisoned,
            "A sync of a checkpoint failed (\(failure.message)), so that no file may be removed any "
                + "more. Commits go on; close the store and open it again to reclaim space.",
            file: failure.file)
    }
}
