extension Connection {
    /// What gives the texts that `RowJSON` reads, whatever the server or the role has for a
    /// default.
    private static let textSettings = [
        "datestyle = 'ISO, YMD'", "timezone = 'UTC'", "bytea_output = 'hex'",
        "extra_float_digits = 3",
    ]
    /// Has the server end the query of a client that is gone, which it else finds out only when it
    /// sends a row.
    private static let checkSetting = "client_connection_check_interval = '5s'"
    /// The first version of PostgreSQL with that setting.
    private static let checkingVersion = 140_000

    /// Thrown to begin again without a setting that the server has not.
    private struct RefusedSetting: Error {}

    /// Runs a query in a transaction that only reads, and calls `body` with each row as it comes,
    /// and with what makes JSON of it.
    ///
    /// The settings that this needs end with the transaction, so that a connection which a pooler
    /// shares between clients stays as it was. Memory and limits are those of `forEachRow`.
    ///
    /// - Throws: `RowJSON.Failure` for a query that gives no rows, or columns without usable names;
    ///   what `body` throws; and as `execute`.
    public func forEachRow(
        ofQuery query: String, as form: RowJSON.Form, _ body: (Row, RowJSON) throws -> Void
    ) throws {
        do {
            let checks = serverVersion >= Self.checkingVersion
            try readRows(query, form, isChecked: checks, body)
        } catch is RefusedSetting {
            try readRows(query, form, isChecked: false, body)
        }
    }

    /// The schema of an object type with the columns of a query, which is not run.
    ///
    /// - Throws: as `RowSchema.init`, and as `execute`.
    public func schema(
        ofQuery query: String, title: String, key: String
    ) throws -> RowSchema {
        let columns = try transaction(isReadOnly: true) { connection in
            try connection.columns(of: connection.prepare(query))
        }
        return try RowSchema(columns, title: title, key: key)
    }

    private func readRows(
        _ query: String, _ form: RowJSON.Form, isChecked: Bool,
        _ body: (Row, RowJSON) throws -> Void
    ) throws {
        try transaction(isReadOnly: true) { connection in
            for setting in Self.textSettings { try connection.execute("SET LOCAL \(setting)") }
            if isChecked { try connection.executeIfKnown("SET LOCAL \(Self.checkSetting)") }
            let statement = try connection.prepare(query)
            let rows = try RowJSON(connection.columns(of: statement), form: form)
            try connection.forEachRow(of: statement) { try body($0, rows) }
        }
    }

    /// Some servers call themselves a version whose settings they do not have, and so do some
    /// systems that PostgreSQL runs on.
    private func executeIfKnown(_ setting: String) throws {
        do throws(PostgreSQLError) {
            try execute(setting)
        } catch {
            guard case .server(let message) = error, !message.isTransient, !isClosed else {
                throw error
            }
            throw RefusedSetting()
        }
    }
}
