import Locks
import Synchronization
import TravertineStore

/// The schema that realms share, and the classes that they were opened with.
extension SharedStore {
    var schema: StoredSchema { state.withLock { $0.schema } }

    func storedType(named name: String) -> StoredObjectType? {
        state.withLock { $0.schema.type(named: name) }
    }

    func storedType(number: UInt32) -> StoredObjectType? {
        state.withLock { state in state.schema.types.first { $0.number == number } }
    }

    /// The class that a realm of a configuration has for a type: of several that realms were opened
    /// with, the one that it lists, or that realms without a list have.
    func classInfo(
        storedName: String, of configuration: Realm.Configuration
    ) -> ClassInfo? {
        Self.own(state.withLock { $0.classInfos(storedName: storedName) }, of: configuration)
    }

    /// Of classes with one stored name, the one that a realm has; classes are asked outside of
    /// locks.
    private static func own(
        _ infos: [ClassInfo], of configuration: Realm.Configuration
    ) -> ClassInfo? {
        guard infos.count > 1 else { return infos.first }
        let own = infos.last { info in
            configuration.objectTypes.map { $0.contains { $0 == info.type } }
                ?? info.type.shouldIncludeInDefaultSchema()
        }
        return own ?? infos.last
    }

    /// Whether realms were opened with classes, so that the stored schema is in line with them.
    func areOpened(_ classes: [ClassInfo], arePartialFine: Bool) -> Bool {
        state.withLock { state in
            classes.allSatisfy {
                state.classes[$0.storedName] === $0
                    && (arePartialFine || !state.partialClasses.contains($0.storedName))
            }
        }
    }

    /// Enters classes that the stored schema is in line with.
    func enter(_ classes: [ClassInfo], arePartial: Bool) {
        state.withLock { $0.enter(classes, arePartial: arePartial) }
    }

    /// The description of a committed record, which realms share.
    func description(
        of stored: StoredObjectType, _ record: [UInt8], _ classInfo: ClassInfo?
    ) -> TypeDescription {
        descriptions.withLock { $0.description(of: stored, record, classInfo) }
    }

    /// The description of a committed record for no matter which class, if a realm has it.
    func description(ofType number: UInt32, _ record: UnsafeRawBufferPointer) -> TypeDescription? {
        descriptions.withLock { $0.description(ofType: number, record) }
    }

    /// Whether nothing is ever written.
    var isReadOnly: Bool { reader != nil }

    func isOpened(_ info: ClassInfo, by configuration: Realm.Configuration) -> Bool {
        classInfo(storedName: info.storedName, of: configuration) === info
    }

    func openedClasses(of configuration: Realm.Configuration) -> [ClassInfo] {
        let found = state.withLock { state in
            state.classes.keys.map { state.classInfos(storedName: $0) }
        }
        let opened = found.compactMap { Self.own($0, of: configuration) }
        guard let types = configuration.objectTypes else { return opened }
        return ClassDiscovery.withLinkedLibraryClasses(
            opened.filter { info in types.contains { $0 == info.type } })
    }

    /// Whether a realm was opened with a class of a type.
    func hasOpenedClass(storedName: String) -> Bool {
        state.withLock { $0.openedClasses[storedName]?.isEmpty == false }
    }

    /// How many classes realms were opened with; it only grows.
    var openedClassCount: Int { state.withLock { $0.classes.count } }

    /// The properties that link to a type.
    func linkingProperties(to name: String) -> [(type: UInt32, property: UInt32)] {
        state.withLock { state in
            if let properties = state.linkingProperties[name] { return properties }
            let found = state.schema.linkingProperties(to: name)
            state.linkingProperties[name] = found
            return found
        }
    }

    /// Enters a stored type that a committed transaction changed, unless a later transaction of
    /// another thread entered the type in the meantime.
    func replace(_ type: StoredObjectType) {
        state.withLock { state in
            if let index = state.schema.types.firstIndex(where: { $0.number == type.number }),
                type.isLater(than: state.schema.types[index])
            {
                state.schema.types[index] = type
                schemaChangeCount.wrappingAdd(1, ordering: .releasing)
            }
        }
    }

