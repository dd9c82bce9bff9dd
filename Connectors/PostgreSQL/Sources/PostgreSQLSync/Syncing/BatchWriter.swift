import PostgreSQLClient
import Travertine
import TravertineStore

/// Writes what a feed shows from one position to another as one transaction of the server, with the
/// position in it.
final class BatchWriter {
    /// Thrown when the server has another position than this process believes: somebody else has
    /// copied, or a commit took effect whose answer was lost.
    struct Moved: Error {}

    private let connection: Connection
    private let server: ServerWriter
    private let state: SyncStateTable
    private let options: SyncOptions
    /// What `travertine_sync` has.
    private var known: SyncState
    /// The position that the tables have.
    var position: String? { known.position }
    private var types: [FeedType] = []
    private var batches: [UInt32: TypeBatch] = [:]
    private var plans: [UInt32: RowPlan] = [:]
    private var values: ValueWriter
    /// Whether all objects come, for a reason; and the tables that were made for them.
    private var load: FeedSnapshotReason?
    private var emptyTables: Set<String> = []
    private var isInTransaction = false
    /// Whether the tables of types that are gone were emptied since the types were taken.
    private var hasEmptiedGone = false
    private(set) var putCount = 0
    private(set) var deletedCount = 0
    private var sinceCommitCount = 0
    private let names: Set<String>?
    /// That of the realm's store now.
    private let lineage: UInt64
    private let origin: RealmOrigin?
    private let note: (String) -> Void

    /// What may be held in memory.
    private static let byteCountMax = 16 << 20

    init(
        _ connection: Connection, _ state: SyncStateTable, _ known: SyncState,
        _ options: SyncOptions, names: Set<String>?, lineage: UInt64,
        origin: RealmOrigin? = nil, note: @escaping (String) -> Void
    ) {
        (self.connection, self.state, self.known, self.options) = (
            connection, state, known, options
        )
        (self.names, self.note, self.lineage, self.origin) = (names, note, lineage, origin)
        server = ServerWriter(connection, dialect: options.dialect)
        values = ValueWriter(policy: options.replacesNUL ? .replaceNUL : .refuse)
    }

    private(set) var keptRowCount = 0
    var replacedTextCount: Int { values.replacedCount }
    var unboundedDateCount: Int { values.unboundedDateCount }

    // MARK: Events

    /// All objects come from now on; what came since the last position does not count.
    func beginLoad(_ reason: FeedSnapshotReason) throws {
        if isInTransaction {
            try server.endCopy()
            try connection.execute("ROLLBACK")
            isInTransaction = false
        }
        load = reason
        batches = [:]
        (putCount, deletedCount) = (0, 0)
    }

    /// Makes the tables for types.
    func take(_ types: [FeedType]) throws {
        let plan = try MappingPlanner(
            types, names: names, options: options.mapping, known: known.mapping)
        emptyTables.formUnion(try ServerSchema(state: state).apply(plan, known))
        for text in plan.notes { note(text) }
        known.mapping = plan.mapping
        known.pendingTables = []
        self.types = types
        hasEmptiedGone = false
        plans = [:]
        // Not for those that are left out now: their tables stay as they are.
        for type in types
        where names?.contains(type.name) ?? true
            && plan.mapping.types.contains(where: { $0.number == type.number })
        {
            plans[type.number] = RowPlan(type, plan.mapping, types)
        }
        batches = [:]
        try checkDistinguishable()
    }

    /// In a load all objects of asymmetric types come again. Where only their numbers identify
    /// them, those that the table has are the same ones only if they are from the history of this
    /// realm: numbers are given out again in another one.
    private func checkDistinguishable() throws {
        let schema = ServerSchema(state: state)
        let unsafe = try types.compactMap { type -> TypeMapping? in
            guard let mapping = plans[type.number]?.mapping, mapping.isNumbered,
                !emptyTables.contains(mapping.table),
                mapping.loadingLineage.map({ $0 != lineage }) ?? !isHistoryProven
            else { return nil }
            return try schema.hasRows(mapping.table, options.mapping.source) ? mapping : nil
        }
        if unsafe.isEmpty { return }
        // A part of a load has no position.
        throw known.position == nil
            ? SyncError.unknownRows(unsafe.flatMap { [$0.table] + $0.children.map(\.table) })
            : SyncError.indistinguishable(unsafe.map(\.name))
    }

    /// Whether the position that the tables have is in the history of the realm: the feed has found
    /// it there, or it has the realm's lineage, and only the log after it is gone.
    private var isHistoryProven: Bool {
        guard let load else { return true }
        guard let position = known.position.flatMap({ FeedPosition($0) }) else { return false }
        return switch load {
        case .otherTypes, .missedObjects: true
        case .fellBehind: position.lineage == lineage
        case .new, .otherHistory: false
        }
    }

    /// Stores, with a part of a load or with its end, which history the rows of asymmetric types
    /// are from where the position does not say it.
    private func writeLineages(isEnd: Bool) throws {
        guard load != nil, var mapping = known.mapping else { return }
        let rest = lineageOfRest
        for place in mapping.types.indices where mapping.types[place].isAsymmetric {
            let type = mapping.types[place]
            if plans[type.number] != nil {
                mapping.types[place].loadingLineage = isEnd ? nil : lineage
            } else if type.isNumbered {
                let stored = type.loadingLineage ?? rest
                // The position says it from now on.
                mapping.types[place].loadingLineage = isEnd && stored == lineage ? nil : stored
            }
        }
        if mapping == known.mapping { return }
        try state.write(mapping)
        known.mapping = mapping
    }

