import Dispatch

extension Realm {
    /// Opens a realm for a serial queue.
    ///
    /// It may be opened anywhere, and used in blocks of the queue and of queues that have it as
    /// their target, whichever threads run them.
    ///
    /// - Throws: as `init(configuration:)`. Stops for a queue that runs several blocks at once.
    public init(configuration: Configuration = .defaultConfiguration, queue: DispatchQueue) throws {
        let confining = ConfiningQueue(queue)
        try self.init(configuration, .queue(confining), isHere: confining.isCurrent)
    }

    /// Opens a realm for a serial queue, or for this thread where that is nil.
    ///
    /// - Throws: as `init(configuration:)`. Stops for a queue that runs several blocks at once.
    @available(
        *, noasync,
        message: "without a queue it is the thread's: name a queue, or use try await Realm.open()"
    )
    public init(configuration: Configuration = .defaultConfiguration, queue: DispatchQueue?) throws
    {
        if let queue {
            try self.init(configuration: configuration, queue: queue)
        } else {
            try self.init(configuration, .current, isHere: true)
        }
    }
}
