import TravertineStore

/// Storing drafts of objects, as documents and imports make them.
extension RowType {
    /// Stores the object of a draft, in a write transaction; one with its primary key is replaced,
    /// with all that it has.
    ///
    /// Properties that the draft gives no value have their defaults; those that the class leaves
    /// out keep what a replaced object had. What `check` finds is thrown before anything is
    /// changed; after any other error the transaction or savepoint must be rolled back.
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
        try session.rowWriter(table, transaction).store(
            DraftSource(draft, session, table), key: key, exists: exists)
        session.advance()
        for (slot, value) in draft.later { try setLater(slot, value, key) }
        if exists { try session.deleteOrphans() }
    }

    private func setLater(_ slot: Int, _ value: Any, _ key: UInt64) throws {
        guard let object = session.dynamicObject(key, in: table) else { throw table.damagedRow() }
        try session.setThrowing(object, slot: slot, toAny: value)
        if let failure = session.failure { throw failure }
    }
}
