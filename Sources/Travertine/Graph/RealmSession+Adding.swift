import TravertineStore

/// The primary key of an object that is being added and has no row yet.
struct PendingKey: Hashable {
    private let type: UInt32
    private let value: QueryConstant

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
        if unstored.elements != nil, object.session === self {
            let table = object.table
            if !table.stored.isEmbedded { return keyWhileElementsWait(object, table) }
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

    /// Stops if an object is embedded and has an owner already. One that is just being added with its
    /// owner has a key and no row that is known.
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
    func nextKey(_ table: ObjectTable) throws -> UInt64 {
        let number = table.stored.number
        if let next = shared.nextKeys[number] {
            shared.nextKeys[number] = try key(after: next, table)
            return next
        }
        var next: UInt64 = 1
        let access = try access
        var cursor = access.cursor(in: table.stored.rows)
        if try cursor.seekToLast() {
            next = try key(after: cursor.withKey { objectKey(in: $0) }, table)
        }
        let floor = try StoredSchema.floorKey(number).withBytes { (key) throws(StoreError) in
            try access.value(forKey: key, in: shared.schemaKeyspace, verified: true)
        }
        if let floor, floor.count == 8 {
            next = max(next, UInt64(littleEndian: floor.loadUnaligned(as: UInt64.self)))
        }
        shared.nextKeys[number] = try key(after: next, table)
        return next
    }

    /// The key behind another: a damaged one may be the last that there is.
    private func key(after key: UInt64, _ table: ObjectTable) throws -> UInt64 {
        let (next, overflows) = key.addingReportingOverflow(1)
        guard !overflows else {
            throw Realm.Error(
                .invalidDatabase,
                "No key is left for another object of '\(table.stored.name)'. Run "
                    + "`travertine fsck` on the directory.", fileURL: shared.fileURL)
        }
        return next
    }

    /// Encodes an object's row and stores it, with everything derived from it.
    func store(
        _ object: ObjectBase, _ table: ObjectTable, _ key: UInt64, exists: Bool,
        _ transaction: WriteTransaction
    ) throws {
        let info = table.info
        if !insertion.preparedPieces.isEmpty {
            insertion.preparedPieces.removeAll(keepingCapacity: true)
        }
        let hidden = try hiddenValues(of: exists ? key : nil, table)
        if exists { try removeDerived(of: key, table, transaction, keepingPrimaryKey: true) }
        insertion.isMakingRow = true
        defer { insertion.isMakingRow = false }
        for place in info.pieceSlots.indices {
            let slot = info.pieceSlots[place]
            let wrapper = info.wrappers[slot]
            wrapper.valueType._encode(
                object._memory + wrapper.offset, of: object, into: encoder, slot: slot)
            if let failure { throw failure }
        }
        try encode(table) { binding in
            if hidden.isEmpty {
                for place in binding.order.indices {
                    encodeProperty(binding.order[place], of: object, info)
                }
                return
            }
            for slot in binding.order {
                if slot < table.visibleCount {
                    encodeProperty(slot, of: object, info)
                } else {
                    hidden[slot - table.visibleCount].withRaw { encoder.put($0, at: slot) }
                }
            }
        }
        // A link to an object that its property does not admit.
        if let failure { throw failure }
        let row = encoder.row
        try withObjectKey(key) { (rowKey) throws(StoreError) in
            try transaction.put(rawKey: rowKey, rawValue: row, in: table.stored.rows)
        }
        if !exists, !hidden.isEmpty { try addHidden(hidden, of: key, table, transaction) }
        // Indexes may be over properties that the class does not declare.
        if info.derivedSlots.isEmpty, table.indexes.isEmpty { return }
        noteNew(key, in: table)
        let binding = encoder.usedBinding
        for place in info.derivedSlots.indices {
            let slot = info.derivedSlots[place]
            let property = table.traits[slot]
            if property.isPrimaryKey, exists, property.index == 0 { continue }
            guard !property.isCollection,
                let raw = binding._withUnsafeGuaranteedRef({ $0.value(at: slot, in: row) })
            else {
                continue
            }
            if property.isPrimaryKey, !exists {
                try enterPrimaryKey(raw, property.type, key: key, table, transaction)
            }
            try addDerived(of: key, property, raw, transaction)
            if property.type == .any, case .bytes(let bytes) = raw {
                try CollectionStorage(self, table, key, slot).retain(bytes)
            }
        }
        if table.indexes.isEmpty { return }
        let kept = binding.takeUnretainedValue()
        try addIndexEntries(of: key, in: table) { table.value(at: $0, in: row, kept) }
    }

    /// The values of the stored properties that the class leaves out: those of an object that exists,
    /// else the defaults.
    private func hiddenValues(
        of key: UInt64?, _ table: ObjectTable
    ) throws -> [StoredDefault] {
        let slots = table.visibleCount..<table.properties.count
        if slots.isEmpty { return [] }
        if let key, let row = try access.value(forKey: key, in: table.stored.rows) {
            let binding = try table.binding(of: row)
            return slots.map { StoredDefault(table.value(at: $0, in: row, binding)) }
        }
        return slots.map { slot in
            defaultConstant(at: slot, in: table).withRaw { StoredDefault($0) }
        }
    }

    private func addHidden(
        _ values: [StoredDefault], of key: UInt64, _ table: ObjectTable,
        _ transaction: WriteTransaction
    ) throws {
        for (place, value) in values.enumerated() {
            let property = table.traits[table.visibleCount + place]
            if property.isCollection { continue }
            try value.withRaw { raw in
                Result { try addDerived(of: key, property, raw, transaction) }
            }.get()
        }
    }

    /// Enters a value that the object didn't have before: nothing to compare with or to count on.
    func addDerived(
        of key: UInt64, _ property: SlotTraits, _ raw: _RawValue,
        _ transaction: WriteTransaction
    ) throws {
        if property.index != 0 {
            try withUnsafeTemporaryAllocation(
                byteCount: IndexKey.shortByteCountMax, alignment: 8
            ) { room in
                if let entry = IndexKey.short(raw, type: property.type, of: key, in: room) {
                    return try transaction.indexEnter(entry, value: key, in: property.index)
                }
                scratchKey.set(raw, type: property.type)
                scratchKey.append(key)
                try scratchKey.withBytes { (entry) throws(StoreError) in
                    try transaction.indexEnter(entry, value: key, in: property.index)
                }
            }
        }
        if property.backlinks != 0, case .word(let target) = raw {
            linkChangeCount &+= 1
            try withBacklinkKey(UInt64(bitPattern: target), key) { (entry) throws(StoreError) in
                try transaction.indexEnter(entry, value: 1, in: property.backlinks)
            }
        }
    }

    @inline(__always)
    private func encodeProperty(_ slot: Int, of object: ObjectBase, _ info: ClassInfo) {
        let property = info.wrappers[slot]
        let storage = object._memory + property.offset
        switch property.form {
        case .int:
            let wrapper = storage.assumingMemoryBound(to: Persisted<Int>.self)
            encoder.putWord(Int64(wrapper.pointee.storage ?? 0), at: slot)
        case .optionalInt:
            let wrapper = storage.assumingMemoryBound(to: Persisted<Int?>.self)
            if let value = wrapper.pointee.storage ?? nil {
                encoder.putWord(Int64(value), at: slot)
            } else {
                encoder.putNull(at: slot)
            }
        case .string:
            let wrapper = storage.assumingMemoryBound(to: Persisted<String>.self)
            encodeText(wrapper.pointee.storage ?? "", slot)
        case .optionalString:
            let wrapper = storage.assumingMemoryBound(to: Persisted<String?>.self)
            if let value = wrapper.pointee.storage ?? nil {
                encodeText(value, slot)
            } else {
                encoder.putNull(at: slot)
            }
        case .double:
            let wrapper = storage.assumingMemoryBound(to: Persisted<Double>.self)
            encoder.putWord(
                Int64(bitPattern: (wrapper.pointee.storage ?? 0).bitPattern), at: slot)
        case .bool:
            let wrapper = storage.assumingMemoryBound(to: Persisted<Bool>.self)
            encoder.putWord(wrapper.pointee.storage ?? false ? 1 : 0, at: slot)
        case .other:
            property.valueType._encode(storage, of: object, into: encoder, slot: slot)
        }
    }

    @inline(__always)
    private func encodeText(_ text: String, _ slot: Int) {
        var text = text
        text.withUTF8 { encoder.putVariable(UnsafeRawBufferPointer($0), at: slot) }
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
