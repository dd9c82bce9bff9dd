import SegmentLog

/// What consumers of feeds have acknowledged, for what is only kept for them.
extension Store {
    /// The LSN up to which the consumer of a feed has everything, and so have those of all other
    /// feeds of objects that have begun, and are open or were read within their maximum age; and
    /// what the feed follows. Nil where there is no such feed, nothing of it was acknowledged, or
    /// its position is not known to be in the history of this store.
    ///
    /// A feed that it does not wait for may lack what is deleted now: `Feed.visitChangedKeys`
    /// gets to know up to where.
    ///
    /// - Throws: `.permissionDenied` where it can't be known what a feed has.
    package func acknowledged(
        ofFeed name: String
    ) throws(StoreError) -> (lsn: UInt64, scope: UInt64)? {
        try StoreFiles.checkFeedName(name)
        try checkFeedsAreReadable()
        let records = try feedRecords()
        guard let record = records.first(where: { $0.name == name })?.record,
            var lsn = try reachedLSN(of: record)
        else { return nil }
        // What another consumer of objects has not acknowledged is not shown to it any more: that
        // of a snapshot neither, as long as it is not acknowledged.
        for (other, record) in records
        where other != name && record.scope != 0 && record.hasBegun {
            let reached = try reachedLSN(of: record) ?? .zero
            guard reached < lsn, try isWaitedFor(other, record) else { continue }
            lsn = reached
        }
        return (lsn.rawValue, record.scope)
    }

    /// A feed whose file this user may not read may wait for what is about to be deleted.
    private func checkFeedsAreReadable() throws(StoreError) {
        let fileSystem = options.environment.fileSystem
        do throws(FileSystemError) {
            for name in try fileSystem.list(path) where StoreFiles.feedName(of: name) != nil {
                do throws(FileSystemError) {
                    try fileSystem.open(path + "/" + name, .readOnly).close()
                } catch {
                    if !error.isNotFound { throw error }
                }
            }
        } catch {
            throw StoreError(error)
        }
    }

    /// The LSN up to which the consumer of a feed has everything; nil where it has nothing, or the
    /// log does not show that its position is in this history.
    private func reachedLSN(of record: FeedRecord) throws(StoreError) -> LSN? {
        guard record.hasSnapshot, let place = record.place else { return nil }
        if let passed = record.passed {
            do {
                if let found = try passed.place(in: log) { return found.lsn }
            } catch {
                throw StoreError(error)
            }
        }
        return try isInHistory(place, through: place.lsn.rawValue) ? place.lsn : nil
    }

    /// Whether somebody has read a feed within its maximum age, or has it open.
    private func isWaitedFor(_ name: String, _ record: FeedRecord) throws(StoreError) -> Bool {
        if record.isUsed(at: options.environment.calendarSeconds()) { return true }
        do throws(FileSystemError) {
            return try FeedFile.isOpen(name, in: path, options.environment.fileSystem)
        } catch {
            throw StoreError(error)
        }
    }

    /// Whether there is a feed of this name.
    package func hasFeed(named name: String) throws(StoreError) -> Bool {
        try feedRecords().contains { $0.name == name }
    }

    /// Whether a place is in the history of the store: false where its log does not show that any
    /// more.
    func isInHistory(_ place: LogPlace?, through lsn: UInt64) throws(StoreError) -> Bool {
        guard let place else { return true }
        var (found, visitor): (LogPlace?, NoVisitor) = (place, NoVisitor())
        do {
            // Looks at the place, and reads nothing after it.
            let limit = min(place.lsn, LSN(rawValue: lsn))
            guard case .reached = try log.read(after: &found, through: limit, visitor: &visitor)
            else { return false }
        } catch {
            throw StoreError(anyError: error)
        }
        return place.lsn.rawValue <= lsn
    }

}

/// Reads to see what is there.
struct NoVisitor: RecoveryVisitor {
    mutating func beginTransaction(firstLSN: LSN) {}
    mutating func record(_ record: RecoveredRecord) {}
    mutating func endTransaction(lastLSN: LSN) {}
}

extension ReadAccess {
    /// The LSN of the transaction that put a key; nil where it has none, or lies in a pack.
    package func originalLSN(
        forKey key: UnsafeRawBufferPointer, in keyspace: KeyspaceID
    ) throws(StoreError) -> UInt64? {
        guard let location = try indexValue(forKey: key, in: keyspace) else { return nil }
        do throws(LogError) {
            return try segments.originalLSN(
                at: Location(rawValue: location), verified: true)?.rawValue
        } catch {
            throw StoreError(error)
        }
    }
}
