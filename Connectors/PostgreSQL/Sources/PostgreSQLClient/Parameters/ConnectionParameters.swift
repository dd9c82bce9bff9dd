import CLibPQ

/// Where and how to connect, in one of the two forms that libpq reads.
///
///     postgresql://user@host:5433,other:5433/database?sslmode=verify-full
///     host=db.example.com dbname=shop user=sync sslmode=verify-full sslrootcert=root.crt
///
/// Every option of libpq is possible (PostgreSQL's documentation, "Parameter Key Words"). What the
/// text leaves out, libpq takes from a service file, from the variables `PGHOST`, `PGPASSWORD` and
/// so on, and from `~/.pgpass`, at the time of connecting. The client adds, where neither says
/// otherwise:
///
/// | option | value |
/// |---|---|
/// | `client_encoding` | UTF8, always |
/// | `fallback_application_name` | travertine |
/// | `keepalives_idle`, `_interval`, `_count` | 30 s, 10 s, 3 |
/// | `tcp_user_timeout` | 30 s |
/// | `connect_timeout` | 10 s |
///
/// With a service, which may set the TCP options, these are left to it and to libpq.
public struct ConnectionParameters: Sendable {
    /// Keywords of libpq and what the text says for them.
    private(set) var values: [String: String]
    /// The keywords whose values are secret, as libpq marks them.
    private let secretKeywords: Set<String>
    private(set) var secrets = Secrets()

    /// Whether the text itself has a password in it. On a command line, lists of processes show it.
    public let carriesPassword: Bool

    /// Parses a URL or a list of `keyword=value`; an empty text leaves all to the environment.
    ///
    /// - Throws: `.invalidParameters`, with a message that repeats no part of the text.
    public init(_ text: String) throws(PostgreSQLError) {
        if text.utf8.contains(0) {
            throw .invalidParameters("it has the character U+0000")
        }
        var message: UnsafeMutablePointer<CChar>?
        defer { if let message { PQfreemem(message) } }
        guard let list = PQconninfoParse(text, &message) else {
            let reason = message.map { String(cString: $0) } ?? "out of memory"
            throw .invalidParameters(Self.withoutQuotations(reason))
        }
        let options = ConninfoOption.all(consuming: list)
        values = [:]
        for option in options where option.value != nil { values[option.keyword] = option.value }
        let secretOptions = options.filter(\.isSecret)
        secretKeywords = Set(secretOptions.map(\.keyword))
        carriesPassword = secretOptions.contains { !($0.value ?? "").isEmpty }
        for option in secretOptions { secrets.insert(option.value ?? "") }
        try checkForMisplacedPassword(text)
    }

    /// What the text says for a keyword of libpq; nil for the password, and if it says nothing.
    public subscript(keyword: String) -> String? {
        secretKeywords.contains(keyword) ? nil : values[keyword]
    }

    /// The same with another value for a keyword; nil leaves it to the environment.
    ///
    /// - Throws: `.invalidParameters` for a value with U+0000. An unknown keyword is found when
    ///   connecting.
    public func setting(
        _ keyword: String, to value: String?
    ) throws(PostgreSQLError) -> ConnectionParameters {
        if value?.utf8.contains(0) == true || keyword.utf8.contains(0) {
            throw .invalidParameters("the value of \(keyword) has the character U+0000")
        }
        var changed = self
        changed.values[keyword] = value
        if secretKeywords.contains(keyword), let value { changed.secrets.insert(value) }
        return changed
    }
}

extension ConnectionParameters {
    /// Refuses what is most likely a password with a character that a URL must escape: parts of it
    /// are then taken for the host, the port or the database, and would appear in messages.
    private func checkForMisplacedPassword(_ text: String) throws(PostgreSQLError) {
        let escape =
            "percent-encode special characters of the user and of the password (@ is %40, "
            + "/ is %2F)"
        let ports = (values["port"] ?? "").split(separator: ",", omittingEmptySubsequences: false)
        for port in ports where !port.isEmpty {
            guard let number = Int(port.trimmingSpaces()), (1...65_535).contains(number) else {
                throw .invalidParameters("the port is not a number from 1 to 65535; \(escape)")
            }
        }
        let isURL = ["postgres://", "postgresql://"].contains { text.utf8.starts(with: $0.utf8) }
        guard isURL else { return }
        let at = UInt8(ascii: "@")
        if values["host"]?.utf8.contains(at) == true {
            throw .invalidParameters("the host has the character @; \(escape)")
        }
        let isInPath = text.utf8.prefix { $0 != UInt8(ascii: "?") }.contains(at)
        if values["dbname"]?.utf8.contains(at) == true, isInPath, values["password"] == nil {
            throw .invalidParameters("the database has the character @; \(escape)")
        }
    }

    /// A message of the parser without the parts of the text that it quotes, other than keywords.
    ///
    /// What cannot be parsed may be any part of a password.
    private static func withoutQuotations(_ message: String) -> String {
        var keywords: Set<String> = ["=", ":", "/", "]", "[", "?", "&"]
        if let list = PQconndefaults() {
            keywords.formUnion(ConninfoOption.all(consuming: list).map(\.keyword))
        }
        // By scalars: for Swift a quotation mark and a combining accent are another character.
        let parts = message.trimmingSpaces().unicodeScalars
            .split(separator: "\"", omittingEmptySubsequences: false).map { String($0) }
        // A quoted part may have a quotation mark in it; then nothing after the first is certain.
        if parts.count.isMultiple(of: 2) { return parts[0] + "…" }
        return parts.enumerated().map { index, part in
            if index.isMultiple(of: 2) { return part }
            return keywords.contains(part) ? "\"\(part)\"" : "…"
        }.joined()
    }
}

extension ConnectionParameters: CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The options of the text in alphabetical order, without secrets.
    public var description: String {
        values.sorted { $0.key < $1.key }.map { keyword, value in
            "\(keyword)=\(secretKeywords.contains(keyword) ? Secrets.placeholder : value)"
        }.joined(separator: " ")
    }

    /// The same.
    public var debugDescription: String { description }

    /// Nothing of the password for `dump` either.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension StringProtocol {
    /// Without white space and newlines at both ends.
    func trimmingSpaces() -> String {
        var rest = self[...]
        while let first = rest.first, first.isWhitespace { rest = rest.dropFirst() }
        while let last = rest.last, last.isWhitespace { rest = rest.dropLast() }
        return String(rest)
    }
}
