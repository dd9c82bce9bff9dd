import TravertineStore

/// Changing stored objects: properties, rows, layouts, and the derived keyspaces that follow them.
extension RealmSession {
    // MARK: Properties

    /// Sets a property of a managed object.
    func set(_ object: ObjectBase, offset: Int, to raw: _RawValue) {
        set(object, slot: object.table.info.requiredSlot(atOffset: offset), to: raw)
    }

    /// Sets a property of a managed object.
    func set(_ object: ObjectBase, slot: Int, to raw: _RawValue) {
        if failure != nil { return requireWriting() }
        let transaction = requireTransactionReference()
        guard let table = object.tableReference else { return }
        do {
            try table._withUnsafeGuaranteedRef { table in
                if table.traits[slot].isPrimaryKey {
                    try checkPrimaryKeyIsUnchanged(object, table, slot, raw)
                    return
                }
                try transaction._withUnsafeGuaranteedRef {
                    try write(object, table, slot, raw, $0)
                }
                try deleteOrphans()
            }
        } catch {
            fail(error)
        }
    }

    private func checkPrimaryKeyIsUnchanged(
        _ object: ObjectBase, _ table: ObjectTable, _ slot: Int, _ raw: _RawValue
    ) throws {
        let row = try row(of: object)
        let current = table.value(at: slot, in: row, try table.binding(of: row))
        require(
            current.isSame(as: raw),
            "Primary key can't be changed after an object is inserted: add an object with the new "
                + "key and delete this one (\(table.className).\(table.properties[slot].name)).")
    }

    private func write(
        _ object: ObjectBase, _ table: ObjectTable, _ slot: Int, _ raw: _RawValue,
        _ transaction: WriteTransaction
    ) throws {
        var row = try stagedRow(of: object, table, transaction)
        if !table.traits[slot].isFollowed {
            changeCount &+= 1
            // Storing in place calls nothing that could replace the layout.
            let face = try table.face(of: UnsafeRawBufferPointer(row))
            let isStored = face.binding?._withUnsafeGuaranteedRef {
                $0.store(raw, at: slot, in: row)
            }
            if isStored == true { return }
        }
        let binding = try table.binding(of: UnsafeRawBufferPointer(row))
        if table.traits[slot].isFollowed {
            let property = table.properties[slot]
            if case .null = raw { noteNil(property, ofKey: object.key, in: table) }
            if table.isInIndexes[slot] {
                try moveIndexEntries(
                    of: object.key, in: table, UnsafeRawBufferPointer(row), binding, slot: slot,
                    to: raw)
            }
            let old = table.value(at: slot, in: UnsafeRawBufferPointer(row), binding)
            try moveDerived(of: object.key, property, from: old, to: raw, transaction, in: table)
            advance()
            _ = point(object, to: UnsafeRawBufferPointer(row), table)
            object.isStaged = true
            changeCount &+= 1
            if binding.store(raw, at: slot, in: row) { return }
        }
        row = try rewrite(
            UnsafeRawBufferPointer(row), key: object.key, table, binding, slot: slot, to: raw)
        advance()
        _ = point(object, to: UnsafeRawBufferPointer(row), table)
        object.isStaged = true
    }

    /// The transaction's own copy of an object's row (P26).
    private func stagedRow(
        of object: ObjectBase, _ table: ObjectTable, _ transaction: WriteTransaction
    ) throws -> UnsafeMutableRawBufferPointer {
        if object.isStaged, object.rowGeneration == generation.pointee.number,
            let row = object._row
        {
            return UnsafeMutableRawBufferPointer(
                start: UnsafeMutableRawPointer(mutating: row), count: object._rowByteCount)
        }
        guard object.invalidationCount == invalidationCount else { stopForDeleted(object) }
        let staged = try withObjectKey(object.key) { (key) throws(StoreError) in
            try transaction.stagedRow(forKey: key, in: table.stored.rows)
        }
        guard let staged else { stopForDeleted(object) }
        advance()
        guard point(object, to: UnsafeRawBufferPointer(staged), table) else {
            try throwDamage()
            throw table.damagedRow()
        }
        object.isStaged = true
        return staged
    }

    /// Replaces a property's piece in the row of an object that may have no handle.
    func replace(
        _ raw: _RawValue, at slot: Int, ofKey key: UInt64, in table: ObjectTable
    ) throws {
        let transaction = requireTransaction()
        let staged = try withObjectKey(key) { (key) throws(StoreError) in
            try transaction.stagedRow(forKey: key, in: table.stored.rows)
        }
        guard let staged else { return }
        advance()
        let binding = try table.binding(of: UnsafeRawBufferPointer(staged))
        if binding.store(raw, at: slot, in: staged) { return }
        _ = try rewrite(
            UnsafeRawBufferPointer(staged), key: key, table, binding, slot: slot, to: raw)
    }

    /// Encodes a row again, with another value, in the layout that new rows get.
    private func rewrite(
        _ row: UnsafeRawBufferPointer, key: UInt64, _ table: ObjectTable, _ binding: LayoutBinding,
        slot changed: Int, to raw: _RawValue
    ) throws -> UnsafeMutableRawBufferPointer {
        try encode(table) { target in
            for slot in target.order {
                encoder.put(
                    slot == changed ? raw : table.value(at: slot, in: row, binding), at: slot)
            }
        }
        let encoded = encoder.row
        let transaction = requireTransaction()
        let staged = try withObjectKey(key) { (key) throws(StoreError) in
            try transaction.stageRow(
                forKey: key, byteCount: encoded.count, in: table.stored.rows)
        }
        staged.copyMemory(from: encoded)
        return staged
    }

