import TravertineStore

/// Changing properties of stored objects, and the layouts of their rows.
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
                if table.traits(at: slot).isPrimaryKey {
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
        _ object: ObjectBase, _ table: TableState, _ slot: Int, _ raw: _RawValue
    ) throws {
        let row = try row(of: object)
        let current = table.value(at: slot, in: row, try table.binding(of: row))
        require(
            current.isSame(as: raw),
            "Primary key can't be changed after an object is inserted: add an object with the new "
                + "key and delete this one (\(table.className).\(table.properties[slot].name)).")
    }

    @inline(__always)
    private func write(
        _ object: ObjectBase, _ table: TableState, _ slot: Int, _ raw: _RawValue,
        _ transaction: WriteTransaction
    ) throws {
        let row = try stagedRow(of: object, table, transaction)
        counts.changeCount &+= 1
        if !table.traits(at: slot).isFollowed {
            // Storing in place calls nothing that could replace the layout.
            let access = try table.access(of: UnsafeRawBufferPointer(row))
            let isStored = access.binding?._withUnsafeGuaranteedRef { binding in
                if scope.isNoting {
                    return storeNoting(raw, at: slot, of: table, key: object.key, in: row, binding)
                }
                return binding.store(raw, at: slot, in: row)
            }
            if isStored == true { return }
        }
        let changed = try rowWriter(table, transaction).patch(
            raw, at: slot, ofKey: object.key, in: row)
        advance()
        _ = point(object, to: UnsafeRawBufferPointer(changed), table)
        object.isStaged = true
    }

    /// The transaction's own copy of an object's row (O12).
    private func stagedRow(
        of object: ObjectBase, _ table: TableState, _ transaction: WriteTransaction
    ) throws -> UnsafeMutableRawBufferPointer {
        if object.isStaged, object.rowGeneration == generation.pointee.number,
            let row = object._row
        {
            return UnsafeMutableRawBufferPointer(
                start: UnsafeMutableRawPointer(mutating: row), count: object._rowByteCount)
        }
        guard object.invalidationCount == counts.invalidationCount else { stopForDeleted(object) }
        let staged = try withObjectKey(object.key) { (key) throws(StoreError) in
            try transaction.stagedRow(forKey: key, in: table.rows)
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

    // MARK: Layouts

    /// Encodes a row in the layout that new rows get, which is widened if something doesn't fit.
    ///
    /// - Returns: the row, which is valid until the next one is encoded.
    @inline(__always)
    func encode(
        _ table: TableState, _ body: (LayoutBinding, _RowEncoder) throws -> Void
    ) throws -> UnsafeRawBufferPointer {
        // The session keeps the encoder, which keeps the layout that it was given last.
        try Unmanaged.passUnretained(buffers.encoder)._withUnsafeGuaranteedRef { encoder in
            require(
                !encoder.isInUse,
                "An object is added or changed while the values of another one are stored: a custom "
                    + "type's `persistableValue` must not write.")
            encoder.isInUse = true
            defer { encoder.isInUse = false }
            while true {
                encoder.begin(try table.currentBinding())
                try encoder.usedBinding._withUnsafeGuaranteedRef { try body($0, encoder) }
                if !encoder.hasMisfit { return encoder.row }
                try widen(table)
            }
        }
    }

    /// Makes a layout in which the row just encoded fits, and lets new rows have it.
    private func widen(_ table: TableState) throws {
        let current = try table.currentBinding().layout
        let needed = buffers.encoder.neededWidths
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
                endWidth: max(Int(current.endWidth), buffers.encoder.neededEndWidth))
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
}
