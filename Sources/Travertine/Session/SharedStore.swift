import CPlatform
import Dispatch
import Synchronization
import TravertineStore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The store of a realm, shared by all threads of the process that have it open.
///
/// Opened with the first realm, closed with the last handle. `nextKeys` belongs to the thread that
/// has the write transaction; everything else is immutable or inside a lock, which is why it is
/// Sendable.
final class SharedStore: @unchecked Sendable {
    /// The store as it was opened.
    let firstStore: Store
    /// The reader of the store, for a read-only realm.
    let reader: StoreReader?
    /// What wakes read-only realms.
    let follower: ReaderFollower?
    let fileURL: URL
    private let isInMemory: Bool
    let schemaKeyspace: UInt32
    /// The stored types of the version that changes were last looked for in.
    let storedTypesCache: StoredTypesCache
    /// The next object key by type, as far as it was determined; guarded by the store's write
    /// transaction.
    nonisolated(unsafe) var nextKeys: [UInt32: UInt64] = [:]

    /// What was computed from the rows of committed nodes of the one index that the realms of the
    /// process read: identities of nodes are those of one index. A reader may open another one
    /// (`columns(of:)`).
    let columns: ColumnCache
    /// What belongs to what a reader reads now.
    let followed = Locked(FollowedState())

    /// Counts the changes of the schema that realms share.
    let schemaChangeCount = Atomic<UInt64>(0)

    private struct State: @unchecked Sendable {
        var schema: StoredSchema { didSet { linkingProperties = [:] } }
        /// What `linkingProperties(to:)` found in the schema.
        var linkingProperties: [String: [(type: UInt32, property: UInt32)]] = [:]
        var classes: [String: ClassInfo] = [:]
        /// Every class that realms were opened with, by the stored name of its type.
        var openedClasses: [String: [ClassInfo]] = [:]
        /// Stored names of classes that fit because something beside them declared the rest, or
        /// because they may leave properties out: without that they are compared again.
        var partialClasses: Set<String> = []
        /// The realm of each confinement. Not weak references: those would make every handle that is
        /// made and dropped pay for them. A realm removes itself when it is released (`forget`);
        /// its handles are used where it is confined, so that none is looked up during that.
        var sessions: [SessionKey: Unmanaged<RealmSession>] = [:]

        /// Takes a schema that a transaction stored. Types that a later transaction of another
        /// thread changed or added stay as that left them: types are never removed.
        mutating func take(_ schema: StoredSchema) {
            var schema = schema
            for index in schema.types.indices {
                let newest = self.schema.types.first { $0.number == schema.types[index].number }
                if let newest, newest.isLater(than: schema.types[index]) {
                    schema.types[index] = newest
                }
            }
            for type in self.schema.types where type.number >= schema.nextType {
                schema.types.append(type)
            }
            schema.nextType = max(schema.nextType, self.schema.nextType)
            self.schema = schema
        }

        /// The classes that realms were opened with for a type, the last one after the others.
        func classInfos(storedName: String) -> [ClassInfo] {
            let others = (openedClasses[storedName] ?? []).filter { $0 !== classes[storedName] }
            return others + (classes[storedName].map { [$0] } ?? [])
        }

        mutating func enter(_ classes: [ClassInfo], arePartial: Bool) {
            for info in classes {
                self.classes[info.storedName] = info
                if openedClasses[info.storedName]?.contains(where: { $0 === info }) != true {
                    openedClasses[info.storedName, default: []].append(info)
                }
            }
            let names = classes.map(\.storedName)
            if arePartial {
                partialClasses.formUnion(names)
            } else {
                partialClasses.subtract(names)
            }
        }
    }

    private struct SessionKey: Hashable {
        var confinement: Confinement.Key
        /// Nil without a list, which is another realm than one with an empty list.
        var classes: Set<ObjectIdentifier>?
        /// The types that it has beside those of classes, in words.
        var schemas: [String]
        /// What its commits wait for.
        var durability: Durability
        /// What its reads verify.
        var verification: RecordVerification
        /// Whether what is read is tracked.
        var tracksReads: Bool
    }

    /// How many frozen versions there are.
    let frozenCount = Atomic<Int>(0)
    private let state: Locked<State>
    /// The types as commits have them.
    private let descriptions = Locked(TypeDescriptions())
    /// Held while a schema is compared and changed, and a realm is listed for it.
    let opening = OpeningLock()

