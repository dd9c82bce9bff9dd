import TravertineStore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An object database, as one thread, queue or actor sees it.
///
/// ```swift
/// let realm = try Realm()
/// try realm.write {
///     realm.add(City(value: ["id": 1, "name": "Lisboa"]))
/// }
/// let large = realm.objects(City.self).where { $0.population > 1_000_000 }
/// ```
/// A realm, its objects and its collections belong to the thread that opened it, or to the queue or
/// actor that it was opened for; others open their own, which share the store. It shows one
/// snapshot until it writes or is refreshed. Opening twice on one thread, queue or actor gives the
/// same realm. What ``freeze()`` gives may be read anywhere.
///
/// In asynchronous functions open it with `try await Realm.open()` on an actor.
@frozen
public struct Realm: Equatable {
    let session: RealmSession

    init(_ session: RealmSession) { self.session = session }

    /// Opens the default realm.
    public init() throws { try self.init(configuration: .defaultConfiguration) }

    /// Opens the realm in a directory, with the default configuration otherwise.
    @available(
        *, noasync, message: "open it with a configuration: try await Realm(configuration:)"
    )
    public init(fileURL: URL) throws {
        var configuration = Configuration.defaultConfiguration
        configuration.fileURL = fileURL
        try self.init(configuration: configuration)
    }

    /// Opens a realm; creates it if there is none.
    ///
    /// - Throws: `Realm.Error`: `.schemaMismatch` with every difference when the classes don't fit
    ///   what is stored, and what the store can't do otherwise.
    public init(configuration: Configuration) throws {
        try self.init(configuration, .current, isHere: true)
    }

    /// Opens a realm for a confinement.
    ///
    /// - Parameter isHere: whether the calling code runs there.
    init(_ configuration: Configuration, _ confinement: Confinement, isHere: Bool) throws {
        do {
            let types = configuration.objectTypes ?? ClassDiscovery.allClasses()
            var listed: Set<ObjectIdentifier> = []
            let classes = types.filter { listed.insert(ObjectIdentifier($0)).inserted }
                .map { ClassInfo.of($0) }
            session = try Self.open(configuration, classes) {
                try $0.open(configuration, classes, confinement, isHere: isHere)
            }
        } catch let error as StoreError {
            throw Realm.Error(error, fileURL: configuration.directory)
        }
    }

    /// Whether both are the same realm, or show the same frozen version.
    public static func == (left: Realm, right: Realm) -> Bool {
        left.session.isSame(as: right.session)
    }

    // MARK: State

    /// The configuration that it was opened with.
    public var configuration: Configuration { session.configuration }

    /// The types of objects that it has.
    ///
    /// Stored types without a class are among them, unless the configuration lists its types.
    public var schema: Schema {
        let classes = session.openedClasses
        let configuration = session.configuration
        var types = classes.map { configuration.schema(of: $0) }
        types += configuration.objectSchemas.filter(\.isWithoutClass)
        if session.configuration.objectTypes?.isEmpty != false {
            types += session.schema.types.filter { type in
                !types.contains { $0.objectTypeName == type.name }
            }.map { ObjectSchema($0) }
        }
        return Schema(types)
    }

    /// Whether it has no objects, asymmetric ones that wait for their consumer apart.
    public var isEmpty: Bool {
        let session = session.here
        let classes = session.openedClasses
        let others = session.configuration.objectSchemas.filter(\.isWithoutClass)
        return classes.allSatisfy {
            $0.isEmbedded || $0.isAsymmetric || session.count(of: session.table(of: $0.type)) == 0
        }
            && others.allSatisfy {
                $0.isEmbedded || $0.isAsymmetric
                    || session.table(named: $0.objectTypeName).map { session.count(of: $0) } ?? 0
                        == 0
            }
    }

    /// Whether a write transaction is open.
    public var isInWriteTransaction: Bool { session.isWriting }

    /// The key-value store underneath, for its statistics, events and checkpoints.
    public var store: Store { session.shared.store }

    /// Shows the newest commit; returns whether that changed anything.
    @discardableResult
    public func refresh() -> Bool {
        if isFrozen { return false }
        session.checkThread()
        do {
            return try session.refresh()
        } catch {
            session.note(error)
            return false
        }
    }

    /// Gives up the snapshot and the write transaction, if there is one.
    ///
    /// Objects, collections and results that were taken from the realm before are invalidated
    /// permanently: `isInvalidated` is true, and using them stops. Reads that are tracked are
    /// notified. The realm itself shows the
    /// newest commit when it is asked for something again.
    public func invalidate() {
        session.checkThread()
        session.invalidate()
    }

    // MARK: Writing

    /// Runs `block` in a write transaction and commits it; a throw rolls it back and is thrown on.
    ///
    /// Waits for transactions of other threads. Changes that can't throw themselves (`add`, setting
    /// a property) keep their first failure; it is thrown here, and nothing of the transaction
    /// stays.
    ///
    /// - Parameters:
    ///   - tokens: of this realm, whose blocks are not notified of what this transaction changes.
    ///   - block: called once, in the transaction.
    @discardableResult
    public func write<Result>(
        withoutNotifying tokens: [NotificationToken] = [], _ block: () throws -> Result
    ) throws -> Result {
        session.checkTokens(tokens)
        try session.throwingRealmErrors { try session.beginWrite() }
        session.beginReuse()
        defer { session.endReuse() }
        let result: Result
        do {
            result = try block()
        } catch {
            if session.isWriting { cancelWrite() }
            throw error
        }
        if session.isWriting { try commitWrite(withoutNotifying: tokens) }
        return result
    }

    /// Begins a write transaction; waits for those of other threads.
    ///
    /// A failure, such as that of a read-only realm or of a store that stopped after a failed
    /// sync, is the transaction's: changes do nothing, and `commitWrite` throws it. Beginning one
    /// within another stops the program.
    public func beginWrite() { session.beginWriteKeepingFailure() }

    /// Makes the changes since `beginWrite` visible and durable.
    ///
    /// - Parameter tokens: of this realm, whose blocks are not notified of what this transaction
    ///   changes. What others changed before is still reported.
    public func commitWrite(withoutNotifying tokens: [NotificationToken] = []) throws {
        session.checkTokens(tokens)
        let silent = tokens.compactMap(\.observation)
        try session.throwingRealmErrors { try session.commitWrite(withoutNotifying: silent) }
    }

    /// Forgets the changes since `beginWrite`; objects show what they showed before, and those that
    /// were added are invalidated.
    public func cancelWrite() { session.cancelWrite() }
}
