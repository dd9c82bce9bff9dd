import Locks
import Synchronization
import TravertineStore

/// The observations of a session, in the order of their registration, and what wakes them.
///
/// Most observations know the same version, and nothing that happens concerns them. These are
/// *settled*: one `settledVersion` stands for all, and an index finds those of them that a step
/// concerns (`InterestIndex`). All others are *apart*, each with its own version: those that
/// a step concerned and that were not asked yet, new ones, sequences that are not asked for the
/// next change, and those that owe a report. So a delivery costs what is apart (O-L13).
///
/// A session on a queue or actor subscribes to commits while it has observations, and has at most
/// one block under way to its confinement, which shows the newest version and reports it (O-L2).
final class SessionObservations: @unchecked Sendable {
    fileprivate struct State {
        /// By their numbers, ascending, as are the other lists.
        var observations: [Observation] = []
        var ofRealm: [RealmObservation] = []
        /// Those that are apart, and some that were.
        var apart: [Observation] = []
        var settledCount = 0
        var settledVersion: Snapshot?
        var index = InterestIndex()
        /// What the interests in the index were found with.
        var basis: InterestBasis?
        var noted: NotedCommit?
        var lastNumber: UInt64 = 0
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
    /// Whether a block that was sent to the confinement ran inside of one of these, as a loop that
    /// the application runs there makes it, and left all to another one.
    @exclusivity(unchecked) var isPostponed = false
    /// Whether newer versions are shown by themselves, where the realm is on a queue or actor.
    @exclusivity(unchecked) var refreshesItself = true

    /// Whether there are none: one load.
    var isEmpty: Bool { !isAnything.load(ordering: .relaxed) }

    /// Those of the realm as a whole.
    var ofRealm: [RealmObservation] { state.withLock { $0.ofRealm } }

    /// The version that all settled observations know.
    var settledVersion: Snapshot? { state.withLock { $0.settledVersion } }

    /// The session's last commit with what it noted, until it was reported.
    var noted: NotedCommit? {
        get { state.withLock { $0.noted } }
        set { state.withLock { $0.noted = newValue } }
    }

    /// Whether all observations know a version, and nothing is to be reported.
    func areSettled(at version: Snapshot) -> Bool {
        state.withLock { state in
            state.apart.isEmpty && state.settledVersion?.isSameVersion(as: version) == true
        }
    }

    /// The number of the newest observation.
    var lastNumber: UInt64 { state.withLock { $0.lastNumber } }

    func add(_ observation: Observation) {
        let session = observation.session
        state.withLock { state in
            state.lastNumber += 1
            observation.number = state.lastNumber
            state.observations.append(observation)
            state.apart.append(observation)
            if let observation = observation as? RealmObservation {
                state.ofRealm.append(observation)
            }
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
            state -> (observation: Observation?, Snapshot?, CommitSignal.Subscription?) in
            guard let place = state.place(of: observation) else { return (nil, nil, nil) }
            let removed = state.observations.remove(at: place)
            state.ofRealm.removeAll { $0 === observation }
            let apart = state.apart.partitioningIndex { $0.number >= observation.number }
            if apart < state.apart.count, state.apart[apart] === observation {
                state.apart.remove(at: apart)
            }
            if let group = observation.group {
                state.index.remove(observation, from: group)
                observation.group = nil
            }
            if observation.isSettled { state.settledCount -= 1 }
            let version = state.settledCount == 0 ? state.settledVersion.take() : nil
            guard state.observations.isEmpty else { return (removed, version, nil) }
            isAnything.store(false, ordering: .relaxed)
            state.noted = nil
            return (removed, version, state.subscription.take())
        }
        withExtendedLifetime(released) {}
    }

    /// Ends the observations of what is invalidated with the realm, and wakes who waits for
    /// changes: all but those of the realm itself.
    func endInvalidated() {
        for observation in state.withLock({ $0.observations }) where observation.endsWithRealm {
            observation.end()
            observation.forgetVersions()
            observation.pull?()
        }
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
            state.withLock { $0.observations.first }?.session.deliverScheduled()
        }
        if !isSent { isScheduled.store(false, ordering: .releasing) }
    }
}

/// Which observations know which version; all on the session's confinement.
extension SessionObservations {
    /// Lets the settled observations know a version, except those that the way to it concerns:
    /// these are apart from then on.
    ///
    /// - Parameter step: gives the step from another version to this one.
    func advance(
        to version: Snapshot, _ session: RealmSession, _ step: (Snapshot) throws -> VersionStep
    ) throws {
        guard let settled = settledVersion, !settled.isSameVersion(as: version) else { return }
        let step = try step(settled)
        let basis = InterestBasis(session)
        // What is replaced is released outside of the lock.
        let released = state.withLock { state -> InterestIndex? in
            var released: InterestIndex?
            if state.basis == basis {
                let concerned = state.index.observations(concernedBy: step.changes)
                state.setApart(concerned.filter(\.isSettled), settled)
            } else {
                state.setApart(state.observations.filter(\.isSettled), settled)
                released = state.beginIndex(basis)
            }
            state.settledVersion = state.settledCount > 0 ? version : nil
            return released
        }
        withExtendedLifetime((released, settled)) {}
    }