    private init(
        _ store: Store, reader: StoreReader? = nil, _ configuration: Realm.Configuration
    ) throws {
        firstStore = store
        self.reader = reader
        follower = reader.map { ReaderFollower($0) }
        columns = ColumnCache(byteCountMax: max(0, configuration.queryMemoryBudget))
        fileURL = configuration.directory.standardizedFileURL
        // A read-only realm removes nothing: the files are the writer's.
        isInMemory = reader == nil && configuration.inMemoryIdentifier != nil
        let schemaRecords = store.allKeyspaces.first { $0.name == StoredSchema.keyspaceName }
        if let schemaRecords {
            schemaKeyspace = schemaRecords.id
            let snapshot = try store.snapshot()
            let schema = try withExtendedLifetime(snapshot) {
                try StoredSchema.load(snapshot.access, keyspace: schemaRecords.id)
            }
            state = Locked(State(schema: schema ?? StoredSchema()))
        } else if reader != nil {
            throw Realm.Error(
                .invalidDatabase,
                "There are no objects at this path yet. A read-only realm can't make them: "
                    + "open it for writing first.", fileURL: fileURL)
        } else {
            let transaction = try store.beginWrite()
            schemaKeyspace = try transaction.keyspace(named: StoredSchema.keyspaceName).id
            try transaction.commit()
            state = Locked(State(schema: StoredSchema()))
        }
        storedTypesCache = StoredTypesCache(schemaKeyspace: schemaKeyspace)
    }

    deinit {
        follower?.end()
        let close: @Sendable () -> Void = { [firstStore, reader, fileURL, isInMemory] in
            do throws(StoreError) {
                try firstStore.close()
            } catch {
                Self.lastCloseError.withLock { $0 = error }
            }
            reader?.close()
            if isInMemory { _ = try? FileManager.default.removeItem(at: fileURL) }
            let name = Self.registryName(fileURL, isReadOnly: reader != nil)
            Self.registry.withLock { $0[name] = nil }
        }
        // Closing waits for the store's own work: a callback of that may drop the last handle. Who
        // opens the realm in the meantime waits until it is closed.
        if firstStore.isAtOwnWork {
            DispatchQueue(label: "travertine.closing").async(execute: close)
        } else {
            close()
        }
    }

    // MARK: The stores of the process

    private struct WeakStore {
        weak var shared: SharedStore?
    }

    private static let registry = Locked<[String: WeakStore]>([:])
    /// Held while a store is looked for or opened.
    private static let launching = OpeningLock()
    /// What went wrong when a realm was closed by its last handle; the next opening recovers.
    static let lastCloseError = Locked<StoreError?>(nil)

    /// The open store of a directory, or one that is opened now.
    static func open(_ configuration: Realm.Configuration) throws -> SharedStore {
        let url = configuration.directory.standardizedFileURL
        let name = registryName(url, isReadOnly: configuration.readOnly)
        while true {
            // `openFirst` asks code of the application.
            let found = try launching.withLock {
                try registry.withLock { registry -> SharedStore? in
                    if let entry = registry[name] {
                        return entry.shared
                    }
                    let shared = try openFirst(configuration, at: url.path)
                    registry[name] = WeakStore(shared: shared)
                    return shared
                }
            }
            if let found { return found }
            // The last handle is being released on another thread: wait until the store is closed.
            waitForOthers()
        }
    }

    /// Lets other threads go on that are just opening or closing a store.
    static func waitForOthers() { usleep(1000) }

    /// Deletes a realm that nobody has open, if its stored schema is still the one that did not
    /// fit.
    ///
    /// - Returns: whether it was deleted; nil while another thread is just opening it, or letting
    ///   go of it.
    /// - Throws: `Realm.Error` with `.alreadyOpen` and the holder while this or another process has
    ///   it open, for writing or reading.
    static func remove(
        _ configuration: Realm.Configuration, ifStill schema: StoredSchema
    ) throws -> Bool? {
        let url = configuration.directory.standardizedFileURL
        var options = StoreOptions()
        options.scrub = nil
        // Other threads that open it wait, and find the next one.
        return try launching.withLock {
            let name = registryName(url, isReadOnly: false)
            if let entry = registry.withLock({ $0[name] }) {
                guard let shared = entry.shared, shared.hasRealms else { return nil }
                if shared.schema != schema { return false }
                throw Realm.Error(
                    .alreadyOpen,
                    "This process has the realm open, so that it can't be deleted for the classes "
                        + "that it does not fit. Let go of it and of its objects first.",
                    fileURL: url)
            }
            return try Store.remove(at: url.path, options: options) { store in
                guard
                    let records = store.allKeyspaces.first(where: {
                        $0.name == StoredSchema.keyspaceName
                    })
                else { return false }
                let snapshot = try store.snapshot()
                return try withExtendedLifetime(snapshot) {
                    try StoredSchema.load(snapshot.access, keyspace: records.id) ?? StoredSchema()
                } == schema
            }
        }
    }

