import SegmentLog

/// What consumers of feeds have acknowledged, for what is only kept for them.
extension Store {
    /// The LSN up to which the consumer of a feed has everything, and so have those of all other
    /// feeds of objects that have begun and were read within their maximum age; and what the feed
    /// follows. Nil where there is no such feed, nothing of it was acknowledged, or its position is
    /// not known to be in the history of this store.
    package func acknowledged(
        ofFeed name: String
    ) throws(StoreError) -> (lsn: UInt64, scope: UInt64)? {
        try StoreFiles.checkFeedName(name)
        guard let record = try feedRecords().first(where: { $0.name == name })?.record,
            record.hasSnapshot, let place = record.place
        else { return nil }
        guard try isInHistory(place, through: place.lsn.rawValue) else { return nil }
        // What another consumer of objects has not acknowledged is not shown to it any more.
        // One that is shown its first snapshot has the place of that.
        let now = options.environment.calendarSeconds()
        let others = try feedRecords().filter { other, record in
            let hasBegun = record.hasSnapshot || record.place != nil
            return other != name && record.scope != 0 && hasBegun && record.isUsed(at: now)
        }
        let lsn = others.reduce(place.lsn) { min($0, $1.record.place?.lsn ?? .zero) }
        return (lsn.rawValue, record.scope)
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

    private struct NoVisitor: RecoveryVisitor {
        mutating func beginTransaction(firstLSN: LSN) {}
        mutating func record(_ record: RecoveredRecord) {}
        mutating func endTransaction(lastLSN: LSN) {}
    }
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
