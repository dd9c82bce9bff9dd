import CLibPQ

/// The rows of a statement, all in memory, or the outcome of one that has none.
///
/// For one thread at a time. Stays valid when the connection is closed.
public final class QueryResult {
    /// libpq's result.
    let handle: OpaquePointer

    /// Takes the result over.
    init(_ handle: OpaquePointer) { self.handle = handle }

    deinit { PQclear(handle) }

    /// How many rows there are.
    public var rowCount: Int { Int(PQntuples(handle)) }

    /// How many columns each has.
    public var columnCount: Int { Int(PQnfields(handle)) }

    /// The names of the columns, in order.
    public var columnNames: [String] {
        (0..<Int32(columnCount)).map { column in
            PQfname(handle, column).map { String(cString: $0) } ?? ""
        }
    }

    /// The tag of the command, such as "INSERT 0 3", "COMMIT" or "CREATE TABLE".
    public var commandTag: String {
        PQcmdStatus(handle).map { String(cString: $0) } ?? ""
    }

    /// How many rows the command affected, or returned, as its tag says; nil if it has no number.
    public var affectedRowCount: Int64? {
        PQcmdTuples(handle).flatMap { Int64(String(cString: $0)) }
    }

    /// The rows, in order.
    public var rows: [Row] { (0..<rowCount).map { Row(result: self, index: $0) } }

    /// The row at an index.
    ///
    /// - Throws: `.malformedValue` if there is none.
    public func row(_ index: Int) throws(PostgreSQLError) -> Row {
        guard (0..<rowCount).contains(index) else {
            throw .malformedValue("there is no row \(index), but \(rowCount) rows")
        }
        return Row(result: self, index: index)
    }

    /// The first column of that name, compared exactly.
    ///
    /// - Throws: `.malformedValue` if there is none.
    public func column(_ name: String) throws(PostgreSQLError) -> Int {
        guard let column = columnNames.firstIndex(of: name) else {
            throw .malformedValue("the result has no column \(name)")
        }
        return column
    }
}
