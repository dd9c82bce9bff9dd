import CPlatform
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
/// Opened with the first realm, closed with the last handle. `nextKeys` belongs to whoever has the
/// write transaction; everything else is immutable or inside a lock, which is why it is Sendable.
final class SharedStore: @unchecked Sendable {
    let store: Store
    let fileURL: URL
    let schemaKeyspace: UInt32
    /// The next object key by type, as far as known; guarded by the store's write transaction.
    nonisolated(unsafe) var nextKeys: [UInt32: UInt64] = [:]

    private struct State: @unchecked Sendable {
        var schema: StoredSchema
        var classes: [String: ClassInfo] = [:]
        /// The realm of each thread. Not weak references: those would make every handle that is
        /// made and dropped pay for them. A realm takes itself out when it goes (`forget`); its
        /// handles belong to its thread, so that none is looked up while it goes.
        var cores: [CoreKey: Unmanaged<RealmCore>] = [:]
    }

    private struct CoreKey: Hashable {
        var thread: UInt
        var classes: Set<ObjectIdentifier>
    }

    private let state: Locked<State>
    /// Held while a schema is compared and changed.
    private let opening = Locked(false)

    private init(_ store: Store, _ fileURL: URL) throws {
        self.store = store
        self.fileURL = fileURL
        let known = store.allKeyspaces.first { $0.name == StoredSchema.keyspaceName }
        if let known {
            schemaKeyspace = known.id
            let snapshot = try store.snapshot()
            let schema = try withExtendedLifetime(snapshot) {
                try StoredSchema.load(snapshot.access, keyspace: known.id)
            }
            state = Locked(State(schema: schema ?? StoredSchema()))
        } else {
            let transaction = try store.beginWrite()
            schemaKeyspace = try transaction.keyspace(named: StoredSchema.keyspaceName).id
            try transaction.commit()
            state = Locked(State(schema: StoredSchema()))
        }
    }

    deinit {
        let path = fileURL.path
        do {
            try store.close()
        } catch {
            Self.lastCloseError.withLock { $0 = error }
        }
        Self.registry.withLock { $0[path] = nil }
    }

    // MARK: The stores of the process

    private struct WeakStore {
        weak var shared: SharedStore?
    }

    private static let registry = Locked<[String: WeakStore]>([:])
    /// What went wrong when a realm was closed by its last handle; the next opening recovers.
    static let lastCloseError = Locked<StoreError?>(nil)

    /// The open store of a directory, or one that is opened now.
    static func open(_ configuration: Realm.Configuration) throws -> SharedStore {
        let url = configuration.fileURL.standardizedFileURL
        while true {
            let found = try registry.withLock { registry -> SharedStore? in
                if let entry = registry[url.path] {
                    return entry.shared
                }
                var options = StoreOptions()
                options.durability = configuration.durability
                let store = try Store.open(at: url.path, options: options)
                let shared = try SharedStore(store, url)
                registry[url.path] = WeakStore(shared: shared)
                return shared
            }
            if let found { return found }
            // The last handle is just being let go of on another thread: wait until it is closed.
            usleep(1000)
        }
    }

    // MARK: Realms

    /// The realm of this thread for a configuration.
    func core(_ configuration: Realm.Configuration, _ classes: [ClassInfo]) -> RealmCore {
        let key = CoreKey(
            thread: UInt(travertine_current_thread()),
            classes: configuration.objectTypes == nil
                ? [] : Set(classes.map { ObjectIdentifier($0) }))
        // A realm whose last handle is just going on another thread is not retained any more; it
        // can't be freed before `forget` has had the lock.
        let known = state.withLock { state -> Reference? in
            guard let found = state.cores[key],
                travertine_try_retain(found.toOpaque()) != nil
            else { return nil }
            return Reference(found.takeRetainedValue())
        }
        if let known { return known.core }
        let core = RealmCore(self, configuration)
        let reference = Reference(core)
        state.withLock { $0.cores[key] = Unmanaged.passUnretained(reference.core) }
        return core
    }

    /// Carries a realm through the lock: it stays on its thread.
    private struct Reference: @unchecked Sendable {
        let core: RealmCore
        init(_ core: RealmCore) { self.core = core }
    }

    /// Takes a realm that is going out of the list.
    func forget(_ core: RealmCore) {
        let identity = UInt(bitPattern: Unmanaged.passUnretained(core).toOpaque())
        state.withLock { state in
            state.cores = state.cores.filter {
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

    func classInfo(storedName: String) -> ClassInfo? { state.withLock { $0.classes[storedName] } }

    func isOpened(_ info: ClassInfo) -> Bool {
        state.withLock { $0.classes[info.storedName] === info }
    }

    func openedClasses(of configuration: Realm.Configuration) -> [ClassInfo] {
        let opened = state.withLock { Array($0.classes.values) }
        guard let types = configuration.objectTypes else { return opened }
        return ClassDiscovery.withLinkedLibraryClasses(
            opened.filter { info in types.contains { $0 == info.type } })
    }

    /// The properties that link to a type.
    func linkingProperties(to name: String) -> [(type: UInt32, property: UInt32)] {
        state.withLock { state in
            state.schema.types.flatMap { type in
                type.properties.filter {
                    $0.backlinks != 0 && ($0.target == name || $0.type == .any)
                }.map {
                    (type.number, $0.number)
                }
            }
        }
    }

    /// Enters a stored type that a committed transaction changed.
    func replace(_ type: StoredObjectType) {
        state.withLock { state in
            if let place = state.schema.types.firstIndex(where: { $0.number == type.number }) {
                state.schema.types[place] = type
            }
        }
    }

    /// Makes links varying that can lead to objects of several of the classes.
    private func vary(_ classes: [ClassInfo]) throws {
        let pending = LinkVariation.pending(schema, classes)
        if !pending.isEmpty { try LinkVariation.apply(pending, self) }
    }

    /// Compares the stored schema with classes, changes it if that is allowed, and rebuilds derived
    /// keyspaces that were lost.
    func prepare(_ listed: [ClassInfo], _ configuration: Realm.Configuration) throws {
        let classes = ClassDiscovery.withLinkedLibraryClasses(listed)
        try opening.withLock { _ in
            let current = schema
            let isKnown = state.withLock { state in
                classes.allSatisfy { state.classes[$0.storedName] === $0 }
            }
            if isKnown, !classes.isEmpty, current.version == configuration.schemaVersion {
                try vary(classes)
                return
            }
            var installer = SchemaInstaller(
                store: store, keyspace: schemaKeyspace, stored: current, classes: classes,
                version: classes.isEmpty ? current.version : configuration.schemaVersion,
                fileURL: fileURL, migrationBlock: configuration.migrationBlock)
            installer.indexBuildProgress = configuration.indexBuildProgress
            let schema = try installer.install()
            state.withLock { $0.schema = schema }
            try vary(classes)
            state.withLock { state in
                for info in classes { state.classes[info.storedName] = info }
            }
        }
    }
}
