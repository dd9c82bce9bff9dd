import SegmentLog

/// Shows the puts and deletions of the log's transactions to the consumer of a feed.
struct FeedVisitor: RecoveryVisitor {
    let body: (FeedEvent) throws -> Void
    let position: (LogPlace?) -> FeedPosition
    /// After so many changes the walk ends.
    let limit: Int
    var keyspaces: FeedKeyspaces

    private var place: LogPlace?
    private var changeCount = 0
    private var hasChanges = false
    /// Whether a part of a transaction was shown that has not ended.
    private(set) var isInTransaction = false

    init(
        limit: Int, position: @escaping (LogPlace?) -> FeedPosition, keyspaces: FeedKeyspaces,
        _ body: @escaping (FeedEvent) throws -> Void
    ) {
        self.limit = limit
        self.position = position
        self.keyspaces = keyspaces
        self.body = body
    }

    var isFull: Bool { changeCount >= limit }

    mutating func beginTransaction(firstLSN: LSN) { hasChanges = false }

    mutating func willEnd(at place: LogPlace) { self.place = place }

    mutating func record(_ record: RecoveredRecord) throws {
        guard record.kind == .put || record.kind == .delete else { return }
        if record.keyspace == .system {
            keyspaces.note(record)
            return
        }
        let change = FeedChange(
            keyspace: try keyspaces[record.keyspace], key: [UInt8](record.key),
            value: record.kind == .put ? [UInt8](record.value) : nil)
        (hasChanges, isInTransaction) = (true, true)
        changeCount += 1
        try body(.change(change))
    }

    mutating func endTransaction(lastLSN: LSN) throws {
        // Those of compaction and of definitions alone are nothing to a consumer.
        if hasChanges { try body(.reached(position(place))) }
        isInTransaction = false
    }
}

/// The names of keyspaces, as the log goes on.
struct FeedKeyspaces {
    private var known: [KeyspaceID: Keyspace] = [.default: .default]
    private let snapshot: Snapshot

    /// - Parameter snapshot: has all keyspaces that there ever were up to the end of what is read.
    init(of snapshot: Snapshot) { self.snapshot = snapshot }

    subscript(id: KeyspaceID) -> Keyspace {
        mutating get throws(StoreError) {
            if let keyspace = known[id] { return keyspace }
            for definition in try snapshot.access.keyspaceDefinitions(file: snapshot.store.path)
            where known[definition.id] == nil {
                known[definition.id] = Keyspace(
                    id: definition.id, name: definition.name, kind: .records)
            }
            guard let keyspace = known[id] else {
                throw StoreError(
                    .damaged, "Keyspace \(id) has no definition. Run `travertine fsck`.",
                    file: snapshot.store.path)
            }
            return keyspace
        }
    }

    /// Takes the definition in a record of the system keyspace.
    mutating func note(_ record: RecoveredRecord) {
        guard let definition = KeyspaceDefinition(key: record.key, value: record.value),
            definition.kind == .records
        else { return }
        known[definition.id] = Keyspace(
            id: definition.id, name: definition.name, kind: .records)
    }
}
