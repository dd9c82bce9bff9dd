import TravertineStore

/// Write transactions: how they begin and end, and what a change demands of one.
extension RealmSession {
    /// Begins a write transaction, once no other thread or process has one. Before it waits, shows
    /// the newest version to the observations, if there are any.
    func beginWrite() throws {
        requireLive()
        checkThread()
        require(
            !isWriting,
            "The Realm is already in a write transaction. Call `commitWrite` or `cancelWrite` "
                + "before beginning another; transactions don't nest.")
        try shared.checkIsWritable()
        try throwDamage()
        try checkVersionCount()
        let before = observations.isEmpty ? nil : try refreshBeforeWriting()
        try begin(shared.store.beginWrite(as: writer), after: before)
    }

    /// Begins a write transaction; a failure is kept, so that changes do nothing and the commit
    /// throws it.
    func beginWriteKeepingFailure() {
        do {
            try beginWrite()
        } catch {
            scope = WriteScope(isUnbegun: true, failure: error)
        }
    }

    /// Commits the write transaction with the configuration's durability, as the other
    /// `commitWrite` does.
    ///
    /// - Parameter silent: the observations that the transaction's changes are not reported to.
    func commitWrite(withoutNotifying silent: [Observation] = []) throws {
        try commitWrite(withoutNotifying: silent) { transaction in
            transaction.keepsSnapshot = scope.versions != nil
            try transaction.commit(durability: configuration.durability)
        }
    }

    /// Checks what commits check, stores what waits, commits, and shows and reports the new
    /// version. If anything fails before `ending` has returned, the transaction is rolled back.
    ///
    /// - Parameter ending: commits the store's transaction. What it commits without keeping its
    ///   snapshot is shown and reported when it is published.
    func commitWrite(
        withoutNotifying silent: [Observation] = [], ending: (WriteTransaction) throws -> Void
    ) throws {
        checkThread()
        if isOfMigration { checkMigrationHasEnded() }
        if scope.isUnbegun, let failure {
            cancelWrite()
            throw failure
        }
        guard let transaction else {
            misuse(
                "Can't commit a non-existing write transaction: call `beginWrite` first.")
        }
        do {
            if let failure { throw failure }
            try flushAppends()
            try throwDamage()
            if !scope.requiredChecks.isEmpty { try checkRequiredLinks() }
            if !scope.uniqueChecks.isEmpty { try checkUniqueValues() }
            try flushAppends()
            try flushUnstored()
            for type in scope.typesWithDeletions { try storeNextKey(ofType: type) }
            if let firstUsed = scope.firstUsed {
                transaction.willBeSeen = { [shared, configuration] in
                    shared.enter(firstUsed, configuration)
                }
            }
            try ending(transaction)
            for table in registry.all where scope.changedTypes.contains(table.stored.number) {
                shared.replace(table.stored)
            }
        } catch {
            cancelWrite()
            throw error
        }
        defer { reportToTracker() }
        guard let versions = scope.versions else { return end() }
        let committed = transaction.committed
        let isReported = transaction.keepsSnapshot
        // Without one the versions are compared. With another schema, interests are others.
        let note = scope.changedTypes.isEmpty && scope.firstUsed == nil ? scope.note : nil
        end()
        do {
            if isReported {
                try reportOwnCommit(committed, versions, note, withoutNotifying: silent)
            } else {
                try show(versions.before)
            }
        } catch {
            // The transaction is committed all the same.
            damage = error
        }
    }

    /// Rolls the write transaction back. The realm shows the version again that it showed before.
    func cancelWrite() {
        checkThread()
        if isOfMigration { checkMigrationHasEnded() }
        if scope.isUnbegun {
            scope = WriteScope()
            wakeObservers()
            comeForPendingWrite()
            return
        }
        guard let transaction else {
            misuse(
                "Can't cancel a non-existing write transaction: call `beginWrite` first.")
        }
        transaction.rollback()
        for table in registry.all where scope.changedTypes.contains(table.stored.number) {
            table.noteUndone()
        }
        unstored = UnstoredChanges()
        caches = SessionCaches()
        undoFirstUses(since: nil)
        let before = scope.versions?.before
        end()
        // What was reported last goes on being shown: nothing that is newer was reported yet.
        if let before {
            do { try show(before) } catch { damage = error }
        }
        reportToTracker()
    }

    /// Whether a change may go on: nothing in the transaction failed yet. Stops when there is none.
    func mayChange() -> Bool {
        requireWriting()
        return failure == nil
    }

    /// Whether an element may be appended to a list; those that wait go on waiting.
    func mayAppend() -> Bool {
        if !scope.isUnbegun { _ = requireOpenTransaction() } else { checkThread() }
        return failure == nil
    }

    /// Stops when there is no transaction.
    @inline(__always)
    func requireWriting() {
        if !scope.isUnbegun { _ = requireTransactionReference() } else { checkThread() }
    }

    /// The transaction, for a change; stops when there is none.
    func requireTransaction() -> WriteTransaction {
        requireTransactionReference().takeUnretainedValue()
    }

    /// The transaction, for a change that does not end it: nothing is counted.
    func requireTransactionReference() -> Unmanaged<WriteTransaction> {
        if unstored.appends != nil { flushAppendsRecordingFailure() }
        return requireOpenTransaction()
    }

    /// The transaction, for what leaves waiting elements as they are.
    func requireOpenTransaction() -> Unmanaged<WriteTransaction> {
        checkThread()
        guard let open else {
            requireLive()
            if isOfMigration { stopForChangeOfOldObject() }
            misuse(
                "Attempting to modify object outside of a write transaction - call beginWrite() on "
                    + "a Realm instance first, or put the change into `realm.write { }`.")
        }
        return open
    }

    private func storeNextKey(ofType number: UInt32) throws {
        guard let next = shared.nextKeys[number], let transaction else { return }
        let value = withUnsafeBytes(of: next.littleEndian, Array.init)
        try StoredSchema.floorKey(number).withBytes { key in
            try value.withBytes { value in
                try transaction.putOfDeletion(
                    rawKey: key, rawValue: value, in: shared.schemaKeyspace)
            }
        }
    }
}
