import Foundation
import PostgreSQLClient

/// What the server remembers of a feed: a row of the table `travertine_sync`, changed in the same
/// transaction as the tables.
struct SyncState: Equatable {
    static let table = "travertine_sync"
    static let sourceColumn = "_source"

    /// The end of what is in the tables; nil if that is nothing, or a part of a snapshot.
    var position: String?
    /// The tables as they are.
    var mapping: SyncMapping?
    /// The names of tables that were about to be made.
    var pendingTables: [String] = []
}

/// The table `travertine_sync` of a schema.
struct SyncStateTable {
    let connection: Connection
    let schema: String
    /// The UUID of the realm's store, and the name of its feed.
    let store: String
    let feed: String

    private var table: String { SyncState.table.quoted(in: schema) }

    /// Makes the table, and the schema, if they are not there.
    func create() throws {
        if try connection.row(
            "SELECT 1 FROM information_schema.schemata WHERE schema_name = $1",
            parameters: [.text(schema)]) == nil
        {
            try connection.execute("CREATE SCHEMA IF NOT EXISTS \(schema.quoted)")
        }
        // A role may have the tables and not the right to make some.
        if try !isMade() { try makeTable() }
        try connection.query(
            "INSERT INTO \(table) (store, feed) VALUES ($1, $2) ON CONFLICT (store, feed) DO NOTHING",
            parameters: [.text(store), .text(feed)])
    }

    private func isMade() throws -> Bool {
        try connection.row(
            """
            SELECT 1 FROM information_schema.tables WHERE table_schema = $1 AND table_name = $2
            """,
            parameters: [.text(schema), .text(SyncState.table)]) != nil
    }

    private func makeTable() throws {
        try connection.execute(
            """
            CREATE TABLE IF NOT EXISTS \(table) (store text NOT NULL, feed text NOT NULL, \
            source text, "position" text, lsn bigint, mapping text, pending text, \
            updated_at timestamptz, PRIMARY KEY (store, feed))
            """)
    }

    /// Whether something is remembered, of whatever version, and where the objects were; makes
    /// nothing.
    func find() throws -> (isThere: Bool, origin: RealmOrigin?) {
        struct Mapping: Decodable { var origin: RealmOrigin? }
        guard try isMade(), let row = try row() else { return (false, nil) }
        let mapping: Mapping? = row.mapping.flatMap { try? Self.decode($0) }
        return (row.position != nil || row.mapping != nil || row.pending != nil, mapping?.origin)
    }

    /// The texts of the row, as they are.
    struct Texts {
        var position: String?
        var lsn: String?
        var mapping: String?
        var pending: String?
    }

    /// The texts of the row; nil where there is none.
    func row() throws -> Texts? {
        try connection.row(
            "SELECT \"position\", lsn, mapping, pending FROM \(table) WHERE store = $1 AND feed = $2",
            parameters: [.text(store), .text(feed)]
        ).map { row in
            Texts(
                position: try row.string(0), lsn: try row.string(1), mapping: try row.string(2),
                pending: try row.string(3))
        }
    }

    /// Writes the texts of a row again.
    func restore(_ texts: Texts) throws {
        try connection.query(
            """
            UPDATE \(table) SET "position" = $3, lsn = $4, mapping = $5, pending = $6 \
            WHERE store = $1 AND feed = $2
            """,
            parameters: [
                .text(store), .text(feed), texts.position.map { .text($0) } ?? .null,
                texts.lsn.flatMap { Int64($0) }.map { .int($0) } ?? .null,
                texts.mapping.map { .text($0) } ?? .null, texts.pending.map { .text($0) } ?? .null,
            ])
    }

