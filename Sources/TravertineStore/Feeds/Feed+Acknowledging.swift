import SegmentLog

/// What the consumer of a feed has, and goes on from.
extension Feed {
    /// Notes durably that the consumer has everything up to a position: it does not come again, and
    /// the log up to there need not be kept for it. Costs a sync.
    ///
    /// - Parameter position: one that was shown; nil stands for the end of what was shown.
    /// - Throws: `.misuse` for a position of another store, for one that was not shown yet, or is
    ///   before what is acknowledged; `.diskFull`, `.io`.
    public func acknowledge(upTo position: FeedPosition? = nil) throws(StoreError) {
        try checkUsable()
        guard let cursor else {
            throw StoreError(.misuse, "Nothing of the feed \(name) was read yet.")
        }
        var record = try requiredRecord()
        let place = position.map(\.place) ?? cursor.place
        let lsn = place?.lsn ?? .zero
        if let position, !position.store.isOfSameStore(as: source.identity) {
            throw Self.otherStore(position)
        }
        if let position, record.isPassed(position.place) { return }
        guard lsn <= cursor.place?.lsn ?? .zero, lsn >= record.place?.lsn ?? .zero else {
            throw StoreError(
                .misuse,
                "The position with LSN \(lsn) is not between what is acknowledged of the feed "
                    + "\(name) and what was read of it.")
        }
        if place == cursor.place { hasShown = false }
        if record.hasSnapshot, record.place == place { return }
        record.acknowledge(place, now: now)
        try file.write(record)
    }

    /// Goes to a position that the consumer has stored with its data: the next transaction is the
    /// one after it. Whatever is acknowledged is that position then.
    ///
    /// If the log does not have what follows any more, or the position is not in the history of
    /// this store, the feed goes on with a snapshot, whose reason shows it. Where the feed has
    /// moved its place past what showed nothing, the position that was acknowledged last is as
    /// good as that place.
    ///
    /// - Throws: `.wrongStore` for a position of another store; `.diskFull`, `.io`; `.misuse` in
    ///   the body of `read`.
    public func resume(after position: FeedPosition) throws(StoreError) {
        try checkUsable()
        guard !isReading else {
            throw StoreError(.misuse, "The feed \(name) is read just now: resume after that.")
        }
        guard position.store.isOfSameStore(as: source.identity) else {
            throw Self.otherStore(position)
        }
        var record = try requiredRecord()
        guard position.scope == scope else {
            let isKnown = try isInHistory(position.place)
            record.beginAgain(isKnown ? .otherTypes : .otherHistory)
            try file.write(record)
            (cursor, base) = (nil, nil)
            return
        }
        let isCurrent = record.hasSnapshot && record.place == position.place
        if !isCurrent, !record.isPassed(position.place) {
            record.acknowledge(position.place, now: now)
            try file.write(record)
        }
        cursor = Cursor(place: record.place)
        base = nil
        hasShown = false
    }

    /// Whether a place is in the history of the store, as far as its log shows that.
    private func isInHistory(_ place: LogPlace?) throws(StoreError) -> Bool {
        let snapshot = try source.newest()
        return try snapshot.store.isInHistory(place, through: snapshot.lsn)
    }

    /// Begins anew: the next `read` shows a snapshot. For a consumer that has lost what it had.
    ///
    /// - Throws: `.diskFull`, `.io`; `.misuse` in the body of `read`.
    public func startOver() throws(StoreError) {
        try checkUsable()
        guard !isReading else {
            throw StoreError(.misuse, "The feed \(name) is read just now: start over after that.")
        }
        var record = try requiredRecord()
        if record.hasSnapshot {
            record.beginAgain(.new)
            record.lastUse = now
            try file.write(record)
        }
        (cursor, base) = (nil, nil)
        hasShown = false
    }

    private static func otherStore(_ position: FeedPosition) -> StoreError {
        StoreError(
            .wrongStore,
            "The position is one of the store \(position.storeUUID), and this is another one.")
    }

    /// Writes that somebody reads the feed, now and then: what is not read for long is not kept.
    func noteUse() throws(StoreError) {
        var record = try requiredRecord()
        let now = now
        guard now > record.lastUse, now - record.lastUse > min(record.maximumSeconds / 16, 3600)
        else { return }
        record.lastUse = now
        try file.write(record)
    }

    /// Moves the place over what showed nothing, as compaction writes it, so that this is not kept:
    /// by a megabyte of log or more, to sync seldom. The consumer has stored the position before:
    /// it is remembered (Y9).
    func advance() throws(StoreError) {
        var record = try requiredRecord()
        guard record.hasSnapshot, !hasShown, let place = cursor?.place, place != record.place,
            place.segment != record.place?.segment
                || Int(place.offset) - Int(record.place?.offset ?? 0) >= 1 << 20
        else { return }
        if record.passed == nil, let acknowledged = record.place {
            record.passed = .init(lsn: acknowledged.lsn, checksum: acknowledged.checksum)
        }
        (record.place, record.lastUse) = (place, now)
        try file.write(record)
    }
}
