/// Write transactions that wait without blocking a thread (T-L3).
extension Realm {
    /// What names an asynchronous write transaction, or its commit, of one realm.
    public typealias AsyncTransactionId = UInt32

    /// Runs `block` in a write transaction on the realm's actor, and returns when it is on the
    /// disk; a throw rolls it back and is thrown on.
    ///
    /// No thread waits for the transactions of others, nor for the disk. In the meantime other code
    /// of the actor runs; it does not see the changes before they are durable.
    ///
    /// - Throws: what `block` throws, as `write`, and `CancellationError` if the task is cancelled
    ///   while it waits for its turn; later it runs to its end. Stops on another actor.
    @discardableResult
    public nonisolated(nonsending) func asyncWrite<Result>(
        _ block: () throws -> Result
    ) async throws -> Result {
        try await session.asyncWrite(block)
    }

    /// Runs `block` in a write transaction when it is its turn, on the realm's queue or actor, and
    /// commits it without waiting for the disk.
    ///
    /// Returns at once. A realm's transactions begin in the order of these calls. A throw rolls its
    /// transaction back. The realm, and its actor, are kept until it is done.
    ///
    /// - Parameters:
    ///   - block: called once, in the transaction.
    ///   - onComplete: called on the queue or actor when the commit is on the disk, or with what
    ///     went wrong.
    /// - Returns: what `cancelAsyncWrite` takes.
    @discardableResult
    public func writeAsync(
        _ block: @escaping () throws -> Void, onComplete: (((any Swift.Error)?) -> Void)? = nil
    ) -> AsyncTransactionId {
        session.requireAsyncWrites("writeAsync")
        let session = session
        let complete = onComplete ?? { _ in }
        return session.enqueueWrite(
            {
                session.beginReuse()
                defer { session.endReuse() }
                do {
                    try block()
                } catch {
                    if session.isWriting { session.cancelWrite() }
                    return complete(error)
                }
                if session.isWriting {
                    _ = session.commitAsyncWrite(complete)
                } else {
                    complete(nil)
                }
            }, orFail: complete)
    }

    /// Calls `block` in a write transaction when it is its turn, on the realm's queue or actor.
    ///
    /// The block ends with `commitAsyncWrite`, `commitWrite` or `cancelWrite`; without, its changes
    /// are rolled back. The realm, and its actor, are kept until it is done. Where the transaction
    /// can't begin, it is called all the same, changes do nothing, and the commit has the failure.
    ///
    /// - Returns: what `cancelAsyncWrite` takes.
    @discardableResult
    public func beginAsyncWrite(_ block: @escaping () -> Void) -> AsyncTransactionId {
        session.requireAsyncWrites("beginAsyncWrite")
        let session = session
        return session.enqueueWrite(block) { error in
            session.scope = WriteScope(isUnbegun: true, failure: error)
            block()
            if session.isWriting { session.cancelWrite() }
        }
    }

    /// Commits the write transaction without waiting for the disk.
    ///
    /// The next transaction may begin at once. The changes are visible, in this realm too, when
    /// they are durable. The realm, and its actor, are kept until then.
    ///
    /// - Parameters:
    ///   - allowGrouping: has no effect: commits that wait for the disk at the same time share one
    ///     sync.
    ///   - onComplete: called on the queue or actor when the commit is on the disk, or with what
    ///     went wrong; then nothing of the transaction stays, unless the error is that of a sync.
    /// - Returns: what `cancelAsyncWrite` takes.
    @discardableResult
    public func commitAsyncWrite(
        allowGrouping: Bool = false, _ onComplete: (((any Swift.Error)?) -> Void)? = nil
    ) -> AsyncTransactionId {
        session.requireAsyncWrites("commitAsyncWrite")
        return session.commitAsyncWrite(onComplete ?? { _ in })
    }

    /// Removes a block that waits for its turn, which is not called then, or what is called after a
    /// commit, which goes on. Does nothing if there is neither any more.
    public func cancelAsyncWrite(_ asyncTransactionId: AsyncTransactionId) throws {
        session.requireAsyncWrites("cancelAsyncWrite")
        session.cancelAsyncWrite(asyncTransactionId)
    }

    /// Whether write transactions of the realm wait for their turn or for the disk.
    public var isPerformingAsynchronousWriteOperations: Bool {
        if session.frozen != nil { return false }
        session.checkThread()
        return !session.asyncWrites.isIdle
    }

    /// Shows the newest commit; returns whether that changed anything.
    @discardableResult
    public nonisolated(nonsending) func asyncRefresh() async -> Bool { refresh() }
}
