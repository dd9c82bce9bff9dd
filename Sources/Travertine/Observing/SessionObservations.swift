import Locks
import Synchronization
import TravertineStore

/// The observations of a session, in the order of their registration, and what wakes them.
///
/// A session on a queue or actor subscribes to commits while it has observations, and has at most
/// one block under way to its confinement, which shows the newest version and reports it (V2).
final class SessionObservations: @unchecked Sendable {
    private struct State {
        var observations: [Observation] = []
        var confinement: Confinement?
        var subscription: CommitSignal.Subscription?
    }

    // Tokens end on any thread, and others commit; all else happens on the session's confinement.
    private let state = Locked(State())
    private let isAnything = Atomic<Bool>(false)
    /// Whether a block is under way.
    private let isScheduled = Atomic<Bool>(false)
    /// How many blocks of observations are being called, one inside the other.
    @exclusivity(unchecked) var deliveryDepth = 0

    /// Whether there are none: one load.
    var isEmpty: Bool { !isAnything.load(ordering: .relaxed) }

    /// All of them.
    var all: [Observation] { state.withLock { $0.observations } }

    func add(_ observation: Observation) {
        let session = observation.session
        state.withLock { state in
            state.observations.append(observation)
            isAnything.store(true, ordering: .relaxed)
            guard session.confinement.takesWork, state.subscription == nil else { return }
            state.confinement = session.confinement
            state.subscription = session.shared.subscribe { [weak self] in self?.schedule() }
        }
        schedule()
    }

    /// Removes an observation. Any thread; it may be the last that keeps the session.
    func remove(_ observation: Observation) {
        // What is released may end others: outside of the lock.
        let released = state.withLock {
            state -> (removed: [Observation], CommitSignal.Subscription?) in
            let removed = state.observations.filter { $0 === observation }
            state.observations.removeAll { $0 === observation }
            guard state.observations.isEmpty else { return (removed, nil) }
            isAnything.store(false, ordering: .relaxed)
            defer { state.subscription = nil }
            return (removed, state.subscription)
        }
        withExtendedLifetime(released) {}
    }

    /// Sends a block to the session's confinement, unless one is under way or nothing can be sent.
    /// Any thread.
    func schedule() {
        guard let confinement = state.withLock({ $0.confinement }), confinement.takesWork,
            !isScheduled.exchange(true, ordering: .acquiringAndReleasing)
        else { return }
        let isSent = confinement.enqueue { [self] in
            isScheduled.store(false, ordering: .releasing)
            // What observes keeps the session.
            all.first?.session.deliverScheduled()
        }
        if !isSent { isScheduled.store(false, ordering: .releasing) }
    }
}
