import Synchronization
import TravertineStore

/// The observations of a session, in the order of their registration.
final class SessionObservations: @unchecked Sendable {
    // Tokens end on any thread; all else happens on the session's confinement.
    private let observations = Locked<[Observation]>([])
    private let isAnything = Atomic<Bool>(false)
    /// Whether a block is called just now.
    @exclusivity(unchecked) var deliveryDepth = 0

    /// Whether there are none: one load.
    var isEmpty: Bool { !isAnything.load(ordering: .relaxed) }

    /// All of them.
    var all: [Observation] { observations.withLock { $0 } }

    func add(_ observation: Observation) {
        observations.withLock {
            $0.append(observation)
            isAnything.store(true, ordering: .relaxed)
        }
    }

    /// Removes an observation. Any thread; it may be the last that keeps the session.
    func remove(_ observation: Observation) {
        observations.withLock {
            $0.removeAll { $0 === observation }
            isAnything.store(!$0.isEmpty, ordering: .relaxed)
        }
    }
}
