import CPlatform
import Dispatch
import Locks
import TravertineStore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A serial queue that realms are confined to.
///
/// A queue has several objects of Swift, so that it is known by a mark that is set on it. The mark
/// has a separate key, which is also found from queues that have this one as their target.
struct ConfiningQueue: Sendable {
    let queue: DispatchQueue
    let mark: Mark
    let isMain: Bool

    /// Held by its queue.
    final class Mark: @unchecked Sendable {
        let key = DispatchSpecificKey<Bool>()
    }

    private static let markKey = Locked(DispatchSpecificKey<Mark>())

    /// Of the main thread.
    static let main = ConfiningQueue(.main, isMain: true)

    /// Stops for a queue that lets several blocks run at once.
    init(_ queue: DispatchQueue) {
        let isMain = queue.label == Self.main.queue.label
        let isKnown = Self.markKey.withLock { queue.getSpecific(key: $0) } != nil
        require(
            isKnown || isMain || !queue.isConcurrent,
            "Invalid queue '\(queue.label)': Realms can only be confined to serial queues or the "
                + "main queue. Make one with `DispatchQueue(label:)`.")
        self.init(queue, isMain: isMain)
    }

    private init(_ queue: DispatchQueue, isMain: Bool) {
        self.queue = queue
        self.isMain = isMain
        mark = Self.markKey.withLock { markKey in
            if let mark = queue.getSpecific(key: markKey) { return mark }
            let mark = Mark()
            queue.setSpecific(key: markKey, value: mark)
            queue.setSpecific(key: mark.key, value: true)
            return mark
        }
    }

    /// Whether the calling code is a block of the queue, or of one that has it as target. Stops
    /// when the queue lets several blocks run at once.
    var isCurrent: Bool {
        guard DispatchQueue.getSpecific(key: mark.key) != nil else {
            return isMain && MainThread.isCurrent
        }
        if !isMain { dispatchPrecondition(condition: .onQueueAsBarrier(queue)) }
        return true
    }
}

extension DispatchQueue {
    /// Whether it lets several blocks run at once; false where Dispatch does not say.
    fileprivate var isConcurrent: Bool {
        if label.hasPrefix("com.apple.root.") { return true }
        #if canImport(Darwin)
            // The classes of Objective-C are OS_dispatch_queue_serial and
            // OS_dispatch_queue_concurrent.
            return String(describing: type(of: self)).hasSuffix("_concurrent")
        #else
            let queue = Mirror(reflecting: self).children.first { $0.label == "__wrapped" }
            guard let handle = queue?.value as? OpaquePointer else { return false }
            return travertine_queue_width(UnsafeRawPointer(handle)) > 1
        #endif
    }
}

/// The thread that the program began on.
enum MainThread {
    /// Whether the calling code runs on it.
    static var isCurrent: Bool {
        #if canImport(Darwin)
            pthread_main_np() != 0
        #else
            threadID.map { $0() == getpid() } ?? false
        #endif
    }

    #if !canImport(Darwin)
        /// The C library's headers declare it for GNU programs only.
        private static let threadID = dlsym(nil, "gettid").map {
            unsafeBitCast($0, to: (@convention(c) () -> pid_t).self)
        }
    #endif
}
