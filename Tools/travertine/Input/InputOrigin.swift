/// Where the records of an import come from.
enum InputOrigin {
    /// The file at a path; “-” is standard input.
    case file(String)
    /// The rows of a query.
    case query(ServerQuery)

    /// Opens it for reading.
    ///
    /// - Parameter form: what values of rows are that JSON has no type for.
    func open(
        rowsAs form: ServerQuery.Form, until interruption: Interruption?
    ) throws -> InputSource {
        switch self {
        case .file(let path): try InputSource(path: path, until: interruption)
        case .query(let query):
            InputSource(
                try InputProgram.rows(of: query, as: form), name: "the query", unit: "row",
                until: interruption)
        }
    }
}

/// A query for a server of PostgreSQL.
struct ServerQuery {
    /// What `travertine-postgres` makes of values that JSON has no type for.
    enum Form: String {
        /// Strings and numbers, for values of keys.
        case plain
        /// Extended JSON with times as texts, which keep their microseconds.
        case objects
        /// Extended JSON.
        case documents
    }

    /// The server's address, as libpq takes it.
    let server: String
    /// The statement.
    let text: String
}
