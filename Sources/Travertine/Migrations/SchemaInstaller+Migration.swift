import TravertineStore

/// Changing the schema with a migration (Live 5): new types and layouts, the block, what is
/// removed, and then what is derived from the rows.
///
/// All of it is one transaction (M-L1). If the block throws, or the process is killed in it, the
/// realm is as it was under the old version, and the next opening runs the block from its start.
extension SchemaInstaller {
    /// Runs a plan, and brings the stored schema in line with the classes.
    ///
    /// - Returns: what was migrated, for what is reported of it.
    /// - Throws: what the plan throws, the first failure of its changes, and `Realm.Error`:
    ///   `.schemaMismatch` for renamings that can't be and values that would be lost,
    ///   `.duplicatePrimaryKey`, `.uniqueViolation`.
    mutating func migrate(
        _ plan: MigrationPlan, in session: RealmSession, isDiscarding: Bool
    ) throws -> Migration {
        let transaction = session.requireTransaction()
        let before = stored
        let changed = propertyChanges.changed
        try rebuildLost(transaction)
        // The old side shows what the transaction began with.
        let old = RealmSession(session.shared, session.configuration)
        try old.beginMigration(before, [])
        try old.show(try transaction.snapshotBefore())
        try session.convert(changed.filter { $0.conversion != nil })
        stored = try StoredSchema.load(transaction.access, keyspace: keyspace) ?? stored
        try session.flushPostings()
        let removed = try open(transaction)
        try session.beginMigration(stored, classes)

        let migration = Migration(
            old: old, new: session, stored: before, declarations: classes, removed: removed,
            progress: plan.progress)
        do {
            defer { migration.end() }
            try plan.run(migration, from: before)
        }
        if let failure = session.failure { throw failure }
        try session.throwDamage()
        try old.throwDamage()
        stored = try StoredSchema.load(transaction.access, keyspace: keyspace) ?? stored
        try check(migration, changed, since: before, isDiscarding: isDiscarding)
        try remove(migration.emptied, of: session)
        try close(session, since: before)
        return migration
    }

    /// Rebuilds derived keyspaces that were lost: what the block deletes is found by its backlinks.
    private func rebuildLost(_ transaction: WriteTransaction) throws {
        for type in stored.types {
            let lost = type.derivedKeyspaces.filter { transaction.isInvalid($0) }
            if lost.isEmpty { continue }
            var builder = DerivedBuilder(
                transaction: transaction, type: type, schemaKeyspace: keyspace)
            builder.progress = indexBuildProgress
            try builder.build(Set(lost))
        }
    }

    // MARK: Before the block

    /// Stores new types, and new properties of the others; what is removed, and primary keys that
    /// change, wait for the end of the block. Indexes that must be built again are dropped.
    ///
    /// - Returns: the numbers of removed properties, by type and name.
    private mutating func open(
        _ transaction: WriteTransaction
    ) throws -> [UInt32: [String: UInt32]] {
        let keyspaces = SchemaKeyspaces(transaction)
        var removed: [UInt32: [String: UInt32]] = [:]
        for info in classes {
            guard let index = stored.types.firstIndex(where: { $0.name == info.storedName }) else {
                try install(info, transaction)
                continue
            }
            let before = stored.types[index]
            var type = before
            if !keepsPrimaryKey(type, info) { try keyspaces.dropPrimaryKey(of: &type) }
            for position in type.properties.indices where isRemoved(type.properties[position], info)
            {
                removed[type.number, default: [:]][type.properties[position].name] =
                    type.properties[position].number
                try hide(position, of: &type, transaction)
            }
            for declared in info.properties {
                try install(declared, &type, transaction, isComplete: false)
            }
            try dropOutdatedIndexes(&type, transaction)
            type.properties.sort { $0.number < $1.number }
            try keyspaces.addPieces(to: &type)
            if type != before { changed.insert(type.number) }
            stored.types[index] = type
        }
        try writeChanged(transaction)
        changed = []
        relaid = []
        return removed
    }

    /// Whether a type has the primary key that its class declares. What a subset leaves out stays.
    private func keepsPrimaryKey(_ type: StoredObjectType, _ info: ClassInfo) -> Bool {
        let declared = info.properties.first(where: \.isPrimaryKey)
        guard let old = type.primaryKey else { return declared == nil }
        if isSubset, !info.properties.contains(where: { $0.storedName == old.name }) { return true }
        return declared?.storedName == old.name && declared?.type.isOptional == old.isOptional
    }

