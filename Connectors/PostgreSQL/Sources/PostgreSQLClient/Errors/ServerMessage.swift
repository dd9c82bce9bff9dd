import CLibPQ

/// An error or a notice of the server, field by field.
///
/// Fields of PostgreSQL's protocol, "Error and Notice Message Fields". Those that the server did
/// not send are nil.
public struct ServerMessage: Hashable, Sendable {
    /// ERROR, FATAL, PANIC, WARNING, NOTICE, DEBUG, INFO or LOG, never translated.
    public var severity: String
    /// The code.
    public var sqlState: SQLState
    /// What happened, in one line, in the server's language.
    public var message: String
    /// More of it. May have values of rows in it; nil unless `ConnectionOptions.includesDetail`, or
    /// where it has names of objects of the database only.
    public var detail: String?
    /// What to do about it.
    public var hint: String?
    /// The schema of the table.
    public var schema: String?
    /// The table that the error concerns.
    public var table: String?
    /// The column that the error concerns.
    public var column: String?
    /// The constraint that was violated.
    public var constraint: String?
    /// Where in the text of the statement, in characters from 1 on.
    public var position: Int?

    /// A message with these fields.
    public init(
        severity: String = "ERROR", sqlState: SQLState, message: String, detail: String? = nil,
        hint: String? = nil
    ) {
        self.severity = severity
        self.sqlState = sqlState
        self.message = message
        self.detail = detail
        self.hint = hint
    }

    /// The fields of a result of libpq; nil if it has no code, as for errors of libpq itself.
    init?(_ result: OpaquePointer, includesDetail: Bool, redacting secrets: Secrets) {
        func field(_ code: Character) -> String? {
            guard let text = PQresultErrorField(result, Int32(code.asciiValue!)) else { return nil }
            return secrets.redact(String(cString: text))
        }
        guard let code = field("C").map({ SQLState($0) }) else { return nil }
        let includesDetail = includesDetail || code == .dependentObjectsStillExist
        self.init(
            severity: field("V") ?? field("S") ?? "ERROR", sqlState: code,
            message: field("M") ?? "", detail: includesDetail ? field("D") : nil, hint: field("H"))
        schema = field("s")
        table = field("t")
        column = field("c")
        constraint = field("n")
        position = field("P").flatMap { Int($0) }
    }
}

extension ServerMessage {
    /// What YugabyteDB reports as XX000 after another client has changed a table, before version
    /// 2024.2.2: the next attempt sees the table as it is.
    private static let passingFailures = ["schema version mismatch", "catalog version mismatch"]

    /// Whether the whole transaction may succeed when it is repeated: by its code, or by its text
    /// where the code says nothing.
    public var isTransient: Bool {
        if sqlState.isTransient { return true }
        let text = message.lowercased()
        return sqlState.code == "XX000" && Self.passingFailures.contains { text.contains($0) }
    }
}

extension ServerMessage: CustomStringConvertible {
    /// The fields in one line.
    public var description: String {
        var text = "\(severity) \(sqlState): \(message)"
        if let detail { text += "; detail: \(detail)" }
        if let hint { text += "; hint: \(hint)" }
        let names = [("table", table), ("column", column), ("constraint", constraint)]
        for (kind, name) in names where name != nil { text += "; \(kind) \(name!)" }
        return text
    }
}
