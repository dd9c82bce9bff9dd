import TravertineStore

/// A named, durable place in the history of a realm, and which objects were added, changed and
/// deleted after it, for a consumer that follows the realm: a search index, another database.
///
/// A new feed begins with a snapshot of all objects. Then each `read` brings the consumer from its
/// state to the newest one: every object that differs comes once, as it is in the newest state,
/// however often it was changed. What was not acknowledged comes again, also after a crash of
/// either side; a consumer that stores the position together with its data, and calls
/// `resume(after:)`, has everything exactly once.
///
/// ```swift
/// let feed = try realm.feed(named: "search", types: [Place.self])
/// while true {
///     try feed.read { event in
///         switch event {
///         case .snapshot: index.begin(clearing: true)
///         case .schema: break
///         case .put(let object): index.put(object.key, object.document)
///         case .delete(let object): index.remove(object.key)
///         case .reached: try index.commit()
///         }
///     }
///     try feed.acknowledge()
///     try await feed.waitForChange()
/// }
/// ```
///
/// The feed needs no class of the types that it shows, and belongs to no thread: one at a time may
/// use it, whatever its realm is confined to. Types are those that are stored, with stored names.
/// The place is in a file of the realm's directory and has bounds, as that of a
/// `TravertineStore.Feed`: what was not acknowledged is kept up to a gibibyte of log, or for a
/// week, unless `FeedOptions` say otherwise. A feed has one consumer, in the process that writes
/// the realm or, by a read-only realm, in any other.
public final class ObjectFeed {
    /// The name.
    public let name: String
    private let feed: Feed
    private let shared: SharedStore
    private let configuration: Realm.Configuration
    /// The stored names of the types that are shown; nil for all.
    private let names: Set<String>?
    /// The types that the consumer knows, and the number of the schema that they are from.
    private var shownTypes: (types: [FeedType], schema: UInt64)?
    /// So many changed keys are held in memory, 8 bytes each.
    var keyCountMax = 2 << 20

    init(
        _ shared: SharedStore, _ configuration: Realm.Configuration, named name: String,
        types names: [String]?, _ options: FeedOptions?
    ) throws {
        self.name = name
        self.shared = shared
        self.names = names.map { Set($0) }
        var configuration = configuration
        // Objects are read without classes.
        configuration.objectTypes = []
        self.configuration = configuration
        let scope = Self.scope(of: names)
        do throws(StoreError) {
            if let reader = shared.reader {
                feed = try reader.feed(named: name, options: options, scope: scope)
            } else {
                feed = try shared.store.feed(named: name, options: options, scope: scope)
            }
        } catch {
            throw Realm.Error(error, fileURL: shared.fileURL)
        }
    }

    /// What the file of a feed remembers of its types: the first 63 bits of FNV-1a over their
    /// names in order, each ended by a zero byte, and a bit that keys and values don't have.
    static func scope(of names: [String]?) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        // No type is called so.
        for name in Set(names ?? ["*\0"]).sorted() {
            for byte in Array(name.utf8) + [0] { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        }
        return hash | 1
    }

    /// The position up to which everything is acknowledged; nil before the first snapshot is.
    public var acknowledged: FeedPosition? { feed.acknowledged }

    /// The UUID of the realm's store.
    public var storeUUID: String { feed.storeUUID }

    /// The lineage of the realm's store now: another one after a copy of it, or a restored backup,
    /// was opened. Positions have the one in which they were written.
    public var lineage: UInt64 { feed.lineage }

    /// The end of what was shown, which does not move where nothing is; nil before the first
    /// snapshot was shown.
    public var position: FeedPosition? { feed.position }

    // MARK: Reading

    /// Shows what differs between the state that the consumer has and the newest one, or a
    /// snapshot of that.
    ///
    /// Only what is durable is shown; commits that are not are synced first. Memory: 8 bytes for
    /// each changed object up to two million, and one object; if there are more, the log in between
    /// is read several times, and an object whose embedded objects changed may come twice. Their
    /// owners, and after a change of the schema what links to them, come on top. Costs reading
    /// that log, and a look-up for each changed object and each embedded one; a snapshot
    /// costs a look-up for each object. What `body` was shown before it throws an error comes
    /// again.
    ///
    /// - Parameter body: gets the events, on this thread. It must not use the feed.
    /// - Returns: whether there may be more: call it again at once. If not, `waitForChange`.
    /// - Throws: what `body` throws; `Realm.Error`, with `.invalidDatabase` for damaged rows.
    @discardableResult
    public func read(_ body: (ObjectFeedEvent) throws -> Void) throws -> Bool {
        do {
            return try feed.whileReading {
                do {
                    return try readToNewest(body)
                } catch {
                    // Types that were shown in a part that failed come again with it.
                    shownTypes = nil
                    throw error
                }
            }
        } catch let error as StoreError {
            throw Realm.Error(error, fileURL: shared.fileURL)
        }
    }

