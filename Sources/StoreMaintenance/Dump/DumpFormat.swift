import TravertineStore

/// What a dump is: the content of a store as text that any program can read.
///
/// A dump is UTF-8 text. Each line is one JSON object (RFC 8259) and ends with LF:
///
/// 1. one header: the form's version, the store's UUID, the LSN that the dump shows;
/// 2. one line for each keyspace, by ascending identifier;
/// 3. one line for each key, keyspace by keyspace, in the order of the keys' bytes;
/// 4. one end line: the counts, and a CRC32C of all bytes before it.
///
/// Bytes that are UTF-8 and hold no control characters but tab and line ends are JSON strings
/// (members `key`, `value`); all others are base64 (`key64`, `value64`). So a parser that gets
/// strings right gets every byte back. Numbers of derived keyspaces are strings of decimal digits,
/// because many parsers round numbers above 2^53.
enum DumpFormat {
    /// The version that this code writes, and the highest that it reads.
    static let version: UInt64 = 1

    /// The longest line that a reader takes: a value whose every byte is escaped with a second one,
    /// a key, and the names of the members.
    static let lineByteCountMax = 2 * Store.valueByteCountMax + (64 << 10)

    /// The names of the members of all lines.
    enum Member {
        static let version = "travertineDump"
        static let store = "store"
        static let lsn = "lsn"
        static let isWhole = "whole"
        static let keyspace = "keyspace"
        static let name = "name"
        static let kind = "kind"
        static let isValid = "valid"
        static let compression = "compression"
        static let place = "in"
        static let key = "key"
        static let value = "value"
        static let number = "number"
        static let end = "end"
        static let keyspaceCount = "keyspaceCount"
        static let recordCount = "recordCount"
        static let checksum = "crc32c"
        /// What follows a member's name when its bytes are base64.
        static let base64Suffix = "64"
    }

    /// The text of a keyspace's kind.
    static func text(of kind: Keyspace.Kind) -> String {
        switch kind {
        case .records: "records"
        case .derived: "derived"
        case .dropped: "dropped"
        }
    }

    /// What the lines of cold and packed keyspaces say of compression; others say nothing.
    static let cold = "cold"
    static let packed = "packed"

    static func text(of compression: KeyspaceCompression) -> String? {
        switch compression {
        case .off: nil
        case .cold: cold
        case .packed: packed
        }
    }

    /// The kind that a text stands for, or nil.
    static func kind(of text: String) -> Keyspace.Kind? {
        [Keyspace.Kind.records, .derived, .dropped].first { self.text(of: $0) == text }
    }
}
