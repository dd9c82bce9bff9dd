import Synchronization
import TravertineStore

/// What a session is asked to report to one block: the base of all kinds.
///
/// States: *waiting* (nothing was reported) → *notified* of a version, again and again → *ended*.
/// An observation is used on the confinement of its session, except `end`.
class Observation {
    let session: RealmSession
    /// The place in the order of registration.
    @exclusivity(unchecked) var number: UInt64 = 0
    /// Whether the block knows the version of all settled observations. Changed with the lock of
    /// the session's observations.
    @exclusivity(unchecked) var isSettled = false
    /// The version that the block knows, where it is not settled; nil before the first report.
    @exclusivity(unchecked) var ownVersion: Snapshot?
    /// Where it is found by what it is interested in. Used with the same lock.
    @exclusivity(unchecked) var group: InterestIndex.Group?
    /// Whether the block is running.
    @exclusivity(unchecked) fileprivate var isRunning = false
    /// Of a sequence: wakes who asks for the next change. Nothing is reported otherwise.
    @exclusivity(unchecked) var pull: (() -> Void)?
    /// Own transactions that are not reported and were not taken over yet, in order (O-L3a).
    @exclusivity(unchecked) fileprivate var skipped: [SkippedTransaction] = []
    private let hasEnded = Atomic<Bool>(false)

    init(_ session: RealmSession) { self.session = session }

    /// Whether it was ended; nothing is reported any more.
    final var isEnded: Bool { hasEnded.load(ordering: .acquiring) }

    /// Ends it. Any thread.
    final func end() {
        if hasEnded.exchange(true, ordering: .acquiringAndReleasing) { return }
        session.observations.remove(self)
    }

    /// The version that the block knows; nil before the first report.
    final fileprivate var reportedVersion: Snapshot? {
        isSettled ? session.observations.settledVersion : ownVersion
    }

    // MARK: What each kind does

    /// What it must be asked about, as the schema is now, and the objects that were reported.
    func interest() -> Interest { .unlimited }

    /// Whether the interest that was found last is the one that it has now, the schema being the
    /// same.
    var interestIsCurrent: Bool { true }

    /// What is to be called first, when the realm shows the first version that the block is
    /// notified of; nil for kinds that report changes only.
    func initialReport() throws -> (() -> Void)? { nil }

    /// Takes a step over, which the session has gone; what is to be called, or nil if nothing
    /// changed for the block. May end the observation.
    func report(_ step: VersionStep) throws -> (() -> Void)? { nil }

    /// Takes a step over that the block is not notified of, being that of the caller's own
    /// transaction.
    ///
    /// - Parameters:
    ///   - own: from what the transaction began with to what it committed, which the session shows.
    ///   - missed: from what was reported last to what the transaction began with; nil if that is
    ///     the same.
    /// - Returns: false if the block is notified of all of it after all: nothing may be left out of
    ///   `missed`.
    func skip(_ own: VersionStep, missed: VersionStep?) throws -> Bool {
        guard missed == nil else { return false }
        _ = try report(own)
        return true
    }

    /// Whether something is to be reported that was missed before a skipped step.
    var owesReport: Bool { false }

    /// Whether it ends when the realm is invalidated.
    var endsWithRealm: Bool { true }

    /// The error left the observation as it was before; it tries again from the version it was
    /// notified of.
    func restore() {}
}

/// The versions of a transaction that a block is not notified of.
private struct SkippedTransaction {
    let base: Snapshot
    let committed: Snapshot
}

extension Observation {
    /// Reports what is new to the block, the session showing `version`.
    ///
    /// - Parameter step: gives the step from another version to this one.
    func deliver(
        _ version: Snapshot, isPulled: Bool = false,
        _ step: (Snapshot) throws -> VersionStep
    ) {
        if isEnded || isRunning { return }
        // A token may be kept for long after that.
        defer { if isEnded { forgetVersions() } }
        if let reportedVersion, reportedVersion.isSameVersion(as: version), !owesReport { return }
        if let pull, !isPulled { return pull() }
        session.noteVisit(.observation)
        let call: (() -> Void)?
        do {
            if !skipped.isEmpty {
                try takeSkipped { try VersionStep(session, from: $0, to: $1) }
                if isEnded { return }
            }
            if let reportedVersion {
                call = try report(try step(reportedVersion))
            } else {
                call = try initialReport()
            }
            note(version)
        } catch {
            session.note(error)
            restore()
            return
        }
        guard let call, !isEnded else { return }
        run(call)
    }

    /// Calls the block, unless it is running; whether it did.
    @discardableResult
    func run(_ call: () -> Void) -> Bool {
        if isRunning { return false }
        isRunning = true
        defer { isRunning = false }
        call()
        return true
    }

    /// Notes an own transaction that is not reported; `takeSkipped` takes it over.
    func addSkipped(from base: Snapshot, to committed: Snapshot) {
        guard let reportedVersion, !isEnded else { return }
        // What others changed, and this undoes, concerns it all the same.
        note(reportedVersion)
        skipped.append(SkippedTransaction(base: base, committed: committed))
    }

    /// Takes own transactions over without a report. If a read fails, the rest is taken over before
    /// the next report (O-L3a).
    func skip(_ step: (Snapshot, Snapshot) throws -> VersionStep) {
        if isEnded { return forgetVersions() }
        do {
            try takeSkipped(step)
        } catch {
            session.damage = error
            restore()
        }
        if isEnded { forgetVersions() }
    }

    private func takeSkipped(_ step: (Snapshot, Snapshot) throws -> VersionStep) throws {
        // Code that sections call for their keys may refresh or invalidate the realm.
        let wasRunning = isRunning
        isRunning = true
        defer { isRunning = wasRunning }
        while let next = skipped.first, let reportedVersion {
            try session.showing(next.committed) {
                let missed =
                    reportedVersion.isSameVersion(as: next.base)
                    ? nil : try step(reportedVersion, next.base)
                if try skip(try step(next.base, next.committed), missed: missed) {
                    note(next.committed)
                }
                // Also where the session can't show the version from before again.
                if !skipped.isEmpty { skipped.removeFirst() }
            }
        }
    }

    /// Forgets the versions that an observation which has ended knew.
    func forgetVersions() {
        ownVersion = nil
        skipped = []
    }

    /// Lets an observation of changes, which has just begun with what its session shows, begin with
    /// an earlier version. Others report what is shown first.
    func begin(since version: Snapshot) { if ownVersion != nil { note(version) } }

    /// Notes that the block knows a version.
    func note(_ version: Snapshot) { session.observations.set(self, knows: version) }
}
