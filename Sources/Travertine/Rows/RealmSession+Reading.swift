import TravertineStore

/// What looking an object's row up found.
enum Resolution {
    case found
    case missing
    case damaged
}

extension RealmSession {
    /// Looks the row of a handle up; false if the object was deleted.
    func resolve(_ object: ObjectBase) -> Bool { lookUp(object) != .missing }

    func lookUp(_ object: ObjectBase) -> Resolution {
        let table = object.table
        noteVisit(.row)
        recycling.feeder?._withUnsafeGuaranteedRef { $0.noteLookUp(of: object) }
        do {
            let known = try knownRow(of: object)
            guard object.invalidationCount == counts.invalidationCount,
                let row = try known ?? access.value(forKey: object.key, in: table.rows)
            else {
                object._stamp = Generation.unresolvedStamp
                object.rowGeneration = 0
                return .missing
            }
            object.isStaged = false
            return point(object, to: row, table) ? .found : .damaged
        } catch {
            damage = error
            object._stamp = Generation.unresolvedStamp
            object.rowGeneration = 0
            return .damaged
        }
    }

    /// Gives a handle the address of its row, as long as nothing is changed; the row is not read.
    @inline(__always)
    func locate(_ object: ObjectBase, at place: UInt64) {
        object._row = nil
        object._rowByteCount = Int(truncatingIfNeeded: place)
        object.rowGeneration = ~generation.pointee.number
        object._stamp = Generation.unresolvedStamp
    }

    /// Whether a handle knows where its row is, so that there is one.
    @inline(__always)
    func isLocated(_ object: ObjectBase) -> Bool {
        object.rowGeneration == ~generation.pointee.number
    }

    /// The row of a handle that knows where it is, or nil.
    private func knownRow(of object: ObjectBase) throws -> UnsafeRawBufferPointer? {
        guard isLocated(object) else { return nil }
        return try access.value(
            atPlace: UInt64(truncatingIfNeeded: object._rowByteCount))
    }

    /// Points a handle to a row; false if the row is damaged.
    @inline(__always)
    func point(_ object: ObjectBase, to row: UnsafeRawBufferPointer, _ table: TableState) -> Bool {
        do {
            let access = try table.access(of: row)
            object._row = row.baseAddress
            object._rowByteCount = row.count
            object._fieldOffsets = access.places
            object.rowGeneration = generation.pointee.number
            object._stamp = access.isComplete ? object.rowGeneration : Generation.unresolvedStamp
            return true
        } catch {
            damage = error
            object._stamp = Generation.unresolvedStamp
            object.rowGeneration = 0
            return false
        }
    }

    /// The value of a property: looks the row up if need be.
    func source(_ object: ObjectBase, offset: Int) -> PropertySource {
        if !isHere { return sourceElsewhere(object, offset) }
        if object.rowGeneration != generation.pointee.number {
            if let value = fedValue(object, offset) { return .value(value) }
            switch lookUp(object) {
            case .found: break
            case .missing: stopForDeleted(object)
            case .damaged: return .nothing
            }
        }
        return sourceInRow(object, offset)
    }

    /// What a column has of a property, if the handle is that of a loop that columns feed.
    @inline(__always)
    private func fedValue(_ object: ObjectBase, _ offset: Int) -> _RawValue? {
        guard let feeder = recycling.feeder else { return nil }
        return feeder._withUnsafeGuaranteedRef { $0.value(of: object, offset) }
    }

    /// As above, on a thread that is not the session's. The row of a frozen object was found when
    /// its handle was made, so that nothing is written.
    @inline(never)
    private func sourceElsewhere(_ object: ObjectBase, _ offset: Int) -> PropertySource {
        guard isFrozen else {
            checkThread()
            return source(object, offset: offset)
        }
        if object.rowGeneration == generation.pointee.number { return sourceInRow(object, offset) }
        // The row is damaged. This thread's own session looks at it again, and reports that.
        _ = here.lookUp(object.counterpart(in: here))
        return .nothing
    }

    private func sourceInRow(_ object: ObjectBase, _ offset: Int) -> PropertySource {
        let table = object.table
        guard let slot = table.info.slot(atOffset: offset) else { return .unmanaged }
        guard let places = object._fieldOffsets, let row = object._row else {
            return trackedSource(object, slot)
        }
        let raw = value(
            at: places[offset / 2], of: table.slots[slot].type, row, object._rowByteCount)
        return .value(table.value(at: slot, stored: raw))
    }

    /// What a row has at a field; nil for a field that its layout lacks.
    @inline(__always)
    func value(
        at place: _FieldOffset, of type: _StoredType, _ row: UnsafeRawPointer, _ byteCount: Int
    ) -> _RawValue? {
        place.isAbsent ? nil : place.value(in: row, byteCount: byteCount, shape: type.shape)
    }

    /// The row of a handle; stops if the object was deleted.
    func row(of object: ObjectBase) throws -> UnsafeRawBufferPointer {
        if object.rowGeneration != generation.pointee.number {
            switch lookUp(object) {
            case .found: break
            case .missing: stopForDeleted(object)
            case .damaged:
                try throwDamage()
            }
        }
        return UnsafeRawBufferPointer(start: object._row, count: object._rowByteCount)
    }

