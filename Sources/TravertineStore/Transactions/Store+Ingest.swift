#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Filling a store from a sequence, in many transactions.
extension Store {
    /// Puts the records of a sequence, many in each transaction: the fast way to fill a store.
    ///
    /// ```swift
    /// let report = try store.ingest(capitals, batchSize: 5000) { report in
    ///     print(report.recordCount)
    /// }
    /// ```
    ///
    /// Each batch is all or nothing; between two of them other writers have their turn. The
    /// sequence is read inside of a write transaction: it should not wait for anything, and may
    /// not write to the store itself. A key that is there gets the new value, also from a later
    /// record. Memory follows the batch, not the sequence.
    ///
    /// - Parameters:
    ///   - records: keys with their values; a dictionary will do.
    ///   - keyspace: where the records go.
    ///   - batchSize: the records of one transaction, at least 1.
    ///   - durability: of each transaction. Whatever it is, all records are durable when this
    ///     returns.
    ///   - progress: called with what is stored after each transaction.
    /// - Returns: what was stored.
    /// - Throws: `IngestError` with what was stored before, and the cause: `.misuse` for a batch
    ///   size below 1 or inside a write transaction of the same thread, and what `write` throws.
    @discardableResult
    public func ingest<Key: ByteSource, Value: ByteSource>(
        _ records: some Sequence<(key: Key, value: Value)>, into keyspace: Keyspace = .default,
        batchSize: Int = 1000, durability: Durability = .unsynced,
        progress: ((IngestReport) -> Void)? = nil
    ) throws(IngestError) -> IngestReport {
        var report = IngestReport()
        do throws(StoreError) {
            if batchSize < 1 {
                throw StoreError(.misuse, "A batch has at least one record, not \(batchSize).")
            }
            var iterator = records.makeIterator()
            var next = iterator.next()
            while let first = next {
                let transaction = try beginWrite()
                var batch = report
                do throws(StoreError) {
                    next = first
                    var isFull = false
                    while let record = next, !isFull {
                        try transaction.put(record.value, forKey: record.key, in: keyspace)
                        batch.recordCount += 1
                        batch.byteCount += Self.byteCount(record.key) + Self.byteCount(record.value)
                        isFull = batch.recordCount - report.recordCount == batchSize
                        next = iterator.next()
                    }
                    try transaction.commit(durability: durability)
                } catch {
                    transaction.rollback()
                    throw error
                }
                batch.transactionCount += 1
                report = batch
                progress?(report)
            }
            try sync()
        } catch {
            throw IngestError(cause: error, storedRecordCount: report.recordCount)
        }
        return report
    }

    private static func byteCount(_ source: some ByteSource) -> Int {
        source.withBytes { $0.count }
    }
}

extension IngestError: LocalizedError {
    /// The description, for `localizedDescription`.
    public var errorDescription: String? { description }
}