    /// Lets the settled observations know the version that an own transaction made, if what it
    /// noted can concern none of them. Else they stay as they are, and versions are compared later.
    func advance(
        from base: Snapshot, to committed: Snapshot, _ note: ChangeNote, _ session: RealmSession
    ) {
        guard let settled = settledVersion, settled.isSameVersion(as: base) else { return }
        let basis = InterestBasis(session)
        let released = state.withLock { state -> Snapshot? in
            guard state.settledVersion === settled, state.basis == basis,
                !state.index.isConcerned(by: note)
            else { return nil }
            let released = state.settledVersion
            state.settledVersion = committed
            if state.apart.isEmpty { state.noted = nil }
            return released
        }
        #if DEBUG
            if released != nil { checkNote(from: settled, to: committed, session) }
        #endif
        withExtendedLifetime((released, settled)) {}
    }

    #if DEBUG
        /// Checks that nothing was missing in the note of a transaction.
        private func checkNote(
            from settled: Snapshot, to committed: Snapshot, _ session: RealmSession
        ) {
            // Damage is found where the versions are compared.
            guard
                let changes = try? ObjectChanges(
                    from: settled, to: committed, cache: session.shared.storedTypesCache)
            else { return }
            let concerned = state.withLock { $0.index.observations(concernedBy: changes) }
            precondition(
                concerned.isEmpty, "a transaction did not note a change: \(changes.types)")
        }
    #endif

    /// The first observation that is apart, of those with numbers after one and up to another.
    func nextApart(after number: UInt64, upTo last: UInt64) -> Observation? {
        state.withLock { state in
            var place = state.apart.partitioningIndex { $0.number > number }
            while place < state.apart.count, state.apart[place].number <= last {
                if !state.apart[place].isSettled { return state.apart[place] }
                place += 1
            }
            return nil
        }
    }

    /// Settles an observation that knows the version which is shown, unless the settled ones know
    /// another.
    func settle(_ observation: Observation, _ shown: Snapshot) {
        guard !observation.isSettled, let own = observation.ownVersion,
            own.isSameVersion(as: shown), !observation.owesReport, !observation.isEnded
        else { return }
        let basis = InterestBasis(observation.session)
        let isFound = state.withLock { $0.basis == basis && observation.group != nil }
        let interest = isFound && observation.interestIsCurrent ? nil : observation.interest()
        var released: InterestIndex?
        let isSettled = state.withLock { state in
            guard state.place(of: observation) != nil else { return false }
            if state.settledCount == 0 {
                if state.basis != basis { released = state.beginIndex(basis) }
                state.settledVersion = own
            } else if state.basis != basis
                || state.settledVersion?.isSameVersion(as: own) != true
            {
                return false
            }
            if let interest {
                if let group = observation.group {
                    state.index.remove(observation, from: group)
                }
                observation.group = state.index.insert(observation, interest)
            }
            observation.isSettled = true
            state.settledCount += 1
            return true
        }
        if isSettled { observation.ownVersion = nil }
        withExtendedLifetime(released) {}
    }

    /// Sets what an observation knows, which is apart from then on.
    func set(_ observation: Observation, knows version: Snapshot) {
        let released = state.withLock { state -> Snapshot? in
            guard observation.isSettled, state.place(of: observation) != nil else { return nil }
            state.setApart([observation], version)
            return state.settledCount == 0 ? state.settledVersion.take() : nil
        }
        observation.ownVersion = version
        withExtendedLifetime(released) {}
    }

    /// Forgets which observations were apart and are so no more.
    func forgetSettled() {
        state.withLock { state in
            if state.apart.contains(where: \.isSettled) {
                state.apart.removeAll(where: \.isSettled)
            }
        }
    }
}

extension SessionObservations.State {
    /// Where an observation is in the list; nil if it was removed.
    fileprivate func place(of observation: Observation) -> Int? {
        let place = observations.partitioningIndex { $0.number >= observation.number }
        return place < observations.count && observations[place] === observation ? place : nil
    }

    /// Sets settled observations apart, with the version that they know.
    fileprivate mutating func setApart(_ moved: [Observation], _ version: Snapshot) {
        settledCount -= moved.count
        let listed = apart
        for observation in moved {
            observation.isSettled = false
            observation.ownVersion = version
            let place = listed.partitioningIndex { $0.number >= observation.number }
            let isListed = place < listed.count && listed[place] === observation
            if !isListed { apart.append(observation) }
        }
        if apart.count > listed.count { apart.sort { $0.number < $1.number } }
    }

    /// Begins an empty index; returns the one before.
    fileprivate mutating func beginIndex(_ basis: InterestBasis) -> InterestIndex {
        defer { index = InterestIndex() }
        for observation in observations { observation.group = nil }
        self.basis = basis
        return index
    }
}