    private func readToNewest(_ body: (ObjectFeedEvent) throws -> Void) throws -> Bool {
        let view = try newestView()
        let snapshot = view.snapshot
        var touched = TouchedObjects(
            view.types, schemaKeyspace: shared.schemaKeyspace, keyCountMax: keyCountMax)
        let earliest = try view.deliveredLSN
        let found = try feed.visitChangedKeys(until: snapshot, earliest: earliest) {
            touched.note($0, $1)
        }
        switch found {
        case .unknown(let reason):
            // While the log was read compaction may have gone by the state of the view.
            try show(newestView(), reason, body)
            return true
        // Rows that a migration wrote again as they were are in no difference (O33).
        case .visited(let target) where target.isDifference && touched.changesSchema:
            try show(newestView(), .fellBehind, body)
            return true
        case .visited(let target):
            if touched.isEmpty, !touched.changesSchema {
                try feed.didShow(target, isEmpty: true)
                return false
            }
            try showTypes(of: view, body)
            try view.show(touched, body)
            if touched.shareCount > 1 {
                for share in 1..<touched.shareCount {
                    touched.begin(share: share)
                    // The log may have been compacted since the first time.
                    guard
                        case .visited(let again) = try feed.visitChangedKeys(
                            until: snapshot, earliest: earliest, { touched.note($0, $1) }),
                        again.position == target.position,
                        again.isDifference == target.isDifference
                    else {
                        try show(newestView(), .fellBehind, body)
                        return true
                    }
                    try view.show(touched, body)
                }
            }
            try body(.reached(target.position))
            try feed.didShow(target, isEmpty: false)
            return false
        }
    }

    private func newestView() throws -> ObjectFeedView {
        try ObjectFeedView(
            shared, configuration, try feed.newest(), shownTypes?.types ?? [], names)
    }

    private func show(
        _ view: ObjectFeedView, _ reason: FeedSnapshotReason,
        _ body: (ObjectFeedEvent) throws -> Void
    ) throws {
        let target = try feed.beginSnapshot(of: view.snapshot, reason)
        try body(.snapshot(reason))
        shownTypes = nil
        try showTypes(of: view, body)
        try view.showAll(body)
        try body(.reached(target.position))
        try feed.didShow(target, isEmpty: false)
    }

    private func showTypes(
        of view: ObjectFeedView, _ body: (ObjectFeedEvent) throws -> Void
    ) throws {
        if let shownTypes, shownTypes.schema == view.schemaNumber || shownTypes.types == view.types
        {
            return
        }
        try body(.schema(view.types))
        shownTypes = (view.types, view.schemaNumber)
    }

    // MARK: Acknowledging

    /// Notes durably that the consumer has everything that was shown: it does not come again, and
    /// the log up to there need not be kept for it. Costs a sync.
    ///
    /// - Parameter position: one that was shown; nil stands for the end of what was shown.
    /// - Throws: `Realm.Error` for a position of another realm, for one that was not shown yet, or
    ///   is before what is acknowledged, in the body of `read`, and where the disk fails.
    public func acknowledge(upTo position: FeedPosition? = nil) throws {
        try rethrown { () throws(StoreError) in try feed.acknowledge(upTo: position) }
    }

    /// Goes to a position that the consumer has stored with its data: what comes next is what
    /// changed after it. Whatever is acknowledged is that position then.
    ///
    /// If the log does not have what follows any more, the position is not in the history of this
    /// realm, or is one of a feed with other types, the feed goes on with a snapshot, whose reason
    /// shows it; and also if asymmetric objects after it were deleted.
    ///
    /// - Throws: `Realm.Error` for a position of another realm, in the body of `read`, and where
    ///   the disk fails.
    public func resume(after position: FeedPosition) throws {
        try rethrown { () throws(StoreError) in try feed.resume(after: position) }
        shownTypes = nil
    }

    /// Begins anew: the next `read` shows a snapshot. For a consumer that has lost what it had.
    ///
    /// - Throws: `Realm.Error` in the body of `read`, and where the disk fails.
    public func startOver() throws {
        try rethrown { () throws(StoreError) in try feed.startOver() }
        shownTypes = nil
    }

    // MARK: Waiting

    /// Waits until there may be something after the position.
    ///
    /// - Throws: `CancellationError` when the task is cancelled; `Realm.Error` when the realm is
    ///   closed.
    public nonisolated(nonsending) func waitForChange() async throws {
        do {
            try await feed.waitForChange()
        } catch let error as StoreError {
            throw Realm.Error(error, fileURL: shared.fileURL)
        }
    }

    /// Blocks the thread until there may be something after the position; false when that takes
    /// longer than `timeout`.
    @discardableResult
    public func waitForChange(timeout: Duration?) throws -> Bool {
        try rethrown { () throws(StoreError) in try feed.waitForChange(timeout: timeout) }
    }

    /// Lets others read the feed, as the end of the object does; it can't be used any more.
    public func close() { feed.close() }

    private func rethrown<Result>(_ body: () throws(StoreError) -> Result) throws -> Result {
        do throws(StoreError) {
            return try body()
        } catch {
            throw Realm.Error(error, fileURL: shared.fileURL)
        }
    }
}
