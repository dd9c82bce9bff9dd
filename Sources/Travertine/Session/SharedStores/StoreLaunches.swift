import CPlatform
import Locks

/// Which stores of the process are being opened or deleted, by their paths, and by which threads.
///
/// Opening may take long: it recovers what is stored, and asks code of the application whether to
/// compact. Only threads that want the same store wait for it.
final class StoreLaunches: @unchecked Sendable {
    private let monitor = Monitor()
    /// The threads by the paths; a few at most. Guarded by the monitor.
    private var threads: [String: UInt] = [:]

    /// Calls `body`, alone for a path; waits while another thread is at it.
    ///
    /// - Throws: as `checkIsOutside`; what `body` throws.
    func with<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
        try enter(path)
        defer {
            monitor.withLock {
                threads[path] = nil
                monitor.broadcast()
            }
        }
        return try body()
    }

    private func enter(_ path: String) throws {
        let thread = UInt(travertine_current_thread())
        try monitor.withLock {
            try check(thread)
            while threads[path] != nil { monitor.wait() }
            threads[path] = thread
        }
    }

    /// Checks that the calling thread is not opening a store.
    ///
    /// - Throws: `Realm.Error` with `.fail` where it is: it might wait for itself, or for a thread
    ///   that waits for it.
    func checkIsOutside() throws {
        let thread = UInt(travertine_current_thread())
        try monitor.withLock { try check(thread) }
    }

    private func check(_ thread: UInt) throws {
        if threads.isEmpty { return }
        if threads.values.contains(thread) { throw OpeningLock.refusal }
    }
}
