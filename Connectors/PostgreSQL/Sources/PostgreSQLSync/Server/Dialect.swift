import PostgreSQLClient

/// What a server is, where that makes a difference that no form of a statement avoids.
enum Dialect: Sendable {
    /// PostgreSQL, Citus and YugabyteDB.
    case postgreSQL
    /// Its COPY stores the text of `bytea` for its bytes, and reads the escapes of `jsonb` twice
    /// (cockroachdb/cockroach#167309): rows with such columns go by INSERT.
    case cockroachDB

    /// What a server reports of itself when a connection begins.
    init(_ connection: Connection) {
        self = connection.reportedSetting("crdb_version") == nil ? .postgreSQL : .cockroachDB
    }

    /// Whether COPY stores values of these types as they are.
    func copies(_ types: some Sequence<SQLType>) -> Bool {
        switch self {
        case .postgreSQL: true
        case .cockroachDB: !types.contains { !$0.isArray && [.bytea, .jsonb].contains($0.base) }
        }
    }
}
