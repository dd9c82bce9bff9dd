/// How the objects of some types are rows of tables; stored on the server, so that names and types
/// of columns stay what they are.
struct SyncMapping: Codable, Equatable {
    /// The format of this text.
    var version = versionWritten
    static let versionWritten = 1

    var options: MappingOptions
    var types: [TypeMapping] = []
    /// Where the objects are that were committed last.
    var origin: RealmOrigin?
    /// Columns that are about to be added, by their tables, while steps of a plan go on.
    var pendingColumns: [String: [String]]?

    /// Whether a feed with this mapping has made a column, or may have.
    func owns(_ column: String, of table: String) -> Bool {
        if pendingColumns?[table]?.contains(column) ?? false { return true }
        return types.contains { type in
            type.table == table && type.columns.contains { $0.column == column }
        }
    }

    /// Every table, those of collections among them.
    var tableNames: [String] { types.flatMap { [$0.table] + $0.children.map(\.table) } }
}

/// How the objects of a type are rows of a table.
struct TypeMapping: Codable, Equatable {
    /// The number of the type, and the name that it is stored under.
    var number: UInt32
    var name: String
    var table: String
    var isAsymmetric: Bool
    /// The column of the primary key; nil if the type has none.
    var primaryKey: KeyColumn?
    /// The column of the number that objects have in their type; nil where the primary key says it.
    var keyColumn: String?
    /// Whether rows are identified by that number, not by the primary key.
    var isIdentifiedByKey: Bool
    /// Of an asymmetric type whose rows the position says nothing of: the lineage of the realm's
    /// store that they are from. A load has committed a part of them, or left them out when the
    /// realm had another history.
    var loadingLineage: UInt64?
    var columns: [ColumnMapping] = []
    var children: [ChildMapping] = []

    struct KeyColumn: Codable, Equatable {
        var property: UInt32
        var column: String
        var type: SQLType
    }

    /// One that no store has.
    static let unknownLineage: UInt64 = 0

    /// Whether only the numbers of objects identify rows that are never changed.
    var isNumbered: Bool { isAsymmetric && isIdentifiedByKey }

    /// The column that identifies a row, and its type.
    var identity: (column: String, type: SQLType) {
        if let primaryKey, !isIdentifiedByKey { return (primaryKey.column, primaryKey.type) }
        return (keyColumn ?? "_key", SQLType(base: .bigint))
    }
}

/// A property, or one of an embedded object, that is a column.
struct ColumnMapping: Codable, Equatable {
    /// The numbers of the properties that lead to it.
    var path: [UInt32]
    /// Their stored names, with dots.
    var name: String
    var column: String
    var type: SQLType
    /// Whether the property is gone: the column stays, and is not written any more.
    var isRetired: Bool?
}

/// A list or set whose elements are rows of a table: the object's identity, position and value.
struct ChildMapping: Codable, Equatable {
    var path: [UInt32]
    var name: String
    var table: String
    /// The column with the identity of the object.
    var ownerColumn: String
    var type: SQLType
    var isRetired: Bool?

    static let positionColumn = "position"
    static let valueColumn = "value"
}
