import TravertineStore

/// How a session goes from version to version and reports to its observations.
///
/// - The realm shows a version before anything is reported of it, and each block is notified of
///   what changed up to exactly this version (O-L1).
/// - Blocks are notified in the order of their registration, each when the one before has returned.
///   What a block itself commits is in what the blocks after it are notified of.
/// - Only those are asked that the changes can concern (O-L13).
/// - No block is called while it runs (O-L4).
extension RealmSession {
    /// Whether a block is being called.
    private var isDelivering: Bool { observations.deliveryDepth > 0 }

    /// Calls `body`, which calls blocks. What was to be delivered inside of one is, soon after the
    /// outermost one.
    private func delivering(_ body: () throws -> Void) rethrows {
        observations.deliveryDepth += 1
        defer {
            observations.deliveryDepth -= 1
            if !isDelivering, observations.isPostponed {
                observations.isPostponed = false
                wakeObservers()
            }
        }
        try body()
    }

    /// Whether a block of the confinement runs inside of one that is called for changes: then it is
    /// sent again when that has returned.
    func postponeDelivery() -> Bool {
        if isDelivering { observations.isPostponed = true }
        return isDelivering
    }

    /// Shows and reports soon what others committed, where the realm is on a queue or actor.
    func wakeObservers() {
        if !observations.isEmpty { observations.schedule() }
        tracker?.wake()
    }

    /// Shows the newest version and reports it; true if it shows another than before.
    func refreshObserved() throws -> Bool {
        if isDelivering { return false }
        let newer = try newerSnapshot()
        if let newer {
            try show(newer)
            logRefresh()
        }
        deliver()
        return newer != nil
    }

    /// Reports the newest published version before a transaction begins. A block may do so in its
    /// turn; then the others are notified, and it is not.
    ///
    /// - Returns: what is shown.
    func refreshBeforeWriting() throws -> Snapshot {
        if let newer = try newerSnapshot() { try show(newer) }
        deliver()
        require(
            !isWriting,
            "A block that was called for changes left a write transaction open: commit or cancel it "
                + "before the block returns.")
        return try shownVersion()
    }

    /// The newest version; nil if it is the one that is shown.
    private func newerSnapshot() throws -> Snapshot? {
        if let snapshot, let store = shared.writtenStore, try store.isNewest(snapshot) {
            return nil
        }
        let newest = try newestSnapshot()
        return snapshot?.isSameVersion(as: newest) ?? false ? nil : newest
    }

    /// The version that is shown.
    func shownVersion() throws -> Snapshot {
        if let snapshot { return snapshot }
        return try show(try newestSnapshot())
    }

    /// What a transaction began with: the version that was shown, unless somebody has committed
    /// since.
    func base(of begun: WriteTransaction, after shown: Snapshot) throws -> Snapshot {
        if try begun.isBased(on: shown) { return shown }
        return try begun.baseSnapshot(verification: configuration.verification)
    }

    /// Reports the version that is shown to all observations that were not notified of it.
    func deliver() {
        if let snapshot, observations.areSettled(at: snapshot) { return }
        delivering { deliverToAll() }
        if !isDelivering {
            observations.forgetSettled()
            observations.noted = nil
        }
    }

    private func deliverToAll() {
        var steps = VersionSteps(self)
        let last = observations.lastNumber
        var number: UInt64 = 0
        var advances = true
        // A block may leave a transaction open: what is left is reported the next time.
        while !isWriting {
            do {
                // The block before may have committed: then others are concerned, too.
                let version = try shownVersion()
                if advances { advances = advance(to: version, &steps) }
                guard let observation = observations.nextApart(after: number, upTo: last) else {
                    return
                }
                number = observation.number
                observation.deliver(version) { try steps.step(from: $0, to: version) }
                observations.settle(observation, version)
            } catch {
                note(error)
                return
            }
        }
    }

    /// Lets the settled observations know a version; false if what changed can't be read, and they
    /// stay as they were.
    private func advance(to version: Snapshot, _ steps: inout VersionSteps) -> Bool {
        do {
            try observations.advance(to: version, self) { try steps.step(from: $0, to: version) }
            return true
        } catch {
            note(error)
            return false
        }
    }

    /// After a commit: shows what was committed, and calls the blocks of the realm itself. Others
    /// are notified at the next delivery.
    ///
    /// - Parameters:
    ///   - committed: nil if the transaction changed nothing.
    ///   - note: what it may have changed; nil where that is not noted.
    func reportOwnCommit(
        _ committed: Snapshot?, _ versions: (before: Snapshot, base: Snapshot),
        _ note: ChangeNote?, withoutNotifying silent: [Observation]
    ) throws {
        guard let committed else {
            try show(versions.before)
            return
        }
        for observation in silent {
            observation.addSkipped(from: versions.base, to: committed)
        }
        try show(committed)
        observations.noted = note.map { NotedCommit($0, from: versions.base, to: committed) }
        if let note, silent.isEmpty {
            observations.advance(from: versions.base, to: committed, note, self)
        }
        var steps = VersionSteps(self)
        for observation in silent { observation.skip { try steps.step(from: $0, to: $1) } }
        try delivering {
            for observation in observations.ofRealm
            where !silent.contains(where: { $0 === observation }) {
                guard !isWriting else { return }
                let version = try shownVersion()
                observation.deliver(version) { try steps.step(from: $0, to: version) }
            }
        }
    }

    /// What the block does that was sent to the queue or actor after commits.
    func deliverScheduled() {
        checkThread()
        if postponeDelivery() || isWriting { return }
        do {
            if observations.refreshesItself {
                _ = try refreshObserved()
                return
            }
            // Own commits are shown already.
            deliver()
            // One that is waiting for the disk is shown when it is there, with all others.
            if asyncWrites.isAtWork { return }
            // A read-only realm learns of the newest commits only by this; and throws here if its
            // files were replaced.
            _ = try newestSnapshot()
            for observation in observations.ofRealm {
                // A block may have refreshed: then the others were notified. Versions of
                // maintenance are shown with the next change.
                let change = shared.newestChange
                if try isWriting || change <= shownVersion().lsn { break }
                observation.reportRefreshRequired(change)
            }
            // A block that refreshed is notified after it has returned (O-L4).
            if !isWriting { deliver() }
        } catch {
            note(error)
        }
    }

    /// Stops for a token of another realm.
    func checkTokens(_ tokens: [NotificationToken]) {
        require(
            tokens.allSatisfy { $0.observation?.session === self || $0.isEnded },
            "A token of another realm was given to `withoutNotifying`: the tokens must be of "
                + "observations of the realm that writes, on the same thread.")
    }
}

/// The steps of one delivery, each found once.
private struct VersionSteps {
    private struct Ends: Hashable {
        let older: UInt64
        let newer: UInt64
        let stores: [ObjectIdentifier]

        init(_ older: Snapshot, _ newer: Snapshot) {
            (self.older, self.newer) = (older.version, newer.version)
            stores = [ObjectIdentifier(older.store), ObjectIdentifier(newer.store)]
        }
    }

    private let session: RealmSession
    private var steps: [Ends: VersionStep] = [:]

    init(_ session: RealmSession) { self.session = session }

    mutating func step(from older: Snapshot, to newer: Snapshot) throws -> VersionStep {
        let ends = Ends(older, newer)
        if let step = steps[ends] { return step }
        let step = try VersionStep(session, from: older, to: newer)
        steps[ends] = step
        return step
    }
}
