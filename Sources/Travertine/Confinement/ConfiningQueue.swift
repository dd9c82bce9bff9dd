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

    /// Stops when several threads work at the queue at once.
    init(_ queue: DispatchQueue) {
        require(
            !queue.label.hasPrefix("com.apple.root."),
            "Invalid queue '\(queue.label)': Realms can only be confined to serial queues or the "
                + "main queue. Make one with `DispatchQueue(label:)`.")
        self.init(queue, isMain: queue.label == Self.main.queue.label)
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
