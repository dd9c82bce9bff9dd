import OrderedIndex
import TravertineStore

/// Following the process that writes, in a read-only realm (Live 3, T-L7).
extension SharedStore {
    /// What belongs to what a reader reads now.
    struct FollowedState {
        /// The schema's keyspace as it was when the schema was read last.
        fileprivate var schema: (root: NodeIdentity?, store: Weak, lsn: UInt64)?
        /// Of the stores that the reader opened.
        fileprivate var caches: [(store: Weak, columns: ColumnCache)] = []
    }

    /// A store whose snapshots have gone is released.
    fileprivate struct Weak {
        weak var store: Store?
    }

    /// The store; of a read-only realm the one that its reader reads now.
    var store: Store {
        guard let store = writtenStore ?? reader?.storeOfAnyProcess else {
            misuse("The store of this realm was closed: let go of the realm, and open it again.")
        }
        return store
    }

    /// What was computed from the nodes of a store's index.
    func columns(of store: Store) -> ColumnCache {
        if store === writtenStore { return columns }
        return followed.withLock { state in
            if let known = state.caches.first(where: { $0.store.store === store }) {
                return known.columns
            }
            state.caches.removeAll { $0.store.store == nil }
            let made = ColumnCache(
                byteCountMax: columns.byteCountMax, threadCountMax: columns.threadCountMax)
            state.caches.append((Weak(store: store), made))
            return made
        }
    }

    /// Calls `body` after commits, as long as the subscription lives; in a read-only realm after
    /// those of other processes that the reader has read.
    func subscribe(_ body: @escaping @Sendable () -> Void) -> CommitSignal.Subscription {
        follower?.subscribe(body) ?? store.commitSignal.subscribe(body)
    }

    /// Reads what another process has committed since, where the realm only reads.
    func follow() throws {
        if reader != nil { _ = try newestSnapshot(.none) }
    }

    /// The newest published version; in a read-only realm the newest durable commit of the process
    /// that writes.
    ///
    /// - Throws: `.wrongStore` if another store is in the directory by now.
    func newestSnapshot(_ verification: RecordVerification) throws -> Snapshot {
        guard let reader else { return try store.snapshot(verification: verification) }
        try reader.refresh()
        let snapshot = try reader.snapshot(verification: verification)
        guard reader.isOfFirstFiles(snapshot) else {
            throw StoreError.replacedStore(fileURL.path)
        }
        try followSchema(to: snapshot)
        return snapshot
    }

    /// The LSN of the newest commit, among those that may be seen, that changed something; what
    /// compaction commits does not count.
    var newestChange: UInt64 {
        if let reader { return reader.newestChange }
        return store.newestChange
    }

    /// Takes the schema of a version if it may be another one than before, and newer.
    private func followSchema(to snapshot: Snapshot) throws {
        let root = try snapshot.rootIdentity(of: schemaKeyspace)
        let isKnown = followed.withLock { state in
            guard let known = state.schema else { return false }
            return known.lsn > snapshot.lsn
                || known.store.store === snapshot.store && known.root == root
        }
        if isKnown { return }
        let schema = try StoredSchema.load(snapshot.access, keyspace: schemaKeyspace)
        followed.withLock { state in
            if let known = state.schema, known.lsn > snapshot.lsn { return }
            state.schema = (root, Weak(store: snapshot.store), snapshot.lsn)
            if let schema { takeFollowed(schema) }
        }
    }
}

extension RealmSession {
    /// What was computed from the nodes of the index that is shown.
    var columns: ColumnCache {
        guard shared.isReadOnly, let snapshot else { return shared.columns }
        return shared.columns(of: snapshot.store)
    }
}
