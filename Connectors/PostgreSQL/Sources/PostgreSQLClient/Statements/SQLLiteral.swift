/// Values written into SQL, for statements that take no parameters (DDL).
public enum SQLLiteral {
    /// A text in single quotes.
    ///
    /// With a backslash it gets the form `E'…'`, which means the same whatever the setting
    /// `standard_conforming_strings` of the server is. It must not follow a letter or a digit
    /// directly.
    ///
    /// - Throws: `.nulCharacter`.
    public static func text(_ value: String) throws(PostgreSQLError) -> String {
        try value.checkForNUL()
        let isEscaped = value.utf8.contains(0x5c)
        var bytes: [UInt8] = isEscaped ? [0x45, 0x27] : [0x27]
        bytes.reserveCapacity(value.utf8.count + 3)
        for byte in value.utf8 {
            if byte == 0x27 || byte == 0x5c { bytes.append(byte) }
            bytes.append(byte)
        }
        bytes.append(0x27)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Bytes as a text that `bytea` reads, in single quotes.
    public static func bytes(_ value: [UInt8]) -> String {
        var text = CopyText()
        text.append(bytea: value)
        // COPY's form has the same two backslashes.
        return "E'" + String(decoding: text.bytes, as: UTF8.self) + "'"
    }
}
