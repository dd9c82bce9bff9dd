import PostgreSQLClient
import Travertine

/// Rows of one table that were not sent yet.
final class TableBuffer {
    /// How they are sent.
    enum Mode {
        /// By COPY: there is none of them yet.
        case copy
        /// By INSERT, over what is there.
        case upsert
        /// By INSERT, unless they are there.
        case insertNew
    }

    /// As it is written in SQL, with its schema.
    let table: String
    private let columns: String
    private let conflict: String
    private let updates: String
    let mode: Mode
    var copy = CopyText()
    var values = ValuesText()
    private(set) var rowCount = 0
    /// Rows that were there already, and stay.
    private(set) var keptRowCount = 0

    init(
        schema: String, table: String, columns: [String], key: [String], mode: Mode
    ) {
        self.table = table.quoted(in: schema)
        self.columns = columns.map(\.quoted).joined(separator: ", ")
        self.mode = mode
        conflict = key.map(\.quoted).joined(separator: ", ")
        updates = columns.filter { !key.contains($0) }
            .map { "\($0.quoted) = excluded.\($0.quoted)" }.joined(separator: ", ")
    }

    var byteCount: Int { mode == .copy ? copy.byteCount : values.byteCount }

    func didAdd(rows count: Int = 1) { rowCount += count }

    /// Forgets the rows that were not sent.
    func removeAll() {
        copy.removeAll()
        values.removeAll()
        rowCount = 0
    }

    /// Sends the rows.
    func flush(_ server: ServerWriter) throws {
        guard rowCount > 0 else { return }
        defer { rowCount = 0 }
        guard mode != .copy else {
            try server.copy(copy.bytes, by: "COPY \(table) (\(columns)) FROM STDIN")
            copy.removeAll()
            return
        }
        var sql = "INSERT INTO \(table) (\(columns)) VALUES "
        sql.reserveCapacity(sql.utf8.count + values.byteCount + 200)
        sql += String(decoding: values.bytes, as: UTF8.self)
        sql += " ON CONFLICT (\(conflict)) DO "
        sql += mode == .insertNew || updates.isEmpty ? "NOTHING" : "UPDATE SET \(updates)"
        values.removeAll()
        let stored = try server.execute(sql).affectedRowCount
        if mode == .insertNew, let stored { keptRowCount += rowCount - Int(stored) }
    }
}
