import TravertineStore

extension RowType {
    /// Stores the object of a draft, in a write transaction; one with its primary key is replaced,
    /// with all that it has.
    ///
    /// Properties that the draft gives no value have their defaults. What is wrong with the draft
    /// itself is thrown before anything is changed; after any other error the transaction has to
    /// be rolled back.
    ///
    /// - Returns: the object's key, and whether there was none before.
    @discardableResult
    package func store(_ draft: ObjectDraft) throws -> (key: UInt64, isNew: Bool) {
        let transaction = core.requireTransaction()
        if let failure = core.failure { throw failure }
        try checkSize(draft)
        var key: UInt64?
        if let keySlot {
            guard let raw = draft.raw(keySlot) else {
                throw Realm.Error(
                    .invalidInput,
                    "Missing value for primary key '\(name).\(fields[keySlot].name)'.",
                    fileURL: core.shared.fileURL)
            }
            key = try core.key(forPrimaryKey: raw, in: table)
            if key == nil, table.stored.keyKind == .integerPrimaryKey, case .word(let word) = raw {
                let own = StoredObjectType.objectKey(ofPrimaryKey: word)
                try store(draft, own, exists: false, transaction)
                return (own, true)
            }
        }
        let isNew = key == nil
        let own = try key ?? core.nextKey(table)
        try store(draft, own, exists: !isNew, transaction)
        return (own, isNew)
    }

    /// A row that is too large is refused while nothing of it is stored.
    private func checkSize(_ draft: ObjectDraft) throws {
        let rest = Store.valueByteCountMax - (64 << 10)
        guard draft.byteCount <= rest else {
            throw Realm.Error(
                .invalidInput,
                "An object of '\(name)' takes \(draft.byteCount) bytes; at most \(rest) are "
                    + "stored.", fileURL: core.shared.fileURL)
        }
        for child in draft.children { try child.draft.type.checkSize(child.draft) }
    }

    private func store(
        _ draft: ObjectDraft, _ key: UInt64, exists: Bool, _ transaction: WriteTransaction
    ) throws {
        for child in draft.children {
            try child.draft.type.store(child.draft, child.key, exists: false, transaction)
        }
        if exists { try core.removeDerived(of: key, table, transaction, keepingPrimaryKey: true) }
        var trees: [Int: [UInt8]] = [:]
        for slot in fields.indices {
            guard let batch = draft.largeBatch(slot) else { continue }
            trees[slot] = try CollectionStorage(core, table, key, slot).piece(batch)
        }
        try core.encode(table) { binding in
            for slot in binding.order { put(draft, slot, trees) }
        }
        let row = core.encoder.row
        try withObjectKey(key) { (rowKey) throws(StoreError) in
            try transaction.put(rawKey: rowKey, rawValue: row, in: table.stored.rows)
        }
        try addDerived(draft, key, exists: exists, row, transaction)
        core.advance()
        for (slot, value) in draft.later { try setLater(slot, value, key) }
        if exists { try core.deleteOrphans() }
    }

    @inline(__always)
    private func put(_ draft: ObjectDraft, _ slot: Int, _ trees: [Int: [UInt8]]) {
        if let raw = draft.raw(slot) {
            core.encoder.put(raw, at: slot)
        } else if let tree = trees[slot] {
            tree.withUnsafeBytes { core.encoder.put(.bytes($0), at: slot) }
        } else {
            core.defaultConstant(at: slot, in: table).withRaw { core.encoder.put($0, at: slot) }
        }
    }

    /// Enters the object into everything that is derived from its row.
    private func addDerived(
        _ draft: ObjectDraft, _ key: UInt64, exists: Bool, _ row: UnsafeRawBufferPointer,
        _ transaction: WriteTransaction
    ) throws {
        for slot in derivedSlots {
            let property = table.properties[slot]
            if property.collection != .none {
                let batch = draft.largeBatch(slot) ?? draft.inlineBatch(slot)
                try CollectionStorage(core, table, key, slot).addBacklinks(batch)
                continue
            }
            guard let raw = try table.currentBinding().value(at: slot, in: row) else { continue }
            if property.isPrimaryKey, !exists {
                try core.enterPrimaryKey(raw, property.type, key: key, table, transaction)
            }
            try core.addDerived(of: key, property, raw, transaction)
        }
    }

    private func setLater(_ slot: Int, _ value: Any, _ key: UInt64) throws {
        guard let object = core.dynamicObject(key, in: table) else { throw table.damagedRow() }
        try core.setThrowing(object, slot: slot, toAny: value)
        if let failure = core.failure { throw failure }
    }
}
