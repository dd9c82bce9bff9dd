import SegmentLog

/// What the consumer of a feed has, and goes on from.
extension Feed {
    /// Notes durably that the consumer has everything up to a position: it does not come again, and
    /// the log up to there need not be kept for it. Costs a sync.
    ///
    /// - Parameter position: one that was shown; nil stands for the end of what was shown.
    /// - Throws: `.misuse` for a position of another store, for one that was not shown yet, or is
    ///   before what is acknowledged, and in the body of `read`; `.diskFull`, `.io`.
    public func acknowledge(upTo position: FeedPosition? = nil) throws(StoreError) {
        try checkIsNotReading("acknowledge")
        guard let cursor else {
            throw StoreError(.misuse, "Nothing of the feed \(name) was read yet.")
        }
        var record = try requiredRecord()
        let place = position.map(\.place) ?? cursor.shown
        let lsn = place?.lsn ?? .zero
        if let position, !position.store.isOfSameStore(as: source.identity) {
            throw Self.otherStore(position)
        }
        if let position, position.scope != scope {
            throw StoreError(.misuse, "The position is one of a feed that follows other types.")
        }
        guard lsn <= cursor.shown?.lsn ?? .zero, lsn >= record.place?.lsn ?? .zero else {
            throw StoreError(
                .misuse,
                "The position with LSN \(lsn) is not between what is acknowledged of the feed "
                    + "\(name) and what was read of it.")
        }
        if record.hasSnapshot, record.place == place { return }
        record.acknowledge(place, now: now)
        try file.write(record)
    }

    /// Goes to a position that the consumer has stored with its data: the next transaction is the
    /// one after it. Whatever is acknowledged is that position then.
    ///
    /// If the log does not have what follows any more, or the position is not in the history of
    /// this store, the feed goes on with a snapshot, whose reason shows it.
    ///
    /// - Throws: `.wrongStore` for a position of another store; `.diskFull`, `.io`; `.misuse` in
    ///   the body of `read`.
    public func resume(after position: FeedPosition) throws(StoreError) {
        try checkIsNotReading("resume")
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
        if !record.hasSnapshot || record.place != position.place {
            record.acknowledge(position.place, now: now)
            try file.write(record)
        }
        cursor = Cursor(at: record)
        base = nil
    }

    /// Goes to where the feed's file says that reading goes on, if the log has that (Y9).
    func goOn(in snapshot: Snapshot) throws(StoreError) {
        guard let passed = cursor?.passed else { return }
        let place: LogPlace?
        do {
            place = try passed.place(in: snapshot.store.log)
        } catch {
            throw StoreError(error)
        }
        guard let place else {
            // The files were put back: the log is kept from the position on.
            var record = try requiredRecord()
            record.passed = nil
            try file.write(record)
            cursor?.passed = nil
            return
        }
        cursor?.passed = nil
        cursor?.place = place
        cursor?.isCertain = true
        kept = place
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
        try checkIsNotReading("start over")
        var record = try requiredRecord()
        if record.hasSnapshot {
            record.beginAgain(.new)
            record.lastUse = now
            try file.write(record)
        }
        (cursor, base) = (nil, nil)
    }

    /// Throws in the body of `read`, which may still fail.
    private func checkIsNotReading(_ action: String) throws(StoreError) {
        try checkUsable()
        if isReading {
            throw StoreError(.misuse, "The feed \(name) is read just now: \(action) after that.")
        }
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

    /// Lets go of what was read after the acknowledged position and showed nothing, as compaction
    /// writes it: after a megabyte of log, or another segment, to sync seldom (Y9).
    func advance() throws(StoreError) {
        var record = try requiredRecord()
        guard record.hasSnapshot, let cursor, cursor.shown == record.place,
            let place = cursor.place, place.lsn > record.keptLSN, isFar(place)
        else { return }
        record.passed = FeedRecord.Passed(place)
        record.lastUse = now
        try file.write(record)
        kept = place
    }

    /// Whether a place is so far after where the log is kept from that a sync is worth it.
    private func isFar(_ place: LogPlace) -> Bool {
        let places = [kept, cursor?.shown].compactMap(\.self)
        guard let before = places.max(by: { $0.lsn < $1.lsn }) else { return true }
        return place.segment != before.segment
            || Int(place.offset) - Int(before.offset) >= 1 << 20
    }
}

extension Feed.Cursor {
    /// Where the consumer of a feed is whose file was just read.
    init(at record: FeedRecord) {
        self.init(shown: record.place, place: record.place, passed: record.passed)
    }
}
