import OrderedIndex
import SegmentLog

/// Savepoints: parts of a transaction that are rolled back alone (T8).
extension WriteTransaction {
    /// Everything that must be put back when a savepoint is rolled back to.
    private struct Mark {
        var index: IndexWriter.Savepoint
        var log: SegmentLog.Mark
        var overwrittenCount: Int
        var appended: AppendedRecords.Mark
        var isDeleteOnly: Bool
        var stagedCount: Int
        var catalogChangeCount: Int
    }

    /// Runs `body` as a nested transaction: when it throws, its changes are rolled back, those made
    /// before it stay, and the error is thrown on. Savepoints nest.
    @discardableResult
    public func savepoint<Result>(_ body: () throws -> Result) throws -> Result {
        try checkActive()
        try applyEntries()
        let mark = Mark(
            index: writer.savepoint(), log: log.mark(), overwrittenCount: overwritten.count,
            appended: appended.mark, isDeleteOnly: isDeleteOnly, stagedCount: staged.count,
            catalogChangeCount: catalogChanges.count)
        savepointDepth += 1
        defer { savepointDepth -= 1 }
        do {
            let result = try body()
            if isActive { writer.release(mark.index) }
            return result
        } catch {
            if isActive { try rollback(to: mark) }
            throw error
        }
    }

    private func rollback(to mark: Mark) throws(StoreError) {
        entries.removeAll()
        writer.rollback(to: mark.index)
        overwritten.removeSubrange(mark.overwrittenCount...)
        staged.truncate(to: mark.stagedCount)
        catalogChanges.truncate(to: mark.catalogChangeCount)
        do {
            try log.rollback(to: mark.log)
        } catch {
            throw fail(StoreError(error))
        }
        appended.rollback(to: mark.appended)
        isDeleteOnly = mark.isDeleteOnly
    }
}
