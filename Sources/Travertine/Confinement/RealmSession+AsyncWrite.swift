import TravertineStore

/// Asynchronous write transactions of a session on an actor (T-L3).
extension RealmSession {
    /// Runs `block` in a transaction that begins when it is its turn, and returns when that is on
    /// the disk. No thread waits.
    nonisolated(nonsending) func asyncWrite<Result>(
        _ block: () throws -> Result
    ) async throws -> Result {
        requireAsyncWrites("asyncWrite")
        require(
            !scope.isUnbegun,
            "The Realm is already in a write transaction, which could not begin. Call `commitWrite` "
                + "or `cancelWrite` before beginning another.")
        asyncWrites.taskCount += 1
        defer {
            asyncWrites.taskCount -= 1
            // What others committed in the meantime.
            if !observations.isEmpty { observations.schedule() }
        }
        try await beginInTurn()
        let result: Result
        let outcome = Signal<StoreError?>()
        do {
            beginReuse()
            defer { endReuse() }
            result = try block()
            guard isWriting else { return result }
            try throwingRealmErrors {
                try commitWrite(ending: {
                    try $0.commitWithoutWaiting(durability: configuration.durability) {
                        outcome.send($0)
                    }
                })
            }
        } catch {
            if isWriting { cancelWrite() }
            throw error
        }
        comeForPendingWrite()
        if let error = await outcome.wait() {
            throw Realm.Error(error, fileURL: shared.fileURL)
        }
        checkThread()
        showAsyncCommit()
        return result
    }

    /// Begins a write transaction when it is its turn.
    ///
    /// - Throws: `CancellationError` if the task is cancelled before; the failure of a transaction
    ///   that other code of the actor could not begin in the meantime, and has not ended.
    private nonisolated(nonsending) func beginInTurn() async throws {
        let gate = shared.store.gate
        let turn = Signal<Void>()
        let guest = Guest(writer) { turn.send(()) }
        while true {
            if Task.isCancelled {
                if !gate.withdraw(guest) { gate.decline(guest) }
                throw CancellationError()
            }
            reportBeforeAsyncWrite()
            // Other code of the actor may have left a transaction that could not begin.
            if scope.isUnbegun, let failure {
                if !gate.withdraw(guest) { gate.decline(guest) }
                throw failure
            }
            let begun = try throwingRealmErrors { try shared.beginWrite(guest) }
            if let begun {
                do {
                    checkThread()
                    try throwDamage()
                    try checkVersionCount()
                    return try throwingRealmErrors {
                        try begin(begun, after: observations.isEmpty ? nil : shownVersion())
                    }
                } catch {
                    begun.rollback()
                    throw error
                }
            }
            do {
                try throwingRealmErrors { try gate.checkNotInside(guest) }
            } catch {
                if !gate.withdraw(guest) { gate.decline(guest) }
                throw error
            }
            await withTaskCancellationHandler {
                await turn.wait()
            } onCancel: {
                if gate.withdraw(guest) { turn.send(()) }
            }
        }
    }
}