    /// The store of a directory if this process has it open for writing.
    static func opened(_ url: URL) -> SharedStore? {
        let name = registryName(url.standardizedFileURL, isReadOnly: false)
        return registry.withLock { $0[name]?.shared }
    }

    private static func registryName(_ url: URL, isReadOnly: Bool) -> String {
        (isReadOnly ? "r" : "w") + url.path
    }

    private static func openFirst(
        _ configuration: Realm.Configuration, at path: String
    ) throws -> SharedStore {
        var options = StoreOptions()
        if configuration.readOnly {
            let reader = try StoreReader.open(at: path, options: options)
            guard let store = reader.currentStore else { throw StoreError.closedStore }
            Logger.log(.detail, "\(path): opened for reading at LSN \(reader.lsn)")
            return try SharedStore(store, reader: reader, configuration)
        }
        try configuration.plantSeed()
        options.durability =
            configuration.inMemoryIdentifier == nil ? configuration.durability : Durability.unsynced
        options.eventHandler = { Logger.log($0, path: path) }
        let store = try Store.open(at: path, options: options)
        Logger.log(store.openingReport, path: path)
        do {
            if let question = configuration.shouldCompactOnLaunch, store.openingReport.lastLSN > 0 {
                let space = try store.statistics
                if question(space.allocatedByteCount, space.liveByteCount) {
                    try store.compact()
                    Logger.log(
                        .info,
                        "\(path): compacted, as shouldCompactOnLaunch asked for: "
                            + "\(space.liveByteCount) of \(space.allocatedByteCount) bytes were in use"
                    )
                }
            }
            return try SharedStore(store, configuration)
        } catch {
            // What the error set going in the background ends before the caller has it: it would go
            // on in the directory, which the caller may remove or open again.
            do { try store.close() } catch { lastCloseError.withLock { $0 = error } }
            throw error
        }
    }

    // MARK: Realms

    /// The realm of a confinement for a configuration.
    ///
    /// - Parameter isHere: whether the calling code runs there.
    func session(
        _ configuration: Realm.Configuration, _ classes: [ClassInfo], _ confinement: Confinement,
        isHere: Bool
    ) -> RealmSession {
        let key = SessionKey(
            confinement: confinement.key,
            classes: configuration.objectTypes == nil
                ? nil : Set(classes.map { ObjectIdentifier($0) }),
            schemas: configuration.objectSchemas.map(\.description),
            durability: configuration.durability, verification: configuration.verification,
            tracksReads: configuration.tracksReads)
        // A realm whose last handle is being released on another thread can't be retained any more;
        // it can't be freed before `forget` has had the lock.
        let opened = state.withLock { state -> Reference? in
            guard let found = state.sessions[key],
                travertine_try_retain(found.toOpaque()) != nil
            else { return nil }
            return Reference(found.takeRetainedValue())
        }
        if let opened, opened.session.confinement.isSame(as: confinement) { return opened.session }
        let session = RealmSession(self, configuration, confinement, isHere: isHere)
        let reference = Reference(session)
        state.withLock { $0.sessions[key] = Unmanaged.passUnretained(reference.session) }
        return session
    }

    /// Carries a realm through the lock: it stays where it is confined.
    private struct Reference: @unchecked Sendable {
        let session: RealmSession
        init(_ session: RealmSession) { self.session = session }
    }

    /// Where the calling code finds a live realm: the actor that it runs on, else the queue for
    /// which a realm is open and a block of which it is, else its thread.
    func liveConfinement(_ actor: (any Actor)?) -> Confinement {
        if let actor { return .on(actor) }
        // None is freed before `forget` has had the lock; asking an actor may release it.
        let all = state.withLock { state in
            state.sessions.values.map { $0._withUnsafeGuaranteedRef { $0.confinement } }
        }
        let found = all.first {
            switch $0 {
            case .queue(let queue): queue.isCurrent
            case .actor(let actor): actor.isCurrent
            case .thread: false
            }
        }
        return found ?? .current
    }

    /// Whether a realm is open, on whatever thread, or something frozen is left.
    private var hasRealms: Bool {
        state.withLock { !$0.sessions.isEmpty } || frozenCount.load(ordering: .acquiring) > 0
    }

    /// Takes a realm that is going out of the list.
    func forget(_ session: RealmSession) {
        let identity = UInt(bitPattern: Unmanaged.passUnretained(session).toOpaque())
        state.withLock { state in
            state.sessions = state.sessions.filter {
                UInt(bitPattern: $0.value.toOpaque()) != identity
            }
        }
    }

    // MARK: Schema

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
        guard store.isClosed else { return }
        throw Realm.Error(
            .fail,
            "The store of this realm was closed with `realm.store.close()` while realms of it are "
                + "open. Let go of these and of their objects, then open it again.",
            fileURL: fileURL)
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
