/// Where the records of an import come from.
enum InputOrigin {
    /// The file at a path; “-” is standard input.
    case file(String)
    /// The rows of a query.
    case query(ServerQuery)

    /// What messages call the records of a query.
    static let rowUnit = "row"

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
                try InputProgram.rows(of: query, as: form), name: "the query", unit: Self.rowUnit,
                until: interruption)
        }
    }
}
