import TravertineStore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Brings the stored schema in line with the classes, in one transaction: `needsChange`, then
/// `change`.
///
/// New types, and indexes that come or go, need no higher version. Properties that come, go or
/// change do; rows stay as they are and keep their layout. What needs a look at the rows is only:
/// the new primary key, new indexes and backlinks, and derived keyspaces that were lost.
struct SchemaInstaller {
    let store: Store
    let keyspace: KeyspaceID
    var stored: StoredSchema
    let classes: [ClassInfo]
    let version: UInt64
    let fileURL: URL
    /// What the configuration does with stored objects under a higher version; nil if nothing.
    var migration: MigrationPlan?
    /// Whether nothing can be changed: what would need to be is an error.
    var isReadOnly = false
    /// Whether the classes may leave stored properties out.
    let isSubset: Bool
    var indexBuildProgress: (@Sendable (IndexBuildProgress) -> Void)?
    /// Types whose record must be written again.
    var changed: Set<UInt32> = []
    /// Types that need a new layout.
    var relaid: Set<UInt32> = []
    /// Derived keyspaces to fill from rows.
    var toBuild: Set<KeyspaceID> = []
    /// A sentence for each property that a higher version has removed with its values, and that may
    /// have become an added one.
    var possiblyForgotten: [String] = []
    /// A sentence for each other property that a higher version has removed with its values.
    var removals: [String] = []
    /// Derived keyspaces that were lost when the classes were compared.
    private var invalid: Set<KeyspaceID> = []

    init(
        store: Store, keyspace: KeyspaceID, stored: StoredSchema, classes: [ClassInfo],
        version: UInt64, fileURL: URL, isSubset: Bool = false
    ) {
        self.isSubset = isSubset
        self.store = store
        self.keyspace = keyspace
        self.stored = stored
        self.classes = classes
        self.version = version
        self.fileURL = fileURL
    }

    /// Compares; returns whether anything must be changed.
    ///
    /// - Throws: `Realm.Error` with `.schemaMismatch` and all problems that there are.
    mutating func needsChange() throws -> Bool {
        let problems = problems()
        guard problems.isEmpty else { throw mismatch(problems) }
        if isReadOnly {
            try checkIndexes()
            return false
        }
        invalid = try invalidKeyspaces()
        let isNew = stored.types.isEmpty && stored.version == 0
        return try isNew || version != stored.version || !invalid.isEmpty || hasChanges
            || hasChangedDomains()
    }

    /// Changes what `needsChange` found, and returns the schema as the transaction has it then.
    ///
    /// - Parameters:
    ///   - session: that of the transaction; has no other tables than those made for this.
    ///   - isDiscarding: whether values may be lost that changed properties have no place for.
    ///   - willChange: called before anything is changed, to refuse that.
    mutating func change(
        in session: RealmSession, isDiscarding: Bool, willChange: () throws -> Void
    ) throws -> StoredSchema {
        let transaction = session.requireTransaction()
        try takeNewest(transaction)
        try willChange()
        let before = stored
        if let migration, version > stored.version, !stored.types.isEmpty {
            let migrated = try migrate(migration, in: session, isDiscarding: isDiscarding)
            try noteRemoved(since: before, session, migrated)
            return stored
        }
        let changes = propertyChanges
        if !changes.isEmpty {
            let losses = try session.prepare(changes, isDiscarding: isDiscarding)
            guard losses.isEmpty else { throw mismatch(losses + adviceOnLosses(since: before)) }
            // Rows that were changed may have needed wider layouts.
            stored = try StoredSchema.load(transaction.access, keyspace: keyspace) ?? stored
        }
        try change(invalid: invalid, transaction)
        try noteRemoved(since: before, session, nil)
        return stored
    }

    /// The stored properties that are removed, and those that change their types.
    var propertyChanges: PropertyChanges {
        var changes = PropertyChanges(removed: [], changed: [])
        for info in classes {
            guard let type = stored.type(named: info.storedName) else { continue }
            for property in type.properties where isRemoved(property, info) {
                let declared = info.properties.first { $0.storedName == property.name }
                if let declared {
                    changes.changed.append(
                        ChangedProperty(
                            typeName: type.name, typeNumber: type.number, pieces: type.pieces,
                            property: property, declared: declared,
                            varies: LinkVariation.varies(declared, classes)))
                } else {
                    changes.removed.append(
                        RemovedProperty(property: property, pieces: type.pieces))
                }
            }
        }
        return changes
    }