    // MARK: Layouts

    /// Encodes a row in the layout that new rows get, which is widened if something doesn't fit.
    @inline(__always)
    func encode(_ table: ObjectTable, _ body: (LayoutBinding) throws -> Void) throws {
        while true {
            let binding = try table.currentBinding()
            encoder.begin(binding)
            try body(binding)
            if !encoder.hasMisfit { return }
            try widen(table)
        }
    }

    /// Makes a layout in which the row just encoded fits, and lets new rows have it.
    private func widen(_ table: ObjectTable) throws {
        let current = try table.currentBinding().layout
        let needed = encoder.neededWidths
        let fields = table.stored.properties.map { property in
            let entry = current.entries.first { $0.property == property.number }
            var width = Int(entry?.width ?? 0)
            if let slot = table.slot(ofProperty: property.number), let other = needed[slot] {
                width = max(width, other)
            }
            return Layout.Field(
                property: property.number, type: property.storedType,
                width: max(width, property.type.narrowestWidth))
        }
        guard table.stored.nextLayout < .max,
            let layout = Layout(
                number: table.stored.nextLayout, fields: fields,
                endWidth: max(Int(current.endWidth), encoder.neededEndWidth))
        else {
            throw Realm.Error(
                .invalidInput,
                "\(table.stored.name) has too many properties for a row, or 65,535 "
                    + "layouts; copy its objects into a new realm.")
        }
        let transaction = requireTransaction()
        try StoredSchema.put(
            layout, of: table.stored.number, transaction, shared.schemaKeyspace)
        var stored = table.stored
        stored.currentLayout = layout.number
        stored.nextLayout += 1
        try StoredSchema.put(stored, transaction, shared.schemaKeyspace)
        change(stored)
        advance()
    }

    // MARK: Derived keyspaces

    /// Moves an object's entry in an index, or its backlink, to another value.
    func moveDerived(
        of key: UInt64, _ property: StoredProperty, from old: _RawValue?, to new: _RawValue?,
        _ transaction: WriteTransaction, in table: ObjectTable
    ) throws {
        if let old, let new, old.isSame(as: new) { return }
        if property.index != 0 {
            if let old {
                scratchKey.set(old, type: property.type)
                scratchKey.append(key)
                _ = try scratchKey.withBytes { (entry) throws(StoreError) in
                    try transaction.indexDelete(entry, in: property.index)
                }
            }
            if let new {
                scratchKey.set(new, type: property.type)
                scratchKey.append(key)
                _ = try scratchKey.withBytes { (entry) throws(StoreError) in
                    try transaction.indexPut(entry, value: key, in: property.index)
                }
            }
        }
        if property.type == .any, property.collection == .none,
            let slot = table.slot(ofProperty: property.number)
        {
            let place = CollectionStorage(self, table, key, slot)
            if case .bytes(let bytes) = old {
                try Array(bytes).withUnsafeBytes { try place.release($0) }
            }
            if case .bytes(let bytes) = new { try place.retain(bytes) }
        } else if property.backlinks != 0, property.collection == .none {
            if case .word(let target) = old {
                try changeBacklink(
                    property, UInt64(bitPattern: target), key, by: -1, transaction)
            }
            if case .word(let target) = new {
                try changeBacklink(
                    property, UInt64(bitPattern: target), key, by: 1, transaction)
            }
        }
    }

    /// Counts the links that one object's property has to another; an entry of 0 is deleted.
    func changeBacklink(
        _ property: StoredProperty, _ target: UInt64, _ source: UInt64, by change: Int,
        _ transaction: WriteTransaction, targetType: UInt32? = nil
    ) throws {
        let keyspace = property.backlinks
        changeCount &+= 1
        linkChangeCount &+= 1
        if change < 0, property.isOwning {
            unstored.orphans.append(Orphan(property.target, target, type: targetType))
        }
        guard let targetType else {
            return try withBacklinkKey(target, source) { (entry) throws(StoreError) in
                try transaction.indexAdd(change, toNumberOf: entry, in: keyspace)
            }
        }
        scratchKey.set(backlinkTo: target, ofType: targetType)
        scratchKey.append(source)
        try scratchKey.withBytes { (entry) throws(StoreError) in
            try transaction.indexAdd(change, toNumberOf: entry, in: keyspace)
        }
    }

    /// Enters or deletes an object's primary key.
    func enterPrimaryKey(
        _ raw: _RawValue, _ type: PropertyType, key: UInt64, _ table: ObjectTable,
        _ transaction: WriteTransaction, deleting: Bool = false
    ) throws {
        if table.stored.keyIndex == 0 { return }
        scratchKey.set(raw, type: type)
        if scratchKey.isCut { scratchKey.append(key) }
        try scratchKey.withBytes { (entry) throws(StoreError) in
            if deleting {
                _ = try transaction.indexDelete(entry, in: table.stored.keyIndex)
            } else {
                _ = try transaction.indexPut(entry, value: key, in: table.stored.keyIndex)
            }
        }
    }
}
