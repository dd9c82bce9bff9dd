import CLibPQ

/// One row of a result. Reading a value costs as much as making it; NULL is nil.
///
/// Errors name the column and never the value, which may be confidential.
public struct Row {
    /// Where the row is.
    public let result: QueryResult
    /// Which one, from 0 on.
    public let index: Int

    /// Calls `body` with the bytes of a value as the server sent them; nil for NULL.
    ///
    /// - Throws: `.malformedValue` if there is no such column.
    func value<Value>(
        _ column: Int, _ body: (UnsafeRawBufferPointer) throws(PostgreSQLError) -> Value
    ) throws(PostgreSQLError) -> Value? {
        guard (0..<result.columnCount).contains(column) else {
            throw .malformedValue("there is no column \(column), but \(result.columnCount)")
        }
        let (row, field) = (Int32(index), Int32(column))
        if PQgetisnull(result.handle, row, field) != 0 { return nil }
        let count = Int(PQgetlength(result.handle, row, field))
        let start = PQgetvalue(result.handle, row, field)
        return try body(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
    }

    private func malformed(_ column: Int, _ expected: String) -> PostgreSQLError {
        let name = PQfname(result.handle, Int32(column)).map { String(cString: $0) } ?? "\(column)"
        return .malformedValue("row \(index), column \(name): not \(expected)")
    }

    /// Whether the value is NULL.
    ///
    /// - Throws: `.malformedValue` if there is no such column; so do all of the accessors.
    public func isNull(_ column: Int) throws(PostgreSQLError) -> Bool {
        try value(column) { _ in true } == nil
    }

    /// The value's text.
    ///
    /// - Throws: `.malformedValue` for bytes that are not UTF-8.
    public func string(_ column: Int) throws(PostgreSQLError) -> String? {
        try value(column) { bytes throws(PostgreSQLError) in
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw malformed(column, "UTF-8")
            }
            return text
        }
    }

    /// A whole number.
    ///
    /// - Throws: `.malformedValue` for anything else, and if 64 bits are too few.
    public func int64(_ column: Int) throws(PostgreSQLError) -> Int64? {
        try value(column) { bytes throws(PostgreSQLError) in
            guard let number = Int64(String(decoding: bytes, as: UTF8.self)) else {
                throw malformed(column, "a whole number of 64 bits")
            }
            return number
        }
    }

    /// A floating-point number.
    ///
    /// - Throws: `.malformedValue` for anything else.
    public func double(_ column: Int) throws(PostgreSQLError) -> Double? {
        try value(column) { bytes throws(PostgreSQLError) in
            guard let number = Double(String(decoding: bytes, as: UTF8.self)) else {
                throw malformed(column, "a number")
            }
            return number
        }
    }

    /// A truth value.
    ///
    /// - Throws: `.malformedValue` for anything else.
    public func bool(_ column: Int) throws(PostgreSQLError) -> Bool? {
        try value(column) { bytes throws(PostgreSQLError) in
            switch String(decoding: bytes, as: UTF8.self) {
            case "t", "true": true
            case "f", "false": false
            default: throw malformed(column, "a truth value")
            }
        }
    }

    /// The bytes of a `bytea` in the server's hexadecimal form, `\x0123`.
    ///
    /// - Throws: `.malformedValue` for anything else.
    public func bytes(_ column: Int) throws(PostgreSQLError) -> [UInt8]? {
        try value(column) { bytes throws(PostgreSQLError) in
            guard let value = Hexadecimal.bytes(of: bytes) else {
                throw malformed(column, "a bytea in hexadecimal form")
            }
            return value
        }
    }

    /// The value's bytes as the server sent them, whatever its type.
    public func rawText(_ column: Int) throws(PostgreSQLError) -> [UInt8]? {
        try value(column) { bytes in Array(bytes) }
    }
}
