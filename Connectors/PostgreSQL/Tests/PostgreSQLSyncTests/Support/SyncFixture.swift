import Foundation
import PostgreSQLClient
import PostgreSQLServer
import PostgreSQLSync
import Travertine

/// A directory for realms, and schemas of the server, for one test: all is removed with its last
/// reference.
final class SyncFixture {
    /// Has the realm.
    let directory: URL
    /// The schema that the tables are in unless a test says otherwise.
    let schema: String
    /// Looks at the tables; names without schema are those of `schema`.
    let connection: Connection
    /// What `sync` goes by.
    var options = SyncOptions()
    private let server: TemporaryPostgreSQLServer
    private var schemas: Set<String> = []

    init(_ server: TemporaryPostgreSQLServer? = nil) throws {
        let server = try server ?? SharedServer.running()
        self.server = server
        let name = "t\(UUID().uuidString.prefix(8).lowercased())"
        schema = name
        directory = FileManager.default.temporaryDirectory.appending(
            path: "travertine-sync-\(name)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        connection = try Connection(ConnectionParameters(server.connectionString))
        try connection.execute(
            "SET timezone = 'UTC'; SET search_path = \(name); SET client_min_messages = warning")
        options.mapping.schema = name
        options.retries = RetryPolicy(
            baseDelay: .milliseconds(1), maximumDelay: .milliseconds(5), limit: .time(.seconds(30)))
    }

    deinit {
        for name in schemas {
            _ = try? connection.execute("DROP SCHEMA IF EXISTS \(name) CASCADE")
        }
        try? FileManager.default.removeItem(at: directory)
    }

    // MARK: Realms

    /// The files of a realm.
    func files(_ name: String = "realm") -> URL { directory.appending(path: name) }

    /// Opens a realm for writing.
    func open(
        _ types: [ObjectBase.Type], _ name: String = "realm", version: UInt64 = 0,
        migration: MigrationBlock? = nil
    ) throws -> Realm {
        try Realm(
            configuration: Realm.Configuration(
                fileURL: files(name), schemaVersion: version, migrationBlock: migration,
                objectTypes: types))
    }

    // MARK: Copying

    /// The parameters of connections, through a proxy if there is one.
    func parameters(through proxy: FaultProxy? = nil) throws -> ConnectionParameters {
        try ConnectionParameters(
            proxy.map { server.connectionString(port: $0.port) } ?? server.connectionString)
    }

    /// A proxy in front of the server.
    func proxy() throws -> FaultProxy { try FaultProxy(to: server.port) }

    /// A synchronizer with the options, or others.
    func synchronizer(
        _ realm: Realm, feed: String = "sync", types: [String]? = nil,
        _ options: SyncOptions? = nil, through proxy: FaultProxy? = nil,
        isCancelled: @escaping () -> Bool = { false },
        report: @escaping (SyncEvent) -> Void = { _ in }
    ) throws -> Synchronizer {
        let options = options ?? self.options
        schemas.insert(options.mapping.schema)
        return Synchronizer(
            realm, feedName: feed, types: types, to: try parameters(through: proxy), options,
            isCancelled: isCancelled, report: report)
    }

    /// Copies what changed, and ends.
    @discardableResult
    func sync(
        _ realm: Realm, feed: String = "sync", types: [String]? = nil,
        _ options: SyncOptions? = nil, through proxy: FaultProxy? = nil,
        isCancelled: @escaping () -> Bool = { false },
        report: @escaping (SyncEvent) -> Void = { _ in }
    ) throws -> SyncSummary {
        try synchronizer(
            realm, feed: feed, types: types, options, through: proxy, isCancelled: isCancelled,
            report: report
        ).run(follows: false)
    }

    /// Copies all to a schema, apart from others by another feed, and returns the schema.
    func freshCopy(_ realm: Realm, types: [String]? = nil) throws -> String {
        var options = options
        options.mapping.schema = "\(schema)_fresh\(schemas.count)"
        options.loadCommitCount = nil
        try sync(realm, feed: "fresh\(schemas.count)", types: types, options)
        return options.mapping.schema
    }

    // MARK: Looking at tables

    /// The rows of a query, each with blanks between its values.
    func lines(_ sql: String) throws -> [String] {
        try connection.query(sql).rows.map { row in
            try (0..<row.result.columnCount).map { try row.string($0) ?? "null" }
                .joined(separator: " ")
        }
    }

    /// The only value of a query.
    func value(_ sql: String) throws -> String? {
        try connection.query(sql).row(0).string(0)
    }

    /// The names of the tables of a schema, but for `travertine_sync`.
    func tables(_ schema: String? = nil) throws -> [String] {
        try lines(
            """
            SELECT table_name FROM information_schema.tables WHERE table_name <> 'travertine_sync' \
            AND table_schema = '\(schema ?? self.schema)' ORDER BY table_name COLLATE "C"
            """)
    }

    /// The names of the columns of a table, in order.
    func columns(_ table: String, _ schema: String? = nil) throws -> [String] {
        try connection.query(
            """
            SELECT column_name FROM information_schema.columns WHERE table_schema = $1 \
            AND table_name = $2 ORDER BY ordinal_position
            """,
            parameters: [.text(schema ?? self.schema), .text(table)]
        ).rows.map { try $0.string(0) ?? "" }
    }
}
