import TravertineStore

/// Parts of a write transaction that can fail alone.
extension Realm {
    /// Runs `body` as a part of the write transaction: when it throws, or a change in it fails, its
    /// changes are undone, those made before it stay, and the error is thrown on.
    ///
    /// Live handles show what they showed before; objects that were added in it are invalidated.
    /// Savepoints nest.
    @discardableResult
    public func savepoint<Result>(_ body: () throws -> Result) throws -> Result {
        try session.throwingRealmErrors { try session.savepoint(body) }
    }

    /// Adds an object as `add` does, throwing at once what `add` keeps for the commit; the
    /// transaction stays as it was before.
    public func insert(_ object: Object, update: UpdatePolicy = .error) throws {
        try session.keepingAddedValues {
            try checkedSavepoint { session.add(object, update: update) }
        }
    }
}

extension RealmFetchable where Self: ObjectBase {
    /// Sets a property, throwing at once what the setter keeps for the commit; the transaction
    /// stays as it was before, and objects that the value leads to are unmanaged again.
    public func set<Value>(
        _ value: Value, for keyPath: ReferenceWritableKeyPath<Self, Value>
    ) throws {
        guard let realm else {
            self[keyPath: keyPath] = value
            return
        }
        try realm.session.keepingAddedValues {
            try realm.checkedSavepoint { self[keyPath: keyPath] = value }
        }
    }
}

extension RealmSession {
    func savepoint<Result>(_ body: () throws -> Result) throws -> Result {
        requireWriting()
        if let failure { throw failure }
        let transaction = requireTransaction()
        try flushAppends()
        try flushUnstored()
        // A row that a handle changed in place belongs to the state that a failure restores:
        // the next change through the handle must make another copy.
        advance()
        let firstUsed = scope.firstUsed
        do {
            return try transaction.savepoint {
                let result = try body()
                if let failure { throw failure }
                try flushAppends()
                try throwDamage()
                try flushUnstored()
                return result
            }
        } catch {
            unstored = UnstoredChanges()
            caches = SessionCaches()
            scope.failure = nil
            scope.note?.noteUndone()
            forgetWhatWasFound()
            advance()
            if open != nil {
                undoFirstUses(since: firstUsed)
                try renewTables()
            }
            throw error
        }
    }
}
