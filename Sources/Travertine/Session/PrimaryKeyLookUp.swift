import TravertineStore

/// Looks objects up by their primary keys, up to 16 at a time, for one loop over keys.
///
/// Keys are appended, `start` looks them up together, and `object` gives each one's object as the
/// realm shows it at that time. Not generic, so that only the loop is compiled for each type of key
/// and object.
@usableFromInline
final class PrimaryKeyLookUp {
    /// The number of keys that are looked up together at most.
    @usableFromInline static var capacity: Int { 16 }

    /// Whether keys are integers, and objects' keys made of them.
    @usableFromInline let hasIntegerKeys: Bool
    private let realm: Realm
    private let session: RealmSession
    private let type: ObjectBase.Type
    private let reusesHandles: Bool
    @exclusivity(unchecked) private var table: TableState
    /// The keys of the rows, eight bytes, big-endian; those of `others` from `start` on.
    private let rows = KeyBatch()
    /// How `rows` were looked up; nil if each is to be looked up at its turn.
    @exclusivity(unchecked) private var access: ReadAccess?
    /// Primary keys that are found in an index.
    @exclusivity(unchecked) private var others: [RawConstant] = []
    @exclusivity(unchecked) private var entries: PrimaryKeyEntries?
    /// Bit *i* is set if the index has no object for key *i*.
    @exclusivity(unchecked) private var missing: UInt32 = 0
    @exclusivity(unchecked) private var isStarted = false
    /// When `rows` were looked up.
    @exclusivity(unchecked) private var generation: UInt64 = 0

    /// Starts without keys; `end` must be called.
    @usableFromInline
    init(_ realm: Realm, _ type: ObjectBase.Type, reusesHandles: Bool) {
        self.realm = realm
        self.type = type
        session = realm.session.here
        session.checkThread()
        table = session.table(of: type)
        session.checkIsReadable(table)
        hasIntegerKeys = table.hasIntegerKeys
        self.reusesHandles = reusesHandles && !session.isFrozen
        if self.reusesHandles { session.beginReuse() }
    }

    /// Releases the handles that were used again.
    @usableFromInline
    func end() {
        if reusesHandles { session.endReuse() }
    }

    // MARK: Keys

    /// Adds a key of a class whose objects' keys are made of integers.
    @usableFromInline
    func append(integer key: Int) {
        beginAppending()
        append(row: StoredObjectType.objectKey(ofPrimaryKey: Int64(key)))
    }

    /// Adds a key of any type; stops if it is none of the class.
    @usableFromInline
    func append<Key>(other key: Key) {
        beginAppending()
        let constant = session.constant(ofPrimaryKey: key, in: table)
        if table.stored.keyKind == .integerPrimaryKey, case .word(let word) = constant {
            append(row: StoredObjectType.objectKey(ofPrimaryKey: word))
        } else {
            others.append(constant)
        }
    }

    @inline(__always)
    private func append(row key: UInt64) {
        withUnsafeBytes(of: key.bigEndian) { rows.append($0) }
    }

    /// The key of a row that was appended.
    @inline(__always)
    private func row(_ index: Int) -> UInt64 {
        UInt64(bigEndian: rows.key(index).loadUnaligned(as: UInt64.self))
    }

    /// Forgets the keys of the batch before.
    @inline(__always)
    private func beginAppending() {
        guard isStarted else { return }
        isStarted = false
        rows.removeAll()
        others.removeAll(keepingCapacity: true)
    }

    // MARK: Looking up

    /// Looks the keys up together. In a write transaction their rows are only asked for, so that
    /// those that come later are found where the block has put them.
    @usableFromInline
    func start() {
        session.checkThread()
        table = session.table(of: type)
        isStarted = true
        missing = 0
        access = nil
        generation = session.generation.pointee.number
        do {
            let access = try session.access
            if !others.isEmpty { try findEntries(access) }
            try rows.lookUp(in: access.tree(of: table.rows), of: access.index)
            rows.prefetchRecords(access)
            if !session.isWriting { self.access = access }
        } catch {
            // Each is looked up at its turn, where damage is found again.
        }
    }

