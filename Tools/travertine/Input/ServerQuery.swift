import TravertineJSON

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

    /// Why a row is no object, where the program's line says that: it is a JSON string then.
    static func refusal(in line: ArraySlice<UInt8>) -> String? {
        guard line.first == UInt8(ascii: "\"") else { return nil }
        return Array(line).withUnsafeBytes { bytes in
            var scanner = JSONScanner(bytes)
            // One that is damaged is shown as it came.
            return (try? scanner.string()) ?? String(decoding: line, as: UTF8.self)
        }
    }
}