    /// Whether a class has a property no more, or another one in its place.
    func isRemoved(_ property: StoredProperty, _ info: ClassInfo) -> Bool {
        if property.isHidden { return true }
        let declared = info.properties.first { $0.storedName == property.name }
        if declared == nil { return !isSubset }
        return SchemaComparison.needsNewProperty(property, declared)
    }

    /// Compares and changes as a part of a transaction, which nobody else writes beside; `stored`
    /// is the schema as the transaction sees it.
    mutating func install(
        in transaction: WriteTransaction, willChange: () throws -> Void
    ) throws -> StoredSchema {
        var problems = problems()
        if version > stored.version, !stored.types.isEmpty {
            problems.append("The schema version can't be raised inside of a write transaction.")
        }
        guard problems.isEmpty else { throw mismatch(problems) }
        try willChange()
        try change(invalid: [], transaction)
        return stored
    }

    /// The derived keyspaces that were lost and wait to be rebuilt.
    private func invalidKeyspaces() throws -> Set<KeyspaceID> {
        let snapshot = try store.snapshot()
        return withExtendedLifetime(snapshot) {
            Set(
                stored.types.flatMap(\.derivedKeyspaces).filter {
                    snapshot.access.tree(of: $0).flags & TreeFlags.invalid != 0
                })
        }
    }

    /// Throws when indexes were lost that a read-only realm needs: queries would miss objects.
    /// Without indexes that are declared and were never built, queries are slower.
    private func checkIndexes() throws {
        guard try invalidKeyspaces().isEmpty else {
            throw Realm.Error(
                .invalidDatabase,
                "Indexes of this realm were lost with a checkpoint, or are not kept of a commit that is "
                    + "earlier than the two newest checkpoints. A read-only realm can't rebuild "
                    + "them: open it for writing once, or a later commit.", fileURL: fileURL)
        }
    }

    private var hasChanges: Bool {
        classes.contains { info in
            guard let type = stored.type(named: info.storedName),
                Self.hasDeclaredIndexes(type, info, isSubset: isSubset)
            else { return true }
            return info.properties.contains { declared in
                let property = type.properties.first { $0.name == declared.storedName }
                return property?.isIndexed != declared.isIndexed
                    || property?.deleteRule != declared.deleteRule
                    || property?.isRequired != declared.isRequired
                    || property?.lacksDefault(declared) ?? false
            }
        }
    }

    /// Takes what was committed since the classes were compared. Layouts may have been added; where
    /// a transaction used classes first, types may have been, too, and then the classes are
    /// compared with these.
    private mutating func takeNewest(_ transaction: WriteTransaction) throws {
        guard let newest = try StoredSchema.load(transaction.access, keyspace: keyspace) else {
            return
        }
        let isSame =
            newest.version == stored.version
            && newest.types.map(\.withoutLayouts) == stored.types.map(\.withoutLayouts)
        stored = newest
        if isSame { return }
        let problems = problems()
        guard problems.isEmpty else { throw mismatch(problems) }
    }

    /// Changes the schema, and what is derived from rows, to what the classes declare.
    ///
    /// - Parameter earlier: the types before the change, for what must hold of links from now on;
    ///   nil for those that are stored.
    mutating func change(
        invalid: Set<KeyspaceID>, since earlier: [StoredObjectType]? = nil,
        _ transaction: WriteTransaction
    ) throws {
        let before = earlier ?? stored.types
        stored.version = version
        for info in classes { try install(info, transaction) }
        rebuildPlaces(since: before)
        try writeChanged(transaction)
        try checkRequiredLinks(since: before, transaction)
        try writeValueDomains(transaction)
        for type in stored.types {
            let lost = type.derivedKeyspaces.filter {
                toBuild.contains($0) || (invalid.contains($0) && transaction.isInvalid($0))
            }
            if lost.isEmpty { continue }
            var builder = DerivedBuilder(
                transaction: transaction, type: type, schemaKeyspace: keyspace)
            builder.progress = indexBuildProgress
            try builder.build(Set(lost))
        }
    }

    /// Writes the header, and the records and layouts of types that changed.
    mutating func writeChanged(_ transaction: WriteTransaction) throws {
        try StoredSchema.put(
            StoredSchema.headerKey, stored.encodedHeader, transaction, keyspace)
        for index in stored.types.indices {
            if relaid.contains(stored.types[index].number) { try addLayout(index, transaction) }
            if changed.contains(stored.types[index].number) {
                try StoredSchema.put(stored.types[index], transaction, keyspace)
            }
        }
    }
}
