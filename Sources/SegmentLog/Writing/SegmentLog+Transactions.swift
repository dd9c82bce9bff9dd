extension SegmentLog {
    /// A place in the open transaction that `rollback(to:)` can return to.
    package struct Mark: BitwiseCopyable, Sendable {
        var lsn: LSN
        var count: Int
        var headersChecksum: UInt32
        var recordCount: UInt32
        var kinds: UInt32
    }

    /// Begins a transaction. Costs a few stores; no file is touched before the first append.
    package func beginTransaction() {
        precondition(writer.isRecovered, "recover comes before the first transaction")
        precondition(!writer.isInTransaction, "one transaction at a time")
        writer.isInTransaction = true
        writer.isCompaction = false
        writer.isShortOfSpace = false
        writer.usesReserve = false
        writer.mayUseReserve = false
        writer.transactionFirstLSN = writer.nextLSN
        writer.transactionWrittenByteCount = 0
        writer.transactionFailure = writer.isClosed ? .closed : nil
        batch.pointee.drop()
        batch.pointee.kinds = 0
    }

    /// Remembers this place of the open transaction.
    package func mark() -> Mark {
        let state = batch.pointee
        return Mark(
            lsn: writer.nextLSN, count: state.count, headersChecksum: state.headersChecksum,
            recordCount: state.recordCount, kinds: state.kinds)
    }

    /// Makes everything that was appended after `mark` void.
    ///
    /// Cuts the buffer; when a part is written already, appends a record of the rollback.
    package func rollback(to mark: Mark) throws(LogError) {
        precondition(writer.isInTransaction, "rollback needs a transaction")
        if let failure = writer.transactionFailure { throw failure }
        if mark.lsn == writer.nextLSN {
            batch.pointee.kinds = mark.kinds
            if mark.count == 0 {
                batch.pointee.drop()
            } else {
                batch.pointee.count = mark.count
                batch.pointee.headersChecksum = mark.headersChecksum
                batch.pointee.recordCount = mark.recordCount
            }
            return
        }
        batch.pointee.drop()
        batch.pointee.kinds = mark.kinds
        let place = TransactionPlace(
            lsn: mark.lsn, offset: UInt32(max(mark.count, BatchHeader.byteCount)))
        try place.rollbackValue.withUnsafeBufferPointer {
            (bytes: UnsafeBufferPointer<UInt8>) throws(LogError) in
            let value = UnsafeRawBufferPointer(bytes)
            let key = UnsafeRawBufferPointer(start: nil, count: 0)
            try append(kind: .rollback, keyspace: .system, key: key, value: value)
        }
    }

    /// Hands the transaction to the system and ends it.
    ///
    /// After an error nothing of it will ever count, unless the error is `commitOutcomeUnknown`.
    /// - Parameter isDeleteOnly: lets the transaction use the space that is kept for deleting.
    /// - Returns: the LSN to wait for; when nothing was appended, the last one there is.
    @discardableResult
    package func commitTransaction(isDeleteOnly: Bool) throws(LogError) -> LSN {
        precondition(writer.isInTransaction, "commit needs beginTransaction")
        defer { abortTransaction() }
        if let failure = writer.transactionFailure { throw failure }
        let hasWritten = writer.nextLSN != writer.transactionFirstLSN
        guard batch.pointee.count > 0 || hasWritten else { return writer.nextLSN.previous }
        try durability.checkIsHealthy()
        let mayUseReserve = isDeleteOnly || writer.mayUseReserve
        do throws(LogError) {
            if batch.pointee.count == 0 {
                try beginBatch(recordByteCount: 0, mayUseReserve: mayUseReserve)
            }
            return try writeBatch(isLast: true, mayUseReserve: mayUseReserve)
        } catch {
            if case .diskFull = error { writer.isShortOfSpace = true }
            throw error
        }
    }

    /// Whether the newest transaction was refused for lack of room; not for one of compaction's.
    /// The writing thread.
    package var hasRefusedForSpace: Bool { writer.isShortOfSpace && !writer.isCompaction }

    /// Ends the transaction. Batches of it that are written already are dead: their last one is
    /// missing. Does nothing when no transaction is open.
    package func abortTransaction() {
        batch.pointee.drop()
        writer.isInTransaction = false
        writer.transactionFailure = nil
    }
}
