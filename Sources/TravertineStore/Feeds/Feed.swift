import SegmentLog

/// A named, durable place in the history of a store, and what came after it: transactions in the
/// order of the log, for a consumer that follows the store.
///
/// A new feed begins with a snapshot of everything; all later transactions follow it without a gap.
/// What was not acknowledged comes again, also after a crash of either side: every transaction
/// arrives at least once, and exactly once for a consumer that stores the position together with
/// its data and calls `resume(after:)`.
///
/// ```swift
/// let feed = try store.feed(named: "search")
/// while true {
///     try feed.read { event in
///         switch event {
///         case .snapshot: try index.begin(clearing: true)
///         case .difference: index.rollBack()
///         case .change(let change): try index.apply(change.key, change.value)
///         case .reached: try index.commit()
///         }
///     }
///     try feed.acknowledge()
///     try await feed.waitForChange()
/// }
/// ```
///
/// The place is in the file `NAME.feed` of the store's directory. A feed has one consumer at a
/// time, in the process that writes the store (`Store.feed(named:options:)`) or in any other
/// (`StoreReader.feed(named:options:)`). One thread at a time may use it.
///
/// States (Y1):
///
///     new ──read──▶ snapshot shown ──acknowledge──▶ following ──read──▶ following
///     following ──read, what follows is gone──▶ snapshot shown, or difference shown ──▶ following
public final class Feed {
    /// The name.
    public let name: String
    private let source: FeedSource
    private let file: FeedFile
    /// The end of what was shown; nil until something was.
    private var cursor: Cursor?
    /// The state of the store at the cursor, as long as nothing else was shown since: what a
    /// difference begins with.
    private var base: Snapshot?
    private var isReading = false
    private var isClosed = false
    /// Whether a change was shown since the last acknowledgement.
    private var hasShown = false

    private struct Cursor {
        var place: LogPlace?
        /// Whether the log is known to have it.
        var isCertain = false
        /// Up to here nothing more is to be shown.
        var seenLSN: UInt64 = 0
        var waitLSN: UInt64 { max(seenLSN, place?.lsn.rawValue ?? 0) }
    }

    init(named name: String, _ options: FeedOptions?, of source: FeedSource) throws(StoreError) {
        self.name = name
        self.source = source
        file = try FeedFile(named: name, in: source.path, source.environment.fileSystem)
        guard var record = file.record, record.store.isOfSameStore(as: source.identity) else {
            try file.write(
                FeedRecord(
                    store: source.identity, place: nil, options ?? FeedOptions(), now: now))
            return
        }
        if record.hasSnapshot { cursor = Cursor(place: record.place) }
        guard let options else { return }
        let new = FeedRecord(store: record.store, place: record.place, options, now: now)
        (record.maximumByteCount, record.maximumSeconds) =
            (new.maximumByteCount, new.maximumSeconds)
        if record != file.record { try file.write(record) }
    }

    private var now: UInt64 { source.environment.calendarSeconds() }

    private func requiredRecord() throws(StoreError) -> FeedRecord {
        guard let record = file.record else {
            throw StoreError(.misuse, "The feed \(name) was removed, or its file is damaged.")
        }
        return record
    }

    /// The position up to which everything is acknowledged; nil before the first snapshot is.
    public var acknowledged: FeedPosition? {
        file.record.flatMap { record in
            record.hasSnapshot ? FeedPosition(store: record.store, place: record.place) : nil
        }
    }

    /// The end of what was shown; nil before the first snapshot was.
    public var position: FeedPosition? {
        cursor.map { FeedPosition(store: source.identity, place: $0.place) }
    }

    // MARK: Reading