    /// Lets a property be found by its number only. Its backlinks stay: what it links to may be
    /// deleted, and what it owns goes with its objects.
    private func hide(
        _ position: Int, of type: inout StoredObjectType, _ transaction: WriteTransaction
    ) throws {
        let keyspaces = SchemaKeyspaces(transaction)
        let number = type.properties[position].number
        try keyspaces.drop([type.properties[position].index])
        type.properties[position].index = .absent
        type.properties[position].isIndexed = false
        type.properties[position].isPrimaryKey = false
        type.properties[position].isRequired = false
        type.properties[position].deleteRule = .nullify
        type.properties[position].hide()
        let indexes = type.indexes.filter { $0.properties.contains(number) }
        try keyspaces.drop(indexes.map(\.keyspace))
        type.indexes.removeAll { $0.properties.contains(number) }
    }

    /// Drops the indexes whose entries are not what rows mean from now on.
    private mutating func dropOutdatedIndexes(
        _ type: inout StoredObjectType, _ transaction: WriteTransaction
    ) throws {
        let outdated = toBuild.intersection(type.derivedKeyspaces)
        if outdated.isEmpty { return }
        toBuild.subtract(outdated)
        for position in type.properties.indices
        where outdated.contains(type.properties[position].index) {
            type.properties[position].index = .absent
            type.properties[position].isIndexed = false
        }
        if outdated.contains(type.keyIndex) {
            for position in type.properties.indices {
                type.properties[position].isPrimaryKey = false
            }
            type.keyIndex = .absent
        }
        type.indexes.removeAll { outdated.contains($0.keyspace) }
        try SchemaKeyspaces(transaction).drop(Array(outdated))
    }

    // MARK: After the block

    /// Removes types without a class and without objects, unless a realm of the process has their
    /// class. Their numbers are not given out again.
    private mutating func remove(_ numbers: Set<UInt32>, of session: RealmSession) throws {
        let transaction = session.requireTransaction()
        for type in stored.types where numbers.contains(type.number) {
            if session.shared.hasOpenedClass(storedName: type.name) { continue }
            try session.flushStagedRows()
            try session.flushPostings()
            try SchemaKeyspaces(transaction).drop(
                [type.rows, type.pieces] + type.derivedKeyspaces)
            try StoredSchema.removeAll(of: type.number, transaction, keyspace)
            session.scope.typesWithDeletions.removeAll { $0 == type.number }
            stored.types.removeAll { $0.number == type.number }
        }
        session.takeMigrated(stored)
    }

    /// Throws what keeps the migration from being stored.
    private func check(
        _ migration: Migration, _ changed: [ChangedProperty], since before: StoredSchema,
        isDiscarding: Bool
    ) throws {
        var problems = migration.problems
        if isSubset { problems += classes.compactMap { SchemaComparison.leftOutKey(stored, $0) } }
        guard problems.isEmpty else { throw mismatch(problems) }
        if isDiscarding { return }
        let unset = (changed + migration.converted).filter { changed in
            let property = stored.types.first { $0.number == changed.typeNumber }?.properties
                .first { $0.name == changed.declared.storedName }
            return property.map { !migration.isAssigned($0.number, of: changed.typeNumber) } ?? true
        }
        let new = migration.new
        let losses = try migration.old.losses(of: unset) { type, key in
            guard let rows = new.storedType(number: type)?.rows else { return false }
            return try new.access.contains(key, in: rows)
        }
        guard losses.isEmpty else { throw mismatch(losses + adviceOnLosses(since: before)) }
    }

    /// Removes what the block was to see of removed properties, and gives the types their primary
    /// keys and indexes.
    private mutating func close(_ session: RealmSession, since before: StoredSchema) throws {
        let transaction = session.requireTransaction()
        let removed = stored.types.flatMap { type in
            type.properties.filter(\.isHidden).map {
                RemovedProperty(property: $0, pieces: type.pieces)
            }
        }
        try session.clearKeepingChecks(removed)
        try session.flushStagedRows()
        try session.flushPostings()
        stored = try StoredSchema.load(transaction.access, keyspace: keyspace) ?? stored
        try change(invalid: [], since: before.types, transaction)
        try session.endMigration(stored)
    }
}

extension RealmSession {
    /// Takes one side of a migration: the schema, and the classes of its types.
    func beginMigration(_ schema: StoredSchema, _ declarations: [ClassInfo]) throws {
        side.isOn = true
        let classes = declarations.filter { $0.type != DynamicObject.self }.map {
            ClassInfo.of($0.type)
        }
        // Tables that the conversion of properties made know nothing of classes.
        registry = TableRegistry()
        scope.firstUsed = FirstUsedClasses(schema: schema, classes: classes)
        counts.tableChangeCount &+= 1
        advance()
    }

    /// Takes the schema as the migration has left it.
    fileprivate func takeMigrated(_ schema: StoredSchema) {
        scope.firstUsed?.schema = schema
        counts.tableChangeCount &+= 1
        advance()
    }

    /// Takes the schema as it is committed.
    fileprivate func endMigration(_ schema: StoredSchema) throws {
        takeMigrated(schema)
        try renewTables()
        scope.firstUsed = FirstUsedClasses(schema: schema, classes: [])
    }
}
