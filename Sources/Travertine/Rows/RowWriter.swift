import TravertineStore

/// Stores, changes and removes the rows of a table, with all that is derived from them. Nothing
/// else does.
///
/// Each of the three computes the changes of derived keyspaces from the values before and after
/// (`DerivedRules.collect`), changes the row, and applies them. What a row owns (nodes of
/// collections, nested values) is released before anything takes its place. Handles must look their
/// rows up again afterwards: callers advance the generation.
struct RowWriter {
    let session: RealmSession
    let table: TableState
    let transaction: WriteTransaction

    // MARK: Storing

    /// Stores the row of an object, new or in place of the one that it has.
    @inline(__always)
    func store<Source: RowSource>(_ source: Source, key: UInt64, exists: Bool) throws {
        if session.scope.isNoting { session.noteStored(key, of: table, exists: exists) }
        if exists, try replace(source, key: key) { return }
        try source.storePieces(of: key, self)
        let row = try encode(source, kept: nil)
        try put(row, key: key)
        if table.rules.isEmpty { return }
        if table.rules.isPoint { try session.enterNewPoint(key, in: table) }
        session.noteNew(key, in: table)
        let binding = session.buffers.encoder.usedBinding
        try session.withEntries { entries in
            table.rules.collect(
                of: key, from: NoValues(),
                to: RowValues(
                    table: table, row: row, binding: binding.takeUnretainedValue()),
                into: entries)
            try session.apply(entries, of: key, in: table, transaction)
        }
    }

    /// Stores a row in place of the one that is there; false if there is none.
    @inline(never)
    private func replace<Source: RowSource>(_ source: Source, key: UInt64) throws -> Bool {
        try withCopyOfRow(key) { old in
            let point = table.rules.isPoint ? try session.indexedPoint(key, in: table) : nil
            let before = try table.values(of: old)
            for slot in table.ownedSlots where source.hasValue(at: slot) {
                try release(slot, of: key, before.value(at: slot))
            }
            try source.storePieces(of: key, self)
            let row = try encode(source, kept: before)
            try put(row, key: key)
            session.noteNew(key, in: table)
            let binding = session.buffers.encoder.usedBinding
            try session.withEntries { entries in
                table.rules.collect(
                    of: key, from: before,
                    to: RowValues(
                        table: table, row: row, binding: binding.takeUnretainedValue()),
                    into: entries)
                try session.apply(entries, of: key, in: table, transaction)
            }
            if let point { try session.move(point) }
        }
    }

    /// Encodes a row; what the source has no value for is kept, or has its default.
    @inline(__always)
    private func encode<Source: RowSource>(
        _ source: Source, kept: RowValues?
    ) throws -> UnsafeRawBufferPointer {
        let row = try session.encode(table) { binding, encoder in
            for position in binding.order.indices {
                let slot = binding.order[position]
                if source.hasValue(at: slot) {
                    source.encode(slot, into: encoder)
                } else if let kept {
                    encoder.put(kept.value(at: slot), at: slot)
                } else {
                    session.defaultConstant(at: slot, in: table).withRaw {
                        encoder.put($0, at: slot)
                    }
                }
            }
        }
        // A link to an object that its property does not admit.
        if let failure = session.failure { throw failure }
        return row
    }

    @inline(__always)
    private func put(_ row: UnsafeRawBufferPointer, key: UInt64) throws {
        try withObjectKey(key) { (rowKey) throws(StoreError) in
            try transaction.put(rawKey: rowKey, rawValue: row, in: table.rows)
        }
    }

    // MARK: Changing

    /// Changes one property of an object that may have no handle; nothing if there is no such
    /// object.
    func patch(_ raw: _RawValue, at slot: Int, ofKey key: UInt64) throws {
        let staged = try withObjectKey(key) { (rowKey) throws(StoreError) in
            try transaction.stagedRow(forKey: rowKey, in: table.rows)
        }
        guard let staged else { return }
        session.advance()
        _ = try patch(raw, at: slot, ofKey: key, in: staged)
    }

    /// Changes one property in the transaction's own copy of a row.
    ///
    /// - Returns: where the row is now.
    func patch(
        _ raw: _RawValue, at slot: Int, ofKey key: UInt64, in row: UnsafeMutableRawBufferPointer
    ) throws -> UnsafeMutableRawBufferPointer {
        let before = try table.values(of: UnsafeRawBufferPointer(row))
        if session.scope.isNoting { session.noteSet(raw, at: slot, of: before, key: key) }
        guard table.traits(at: slot).isFollowed else {
            if before.binding.store(raw, at: slot, in: row) { return row }
            return try rewrite(before, key: key, slot: slot, to: raw)
        }
        if case .null = raw { session.noteNil(table.properties[slot], ofKey: key, in: table) }
        let point = table.rules.isPoint ? try indexedPoint(key, before, at: slot) : nil
        var changed = row
        try session.withEntries { entries in
            table.rules.collect(
                of: key, changing: slot, from: before,
                to: ChangedRowValues(values: before, slot: slot, raw: raw), into: entries)
            let nested = nestedCollection(at: slot, before, replacedBy: raw)
            if !before.binding.store(raw, at: slot, in: row) {
                changed = try rewrite(before, key: key, slot: slot, to: raw)
            }
            if let nested { try release(nested, at: slot, of: key) }
            try session.apply(entries, of: key, in: table, transaction)
        }
        if let point { try session.move(point) }
        return changed
    }