    /// Shows what comes after the position: whole transactions, as they are durable, until at
    /// least `limit` changes were shown; or a snapshot, or a difference, as a whole.
    ///
    /// Nothing is held in memory but one change. Costs reading the log from the position on, whose
    /// batches are all verified; a snapshot costs a full scan. Commits that are not durable yet are
    /// synced first. What `body` was shown before it throws an error comes again from the last
    /// `.reached` on that it returned from.
    ///
    /// - Parameters:
    ///   - limit: after how many changes it ends, with the transaction.
    ///   - body: gets the events, on this thread. It must not use the feed.
    /// - Returns: whether there may be more: call it again at once. If not, `waitForChange`.
    /// - Throws: what `body` throws; `StoreError` with `.closed`, `.damaged`, `.io`, `.diskFull`,
    ///   `.poisoned`, `.forked`; `.misuse` in `body`.
    @discardableResult
    public func read(
        limit: Int = 1000, _ body: (FeedEvent) throws -> Void
    ) throws -> Bool {
        try checkUsable()
        guard !isReading else {
            throw StoreError(.misuse, "The feed \(name) is read already: read it after that.")
        }
        isReading = true
        defer { isReading = false }
        let snapshot = try source.newest()
        try noteUse()
        guard let start = cursor else {
            try show(snapshot, try requiredRecord().reason, body)
            return true
        }
        let found = try follow(start, through: snapshot, limit: limit, body)
        switch found {
        case .stopped:
            base = nil
            return true
        case .reached:
            cursor?.seenLSN = snapshot.lsn
            try advance()
            // A reader may see less than before until its store is opened for writing.
            base = snapshot.lsn >= cursor?.place?.lsn.rawValue ?? 0 ? snapshot : nil
            return false
        case .missing:
            if let base, base.store.log.identity == snapshot.store.log.identity {
                try showDifference(from: base, to: snapshot, body)
            } else {
                try show(snapshot, .fellBehind, body)
            }
            return true
        case .otherHistory:
            try show(snapshot, .otherHistory, body)
            return true
        }
    }

    /// Shows transactions of the log, and moves the cursor.
    private func follow(
        _ start: Cursor, through snapshot: Snapshot, limit: Int,
        _ body: (FeedEvent) throws -> Void
    ) throws -> SegmentLog.Reading {
        var place = start.place
        defer {
            if place != start.place {
                cursor = Cursor(place: place, isCertain: true)
                base = nil
            }
        }
        return try withoutActuallyEscaping(body) { body in
            var visitor = FeedVisitor(
                store: source.identity, limit: max(1, limit),
                keyspaces: FeedKeyspaces(of: snapshot)
            ) { event in
                if case .change = event { self.hasShown = true }
                do {
                    try body(event)
                } catch {
                    throw ConsumerError(error: error)
                }
            }
            do {
                let found = try snapshot.store.log.read(
                    after: &place, through: LSN(rawValue: snapshot.lsn),
                    isCertain: start.isCertain, visitor: &visitor)
                if found == .reached { cursor?.isCertain = true }
                // A part of a transaction is no state that a difference could begin with.
                if visitor.isInTransaction { base = nil }
                return found
            } catch let error as ConsumerError {
                throw error.error
            } catch {
                throw StoreError(anyError: error)
            }
        }
    }

    /// An error of the consumer, which is passed on as it is.
    private struct ConsumerError: Error {
        var error: any Error
    }

    /// Shows all that a snapshot holds, after the place was written that the log is kept from.
    private func show(
        _ snapshot: Snapshot, _ reason: FeedSnapshotReason, _ body: (FeedEvent) throws -> Void
    ) throws {
        let place = try self.place(of: snapshot)
        var record = try requiredRecord()
        (record.place, record.hasSnapshot, record.reason) = (place, false, reason)
        record.store = source.identity
        record.lastUse = now
        try file.write(record)
        cursor = nil
        base = nil
        hasShown = true
        try body(.snapshot(reason))
        let definitions = try snapshot.access.keyspaceDefinitions(file: snapshot.store.path)
        let others = definitions.filter { $0.kind == .records && $0.id != .default }
            .map { Keyspace(id: $0.id, name: $0.name, kind: .records) }
        for keyspace in [.default] + others {
            let cursor = snapshot.cursor(in: keyspace)
            var isValid = try cursor.seekToFirst()
            while isValid {
                try body(
                    .change(
                        FeedChange(keyspace: keyspace, key: cursor.key, value: try cursor.value)))
                isValid = try cursor.next()
            }
        }
        try end(at: place, snapshot, body)
    }

    /// Shows what differs between the state that the consumer has and a newer one.
    private func showDifference(
        from older: Snapshot, to newer: Snapshot, _ body: (FeedEvent) throws -> Void
    ) throws {
        let place = try self.place(of: newer)
        let changes = try newer.changes(since: older)
        hasShown = true
        try body(.difference)
        while try changes.next() {
            try body(
                .change(
                    FeedChange(
                        keyspace: changes.keyspace, key: changes.key,
                        value: try changes.newValue, oldValue: try changes.oldValue)))
        }
        try end(at: place, newer, body)
    }

