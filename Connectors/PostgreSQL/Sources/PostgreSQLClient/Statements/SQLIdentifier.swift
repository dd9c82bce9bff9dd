/// A name of a table, a column, a type or a schema, within the limits of PostgreSQL.
///
/// PostgreSQL cuts names after 63 bytes. Here a longer name is cut too, between characters of
/// UTF-8, and gets an underscore and 16 hexadecimal digits of a hash of the whole name, so that
/// different names stay different; the same name always gives the same identifier.
///
/// Two identifiers are equal if their bytes are, as for the server. (Strings of Swift are equal if
/// they look the same: `é` can be one character or two.)
public struct SQLIdentifier: Sendable {
    /// The limit of the server, NAMEDATALEN - 1.
    public static let byteCountMax = 63
    /// An underscore, and a hash of 64 bits.
    private static let suffixByteCount = 17

    /// The name as the server stores it.
    public let name: String

    /// Makes an identifier of any name.
    ///
    /// - Throws: `.invalidIdentifier` for one that is empty or has U+0000.
    public init(_ name: String) throws(PostgreSQLError) {
        let bytes = Array(name.utf8)
        guard !bytes.isEmpty, !bytes.contains(0) else { throw .invalidIdentifier }
        if bytes.count <= Self.byteCountMax {
            self.name = name
            return
        }
        var end = Self.byteCountMax - Self.suffixByteCount
        // Not before a continuation byte.
        while bytes[end] & 0b1100_0000 == 0b1000_0000 { end -= 1 }
        let digits = String(Self.hash(bytes), radix: 16)
        self.name =
            String(decoding: bytes[..<end], as: UTF8.self) + "_"
            + String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// The name in double quotes, as it is written in SQL.
    public var quoted: String { Self.quote(name) }

    /// A name that the server has, or an identifier had, in double quotes.
    ///
    /// Goes by bytes: for Swift a quotation mark and a combining accent are another character.
    public static func quote(_ name: String) -> String {
        var bytes: [UInt8] = [0x22]
        for byte in name.utf8 {
            if byte == 0x22 { bytes.append(byte) }
            bytes.append(byte)
        }
        bytes.append(0x22)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// FNV-1a of 64 bits (draft-eastlake-fnv): stable, unlike Swift's own hash.
    private static func hash(_ bytes: [UInt8]) -> UInt64 {
        bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
    }
}

extension SQLIdentifier: Hashable {
    /// Whether the server takes them for the same name.
    public static func == (left: SQLIdentifier, right: SQLIdentifier) -> Bool {
        left.name.utf8.elementsEqual(right.name.utf8)
    }

    /// Goes by bytes, as `==` does.
    public func hash(into hasher: inout Hasher) {
        for byte in name.utf8 { hasher.combine(byte) }
    }
}

extension SQLIdentifier: CustomStringConvertible {
    /// The quoted form, so that an interpolation in SQL is right.
    public var description: String { quoted }
}
