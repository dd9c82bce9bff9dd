import PostgreSQLClient

/// A change of the server's tables.
enum SchemaStep: Equatable {
    /// A column as it is made.
    struct Column: Equatable {
        var name: String
        var type: SQLType
        var isRequired = false
    }

    case createTable(name: String, columns: [Column], primaryKey: [String])
    case createIndex(name: String, table: String, columns: [String])
    /// With what existing rows have, as a literal.
    case addColumn(table: String, column: Column, value: String?)
    /// Takes what `addColumn` gave existing rows from those to come.
    case dropDefault(table: String, column: String)
    /// Sets a column where one of some others is not null, if there are others; of the rows of a
    /// source, if there is one.
    case fill(table: String, column: String, value: String, whereAnyOf: [String], source: String?)
    case renameColumn(table: String, from: String, to: String)

    /// The table that it makes.
    var table: String? {
        if case .createTable(let name, _, _) = self { name } else { nil }
    }

    /// The statement; to run it again does no harm.
    ///
    /// - Parameter isNew: whether a relation of the name that it makes must not be there.
    func statement(schema: String, isNew: Bool = false) throws(PostgreSQLError) -> String {
        func full(_ table: String) -> String { table.quoted(in: schema) }
        func declaration(_ column: Column) -> String {
            column.name.quoted + " " + column.type.name + (column.isRequired ? " NOT NULL" : "")
        }
        switch self {
        case .createTable(let name, let columns, let key):
            return "CREATE TABLE \(isNew ? "" : "IF NOT EXISTS ")\(full(name)) ("
                + (columns.map(declaration)
                + ["PRIMARY KEY (\(key.map(\.quoted).joined(separator: ", ")))"])
                .joined(separator: ", ") + ")"
        case .createIndex(let name, let table, let columns):
            return "CREATE INDEX IF NOT EXISTS \(name.quoted) ON \(full(table)) "
                + "(\(columns.map(\.quoted).joined(separator: ", ")))"
        case .addColumn(let table, let column, let value):
            return "ALTER TABLE \(full(table)) ADD COLUMN IF NOT EXISTS \(declaration(column))"
                + (value.map { " DEFAULT \($0)" } ?? "")
        case .dropDefault(let table, let column):
            return "ALTER TABLE \(full(table)) ALTER COLUMN \(column.quoted) DROP DEFAULT"
        case .fill(let table, let column, let value, let others, let source):
            var conditions = ["\(column.quoted) IS NULL"]
            if let source {
                conditions.append(
                    "\(SyncState.sourceColumn.quoted) = \(try SQLLiteral.text(source))")
            }
            if !others.isEmpty {
                let present = others.map { "\($0.quoted) IS NOT NULL" }
                conditions.append("(\(present.joined(separator: " OR ")))")
            }
            return "UPDATE \(full(table)) SET \(column.quoted) = \(value) WHERE "
                + conditions.joined(separator: " AND ")
        case .renameColumn(let table, let from, let to):
            return "ALTER TABLE \(full(table)) RENAME COLUMN \(from.quoted) TO \(to.quoted)"
        }
    }
}
