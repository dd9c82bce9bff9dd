import CPlatform
import Dispatch
import Locks
import Synchronization
import TravertineStore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The store of a realm, shared by all threads of the process that have it open.
///
/// Opened with the first realm, closed with the last handle. `nextKeys` belongs to the thread that
/// has the write transaction; everything else is immutable or inside a lock, which is why it is
/// Sendable.
final class SharedStore: @unchecked Sendable {
    /// The store that is written; nil for read-only realms, whose reader may open another one, and
    /// let go of the first.
    let writtenStore: Store?
    /// The reader of the store, for a read-only realm.
    let reader: StoreReader?
    /// What wakes read-only realms.
    let follower: ReaderFollower?
    let fileURL: URL
    /// The key that it was opened with.
    let encryptionKey: EncryptionKey?
    private let isInMemory: Bool
    /// The commit that it shows, if not the newest.
    private let asOf: UInt64?
    let schemaKeyspace: KeyspaceID
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

    /// How many frozen versions there are.
    let frozenCount = Atomic<Int>(0)
    let state: Locked<State>
    /// The types as commits have them.
    let descriptions = Locked(TypeDescriptions())
    /// Held while a schema is compared and changed, and a realm is listed for it.
    let opening = OpeningLock()

    init(
        _ store: Store, reader: StoreReader? = nil, _ configuration: Realm.Configuration
    ) throws {
        writtenStore = reader == nil ? store : nil
        self.reader = reader
        follower = configuration.asOf == nil ? reader.map { ReaderFollower($0) } : nil
        asOf = configuration.asOf
        columns = ColumnCache(
            byteCountMax: max(0, configuration.queryMemoryBudget ?? MemoryBudget.ofQueries),
            threadCountMax: configuration.queryThreadCountMax
                ?? min(8, ProcessInfo.processInfo.activeProcessorCount))
        fileURL = configuration.directory.standardizedFileURL
        encryptionKey = try configuration.storeKey
        // A read-only realm removes nothing: the files are the writer's.
        isInMemory = reader == nil && configuration.inMemoryIdentifier != nil
        let schemaRecords = store.allKeyspaces.first { $0.name == StoredSchema.keyspaceName }
        if let schemaRecords {
            schemaKeyspace = schemaRecords.identifier
            let snapshot = try store.snapshot()
            let schema = try withExtendedLifetime(snapshot) {
                try StoredSchema.load(snapshot.access, keyspace: schemaRecords.identifier)
            }
            state = Locked(State(schema: schema ?? StoredSchema()))
        } else if reader != nil {
            throw Realm.Error(
                .invalidDatabase,
                "There is a store at this path, but no realm was in it yet, or none that its writer "
                    + "has synced. A read-only realm can't make one: open a realm with "
                    + "`readOnly: false` there first.",
                fileURL: fileURL)
        } else {
            let transaction = try store.beginWrite()
            schemaKeyspace = try transaction.keyspace(named: StoredSchema.keyspaceName).identifier
            try transaction.commit()
            state = Locked(State(schema: StoredSchema()))
        }
        storedTypesCache = StoredTypesCache(schemaKeyspace: schemaKeyspace)
    }

    deinit {
        follower?.end()
        let close: @Sendable () -> Void = { [writtenStore, reader, fileURL, isInMemory, asOf] in
            do throws(StoreError) {
                try writtenStore?.close()
            } catch {
                Self.lastCloseError.withLock { $0 = error }
            }
            reader?.close()
            if isInMemory { _ = try? FileManager.default.removeItem(at: fileURL) }
            let name = Self.registryName(fileURL, isReadOnly: reader != nil, asOf: asOf)
            Self.registry.withLock { $0[name] = nil }
        }
        // Closing waits for the store's own work: a callback of that may drop the last handle. Who
        // opens the realm in the meantime waits until it is closed.
        if writtenStore?.isAtOwnWork == true {
            DispatchQueue(label: "travertine.closing").async(execute: close)
        } else {
            close()
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
    var hasRealms: Bool {
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
}
