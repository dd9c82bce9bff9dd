extension Realm {
    /// What a block of `Realm.observe` is notified of.
    public enum Notification: String, Sendable {
        /// The realm shows another version than when the block was last called.
        case didChange = "RLMRealmDidChangeNotification"
        /// A newer version is there, which a realm without `autorefresh` does not show by itself.
        case refreshRequired = "RLMRealmRefreshRequiredNotification"
    }
}

/// An observation of a realm as a whole.
final class RealmObservation: Observation {
    private let block: (Realm.Notification, Realm) -> Void
    /// The newest change that the block was called for before the realm shows it.
    private var requiredChange: UInt64 = 0

    init(_ session: RealmSession, _ block: @escaping (Realm.Notification, Realm) -> Void) {
        self.block = block
        super.init(session)
    }

    override func report(_ step: VersionStep) -> (() -> Void)? {
        // Versions of maintenance have no changes.
        step.changes.isEmpty ? nil : { [block, session] in block(.didChange, Realm(session)) }
    }

    override func skip(_ own: VersionStep, missed: VersionStep?) -> Bool { missed == nil }

    /// Says that a newer version is there, once for each change: maintenance that follows a change
    /// is no reason to say it again.
    func reportRefreshRequired(_ change: UInt64) {
        if isEnded || change <= requiredChange { return }
        if run({ block(.refreshRequired, Realm(session)) }) { requiredChange = change }
    }
}