    /// What is remembered; `locks` keeps others from changing it until the transaction ends.
    func read(locks: Bool = false) throws -> SyncState {
        guard
            let row = try connection.row(
                "SELECT \"position\", mapping, pending FROM \(table) WHERE store = $1 AND feed = $2"
                    + (locks ? " FOR UPDATE" : ""),
                parameters: [.text(store), .text(feed)])
        else { throw SyncError.stateIsGone(SyncState.table) }
        let mapping: SyncMapping? = try row.string(1).map { try Self.decode($0) }
        guard mapping?.version ?? SyncMapping.versionWritten == SyncMapping.versionWritten else {
            throw SyncError.stateIsUnreadable(SyncState.table)
        }
        return SyncState(
            position: try row.string(0), mapping: mapping,
            pendingTables: try row.string(2).map { try Self.decode($0) } ?? [])
    }

    /// The names of the tables of a mapping, of whatever version that is.
    func readTableNames() throws -> [String] {
        struct Names: Decodable {
            struct OfType: Decodable {
                struct OfChild: Decodable { var table: String }
                var table: String
                var children: [OfChild]?
            }
            var types: [OfType]
        }
        let row = try connection.row(
            "SELECT mapping, pending FROM \(table) WHERE store = $1 AND feed = $2",
            parameters: [.text(store), .text(feed)])
        let names: Names? = try row?.string(0).map { try Self.decode($0) }
        let pending: [String]? = try row?.string(1).map { try Self.decode($0) }
        return (names?.types ?? []).flatMap { [$0.table] + ($0.children ?? []).map(\.table) }
            + (pending ?? [])
    }

    /// Another feed whose tables are in the schema.
    struct OtherFeed {
        var store: String
        var feed: String
        var mapping: SyncMapping
    }

    /// All other feeds, for tables that are shared.
    func otherFeeds() throws -> [OtherFeed] {
        try connection.query(
            """
            SELECT store, feed, mapping FROM \(table) \
            WHERE mapping IS NOT NULL AND NOT (store = $1 AND feed = $2)
            """,
            parameters: [.text(store), .text(feed)]
        ).rows.compactMap { row in
            // One of another version owns tables all the same, and shares none.
            guard let mapping: SyncMapping = try row.string(2).flatMap({ try? Self.decode($0) })
            else { return nil }
            return OtherFeed(
                store: try row.string(0) ?? "", feed: try row.string(1) ?? "", mapping: mapping)
        }
    }

    func write(position: String?, lsn: UInt64) throws {
        try connection.query(
            """
            UPDATE \(table) SET "position" = $3, lsn = $4, updated_at = now() \
            WHERE store = $1 AND feed = $2
            """,
            parameters: [
                .text(store), .text(feed), position.map { .text($0) } ?? .null,
                .int(Int64(bitPattern: lsn)),
            ])
    }

    func write(pendingTables: [String]) throws {
        try connection.query(
            "UPDATE \(table) SET pending = $3 WHERE store = $1 AND feed = $2",
            parameters: [.text(store), .text(feed), .text(try Self.encode(pendingTables))])
    }

    /// Forgets the mapping and the position; the tables are unfinished from then on.
    func forget(tables: [String]) throws {
        try connection.query(
            """
            UPDATE \(table) SET "position" = NULL, lsn = 0, mapping = NULL, pending = $3 \
            WHERE store = $1 AND feed = $2
            """,
            parameters: [.text(store), .text(feed), .text(try Self.encode(tables))])
    }

    /// Stores a mapping, with the tables that are about to be made for another one.
    func write(_ mapping: SyncMapping?, pendingTables: [String] = []) throws {
        try connection.query(
            """
            UPDATE \(table) SET mapping = $3, source = $4, pending = $5 \
            WHERE store = $1 AND feed = $2
            """,
            parameters: [
                .text(store), .text(feed),
                try mapping.map { .text(try Self.encode($0)) } ?? .null,
                mapping?.options.source.map { .text($0) } ?? .null,
                pendingTables.isEmpty ? .null : .text(try Self.encode(pendingTables)),
            ])
    }

    private static func encode(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    private static func decode<Value: Decodable>(_ text: String) throws -> Value {
        do {
            return try JSONDecoder().decode(Value.self, from: Data(text.utf8))
        } catch {
            throw SyncError.stateIsUnreadable(SyncState.table)
        }
    }
}
