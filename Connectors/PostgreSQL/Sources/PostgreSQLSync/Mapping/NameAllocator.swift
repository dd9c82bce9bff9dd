import PostgreSQLClient

/// Names in SQL that are all different, and stay what they were.
struct NameAllocator {
    private var taken: Set<String> = []

    /// The columns that every table has, which no other column can be called: of PostgreSQL, of
    /// YugabyteDB, and of CockroachDB.
    static let systemColumns = [
        "tableoid", "xmin", "cmin", "xmax", "cmax", "ctid", "oid", "ybctid",
        "crdb_internal_mvcc_timestamp", "crdb_internal_origin_id",
        "crdb_internal_origin_timestamp",
    ]

    /// Names that something has already.
    init(taken: some Sequence<String> = []) { self.taken = Set(taken) }

    /// Names of tables, and of what PostgreSQL makes with each of them under a name of the same
    /// kind.
    init(tables: some Sequence<String>) {
        taken = []
        for table in tables { reserve(table: table) }
    }

    private mutating func reserve(table: String) {
        taken.insert(table)
        taken.insert(Self.primaryKeyIndex(of: table))
    }

    /// What PostgreSQL calls the index of a primary key (`makeObjectName` in `indexcmds.c`).
    private static func primaryKeyIndex(of table: String) -> String {
        let suffix = "_pkey"
        var bytes = Array(table.utf8.prefix(SQLIdentifier.byteCountMax - suffix.utf8.count))
        // Whole characters only.
        while !bytes.isEmpty, String(validating: bytes, as: UTF8.self) == nil { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self) + suffix
    }

    /// As `name`, for a table.
    mutating func table(_ wanted: String) throws(PostgreSQLError) -> String {
        let name = try name(wanted)
        reserve(table: name)
        return name
    }

    mutating func reserve(_ name: String) { taken.insert(name) }

    func isTaken(_ name: String) -> Bool { taken.contains(name) }

    /// A name, shortened as PostgreSQL needs it, and with a number where something else has it.
    mutating func name(_ wanted: String) throws(PostgreSQLError) -> String {
        var number = 1
        while true {
            let candidate = try SQLIdentifier(number == 1 ? wanted : "\(wanted)_\(number)").name
            if taken.insert(candidate).inserted { return candidate }
            number += 1
        }
    }
}

extension String {
    /// As an identifier in SQL.
    var quoted: String { SQLIdentifier.quote(self) }

    /// As the name of a table in SQL, with its schema.
    func quoted(in schema: String) -> String { schema.quoted + "." + quoted }
}
