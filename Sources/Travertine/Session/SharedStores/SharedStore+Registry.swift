import Locks
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

/// The stores of the process: opening one for the first realm, and deleting one.
extension SharedStore {
    struct Entry {
        weak var shared: SharedStore?
        /// Its store, as long as that closes.
        weak var store: Store?

        init(_ shared: SharedStore) {
            self.shared = shared
            store = shared.writtenStore
        }

        /// Checks that the store closes while the calling code waits for that.
        ///
        /// - Throws: `Realm.Error` with `.fail` inside the store's own work, which closing waits
        ///   for.
        func checkMayWait(_ url: URL) throws {
            guard store?.isAtOwnWork == true else { return }
            throw Realm.Error(
                .fail,
                "The last handle of this realm has gone, and the realm closes when what calls this "
                    + "code, work of the store, has ended. Open it or delete it after that, or keep "
                    + "a handle.", fileURL: url)
        }
    }

    /// What is open, or just closes. Held only to look something up, or to note it: releasing a
    /// handle may take it.
    static let registry = Locked<[String: Entry]>([:])
    /// The stores that are just opened or deleted. One that is open already is found beside them.
    private static let launches = StoreLaunches()
    /// What stores are opened with in tests, which set the environment of a simulated disk for a
    /// task. Nil elsewhere: each store then makes its own options and queues. A default value here
    /// would be shared by all stores, and closing one would wait for the work of every other.
    @TaskLocal package static var simulatedOptions: StoreOptions?
    /// What went wrong when a realm was closed by its last handle; the next opening recovers.
    static let lastCloseError = Locked<StoreError?>(nil)

    /// The open store of a directory, or one that is opened now.
    static func open(_ configuration: Realm.Configuration) throws -> SharedStore {
        let url = configuration.directory.standardizedFileURL
        if configuration.asOf != nil, !configuration.readOnly {
            throw Realm.Error(
                .invalidInput,
                "Only a read-only realm can show an earlier commit: set `readOnly` with `asOf`.",
                fileURL: url)
        }
        let name = registryName(
            url, isReadOnly: configuration.readOnly, asOf: configuration.asOf)
        while true {
            try launches.checkIsOutside()
            let entry = registry.withLock { $0[name] }
            if let shared = entry?.shared {
                try shared.checkKey(of: configuration)
                return shared
            }
            let found = try launches.with(url.path) { () -> SharedStore? in
                if let entry = registry.withLock({ $0[name] }) {
                    if let shared = entry.shared {
                        try shared.checkKey(of: configuration)
                        return shared
                    }
                    try entry.checkMayWait(url)
                    return nil
                }
                // Asks code of the application, which may release handles of other realms.
                let shared = try openFirst(configuration, at: url.path)
                registry.withLock { $0[name] = Entry(shared) }
                return shared
            }
            if let found { return found }
            // The last handle is being released on another thread: wait until the store is closed.
            waitForOthers()
        }
    }

    /// Lets other threads go on that are just opening or closing a store.
    static func waitForOthers() { usleep(1000) }

    /// Why a realm is not deleted that this process has open.
    static let openHere =
        "This process has the realm open, so that it can't be deleted. Let go of its realms first, and "
        + "of what belongs to them: objects, collections, results, notification tokens, and what is "
        + "frozen."

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
        if let key = try configuration.storeKey { options.encryptionKey = key }
        // Other threads that open it wait, and find the next one.
        return try launches.with(url.path) {
            let name = registryName(url, isReadOnly: false)
            if let entry = registry.withLock({ $0[name] }) {
                guard let shared = entry.shared, shared.hasRealms else {
                    try entry.checkMayWait(url)
                    return nil
                }
                if shared.schema != schema { return false }
                throw Realm.Error(.alreadyOpen, openHere, fileURL: url)
            }
            return try Store.remove(at: url.path, options: options) { store in
                guard
                    let records = store.allKeyspaces.first(where: {
                        $0.name == StoredSchema.keyspaceName
                    })
                else { return false }
                let snapshot = try store.snapshot()
                return try withExtendedLifetime(snapshot) {
                    try StoredSchema.load(snapshot.access, keyspace: records.identifier)
                        ?? StoredSchema()
                } == schema
            }
        }
    }

    /// The store of a directory if this process has it open for writing.
    static func opened(_ url: URL) -> SharedStore? {
        let name = registryName(url.standardizedFileURL, isReadOnly: false)
        return registry.withLock { $0[name]?.shared }
    }

    /// Whether this process has realms of a directory, for writing or for reading only.
    static func isOpen(_ url: URL) -> Bool {
        let path = url.standardizedFileURL.path
        // Only these are held here: who holds a store last closes it.
        let opened = registry.withLock { registry in
            registry.filter { $0.key.hasSuffix(path) }.compactMap(\.value.shared)
        }
        return opened.contains { $0.fileURL.path == path && $0.hasRealms }
    }

    /// By what an open store is found again: those that are written, read, and read as of a commit
    /// are different ones.
    static func registryName(_ url: URL, isReadOnly: Bool, asOf: UInt64? = nil) -> String {
        (isReadOnly ? "r" : "w") + (asOf.map { "\($0)" } ?? "") + url.path
    }

    /// Shows a reader the schema of a realm that this process writes, if that has not been synced
    /// yet: as of one in memory, or without syncs.
    private static func makeSchemaDurable(
        _ configuration: Realm.Configuration, for reader: StoreReader
    ) throws {
        guard reader.currentStore?.hasSchema == false, let writer = opened(configuration.directory)
        else { return }
        try writer.writtenStore?.sync()
        try reader.refresh()
    }

    private static func openFirst(
        _ configuration: Realm.Configuration, at path: String
    ) throws -> SharedStore {
        var options = simulatedOptions ?? StoreOptions()
        if let key = try configuration.storeKey { options.encryptionKey = key }
        if configuration.readOnly {
            let reader = try StoreReader.open(
                at: path, options: options, asOf: configuration.asOf)
            if configuration.asOf == nil { try makeSchemaDurable(configuration, for: reader) }
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
}

extension Store {
    /// Whether a realm was ever in the store.
    fileprivate var hasSchema: Bool {
        allKeyspaces.contains { $0.name == StoredSchema.keyspaceName }
    }
}
