import Dispatch

extension Realm {
    /// Opens a realm for a serial queue, or for this thread where that is nil.
    ///
    /// It may be opened anywhere, and used in blocks of the queue and of queues that have it as
    /// their target, whichever threads run them.
    ///
    /// - Throws: as `init(configuration:)`. Stops for a queue that runs several blocks at once.
    public init(configuration: Configuration = .defaultConfiguration, queue: DispatchQueue?) throws
    {
        let confining = queue.map { ConfiningQueue($0) }
        try self.init(
            configuration, confining.map { .queue($0) } ?? .current,
            isHere: confining?.isCurrent ?? true)
    }
}
