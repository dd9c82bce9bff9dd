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

    /// Opens a store and brings it in line with classes, with `body`.
    static func open<Result>(
        _ configuration: Configuration, _ classes: [ClassInfo],
        _ body: (SharedStore) throws -> Result
    ) throws -> Result {
        var mayDelete = configuration.deleteRealmIfMigrationNeeded && !configuration.readOnly
        var attempts = 0
        while true {
            let unfit: UnfitSchema
            do {
                return try openOnce(configuration, body)
            } catch let found as UnfitSchema {
                unfit = found
            }
            // Classes that break rules fit no realm: deleting this one would lose it for nothing.
            guard mayDelete, attempts < 8, canBeStored(classes, configuration) else {
                throw unfit.error
            }
            // Nothing of this thread has it open any more, unless another handle does: then this
            // throws. If another thread or process has removed it in the meantime, the realm may
            // fit by now.
            switch try SharedStore.remove(configuration, ifStill: unfit.schema) {
            case true?:
                mayDelete = false
                Logger.log(
                    .info,
                    "\(configuration.directory.path): deleted, as deleteRealmIfMigrationNeeded asked "
                        + "for: the classes don't fit what was stored")
            case false?: attempts += 1
            case nil: SharedStore.waitForOthers()
            }
        }
    }

    /// The stored schema that classes did not fit, and how.
    private struct UnfitSchema: Swift.Error {
        let schema: StoredSchema
        let error: Realm.Error
    }

    private static func openOnce<Result>(
        _ configuration: Configuration, _ body: (SharedStore) throws -> Result
    ) throws -> Result {
        let shared = try SharedStore.open(configuration)
        try shared.checkIsOpen()
        try shared.follow()
        // As of before the comparison: if another thread makes the realm fit in the meantime, what
        // is deleted is not this schema any more, and opening is tried again.
        let schema = shared.schema
        do {
            return try body(shared)
        } catch let error as Realm.Error where error.code == .schemaMismatch {
            throw UnfitSchema(schema: schema, error: error)
        }
    }

    /// Whether a new realm would take the classes.
    private static func canBeStored(
        _ classes: [ClassInfo], _ configuration: Realm.Configuration
    ) -> Bool {
        let declarations = ClassInfo.declarations(
            ClassDiscovery.withLinkedLibraryClasses(classes), configuration.objectSchemas)
        return SchemaValidation.problems(of: declarations).isEmpty
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
    /// permanently: `isInvalidated` is true, and using them stops. The realm itself shows the
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

    /// What `add` and `create` do with an object whose primary key exists.
    public enum UpdatePolicy: Int, Sendable {
        /// It is an error: the transaction fails with `.duplicatePrimaryKey`.
        case error = 1
        /// The existing object takes the values that differ.
        case modified = 3
        /// The existing object takes all values.
        case all = 2
    }

    /// Adds an object, and every object that it links to; they become managed.
    public func add(_ object: Object, update: UpdatePolicy = .error) {
        session.add(object, update: update)
    }

    /// Adds objects, and every object that they link to.
    public func add<Objects: Sequence>(_ objects: Objects, update: UpdatePolicy = .error)
    where Objects.Element: Object {
        for object in objects { session.add(object, update: update) }
    }

    /// Makes an object from a dictionary by name, an array for the first properties in declared
    /// order or another object, and adds it. Updating changes only the properties that a dictionary
    /// or an array has values for, also of embedded objects and of those with primary keys that are
    /// linked to; one without the primary key is one with the key that a new object has. The
    /// embedded objects of a list are changed by their positions; those of a map are made anew.
    ///
    /// Unmanaged objects among the values are copied, with what they link to.
    /// Names that are no properties are ignored; of a public and a stored name of one property the
    /// public one counts. A value that does not fit fails the transaction (`.invalidInput`).
    /// Objects of other realms in it, and objects that lead to such, are copied.
    @discardableResult
    public func create<Model: Object>(
        _ type: Model.Type, value: Any = [String: Any](), update: UpdatePolicy = .error
    ) -> Model {
        session.requireWriting()
        let info = ClassInfo.of(type)
        let given = value
        let value = session.localized(given, for: info)
        if let original = instance(given, of: ObjectBase.self),
            let copy = instance(value, of: Model.self), copy !== original,
            Swift.type(of: copy) == type
        {
            session.add(copy, update: update)
            return copy
        }
        if update == .error { return session.make(type.newInstance(), of: value, update) }
        return ValuesTarget.with(session, isChanging: true, isUpdating: true) {
            if let values = info.valuesByName(value),
                let existing = session.existing(info, values) as? Model
            {
                session.fill(existing, with: values, except: info.primaryKeySlot)
                return existing
            }
            return session.make(type.newInstance(), of: value, update)
        }
    }

    /// Deletes an object; links to it become nil, and it leaves the lists that it is in.
    public func delete(_ object: ObjectBase) { session.delete(object) }

    /// Deletes objects.
    public func delete<Objects: Sequence>(_ objects: Objects) where Objects.Element: ObjectBase {
        session.delete(Array(objects))
    }

    /// Deletes the objects of results.
    public func delete<Model: ObjectBase>(_ objects: Results<Model>) { objects.deleteAll() }

    /// Deletes the objects that a list links to.
    public func delete<Model: ObjectBase>(_ objects: List<Model>) { session.delete(Array(objects)) }

    /// Deletes every object of the realm's types, except asymmetric ones.
    public func deleteAll() { session.deleteAll() }

    // MARK: Reading

    /// The object with a primary key, or nil. Costs one look-up.
    public func object<Model: Object, Key>(
        ofType type: Model.Type, forPrimaryKey key: Key
    ) -> Model? {
        let session = session.here
        if Key.self == Int.self {
            let reference = session.tableReference(of: type)
            if reference._withUnsafeGuaranteedRef({ $0.hasIntegerKeys }) {
                let word = Int64(unsafeBitCast(key, to: Int.self))
                return reference._withUnsafeGuaranteedRef {
                    session.object(
                        type, key: StoredObjectType.objectKey(ofPrimaryKey: word), in: $0)
                }
            }
        }
        let table = session.table(of: type)
        let constant = session.constant(ofPrimaryKey: key, in: table)
        do {
            if table.stored.keyKind == .integerPrimaryKey, case .word(let word) = constant {
                return session.object(type, key: StoredObjectType.objectKey(ofPrimaryKey: word))
            }
            return try session.key(forPrimaryKey: constant, in: table).flatMap {
                session.object(type, key: $0)
            }
        } catch {
            session.damage = error
            return nil
        }
    }

    /// All objects of a type, or a projection of all its objects; live and lazy.
    ///
    /// Objects of derived classes have their own types and are not among them.
    public func objects<Element: RealmFetchable>(_ type: Element.Type) -> Results<Element> {
        let session = session.here
        let table = session.table(of: type._objectType)
        session.checkIsReadable(table)
        return Results(session, table)
    }

    /// All objects of a type and of the classes derived from it; live and lazy.
    ///
    /// Each object has its actual class, so that `as?` distinguishes them. Without sorting those of
    /// the type come first, then those of the derived classes in the order of their names.
    public func objects<Element: RealmFetchable>(
        _ type: Element.Type, includingSubclasses: Bool
    ) -> Results<Element> {
        let session = session.here
        let base = type._objectType
        let table = session.table(of: base)
        session.checkIsReadable(table)
        let derived = includingSubclasses ? session.tables(ofClassesFrom: base).dropFirst() : []
        return Results(session, table, derived: Array(derived))
    }
}