    /// Stores where the objects are, with the first ones that are committed from there.
    private func writeOrigin() throws {
        guard let origin, var mapping = known.mapping, mapping.origin != origin else { return }
        mapping.origin = origin
        try state.write(mapping)
        known.mapping = mapping
    }

    /// Stores the new path of a realm that was renamed, also if nothing is to be copied: a copy of
    /// it would else be taken for a realm whose original is gone.
    func noteRename() throws {
        guard let origin, let earlier = known.mapping?.origin, earlier != origin,
            earlier.host == origin.host, earlier.inode == origin.inode
        else { return }
        try begin()
        try writeOrigin()
        try commit()
    }

    /// The lineage of rows that a load leaves as they are, where nothing is stored of it: that of
    /// the position so far.
    private var lineageOfRest: UInt64 {
        if isHistoryProven { return lineage }
        let old = known.position.flatMap { FeedPosition($0) }?.lineage
        // A store that was put back with its lineage has other objects all the same.
        return old.flatMap { $0 == lineage ? nil : $0 } ?? TypeMapping.unknownLineage
    }

    /// Takes an object that is to be in the tables.
    func put(_ object: FeedObject) throws {
        guard let batch = try batch(of: object.type) else { return }
        try batch.put(object, &values, server)
        putCount += 1
        sinceCommitCount += 1
        if putCount % 1024 == 0 { try flushIfLarge() }
        if load != nil, let limit = options.loadCommitCount, sinceCommitCount >= limit {
            try flush()
            try server.endCopy()
            try state.write(position: nil, lsn: 0)
            try writeLineages(isEnd: false)
            try writeOrigin()
            try commit()
            known.position = nil
            try begin()
        }
    }

    /// Takes an object that is to be in the tables no more.
    func delete(_ object: DeletedFeedObject) throws {
        guard let batch = try batch(of: object.type) else { return }
        try batch.delete(object, server)
        deletedCount += 1
        sinceCommitCount += 1
    }

    /// Commits all up to a position.
    func end(at position: FeedPosition) throws {
        try beginOnce()
        try flush()
        try server.endCopy()
        try state.write(position: position.description, lsn: position.lsn)
        try writeLineages(isEnd: true)
        try writeOrigin()
        try commit()
        known.position = position.description
        keptRowCount += batches.reduce(0) { sum, entry in
            // What an earlier process has committed of the load comes again.
            plans[entry.key]?.mapping.loadingLineage == nil ? sum + entry.value.keptRowCount : sum
        }
        (load, emptyTables, batches) = (nil, [], [:])
        (putCount, deletedCount) = (0, 0)
    }

    // MARK: Transactions

    private func batch(of type: FeedType) throws -> TypeBatch? {
        guard let plan = plans[type.number], let mapping = known.mapping else { return nil }
        try beginOnce()
        if let known = batches[type.number] { return known }
        let isEmpty =
            load != nil && (!type.isAsymmetric || emptyTables.contains(plan.mapping.table))
        let batch = TypeBatch(plan, mapping, isEmpty: isEmpty, server)
        batches[type.number] = batch
        return batch
    }

    /// Begins the transaction of the batch, and empties the tables for a load, and those of types
    /// that the realm has not any more.
    private func beginOnce() throws {
        if isInTransaction { return }
        try begin()
        guard let mapping = known.mapping else { return }
        let stored = Set(types.map(\.number))
        for type in mapping.types where !type.isAsymmetric {
            let isGone = !types.isEmpty && !stored.contains(type.number)
            guard isGone ? !hasEmptiedGone : load != nil && plans[type.number] != nil else {
                continue
            }
            for table in [type.table] + type.children.map(\.table)
            where !emptyTables.contains(table) {
                try empty(table, mapping.options)
            }
        }
        hasEmptiedGone = !types.isEmpty
    }

    private func empty(_ table: String, _ options: MappingOptions) throws {
        let full = table.quoted(in: options.schema)
        if let source = options.source {
            try connection.query(
                "DELETE FROM \(full) WHERE \(SyncState.sourceColumn.quoted) = $1",
                parameters: [.text(source)], timeout: .seconds(3600))
        } else {
            // CockroachDB may refuse a DELETE without a condition (`sql_safe_updates`).
            try connection.execute("DELETE FROM \(full) WHERE true", timeout: .seconds(3600))
        }
    }

    private func begin() throws {
        try connection.execute("BEGIN")
        isInTransaction = true
        guard try state.read(locks: true).position == position else { throw Moved() }
        sinceCommitCount = 0
    }

    private func commit() throws {
        isInTransaction = false
        do throws(PostgreSQLError) {
            let result = try connection.execute("COMMIT")
            if result.commandTag != "COMMIT" { throw .transactionAborted }
        } catch {
            throw error.isRetryable ? .commitOutcomeUnknown(error) : error
        }
    }

    private func flushIfLarge() throws {
        let byteCount = batches.values.reduce(0) { $0 + $1.byteCount }
        if byteCount > Self.byteCountMax { try flush() }
    }

    private func flush() throws {
        for (_, batch) in batches.sorted(by: { $0.key < $1.key }) { try batch.flush(server) }
    }
}