    func stopForDeleted(_ object: ObjectBase) -> Never {
        if isOfMigration { stopForObjectOfMigration(object) }
        misuse(
            "Object has been deleted or invalidated: a \(object.table.className) was used after it "
                + "was deleted, or after the transaction that added it was rolled back. Check "
                + "`isInvalidated` first, look it up again, or add a new object.")
    }

    /// A handle of the object with a key, or nil if there is none.
    func object<Model: ObjectBase>(_ type: Model.Type, key: UInt64) -> Model? {
        object(type, key: key, in: table(of: type))
    }

    /// A handle of the object with a key: of the table's class, or a dynamic one.
    func object(_ key: UInt64, in table: TableState) -> ObjectBase? {
        guard let info = table.classInfo, !isOfMigration else {
            return dynamicObject(key, in: table)
        }
        return object(info.type, key: key)
    }

    /// Whether there is an object with a key.
    func hasRow(_ key: UInt64, in table: TableState) throws -> Bool {
        if let open,
            open._withUnsafeGuaranteedRef({
                $0.isAfterLast(key, in: table.rows)
            })
        {
            return false
        }
        return try access.contains(key, in: table.rows)
    }

    /// The key of the object with a primary key, or nil.
    func key(forPrimaryKey constant: RawConstant, in table: TableState) throws -> UInt64? {
        try constant.withRaw { raw in
            Result { try key(forPrimaryKey: raw, in: table) }
        }.get()
    }

    /// The key of the object with a primary key, or nil.
    func key(forPrimaryKey raw: _RawValue, in table: TableState) throws -> UInt64? {
        let access = try access
        if table.stored.keyKind == .integerPrimaryKey {
            guard case .word(let word) = raw else { return nil }
            let key = StoredObjectType.objectKey(ofPrimaryKey: word)
            return try hasRow(key, in: table) ? key : nil
        }
        guard let slot = table.properties.firstIndex(where: \.isPrimaryKey) else { return nil }
        buffers.key.set(raw, type: table.properties[slot].type)
        if !buffers.key.isCut {
            return try buffers.key.withBytes { (key) throws(StoreError) in
                try access.indexValue(forKey: key, in: table.stored.keyIndex)
            }
        }
        return try cutKey(raw, slot, table, access)
    }

    /// Finds a string or data of more than 128 bytes: among the rows whose keys begin alike.
    private func cutKey(
        _ raw: _RawValue, _ slot: Int, _ table: TableState, _ access: ReadAccess
    ) throws -> UInt64? {
        guard case .bytes(let wanted) = raw else { return nil }
        let prefix = buffers.key.bytes
        var cursor = access.cursor(in: table.stored.keyIndex)
        var isValid = try prefix.withBytes { (key) throws(StoreError) in
            try cursor.seek(atOrAfter: key)
        }
        while isValid {
            guard cursor.withKey({ $0.starts(with: prefix) }) else { return nil }
            let key = cursor.indexValue
            if let row = try access.value(forKey: key, in: table.rows) {
                let value = table.value(at: slot, in: row, try table.binding(of: row))
                if case .bytes(let bytes) = value, bytes.elementsEqual(wanted) { return key }
            }
            isValid = try cursor.next()
        }
        return nil
    }

    /// Calls `body` with every row of a table in key order until it returns false; in a write
    /// transaction `body` must not change anything.
    @inline(__always)
    func scan(
        _ table: TableState, after start: UInt64? = nil,
        _ body: (UInt64, UnsafeRawBufferPointer) throws -> Bool
    ) throws {
        let access = try access
        let held = snapshot
        defer { withExtendedLifetime(held) {} }
        var cursor = access.cursor(in: table.rows)
        let isValid: Bool
        if let start {
            if start == .max { return }
            isValid = try withObjectKey(start + 1) { (key) throws(StoreError) in
                try cursor.seek(atOrAfter: key)
            }
        } else {
            isValid = try cursor.seekToFirst()
        }
        guard isValid else { return }
        try cursor.forEach(verified: false) { key, row in
            noteVisit(.row)
            return try body(objectKey(in: key), row)
        }
    }

    /// Calls `body` with the rows of a table in key order, some at a time, which are taken before.
    /// Not in a write transaction, whose changes would change what was taken.
    func scanInParts(
        _ table: TableState, _ body: (UnsafeBufferPointer<NumberedRow>) throws -> Void
    ) throws {
        assert(!isWriting)
        let access = try access
        let held = snapshot
        defer { withExtendedLifetime(held) {} }
        var cursor = access.cursor(in: table.rows)
        guard try cursor.seekToFirst() else { return }
        try withUnsafeTemporaryAllocation(
            of: NumberedRow.self, capacity: RawCursor.rowCountMax
        ) { rows in
            guard let start = rows.baseAddress else { return }
            while true {
                let taken = cursor.takeRows(into: start)
                try body(UnsafeBufferPointer(start: start, count: taken.count))
                if let failure = taken.failure { throw failure }
                if taken.count == 0 { return }
            }
        }
    }
}
