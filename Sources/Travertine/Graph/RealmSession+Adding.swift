import TravertineStore

/// The primary key of an object that is being added and has no row yet.
struct PendingKey: Hashable {
    private let type: UInt32
    private let value: RawConstant

    init(_ type: UInt32, _ raw: _RawValue) {
        self.type = type
        value =
            switch raw {
            case .null: .null
            case .word(let word): .word(word)
            case .bytes(let bytes): .bytes(Array(bytes))
            }
    }
}

/// Adding objects.
extension RealmSession {
    /// Adds an object and everything it links to; managed objects of this realm stay as they are.
    func add(_ object: ObjectBase, update: Realm.UpdatePolicy) {
        // Held: values are asked for what is stored of them, and that is users' code, which may end
        // the transaction.
        guard mayChange() else { return }
        let transaction = requireTransaction()
        if object.session === self {
            checkIsHere(object)
            return
        }
        checkCanBeAdded(object)
        do {
            try insert(object, update, transaction)
            try deleteOrphans()
        } catch {
            fail(error)
        }
    }

    /// Stops for an object that another realm has, and for one without class.
    func checkCanBeAdded(_ object: ObjectBase) {
        requireThawed(object)
        require(
            object.session == nil,
            "Object is already managed by another Realm. Create instead to copy it into this "
                + "Realm.")
        require(
            !(object is DynamicObject),
            "A DynamicObject can't be added: make it with `realm.dynamicCreate`.")
    }

    /// The key that a link to an object stores; the object is added if it is unmanaged. One whose
    /// primary key exists would overwrite the stored object with all values that it was not given:
    /// it is refused, unless an update sets the link.
    func keyForLink(to object: ObjectBase) -> UInt64? {
        if unstored.appends != nil, object.session === self {
            let table = object.table
            if !table.stored.isEmbedded { return keyDuringAppends(object, table) }
        }
        checkIsFree(object)
        add(object, update: object.session === self ? .error : linkPolicy)
        if failure != nil { return nil }
        checkIsHere(object)
        return object.key
    }

    /// What becomes of stored objects with the primary keys of unmanaged ones that are linked to.
    private var linkPolicy: Realm.UpdatePolicy {
        insertion.linkedUpdate ?? (ValuesTarget.updated === self ? .modified : .error)
    }

    /// Stops if an object is embedded and has an owner already. One that is just being added with
    /// its owner has a key and no row that is known.
    func checkIsFree(_ object: ObjectBase) {
        guard object.session === self, object.table.stored.isEmbedded, !insertion.isMakingRow else {
            return
        }
        // A dynamic object that was just made for its owner has none yet.
        let isFree = object is DynamicObject && hasNoOwner(object.key, in: object.table)
        require(
            isFree,
            "Can't set link to existing managed embedded object: it belongs to another object "
                + "already. Make a copy of it with `\(type(of: object))(value:)`, or change its place "
                + "in its list with `move` or `swapAt`.")
    }

    /// Stops if an object was deleted. One that is just being added has no row yet.
    func checkIsHere(_ object: ObjectBase) {
        if object.rowGeneration == ObjectBase.beingAdded || isLocated(object) { return }
        if object.rowGeneration != generation.pointee.number, lookUp(object) == .missing {
            stopForDeleted(object)
        }
    }

    func duplicateKey(_ object: ObjectBase, _ property: ClassInfo.Property) -> Realm.Error {
        duplicateKey(
            ofType: object.info.storedName, property.valueType._any(object, property.offset))
    }

    /// The error of an object of a stored type whose primary key exists.
    func duplicateKey(ofType name: String, _ value: Any?) -> Realm.Error {
        var message =
            "Attempting to create an object of type '\(name)' with an existing primary key value "
            + "'\(value.map { "\($0)" } ?? "nil")'. Pass `update: .modified` or `.all` to change the "
            + "existing object."
        if let id = value as? ObjectId, id == ObjectId() {
            message += " The identifier is all zeros: use `ObjectId.generate()`."
        }
        return Realm.Error(.duplicatePrimaryKey, message, fileURL: shared.fileURL)
    }

    /// The key of the next object of a table.
    func nextKey(_ table: TableState) throws -> UInt64 {
        let number = table.stored.number
        if let next = shared.nextKeys[number] {
            shared.nextKeys[number] = try key(after: next, table)
            return next
        }
        var next: UInt64 = 1
        let access = try access
        var cursor = access.cursor(in: table.rows)
        var last: UInt64?
        if try cursor.seekToLast() { last = cursor.withKey { objectKey(in: $0) } }
        if let last, last != .max { next = last + 1 }
        let floor = try StoredSchema.floorKey(number).withBytes { (key) throws(StoreError) in
            try access.value(forKey: key, in: shared.schemaKeyspace, verified: true)
        }
        if let floor, floor.count == 8 {
            next = max(next, UInt64(littleEndian: floor.loadUnaligned(as: UInt64.self)))
        }
        if last == .max { next = try keyInGap(after: next, table) }
        shared.nextKeys[number] = try key(after: next, table)
        return next
    }

    /// The key after another: a damaged one may be the last that there is.
    private func key(after key: UInt64, _ table: TableState) throws -> UInt64 {
        let (next, overflows) = key.addingReportingOverflow(1)
        guard !overflows else { throw noKeyLeft(table) }
        return next
    }

    func noKeyLeft(_ table: TableState) -> Realm.Error {
        Realm.Error(
            .invalidDatabase,
            "No key is left for another object of '\(table.stored.name)'. Run "
                + "`travertine fsck` on the directory.", fileURL: shared.fileURL)
    }
}

extension ObjectBase {
    /// The `rowGeneration` of an object between getting its key and getting its row.
    static var beingAdded: UInt64 { .max }

    /// Makes an object unmanaged again, after adding it failed.
    final func unbind() {
        if session != nil, table.isEncodable { setManaged(false) }
        session = nil
        tableReference = nil
        _stamp = 0
        rowGeneration = 0
    }
}
