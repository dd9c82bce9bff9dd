import ArgumentParser
import TravertineStore

/// The arguments that say which store, and which of its keyspaces.
struct StoreArguments: ParsableArguments {
    @OptionGroup var common: CommonArguments

    @Argument(help: "The directory of the store.", completion: .directory)
    var directory: String

    @Option(
        name: [.customShort("k"), .long],
        help: "The keyspace. `travertine stat` lists them. (default: the default keyspace)")
    var keyspace: String?

    /// Opens a store that exists, runs `body`, and closes it whatever happens.
    func withStore<Result>(_ body: (Store) throws -> Result) throws -> Result {
        try Self.withStore(at: directory, createIfMissing: false, body)
    }

    /// Opens a store, runs `body`, and closes it whatever happens.
    static func withStore<Result>(
        at directory: String, createIfMissing: Bool, _ body: (Store) throws -> Result
    ) throws -> Result {
        var options = try StoreKey.options(for: directory)
        options.createIfMissing = createIfMissing
        let store = try Store.open(at: directory, options: options)
        let result: Result
        do {
            result = try body(store)
        } catch {
            // The first error is the one to report; the next opening completes what closing left.
            try? store.close()
            throw error
        }
        try store.close()
        return result
    }

    /// Runs `body` with a snapshot and the keyspace that was asked for, without changing anything.
    func withSnapshot<Result>(_ body: (Snapshot, Keyspace) throws -> Result) throws -> Result {
        try Self.reading(at: directory) {
            try body($0.snapshot(), keyspace(among: $0.keyspaces))
        }
    }

    /// Runs `body` with a reader of a store, which shows what is durable, takes no lock and changes
    /// nothing.
    static func reading<Result>(
        at directory: String, _ body: (StoreReader) throws -> Result
    ) throws -> Result {
        let reader = try StoreReader.open(
            at: directory, options: StoreKey.options(for: directory))
        defer { reader.close() }
        return try body(reader)
    }

    /// Says where the objects are, if the store holds some and the default keyspace was meant.
    func noteObjects(in directory: String) throws {
        guard keyspace == nil, try Self.reading(at: directory, StoredTypes.areThere) else { return }
        let realm = try StoredTypes.realm(directory, forReading: true)
        let titles = StoredTypes.titles(realm)
        let example = titles.first ?? "TYPE"
        printNote(
            """
            note: \(directory) holds objects of type \(titles.joined(separator: ", ")), and no keys \
            in the default keyspace. Objects are printed by:
              travertine query \(directory) \(QueryText.written(type: example))
              travertine show \(directory) \(QueryText.written(type: example)) KEY
            """)
    }

    /// The keyspace that was asked for.
    func keyspace(of store: Store) throws -> Keyspace { try keyspace(among: store.keyspaces) }

    private func keyspace(among keyspaces: [Keyspace]) throws -> Keyspace {
        guard let keyspace else { return .default }
        return try Self.keyspace(named: keyspace, among: keyspaces)
    }

    /// The keyspace of a name.
    static func keyspace(named name: String, among keyspaces: [Keyspace]) throws -> Keyspace {
        if let found = keyspaces.first(where: { $0.name == name }) { return found }
        let names = keyspaces.map { ByteText.shown(Array($0.name.utf8), isHex: false) }
            .joined(separator: ", ")
        throw CommandError(
            ExitStatus.noInput,
            "the store has no keyspace “\(name)”. It has: \(names).")
    }

    /// The keyspace that was asked for, to be changed.
    ///
    /// - Throws: when it belongs to objects: only the object layer keeps their rows, indexes and
    ///   schema in step.
    func keyspaceForWriting(in store: Store, createIfMissing: Bool = true) throws -> Keyspace {
        let holdsObjects = store.keyspaces.contains { $0.name.hasPrefix("travertine.") }
        try checkKeyspaceForWriting(holdsObjects: holdsObjects)
        guard let name = keyspace else { return .default }
        guard createIfMissing else { return try keyspace(of: store) }
        if let found = try store.keyspace(named: name) { return found }
        return try store.write { try $0.keyspace(named: name) }
    }

    /// Refuses a keyspace that belongs to objects.
    ///
    /// - Parameter holdsObjects: whether the store has any.
    func checkKeyspaceForWriting(holdsObjects: Bool) throws {
        guard let name = keyspace else { return }
        if name.hasPrefix("travertine.") || holdsObjects && name.hasPrefix("type.") {
            throw CommandError(
                ExitStatus.badData,
                "the keyspace “\(name)” belongs to objects. Change them through the library: a "
                    + "change of their rows alone would contradict their indexes.")
        }
    }

    /// Removes a store in which there is nothing but definitions of types, at most: another process
    /// may have written to it since it was made.
    static func removeIfEmpty(_ directory: String) throws {
        _ = try Store.remove(at: directory, options: StoreKey.options(for: directory)) { store in
            let snapshot = try store.snapshot()
            return store.keyspaces.allSatisfy {
                $0.name.hasPrefix("travertine.") || snapshot.count(in: $0) == 0
            }
        }
    }
}
