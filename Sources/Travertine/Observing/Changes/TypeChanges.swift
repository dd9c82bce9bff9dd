import TravertineStore

/// Which objects of a type differ between two versions, for code that moves whole objects.
package struct TypeChanges: Sendable {
    /// An object that both versions have.
    package struct Modified: Sendable {
        /// The object's key.
        package let key: UInt64
        /// The stored names of the properties that differ, and of those that own an embedded object
        /// which does, in declared order.
        package let properties: [String]
    }

    /// The stored name of the type.
    package let typeName: String
    /// The keys of objects that only the newer version has, ascending.
    package let inserted: [UInt64]
    /// The keys of objects that only the older version has, ascending.
    package let deleted: [UInt64]
    /// The others that differ, by ascending keys.
    package let modified: [Modified]
}

extension Realm {
    /// Shows the newest commit, as `refresh()`, throwing what keeps it from being shown.
    ///
    /// - Throws: `StoreError` and `Realm.Error` for damage, and for types that can't be read.
    package func refreshThrowing() throws {
        session.checkThread()
        _ = try session.refresh()
    }

    /// The log sequence number of the commit that a frozen realm shows.
    package var frozenLSN: UInt64 { frozenSnapshot.lsn }

    private var frozenSnapshot: Snapshot {
        guard let frozen = session.frozen else { misuse("The realm is not frozen.") }
        return frozen.snapshot
    }

    /// Which objects differ between an older version and this one, by type, embedded types left
    /// out: their owners are modified.
    ///
    /// Both realms are frozen, and of one store. The cost is that of the difference.
    ///
    /// - Throws: `StoreError` and `Realm.Error` for damage.
    package func typeChanges(since older: Realm) throws -> [TypeChanges] {
        let session = session.here
        let changes = try ObjectChanges(
            from: older.frozenSnapshot, to: frozenSnapshot,
            cache: session.shared.storedTypesCache)
        let oldTypes = older.session.here.schema.types
        let newTypes = session.schema.types
        let found = changes.types.compactMap { number, changes -> TypeChanges? in
            guard
                let type = newTypes.first(where: { $0.number == number })
                    ?? oldTypes.first(where: { $0.number == number }), !type.isEmbedded
            else { return nil }
            return TypeChanges(
                typeName: type.name, inserted: changes.inserted, deleted: changes.deleted,
                modified: changes.modified.map { modified in
                    TypeChanges.Modified(
                        key: modified.key,
                        properties: type.properties.filter {
                            modified.properties.contains($0.number)
                                || modified.owned.contains($0.number)
                        }.map(\.name))
                })
        }
        return found.sorted { $0.typeName < $1.typeName }
    }
}
