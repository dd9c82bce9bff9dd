import OrderedIndex
import SegmentLog

extension Snapshot {
    /// The keys of all keyspaces that changed since an older snapshot of this store, by the
    /// number of the keyspace and by key.
    ///
    /// What changed is what differs between the two states, not what was written in between. A
    /// value that was set to itself, or changed and changed back, did not change, and compaction
    /// changes nothing. Keys of a keyspace that was made since are inserted, those of one that was
    /// dropped are deleted.
    ///
    /// The time follows the change, and not the size of the store: parts of the index that both
    /// snapshots share are skipped. What compaction moved in between is compared too; after a
    /// checkpoint gave memory of the index back, up to one look at each leaf is added. Between
    /// snapshots of two `Store` or `StoreReader` objects that opened the same directory one after
    /// the other, all keys are compared.
    ///
    /// If `older` is the newer one, the changes are those that lead back to this snapshot.
    ///
    /// - Parameters:
    ///   - older: an earlier snapshot of the same store.
    ///   - options: whether the records that are compared, and those whose values are
    ///     asked for, are verified.
    /// - Throws: `.misuse` for a snapshot of another store, `.damaged`.
    public func changes(
        since older: Snapshot, options: ReadOptions = .verified
    ) throws(StoreError) -> ChangeCursor {
        try ChangeCursor(
            from: older, to: self, in: try changedKeyspaces(since: older), options: options)
    }

    /// The keys of one keyspace that changed since an older snapshot of this store, in order.
    ///
    /// The same as `changes(since:options:)`, for one keyspace.
    /// - Throws: `.misuse` for a snapshot of another store.
    public func changes(
        since older: Snapshot, in keyspace: Keyspace, options: ReadOptions = .verified
    ) throws(StoreError) -> ChangeCursor {
        try ChangeCursor(from: older, to: self, in: [keyspace], options: options)
    }

    /// The keyspaces of users whose trees are not the same in both versions.
    private func changedKeyspaces(since older: Snapshot) throws(StoreError) -> [Keyspace] {
        try checkHasOneHistory(with: older)
        let isOfOneIndex = store.index === older.store.index
        var keyspaces: [Keyspace] = []
        for id in KeyspaceID.ofTrees(1..<max(access.treeCount, older.access.treeCount, 1)) {
            let trees = (older.access.tree(of: id), access.tree(of: id))
            if (trees.0.flags | trees.1.flags) & TreeFlags.derived != 0 { continue }
            if trees.0.count == 0 && trees.1.count == 0 { continue }
            if isOfOneIndex && trees.0.root == trees.1.root { continue }
            keyspaces.append(try keyspace(id: id, orOf: older))
        }
        return keyspaces
    }

    /// A keyspace by its identifier, as this version defines it, or another one if it was dropped.
    private func keyspace(id: KeyspaceID, orOf other: Snapshot) throws(StoreError) -> Keyspace {
        if id == .default { return .default }
        for snapshot in [self, other] {
            guard let definition = try snapshot.definition(ofKeyspace: id),
                definition.kind != .dropped
            else { continue }
            return Keyspace(id: id, name: definition.name, kind: definition.kind)
        }
        throw StoreError(
            .damaged, "Keyspace \(id) has no definition. Run `travertine fsck`.", file: store.path)
    }

    private func definition(ofKeyspace id: KeyspaceID) throws(StoreError) -> KeyspaceDefinition? {
        do {
            return try withUnsafeBytes(of: id.rawValue.bigEndian) { key in
                try access.withValue(forKey: key, in: KeyspaceID.system, verified: true) {
                    KeyspaceDefinition(key: key, value: $0)
                } ?? nil
            }
        } catch {
            throw StoreError(anyError: error)
        }
    }
}
