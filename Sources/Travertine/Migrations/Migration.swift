import TravertineStore

/// Runs when a realm is opened with a higher schema version than the stored one; gets the stored
/// version. What it throws leaves the realm as it was, and is thrown by the opening.
public typealias MigrationBlock =
    @Sendable (_ migration: Migration, _ oldSchemaVersion: UInt64) throws -> Void

/// Gets an object as it was stored, and the same object as the classes declare it now.
public typealias MigrationObjectEnumerateBlock = (
    _ oldObject: MigrationObject?, _ newObject: MigrationObject?
) -> Void

/// What a migration block works with: the objects as they were stored, and as they are declared.
///
/// ```swift
/// configuration.schemaVersion = 2
/// configuration.migrationBlock = { migration, oldSchemaVersion in
///     if oldSchemaVersion < 2 {
///         migration.enumerateObjects(ofType: Person.className()) { old, new in
///             new!["name"] = "\(old!["firstName"]!) \(old!["lastName"]!)"
///         }
///     }
/// }
/// ```
/// Everything that the block does is a part of the transaction that changes the schema: it is
/// stored as a whole or not at all. A migration and its objects belong to the thread that runs the
/// block, and are valid inside it only. Objects are named by their classes or by the stored names
/// of their types; properties of old objects by their stored names.
///
/// A change that can't be made fails the migration: later ones do nothing, and the opening throws
/// the first failure.
public final class Migration {
    /// The stored schema.
    public let oldSchema: Schema
    /// The schema of the classes.
    public let newSchema: Schema
    /// Shows what was stored before; nothing of it can be changed.
    let old: RealmSession
    /// The session of the transaction.
    let new: RealmSession
    /// What the classes declare.
    let declarations: [ClassInfo]
    /// The removed properties of types, by the names that they had.
    var removed: [UInt32: [String: UInt32]]
    /// The properties that were set in new objects, by type.
    private(set) var assigned: [UInt32: Set<UInt32>] = [:]
    /// The names that properties of types got.
    var renamings: [UInt32: Set<String>] = [:]
    /// Properties that changed their types while they were renamed.
    var converted: [ChangedProperty] = []
    /// The types without a class of which everything was deleted.
    private(set) var emptied: Set<UInt32> = []
    /// A sentence for each renaming that can't be.
    var problems: [String] = []
    let progress: (@Sendable (MigrationProgress) -> Void)?
    private(set) var isEnded = false

    init(
        old: RealmSession, new: RealmSession, stored: StoredSchema, declarations: [ClassInfo],
        removed: [UInt32: [String: UInt32]], progress: (@Sendable (MigrationProgress) -> Void)?
    ) {
        oldSchema = Schema(stored.types.map { ObjectSchema($0) })
        newSchema = Schema(declarations.map { ObjectSchema($0) })
        self.old = old
        self.new = new
        self.declarations = declarations
        self.removed = removed
        self.progress = progress
        old.side.migration = self
        new.side.migration = self
    }

    /// Makes the objects that the block got invalid.
    func end() {
        isEnded = true
        old.invalidate()
        new.invalidateObjects()
    }

    // MARK: Objects

    /// Makes an object of a class from a dictionary by name, or an array for the first properties
    /// in their order, and adds it. Old objects among the values stand for the new ones.
    ///
    /// What does not fit fails the migration; the object that is returned then has no properties.
    @discardableResult
    public func create(_ typeName: String, value: Any = [String: Any]()) -> MigrationObject {
        check()
        guard let info = declaration(of: typeName) else {
            if new.failure == nil { new.fail(unknownType(typeName, in: newNames)) }
            return DynamicObject.void()
        }
        let object = Realm(new).dynamicCreate(info.storedName, value: value)
        flush()
        return object
    }

    /// Deletes a new object, as `Realm.delete` does; links to it become nil.
    public func delete(_ object: MigrationObject) {
        check()
        require(
            object.session !== old,
            "The old object of a migration is only read: delete the new one.")
        if object.isVoid { return }
        new.delete(object)
        flush()
    }

