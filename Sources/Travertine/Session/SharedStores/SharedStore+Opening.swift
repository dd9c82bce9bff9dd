import TravertineStore

/// Opening realms: bringing the stored schema in line with classes.
///
/// The order of locks: a thread that needs the store's write transaction begins it before it takes
/// `opening`, and takes the locks of `SharedStore`'s state last. A thread inside of a write
/// transaction may open a realm that changes nothing; it waits for `opening` only as long as
/// another thread looks at a schema, or changes one in that thread's transaction, never for a
/// thread that waits for a transaction.
extension SharedStore {
    /// The realm of a confinement, the schema being in line with its classes.
    ///
    /// - Throws: `Realm.Error` with `.schemaMismatch` or `.alreadyOpen`; `StoreError` with
    ///   `.misuse` if the schema must be changed and the thread is inside of a write transaction.
    func open(
        _ configuration: Realm.Configuration, _ classes: [ClassInfo],
        _ confinement: Confinement = .current, isHere: Bool = true
    ) throws -> RealmSession {
        // The realm is listed before another thread can install other classes.
        try bringInLine(classes, configuration) {
            session(configuration, classes, confinement, isHere: isHere)
        }
    }

    /// Brings the stored schema in line with classes.
    func prepare(_ classes: [ClassInfo], _ configuration: Realm.Configuration) throws {
        try bringInLine(classes, configuration) {}
    }

    /// Stores types without classes that are not there yet.
    func add(_ types: [TypeDeclaration]) throws {
        let transaction = try store.beginWrite()
        do {
            try opening.withLock {
                let current = schema
                var installer = SchemaInstaller(
                    store: store, keyspace: schemaKeyspace, stored: current, classes: [],
                    version: current.version, fileURL: fileURL)
                replace(try installer.add(types, committing: transaction))
            }
        } catch {
            transaction.rollback()
            throw error
        }
    }

    // MARK: Steps

    /// What a look at the schema found.
    private enum Look<Result> {
        /// It is in line with the classes.
        case inLine(Result)
        /// The installer must change it.
        case needsInstalling(SchemaInstaller, [ClassInfo])
        /// Links must become varying.
        case needsVarying([ClassInfo])
    }

    /// Compares the stored schema with classes, changes it if that is allowed, and rebuilds derived
    /// keyspaces that were lost.
    ///
    /// - Parameter body: called once the schema is in line, while nobody can change it.
    private func bringInLine<Result>(
        _ listed: [ClassInfo], _ configuration: Realm.Configuration, _ body: () -> Result
    ) throws -> Result {
        let all = ClassDiscovery.withLinkedLibraryClasses(listed)
        while true {
            switch try opening.withLock({ try look(all, configuration, body) }) {
            case .inLine(let result): return result
            case .needsInstalling(var installer, let classes):
                let result = try install(&installer, classes, configuration, body)
                if let result { return result }
            case .needsVarying(let classes): try vary(classes, configuration)
            }
        }
    }

    /// Compares without a transaction: most realms change nothing when they are opened.
    private func look<Result>(
        _ all: [ClassInfo], _ configuration: Realm.Configuration, _ body: () -> Result
    ) throws -> Look<Result> {
        let current = schema
        let classes =
            !isReadOnly || configuration.objectTypes != nil
            ? all : all.filter { current.type(named: $0.storedName) != nil }
        let isOpened =
            areOpened(classes, arePartialFine: configuration.schemaSubset) && !classes.isEmpty
            && configuration.objectSchemas.isEmpty
            && current.version == configuration.schemaVersion
        if !isOpened {
            var installer = installer(classes, configuration, current)
            if try installer.needsChange() { return .needsInstalling(installer, classes) }
        }
        if !pendingVariation(classes).isEmpty { return .needsVarying(classes) }
        if !isOpened { enter(classes, arePartial: configuration.declaresParts) }
        return .inLine(body())
    }

    private func installer(
        _ classes: [ClassInfo], _ configuration: Realm.Configuration, _ current: StoredSchema
    ) -> SchemaInstaller {
        let declarations = ClassInfo.declarations(classes, configuration.objectSchemas)
        var installer = SchemaInstaller(
            store: store, keyspace: schemaKeyspace, stored: current,
            classes: declarations,
            version: declarations.isEmpty ? current.version : configuration.schemaVersion,
            fileURL: fileURL, isSubset: configuration.schemaSubset)
        installer.isReadOnly = isReadOnly
        installer.migration = MigrationPlan(configuration)
        installer.indexBuildProgress = configuration.indexBuildProgress
        return installer
    }

    /// Changes the schema in a transaction; nil if something is left to be done after it.
    private func install<Result>(
        _ installer: inout SchemaInstaller, _ classes: [ClassInfo],
        _ configuration: Realm.Configuration, _ body: () -> Result
    ) throws -> Result? {
        let session = try writer(configuration)
        // Logged without the lock: the logger may release handles.
        var migrated: (from: UInt64, to: UInt64, removals: [String], forgotten: [String])?
        defer {
            if let migrated {
                Logger.log(
                    .info,
                    "\(fileURL.path): migrated from schema version \(migrated.from) to "
                        + "\(migrated.to)")
                for text in migrated.removals { Logger.log(.info, "\(fileURL.path): \(text)") }
                for text in migrated.forgotten { Logger.log(.warn, "\(fileURL.path): \(text)") }
            }
        }
        do {
            return try opening.withLock {
                let declarations = installer.classes
                let before = schema
                let stored = try installer.change(
                    in: session, isDiscarding: configuration.discardsChangedProperties,
                    willChange: { try checkFitsOpenRealms(declarations, configuration) })
                try session.commitWrite()
                replace(stored)
                if stored.version != before.version, !before.types.isEmpty {
                    migrated = (
                        before.version, stored.version, installer.removals,
                        installer.possiblyForgotten
                    )
                }
                enter(classes, arePartial: configuration.declaresParts)
                return pendingVariation(classes).isEmpty ? body() : nil
            }
        } catch {
            if session.isWriting { session.cancelWrite() }
            throw error
        }
    }

    /// A realm of no classes with a write transaction, to change what is stored.
    private func writer(_ configuration: Realm.Configuration) throws -> RealmSession {
        let durability =
            configuration.inMemoryIdentifier == nil ? configuration.durability : .unsynced
        let session = RealmSession(
            self,
            Realm.Configuration(fileURL: fileURL, objectTypes: [], durability: durability))
        try session.beginWrite()
        return session
    }

    /// The links that can lead to objects of several of the classes, and must become varying.
    private func pendingVariation(_ classes: [ClassInfo]) -> [UInt32: Set<UInt32>] {
        isReadOnly ? [:] : LinkVariation.pending(schema, classes)
    }

    /// Makes such links varying, in one transaction.
    private func vary(_ classes: [ClassInfo], _ configuration: Realm.Configuration) throws {
        let session = try writer(configuration)
        do {
            try opening.withLock {
                // Another thread may have been faster.
                let pending = pendingVariation(classes)
                if pending.isEmpty { return session.cancelWrite() }
                try LinkVariation.apply(pending, session)
                try session.commitWrite()
            }
        } catch {
            if session.isWriting { session.cancelWrite() }
            throw error
        }
    }
}