    private func end(
        at place: LogPlace?, _ snapshot: Snapshot, _ body: (FeedEvent) throws -> Void
    ) throws {
        try body(.reached(FeedPosition(store: source.identity, place: place)))
        cursor = Cursor(place: place, isCertain: true, seenLSN: snapshot.lsn)
        base = snapshot
    }

    private func place(of snapshot: Snapshot) throws(StoreError) -> LogPlace? {
        if snapshot.lsn == 0 { return nil }
        let lsn = LSN(rawValue: snapshot.lsn)
        do {
            if let place = try snapshot.store.log.place(of: lsn) { return place }
        } catch {
            throw StoreError(error)
        }
        throw StoreError(
            .damaged, "The log has no batch with LSN \(lsn). Run `travertine fsck`.",
            file: source.path, lsn: snapshot.lsn)
    }

    // MARK: Acknowledging

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
        guard lsn <= cursor.place?.lsn ?? .zero, lsn >= record.place?.lsn ?? .zero else {
            throw StoreError(
                .misuse,
                "The position with LSN \(lsn) is not between what is acknowledged of the feed "
                    + "\(name) and what was read of it.")
        }
        if place == cursor.place { hasShown = false }
        if record.hasSnapshot, record.place == place { return }
        (record.place, record.hasSnapshot, record.lastUse) = (place, true, now)
        try file.write(record)
    }

    /// Goes to a position that the consumer has stored with its data: the next transaction is the
    /// one after it. Whatever is acknowledged is that position then.
    ///
    /// If the log does not have what follows any more, or the position is not in the history of
    /// this store, the feed goes on with a snapshot, whose reason shows it.
    ///
    /// - Throws: `.wrongStore` for a position of another store; `.diskFull`, `.io`; `.misuse` in
    ///   the
    ///   body of `read`.
    public func resume(after position: FeedPosition) throws(StoreError) {
        try checkUsable()
        guard !isReading else {
            throw StoreError(.misuse, "The feed \(name) is read just now: resume after that.")
        }
        guard position.store.isOfSameStore(as: source.identity) else {
            throw Self.otherStore(position)
        }
        var record = try requiredRecord()
        if !record.hasSnapshot || record.place != position.place {
            (record.place, record.hasSnapshot, record.lastUse) = (position.place, true, now)
            try file.write(record)
        }
        cursor = Cursor(place: position.place)
        base = nil
        hasShown = false
    }

    private static func otherStore(_ position: FeedPosition) -> StoreError {
        StoreError(
            .wrongStore,
            "The position is one of the store \(position.storeUUID), and this is another one.")
    }

    /// Writes that somebody reads the feed, now and then: what is not read for long is not kept.
    private func noteUse() throws(StoreError) {
        var record = try requiredRecord()
        let now = now
        guard now > record.lastUse, now - record.lastUse > min(record.maximumSeconds / 16, 3600)
        else { return }
        record.lastUse = now
        try file.write(record)
    }

    /// Moves the place over what showed nothing, as compaction writes it, so that this is not kept:
    /// by a megabyte of log or more, to sync seldom.
    private func advance() throws(StoreError) {
        var record = try requiredRecord()
        guard record.hasSnapshot, !hasShown, let place = cursor?.place, place != record.place,
            place.segment != record.place?.segment
                || Int(place.offset) - Int(record.place?.offset ?? 0) >= 1 << 20
        else { return }
        (record.place, record.lastUse) = (place, now)
        try file.write(record)
    }

    private func checkUsable() throws(StoreError) {
        if isClosed { throw StoreError(.closed, "The feed \(name) was closed.") }
        try source.checkProcess()
    }

    // MARK: Waiting

    /// Waits until there may be something after the position.
    ///
    /// - Throws: `CancellationError` when the task is cancelled; as `Store.waitForCommit(after:)`.
    public nonisolated(nonsending) func waitForChange() async throws {
        try checkUsable()
        guard let cursor else { return }
        try await source.wait(after: cursor.waitLSN)
    }

    /// Blocks the thread until there may be something after the position; false when that takes
    /// longer than `timeout`.
    ///
    /// - Throws: as `Store.waitForCommit(after:timeout:)`.
    @discardableResult
    public func waitForChange(timeout: Duration?) throws(StoreError) -> Bool {
        try checkUsable()
        guard let cursor else { return true }
        return try source.wait(after: cursor.waitLSN, timeout: timeout)
    }

    /// Lets others read the feed, as the end of the object does; it can't be used any more.
    public func close() {
        isClosed = true
        base = nil
        file.close()
    }
}