    /// Deletes every object of a type. One without a class any more is removed from the schema.
    ///
    /// - Returns: whether there was such a type.
    @discardableResult
    public func deleteData(forType typeName: String) -> Bool {
        check()
        guard new.failure == nil else { return false }
        let info = declaration(of: typeName)
        let name = info?.storedName ?? typeName
        guard old.storedType(named: name) != nil, let table = new.table(named: name) else {
            return false
        }
        guard !isRefusedAsAsymmetric(table) else { return true }
        if info == nil { emptied.insert(table.stored.number) }
        do {
            try new.deleteAll(in: [table])
            new.advance()
        } catch {
            new.fail(error)
        }
        flush()
        return true
    }

    /// The new object that an old one has become; nil if it was deleted, or its type has no class
    /// any more.
    public func newObject(for old: MigrationObject) -> MigrationObject? {
        check()
        return counterpart(of: old)
    }

    func counterpart(of object: ObjectBase) -> DynamicObject? {
        guard object.session === old else { return object as? DynamicObject }
        guard let info = declaration(storedAs: object.table.stored.name),
            let table = new.table(named: info.storedName)
        else { return nil }
        return new.dynamicObject(object.key, in: table)
    }

    // MARK: Types

    /// The class of a name, or the one that is stored under it: the latter counts if several
    /// classes have the name.
    func declaration(of typeName: String) -> ClassInfo? {
        let named = declarations.filter { $0.className == typeName }
        return named.count == 1 ? named[0] : declaration(storedAs: typeName)
    }

    func declaration(storedAs name: String) -> ClassInfo? {
        declarations.first { $0.storedName == name }
    }

    /// Whether a name is that of several classes, and is none that a type is stored under.
    func isAmbiguous(_ typeName: String) -> Bool {
        declarations.filter { $0.className == typeName }.count > 1
            && declaration(storedAs: typeName) == nil
    }

    /// The names of classes, and those that their types are stored under.
    var newNames: [String] {
        Set(declarations.flatMap { [$0.className, $0.storedName] }).sorted()
    }
    var oldNames: [String] { oldSchema.objectSchema.map(\.className) }

    func unknownType(_ name: String, in names: [String]) -> Realm.Error {
        let near = NearNames.near(name, among: names).map { "'\($0)'" }
        return Realm.Error(
            .invalidInput,
            "The migration names a class '\(name)' that there is not."
                + (near.isEmpty ? "" : " Did you mean \(near.joined(separator: " or "))?"),
            fileURL: new.shared.fileURL)
    }

    /// Fails for the objects of a type that wait for their consumer.
    func isRefusedAsAsymmetric(_ table: TableState) -> Bool {
        guard table.stored.isAsymmetric else { return false }
        new.fail(
            Realm.Error(
                .invalidInput,
                "'\(table.className)' is asymmetric: its objects wait for their consumer, and a "
                    + "migration can't change them.", fileURL: new.shared.fileURL))
        return true
    }

    // MARK: Checks

    /// Stops on another thread, and after the block.
    func check() {
        new.checkThread()
        require(
            !isEnded,
            "A migration was used after its block ended: it is valid inside the block only.")
    }

    /// Whether a property of a new object was set.
    func isAssigned(_ property: UInt32, of type: UInt32) -> Bool {
        assigned[type]?.contains(property) ?? false
    }

    func note(assigned property: UInt32, of type: UInt32) {
        if lastAssigned == (type, property) { return }
        lastAssigned = (type, property)
        assigned[type, default: []].insert(property)
    }

    private var lastAssigned: (UInt32, UInt32) = (0, 0)

    // MARK: Memory

    private static let stagedByteCountMax = 4 << 20

    /// Writes the changed rows once they take some memory; not inside a savepoint.
    func flush() {
        guard new.failure == nil, let open = new.open else { return }
        let transaction = open.takeUnretainedValue()
        guard transaction.stagedByteCount > Self.stagedByteCountMax,
            !transaction.isInSavepoint
        else { return }
        do {
            try new.flushStagedRows()
        } catch {
            new.fail(error)
        }
    }
}

extension RealmSession {
    /// Writes the changed rows of the transaction, which have room in memory again.
    func flushStagedRows() throws {
        try flushAppends()
        try requireTransaction().flushStagedRows()
        advance()
    }

    /// Writes the changed rows if they take more than a few megabytes.
    func flushManyStagedRows() throws {
        let transaction = requireTransaction()
        if transaction.stagedByteCount > 4 << 20, !transaction.isInSavepoint {
            try flushStagedRows()
        }
    }
}
