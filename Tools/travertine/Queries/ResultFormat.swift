import ArgumentParser

/// How objects that a query found are printed.
enum ResultFormat: String, CaseIterable, ExpressibleByArgument {
    /// Columns with aligned values, for a person.
    case table
    /// Values with tabs between them, one object on a line.
    case tab
    /// One object of Extended JSON on a line.
    case json
    /// Values as RFC 4180 has them, after a line of names.
    case csv
}
