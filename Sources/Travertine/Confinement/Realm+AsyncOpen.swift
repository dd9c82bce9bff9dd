import Dispatch
import Synchronization

/// Opening realms of queues while another thread does the work (T-L4a).
extension Realm {
    /// Opens a realm without blocking the calling thread, and gives it to `callback` on a queue,
    /// which it is confined to.
    ///
    /// Migrations, building of indexes (`Configuration.indexBuildProgress`) and compaction run on
    /// another thread, which calls the closures of the configuration.
    ///
    /// - Parameters:
    ///   - configuration: of the realm.
    ///   - callbackQueue: a serial queue.
    ///   - callback: gets the realm; or what `Realm(configuration:)` throws, or `CancellationError`
    ///     after `AsyncOpenTask.cancel`. Called once.
    @discardableResult
    public static func asyncOpen(
        configuration: Configuration = .defaultConfiguration, callbackQueue: DispatchQueue = .main,
        callback: @escaping @Sendable (Result<Realm, any Swift.Error>) -> Void
    ) -> AsyncOpenTask {
        let task = AsyncOpenTask()
        let queue = ConfiningQueue(callbackQueue)
        BackgroundOpening.prepare(configuration) { prepared in
            queue.queue.async {
                callback(
                    Result {
                        if task.isCancelled { throw CancellationError() }
                        let shared = try prepared.get()
                        return try withExtendedLifetime(shared) {
                            try Realm(configuration, .queue(queue), isHere: true)
                        }
                    })
            }
        }
        return task
    }

    /// The opening of a realm that `asyncOpen` began.
    public final class AsyncOpenTask: Sendable {
        private let cancelled = Atomic<Bool>(false)

        var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

        /// Makes the callback get `CancellationError` unless it was called before. What opening has
        /// changed in the files stays.
        public func cancel() { cancelled.store(true, ordering: .releasing) }
    }
}
