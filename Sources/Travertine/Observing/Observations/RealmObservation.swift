extension Realm {
    /// What a block of `Realm.observe` is notified of.
    public enum Notification: String, Sendable {
        /// The realm shows another version than when the block was last called.
        case didChange = "RLMRealmDidChangeNotification"
        /// A newer version is there, which a realm without `autorefresh` does not show by itself.
        case refreshRequired = "RLMRealmRefreshRequiredNotification"
    }
}

/// A block that is notified of a realm's changes.
public typealias NotificationBlock = (_ notification: Realm.Notification, _ realm: Realm) -> Void

/// An observation of a realm as a whole.
final class RealmObservation: Observation {
    private let block: NotificationBlock
    /// The newest change that the block was called for before the realm shows it.
    private var requiredChange: UInt64 = 0
    /// Of a sequence: the newest change that it was woken for before the realm shows it.
    private var awaitedChange: UInt64 = 0

    init(_ session: RealmSession, _ block: @escaping NotificationBlock) {
        self.block = block
        super.init(session)
    }

    override func report(_ step: VersionStep) -> (() -> Void)? {
        // Versions of maintenance have no changes.
        if !step.changes.isEmpty {
            return { [block, session] in block(.didChange, Realm(session)) }
        }
        guard owesReport else { return nil }
        requiredChange = awaitedChange
        return { [block, session] in block(.refreshRequired, Realm(session)) }
    }

    /// Whether a sequence was woken for a change that the realm does not show yet.
    override var owesReport: Bool {
        awaitedChange > requiredChange && awaitedChange > session.snapshot?.lsn ?? .max
    }

    override var endsWithRealm: Bool { false }

    override func skip(_ own: VersionStep, missed: VersionStep?) -> Bool { missed == nil }

    /// Says that a newer version is there, once for each change: maintenance that follows a change
    /// is no reason to say it again.
    func reportRefreshRequired(_ change: UInt64) {
        if isEnded || change <= requiredChange { return }
        if let pull {
            awaitedChange = change
            return pull()
        }
        guard run({ block(.refreshRequired, Realm(session)) }) else { return }
        requiredChange = change
        // A loop that ran in the block may have had the call for the next one.
        if session.shared.newestChange > change { session.observations.schedule() }
    }
}