    /// Enters a schema that was installed; types that a later transaction of another thread changed
    /// stay as that left them.
    func replace(_ schema: StoredSchema) {
        state.withLock { state in
            state.take(schema)
            schemaChangeCount.wrappingAdd(1, ordering: .releasing)
        }
    }

    /// Enters the schema that another process has stored. Its types may be other ones.
    func takeFollowed(_ schema: StoredSchema) {
        state.withLock { state in
            if state.schema == schema { return }
            state.schema = schema
            schemaChangeCount.wrappingAdd(1, ordering: .releasing)
        }
    }

    /// Installs classes that a write transaction uses first, as a part of it. Other threads do not
    /// see them before `enter`.
    ///
    /// - Returns: the schema as the transaction sees it now.
    func install(
        _ listed: [ClassInfo], _ configuration: Realm.Configuration,
        in transaction: WriteTransaction
    ) throws -> StoredSchema {
        let classes = ClassDiscovery.withLinkedLibraryClasses(listed)
        let declarations = ClassInfo.declarations(classes, configuration.objectSchemas)
        let stored = try StoredSchema.load(transaction.access, keyspace: schemaKeyspace)
        var installer = SchemaInstaller(
            store: store, keyspace: schemaKeyspace, stored: stored ?? StoredSchema(),
            classes: declarations, version: configuration.schemaVersion, fileURL: fileURL,
            isSubset: configuration.schemaSubset)
        installer.indexBuildProgress = configuration.indexBuildProgress
        return try installer.install(in: transaction) {
            try checkFitsOpenRealms(declarations, configuration)
        }
    }

    /// Enters the classes that a transaction used first: called when its commit is certain, before
    /// the next writer begins, which must find the properties that link to what it deletes.
    func enter(_ firstUsed: FirstUsedClasses, _ configuration: Realm.Configuration) {
        state.withLock { state in
            state.take(firstUsed.schema)
            state.enter(firstUsed.classes, arePartial: configuration.declaresParts)
            schemaChangeCount.wrappingAdd(1, ordering: .releasing)
        }
    }

    /// Throws if the store was closed under the realms that are open.
    func checkIsOpen() throws {
        guard writtenStore?.isClosed == true else { return }
        throw Realm.Error(
            .fail,
            "The store of this realm was closed with `realm.store.close()` while realms of it are "
                + "open. Let go of these and of their objects, then open it again.",
            fileURL: fileURL)
    }

    /// Throws if the realm only reads.
    func checkIsWritable() throws {
        guard isReadOnly else { return }
        throw Realm.Error(
            .fail,
            "The realm was opened with `readOnly: true`, and can't be written. Write to a realm whose "
                + "configuration has `readOnly: false`, which one process at a time can have open.",
            fileURL: fileURL)
    }

    /// Begins a transaction for a guest of the store if it is its turn; nil if it waits.
    func beginWrite(_ guest: Guest) throws -> WriteTransaction? {
        try checkIsWritable()
        return try store.beginWrite(guest)
    }

    /// Throws if a realm is open with another class of a type that would not fit any more once a
    /// class is installed: its reads would stop, or take values for others.
    func checkFitsOpenRealms(
        _ classes: [ClassInfo], _ configuration: Realm.Configuration
    ) throws {
        let open = state.withLock { state in
            classes.flatMap { info in
                (state.openedClasses[info.storedName] ?? []).filter { other in
                    other !== info
                        && state.sessions.keys.contains {
                            $0.classes?.contains(ObjectIdentifier(other)) ?? true
                        }
                }.map { (info, $0) }
            }
        }
        let problems = open.flatMap {
            SchemaComparison.conflicts(of: $1, with: $0, isSubset: configuration.schemaSubset)
        }
        guard problems.isEmpty else {
            throw Realm.Error(
                .alreadyOpen,
                "A realm is open in this process with classes that would not fit the changed schema:"
                    + "\n- " + problems.joined(separator: "\n- ")
                    + "\n- Let go of it and of its objects first.", fileURL: fileURL)
        }
    }
}