    /// Finds the keys of the rows of primary keys that are in an index.
    private func findEntries(_ access: ReadAccess) throws {
        let entries = entries ?? PrimaryKeyEntries(table)
        self.entries = entries
        try entries.lookUp(others, in: table, access)
        for (index, constant) in others.enumerated() {
            let key =
                try entries.isCut(index)
                ? session.key(forPrimaryKey: constant, in: table) : entries.objectKey(index)
            if key == nil { missing |= 1 << UInt32(index) }
            // The row of a key that is missing is not looked at.
            append(row: key ?? .max)
        }
    }

    /// The object of a key, or nil; damage of this one or of the one before is thrown.
    @usableFromInline
    func object(_ index: Int) throws -> ObjectBase? {
        let object = try find(index)
        if session.damage != nil { try session.throwDamage() }
        return object
    }

    /// The object of a key, or nil; damage waits for the realm's next call that throws.
    @usableFromInline
    func objectNotingDamage(_ index: Int) -> ObjectBase? {
        do {
            return try find(index)
        } catch {
            session.damage = error
            return nil
        }
    }

    @inline(__always)
    private func find(_ index: Int) throws -> ObjectBase? {
        guard let access, session.generation.pointee.number == generation, !session.isWriting
        else { return try findAlone(index) }
        guard missing &>> UInt32(truncatingIfNeeded: index) & 1 == 0,
            let place = rows.value(index)
        else { return nil }
        return session.handle(
            type, key: row(index), in: table, try access.value(atPlace: place))
    }

    /// The object of a key as the realm shows it now.
    private func findAlone(_ index: Int) throws -> ObjectBase? {
        session.checkThread()
        let table = session.table(of: type)
        if others.isEmpty { return session.object(type, key: row(index), in: table) }
        return try session.key(forPrimaryKey: others[index], in: table).flatMap {
            session.object(type, key: $0, in: table)
        }
    }

    /// Throws damage that was found.
    @usableFromInline
    func throwDamage() throws { try session.throwDamage() }
}

/// The entries of up to 16 primary keys in their index.
private final class PrimaryKeyEntries {
    private let batch = KeyBatch()
    private let type: PropertyType?
    private var entry = IndexKey()
    /// Bit *i* is set if entry *i* has only the beginning of its value.
    private var cut: UInt32 = 0

    init(_ table: TableState) {
        type = table.properties.first(where: \.isPrimaryKey)?.type
    }

    /// Looks the entries up.
    func lookUp(
        _ constants: [RawConstant], in table: TableState, _ access: ReadAccess
    ) throws(StoreError) {
        batch.removeAll()
        cut = 0
        guard let type else { return }
        for (index, constant) in constants.enumerated() {
            constant.withRaw { entry.set($0, type: type) }
            entry.bytes.withUnsafeBytes { batch.append($0) }
            if entry.isCut { cut |= 1 << UInt32(index) }
        }
        try batch.lookUp(in: access.tree(of: table.stored.keyIndex), of: access.index)
    }

    /// Whether an entry says too little to be looked up by itself.
    func isCut(_ index: Int) -> Bool { cut >> UInt32(index) & 1 == 1 }

    /// The key of the row of an entry, or nil if there is none.
    func objectKey(_ index: Int) -> UInt64? { type == nil ? nil : batch.value(index) }
}

extension RealmSession {
    /// A primary key of a table in its stored form; stops where it can't be one.
    func constant<Key>(ofPrimaryKey key: Key, in table: TableState) -> RawConstant {
        guard let slot = table.info.primaryKeySlot else {
            misuse(
                "\(table.className) has no primary key: declare one with "
                    + "@Persisted(primaryKey: true), or look with `where`.")
        }
        let property = table.info.properties[slot]
        guard let constant = RawConstant(key: key, of: property) else {
            misuse(
                "Invalid value '\(key)' of type \(Key.self) for primary key "
                    + "'\(table.className).\(property.name)' of type \(property.valueType).")
        }
        return constant
    }
}
