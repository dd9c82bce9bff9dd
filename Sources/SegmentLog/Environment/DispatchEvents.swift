import CPlatform
import Dispatch
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The event loop of Dispatch. It opens descriptors at its first timer or worker thread, and ends
/// the process where the system has none.
enum DispatchEvents {
    /// What the loop opens: two for events, one for timers; and one to spare.
    private static let descriptorCount = 4
    private static let isStarted = Atomic<Bool>(false)
    /// Whether Dispatch was let open its descriptors.
    static var areStarted: Bool { isStarted.load(ordering: .acquiring) }
    /// How long the first opening of a store waits for the loop. It never comes in a child of fork,
    /// where Dispatch has no threads, and late where all threads are busy.
    private static let millisecondsMax = 500

    /// Lets Dispatch open its descriptors, once in a process, if there are enough. No lock is held
    /// while it does, which a child of fork would find locked for ever.
    ///
    /// - Throws: `FileSystemError` for lack of descriptors; then it may be tried again.
    static func start() throws(FileSystemError) {
        if areStarted { return }
        try reserve()
        if isStarted.exchange(true, ordering: .acquiringAndReleasing) { return }
        let fired = DispatchSemaphore(value: 0)
        let source = DispatchSource.makeTimerSource(queue: .global(qos: .utility))
        source.setEventHandler { fired.signal() }
        source.schedule(deadline: .now() + .microseconds(50), leeway: .nanoseconds(0))
        source.activate()
        _ = fired.wait(timeout: .now() + .milliseconds(millisecondsMax))
        source.cancel()
    }

    /// Opens so many descriptors, and closes them.
    private static func reserve() throws(FileSystemError) {
        var descriptors: [CInt] = []
        defer { for descriptor in descriptors { _ = close(descriptor) } }
        for _ in 0..<descriptorCount {
            let descriptor = travertine_open("/", 0)
            if descriptor < 0 {
                throw FileSystemError(operation: "open", path: "/", code: -descriptor)
            }
            descriptors.append(descriptor)
        }
    }
}
