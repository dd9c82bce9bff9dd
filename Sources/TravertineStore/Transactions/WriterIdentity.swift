#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What has the writer's gate, or asks for it. What would wait for itself gets an error instead.
///
/// A transaction that belongs to a queue or an actor is open while the threads of a pool do other
/// work; it is known by its place. One of a task is known by the task, of which a thread runs many;
/// any other by its thread.
package struct WriterIdentity: Sendable {
    /// A queue or an actor that transactions belong to.
    package struct Place: Sendable {
        let identity: ObjectIdentifier
        /// Whether the calling code runs there.
        let isCurrent: @Sendable () -> Bool

        package init(
            _ identity: ObjectIdentifier, isCurrent: @escaping @Sendable () -> Bool
        ) {
            self.identity = identity
            self.isCurrent = isCurrent
        }
    }

    private let thread = pthread_self()
    private let task: UInt = withUnsafeCurrentTask {
        $0.map { unsafeBitCast($0, to: UInt.self) } ?? 0
    }
    let place: Place?

    private init(place: Place?) { self.place = place }

    /// The calling task, or thread where none runs.
    package static var current: WriterIdentity { WriterIdentity(place: nil) }

    /// A queue or an actor.
    package static func at(_ place: Place) -> WriterIdentity { WriterIdentity(place: place) }

    /// Whether this one, which is asking on the calling thread, would wait for itself if it waited
    /// for another to leave.
    func isInside(_ owner: WriterIdentity) -> Bool {
        guard let ownersPlace = owner.place else {
            return task == owner.task && (task != 0 || pthread_equal(thread, owner.thread) != 0)
        }
        return isAt(ownersPlace) || ownersPlace.isCurrent()
    }

    /// Whether this one would wait for the task that it is of, which has the gate at the same
    /// place.
    func isTask(of owner: WriterIdentity) -> Bool {
        task != 0 && task == owner.task && isAt(owner.place)
    }

    /// Whether it belongs to a place.
    func isAt(_ other: Place?) -> Bool {
        guard let place, let other else { return false }
        return place.identity == other.identity
    }
}
