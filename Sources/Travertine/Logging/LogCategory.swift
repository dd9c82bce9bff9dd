/// What messages are about: ``Category`` and the types in it.
public protocol LogCategory: Sendable {
    /// Its name, after those that it is a part of: "Realm.Storage.Notification".
    var rawValue: String { get }
}

/// The categories of messages. A level that is set for one holds for all that it contains.
public enum Category: String, LogCategory, CaseIterable {
    /// All of them.
    case realm = "Realm"
    /// Not used.
    case sdk = "Realm.SDK"
    /// Not used.
    case app = "Realm.App"

    /// The categories of what is stored.
    public enum Storage: String, LogCategory, CaseIterable {
        /// All that is stored: opening, recovery, migrations, compaction, damage.
        case all = "Realm.Storage"
        /// Not used.
        case transaction = "Realm.Storage.Transaction"
        /// Not used.
        case query = "Realm.Storage.Query"
        /// Not used.
        case object = "Realm.Storage.Object"
        /// Refreshes, and what keeps changes from being reported.
        case notification = "Realm.Storage.Notification"
    }
}
