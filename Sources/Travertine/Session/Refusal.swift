import OrderedIndex
import TravertineStore

/// Why a session does not show the newest version, so that this is neither found nor logged again
/// with each commit (Live 3, T7c).
struct Refusal {
    /// The error that was logged last, until a newer version is shown.
    var loggedText: String?
    /// The schema that the classes don't fit.
    private var schema: (root: NodeIdentity?, store: Weak, error: Realm.Error)?

    private struct Weak {
        weak var store: Store?
    }

    /// The error if a version has the schema that was refused last.
    func error(_ snapshot: Snapshot, _ keyspace: KeyspaceID) throws -> Realm.Error? {
        guard let schema, schema.store.store === snapshot.store,
            try snapshot.rootIdentity(of: keyspace) == schema.root
        else { return nil }
        return schema.error
    }

    /// Refuses the schema of a version if the error says that classes don't fit it.
    mutating func note(_ snapshot: Snapshot, _ error: any Error, _ keyspace: KeyspaceID) throws {
        guard let error = error as? Realm.Error, error.code == .schemaMismatch else { return }
        let root = try snapshot.rootIdentity(of: keyspace)
        schema = (root, Weak(store: snapshot.store), error)
    }
}