    /// The point that indexes have of a row, before a slot of it changes. Nodes of a large list
    /// have changed by then, and `CollectionStorage`, which changed them, moves the point.
    private func indexedPoint(
        _ key: UInt64, _ before: RowValues, at slot: Int
    ) throws -> IndexedPoint? {
        if table.properties[slot].collection != .none,
            case .bytes(let piece) = before.value(at: slot),
            case .tree = CollectionPiece(piece)
        {
            return nil
        }
        return try session.indexedPoint(key, in: table)
    }

    /// Encodes a row again, with another value, in the layout that new rows get.
    private func rewrite(
        _ before: RowValues, key: UInt64, slot changed: Int, to raw: _RawValue
    ) throws -> UnsafeMutableRawBufferPointer {
        let encoded = try session.encode(table) { target, encoder in
            for slot in target.order {
                encoder.put(slot == changed ? raw : before.value(at: slot), at: slot)
            }
        }
        let staged = try withObjectKey(key) { (rowKey) throws(StoreError) in
            try transaction.stageRow(
                forKey: rowKey, byteCount: encoded.count, in: table.rows)
        }
        staged.copyMemory(from: encoded)
        return staged
    }

    // MARK: Removing

    /// Removes a row, and all that is derived from it and owned by it.
    func remove(key: UInt64) throws {
        let point = table.rules.isPoint ? try session.indexedPoint(key, in: table) : nil
        let isThere = try withCopyOfRow(key) { row in
            let before = try table.values(of: row)
            for slot in table.ownedSlots {
                if table.properties[slot].type == .any {
                    session.unstored.nodes.deleteNumbering(
                        of: CollectionStorage(session, table, key, slot).owner)
                }
                try release(slot, of: key, before.value(at: slot))
            }
            try session.withEntries { entries in
                table.rules.collect(of: key, from: before, to: NoValues(), into: entries)
                try session.apply(entries, of: key, in: table, transaction)
            }
        }
        if isThere, session.scope.isNoting { session.noteDeleted(key, of: table) }
        _ = try withObjectKey(key) { (rowKey) throws(StoreError) in
            try transaction.delete(rawKey: rowKey, in: table.rows)
        }
        if let point { try session.move(point) }
    }

    /// Asks for the leaves of all entries that are removed with a row, so that the waits for them,
    /// each in another tree and at another position, overlap.
    func askForEntries(of key: UInt64, _ row: UnsafeRawBufferPointer) {
        // Damage is found, and reported, by what follows.
        guard let before = try? table.values(of: row) else { return }
        session.withEntries { entries in
            table.rules.collect(
                of: key, from: before, to: NoValues(), skipsIndexes: true, into: entries)
            for position in 0..<entries.count {
                let entry = entries[position]
                transaction.ask(forKey: entries.key(of: entry), in: entry.keyspace)
            }
        }
    }

    // MARK: What a row owns

    /// Releases what a slot owns: the elements of a collection, or the collection in a value of any
    /// type.
    private func release(_ slot: Int, of key: UInt64, _ raw: _RawValue) throws {
        if table.properties[slot].collection != .none {
            try CollectionStorage(session, table, key, slot).removeAll(updatingRow: false)
        } else if case .bytes(let bytes) = raw,
            case .collection = MixedCode.reference(in: bytes)
        {
            try release(Array(bytes), at: slot, of: key)
        }
    }

    /// A copy of a value of any type that is a collection, if another value takes its place.
    private func nestedCollection(
        at slot: Int, _ before: RowValues, replacedBy raw: _RawValue
    ) -> [UInt8]? {
        guard table.traits(at: slot).isMixed, case .bytes(let bytes) = before.value(at: slot),
            case .collection = MixedCode.reference(in: bytes),
            !_RawValue.bytes(bytes).isSame(as: raw)
        else { return nil }
        return Array(bytes)
    }

    private func release(_ nested: [UInt8], at slot: Int, of key: UInt64) throws {
        try nested.withUnsafeBytes {
            try CollectionStorage(session, table, key, slot).releaseCollection($0)
        }
    }

    /// Calls `body` with a copy of a row, which itself is where it is until the next change only;
    /// false if there is none.
    private func withCopyOfRow(
        _ key: UInt64, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> Bool {
        guard let row = try transaction.access.value(forKey: key, in: table.rows) else {
            return false
        }
        try withUnsafeTemporaryAllocation(byteCount: row.count, alignment: 8) { copy in
            copy.copyMemory(from: row)
            try body(UnsafeRawBufferPointer(copy))
        }
        return true
    }
}

extension RealmSession {
    /// Stores, changes and removes the rows of a table in the write transaction.
    @inline(__always)
    func rowWriter(_ table: TableState, _ transaction: WriteTransaction) -> RowWriter {
        RowWriter(session: self, table: table, transaction: transaction)
    }
}
