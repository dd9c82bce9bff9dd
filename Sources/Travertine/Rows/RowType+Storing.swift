import TravertineStore

extension RowType {
    /// Stores the object of a draft, in a write transaction; one with its primary key is replaced,
    /// with all that it has.
    ///
    /// Properties that the draft gives no value have their defaults; those that the class leaves
    /// out keep what a replaced object had. What `check` finds is thrown before anything is
    /// changed; after any other error the transaction or savepoint has to be rolled back.
    ///
    /// - Returns: the object's key, and whether there was none before.
    @discardableResult
    package func store(_ draft: ObjectDraft) throws -> (key: UInt64, isNew: Bool) {
        session.requireWriting()
        if let failure = session.failure { throw failure }
        let transaction = session.requireTransaction()
        try check(draft)
        var key: UInt64?
        if let keySlot {
            guard let raw = draft.raw(keySlot) else {
                throw Realm.Error(
                    .invalidInput,
                    "Missing value for primary key '\(name).\(fields[keySlot].name)'.",
                    fileURL: session.shared.fileURL)
            }
            key = try session.key(forPrimaryKey: raw, in: table)
            if key == nil, table.stored.keyKind == .integerPrimaryKey, case .word(let word) = raw {
                let own = StoredObjectType.objectKey(ofPrimaryKey: word)
                try store(draft, own, exists: false, transaction)
                return (own, true)
            }
        }
        let isNew = key == nil
        let own = try key ?? session.nextKey(table)
        try store(draft, own, exists: !isNew, transaction)
        return (own, isNew)
    }

    /// Checks that the row of a draft, and each element of its large collections, is not too large
    /// to be stored.
    ///
    /// - Throws: `Realm.Error` with `.invalidInput`.
    package func check(_ draft: ObjectDraft) throws(Realm.Error) {
        let most = Store.valueByteCountMax - (64 << 10)
        if draft.byteCount > most {
            let byteCount = draft.largestPieceByteCount
            guard byteCount <= most else {
                throw Realm.Error(
                    .invalidInput,
                    "An object of '\(name)', or an element of it, takes \(byteCount) bytes; at "
                        + "most \(most) are stored.", fileURL: session.shared.fileURL)
            }
        }
        for child in draft.children { try child.draft.type.check(child.draft) }
    }

    private func store(
        _ draft: ObjectDraft, _ key: UInt64, exists: Bool, _ transaction: WriteTransaction
    ) throws {
        for child in draft.children {
            try child.draft.type.store(child.draft, child.key, exists: false, transaction)
        }
        let kept = try exists ? keptValues(of: key, draft) : [:]
        if exists {
            let replaced = fields.indices.filter { fields[$0].isHidden && draft.isSet($0) }
            try session.removeDerived(
                of: key, table, transaction, keepingPrimaryKey: true, replacing: replaced)
        }
        var trees: [Int: [UInt8]] = [:]
        for slot in fields.indices {
            guard let batch = draft.largeBatch(slot) else { continue }
            trees[slot] = try CollectionStorage(session, table, key, slot).piece(batch)
        }
        try session.encode(table) { binding in
            for slot in binding.order {
                if let value = kept[slot] {
                    value.withRaw { session.encoder.put($0, at: slot) }
                } else {
                    put(draft, slot, trees)
                }
            }
        }
        let row = session.encoder.row
        try withObjectKey(key) { (rowKey) throws(StoreError) in
            try transaction.put(rawKey: rowKey, rawValue: row, in: table.stored.rows)
        }
        try addDerived(draft, key, exists: exists, keeping: kept, row, transaction)
        session.advance()
        for (slot, value) in draft.later { try setLater(slot, value, key) }
        if exists { try session.deleteOrphans() }
    }

    /// What an object that is replaced keeps: values that its class leaves out and the draft too.
    private func keptValues(
        of key: UInt64, _ draft: ObjectDraft
    ) throws -> [Int: StoredDefault] {
        guard table.visibleCount < fields.count,
            let row = try session.access.value(forKey: key, in: table.stored.rows)
        else { return [:] }
        let binding = try table.binding(of: row)
        var values: [Int: StoredDefault] = [:]
        for slot in table.visibleCount..<fields.count where !draft.isSet(slot) {
            values[slot] = StoredDefault(table.value(at: slot, in: row, binding))
        }
        return values
    }

    @inline(__always)
    private func put(_ draft: ObjectDraft, _ slot: Int, _ trees: [Int: [UInt8]]) {
        if let raw = draft.raw(slot) {
            session.encoder.put(raw, at: slot)
        } else if let tree = trees[slot] {
            tree.withUnsafeBytes { session.encoder.put(.bytes($0), at: slot) }
        } else {
            session.defaultConstant(at: slot, in: table).withRaw {
                session.encoder.put($0, at: slot)
            }
        }
    }

    /// Enters the object into everything that is derived from its row, except what it kept.
    private func addDerived(
        _ draft: ObjectDraft, _ key: UInt64, exists: Bool, keeping kept: [Int: StoredDefault],
        _ row: UnsafeRawBufferPointer, _ transaction: WriteTransaction
    ) throws {
        session.noteNew(key, in: table)
        let binding = try table.currentBinding()
        for slot in derivedSlots where kept[slot] == nil {
            let property = table.properties[slot]
            if property.collection != .none {
                let batch = draft.largeBatch(slot) ?? draft.inlineBatch(slot)
                try CollectionStorage(session, table, key, slot).addBacklinks(batch)
                continue
            }
            guard let raw = binding.value(at: slot, in: row) else { continue }
            if property.isPrimaryKey, !exists {
                try session.enterPrimaryKey(raw, property.type, key: key, table, transaction)
            }
            try session.addDerived(of: key, table.traits[slot], raw, transaction)
            if property.isVarying, case .bytes(let bytes) = raw, !bytes.isEmpty {
                try CollectionStorage(session, table, key, slot).retain(bytes)
            }
        }
        try session.addIndexEntries(of: key, in: table) { table.value(at: $0, in: row, binding) }
    }

    private func setLater(_ slot: Int, _ value: Any, _ key: UInt64) throws {
        guard let object = session.dynamicObject(key, in: table) else { throw table.damagedRow() }
        try session.setThrowing(object, slot: slot, toAny: value)
        if let failure = session.failure { throw failure }
    }
}
