/// Keeps an observation going: it ends with `invalidate()`, or when the last reference to the token
/// goes.
///
/// The token keeps the realm open. It may be invalidated and let go of on any thread. After
/// `invalidate()` returns on the thread, queue or actor of the realm, the block is not called any
/// more; called on another thread it may find the block running.
public final class NotificationToken: @unchecked Sendable {
    // Its state is behind the lock of `observation`.
    let observation: Observation

    init(_ observation: Observation) { self.observation = observation }

    deinit { observation.end() }

    /// Ends the observation. Does nothing the second time.
    public func invalidate() { observation.end() }
}

extension NotificationToken: Hashable {
    /// Whether both are the same token.
    public static func == (left: NotificationToken, right: NotificationToken) -> Bool {
        left === right
    }

    /// Hashes the identity of the token.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
