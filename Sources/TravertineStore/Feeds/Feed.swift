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
    /// What of the store the consumer follows; 0 for all keys.
    let scope: UInt64
    let source: FeedSource
    let file: FeedFile
    /// The end of what was shown; nil until something was.
    var cursor: Cursor?
    /// The state of the store at the cursor, as long as nothing else was shown since: what a
    /// difference begins with.
    var base: Snapshot?
    /// Where the log was kept from when that was written last; nil where it is not known.
    var kept: LogPlace?
    private(set) var isReading = false
    private var isClosed = false

    struct Cursor {
        /// The end of what was shown: what the consumer has.
        var shown: LogPlace?
        /// Where reading goes on: after `shown` where what follows shows nothing.
        var place: LogPlace?
        /// Whether the log is known to have it.
        var isCertain = false
        /// Where reading goes on if the log has that: as the feed's file says (Y9).
        var passed: FeedRecord.Passed?
        /// Up to here nothing more is to be shown.
        var seenLSN: UInt64 = 0
        var waitLSN: UInt64 { max(seenLSN, place?.lsn.rawValue ?? 0) }
    }

    /// - Parameter scope: what of the store the consumer follows; 0 for all keys. A feed that was
    ///   read for something else before begins anew.
    init(
        named name: String, _ options: FeedOptions?, scope: UInt64 = 0, of source: FeedSource
    ) throws(StoreError) {
        self.name = name
        self.scope = scope
        self.source = source
        file = try FeedFile(named: name, in: source.path, source.environment.fileSystem)
        guard var record = file.record, record.store.isOfSameStore(as: source.identity) else {
            try file.write(
                FeedRecord(
                    store: source.identity, place: nil, options ?? FeedOptions(), scope: scope,
                    now: now))
            return
        }
        if record.scope != scope {
            record.scope = scope
            record.beginAgain(.otherTypes)
        }
        if record.hasSnapshot { cursor = Cursor(at: record) }
        if let options {
            let new = FeedRecord(
                store: record.store, place: record.place, options, scope: scope, now: now)
            (record.maximumByteCount, record.maximumSeconds) =
                (new.maximumByteCount, new.maximumSeconds)
        }
        if record != file.record { try file.write(record) }
    }

    var now: UInt64 { source.environment.calendarSeconds() }

    func requiredRecord() throws(StoreError) -> FeedRecord {
        guard let record = file.record else {
            throw StoreError(.misuse, "The feed \(name) was removed, or its file is damaged.")
        }
        return record
    }

    /// The position up to which everything is acknowledged; nil before the first snapshot is.
    public var acknowledged: FeedPosition? {
        file.record.flatMap { record in
            record.hasSnapshot
                ? FeedPosition(store: record.store, place: record.place, scope: scope) : nil
        }
    }

    /// The end of what was shown, which does not move where nothing is; nil before the first
    /// snapshot was shown.
    public var position: FeedPosition? {
        cursor.map { position(at: $0.shown) }
    }

    /// The UUID of the store whose feed it is.
    public var storeUUID: String { source.identity.text }

    /// The lineage of the store now.
    package var lineage: UInt64 { source.identity.lineage }

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
        try whileReading { try readWhole(limit, body) }
    }

    /// Calls a function that must not be called while another one reads.
    package func whileReading<Result>(_ body: () throws -> Result) throws -> Result {
        try checkUsable()
        guard !isReading else {
            throw StoreError(.misuse, "The feed \(name) is read already: read it after that.")
        }
        isReading = true
        defer { isReading = false }
        try noteUse()
        return try body()
    }

    private func readWhole(_ limit: Int, _ body: (FeedEvent) throws -> Void) throws -> Bool {
        let snapshot = try source.newest()
        try goOn(in: snapshot)
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
        var (place, shown) = (start.place, start.shown)
        defer {
            if place != start.place || shown != start.shown {
                cursor = Cursor(shown: shown, place: place, isCertain: true)
                base = nil
            }
        }
        return try withoutActuallyEscaping(body) { body in
            var visitor = FeedVisitor(
                limit: max(1, limit), position: position(at:),
                keyspaces: FeedKeyspaces(of: snapshot)
            ) { event in
                do {
                    try body(event)
                } catch {
                    throw ConsumerError(error: error)
                }
                if case .reached(let position) = event { shown = position.place }
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
    struct ConsumerError: Error {
        var error: any Error
    }

    func checkUsable() throws(StoreError) {
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
