import Locks
import TravertineStore

/// Keeps an observation going: it ends with `invalidate()`, or when the last reference to the token
/// goes.
///
/// The token keeps the realm open. It may be invalidated and let go of on any thread. After
/// `invalidate()` returns on the thread, queue or actor of the realm, the block is not called any
/// more; called elsewhere it may find the block running.
public final class NotificationToken: Sendable {
    /// What the token ends, and whether it did.
    private struct State: @unchecked Sendable {
        var observation: Observation?
        var isEnded = false
    }

    private let state: Locked<State>

    init(_ observation: Observation?) { state = Locked(State(observation: observation)) }

    deinit { invalidate() }

    /// Ends the observation. Does nothing the second time.
    public func invalidate() {
        let observation = state.withLock { state in
            state.isEnded = true
            return state.observation.take()
        }
        observation?.end()
    }

    /// What it ends; nil after that, and before an observation on another queue began.
    var observation: Observation? { state.withLock { $0.observation } }

    /// Takes over what another token ends, which began later; ends it if this one was invalidated.
    func take(_ token: NotificationToken) {
        let observation = token.state.withLock { state in
            state.isEnded = true
            return state.observation.take()
        }
        let isEnded = state.withLock { state in
            if !state.isEnded { state.observation = observation }
            return state.isEnded
        }
        if isEnded { observation?.end() }
    }

    var isEnded: Bool { state.withLock { $0.isEnded } }
}

extension NotificationToken: Hashable {
    /// Whether both are the same token.
    public static func == (left: NotificationToken, right: NotificationToken) -> Bool {
        left === right
    }

    /// Hashes the identity of the token.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
