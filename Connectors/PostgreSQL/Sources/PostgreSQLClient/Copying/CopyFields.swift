/// Takes rows of COPY's text format apart.
public enum CopyFields {
    /// The fields of a row, without its newline, as bytes; nil for NULL.
    ///
    /// - Throws: `.malformedValue` for a backslash at the end.
    public static func decode(
        _ row: UnsafeRawBufferPointer
    ) throws(PostgreSQLError) -> [[UInt8]?] {
        var bytes = row[...]
        if bytes.last == 0x0a { bytes = bytes.dropLast() }
        var fields: [[UInt8]?] = []
        for field in bytes.split(separator: 0x09, omittingEmptySubsequences: false) {
            fields.append(try value(UnsafeRawBufferPointer(rebasing: field)))
        }
        return fields
    }

    private static func value(
        _ field: UnsafeRawBufferPointer
    ) throws(PostgreSQLError) -> [UInt8]? {
        if field.elementsEqual([0x5c, 0x4e]) { return nil }
        var value: [UInt8] = []
        value.reserveCapacity(field.count)
        var offset = 0
        while offset < field.count {
            var byte = field[offset]
            offset += 1
            if byte == 0x5c {
                guard offset < field.count else {
                    throw .malformedValue("a field of COPY ends with a backslash")
                }
                byte = unescaped(field[offset])
                offset += 1
            }
            value.append(byte)
        }
        return value
    }

    /// What the server means by a character after a backslash. It writes no numbers there.
    private static func unescaped(_ character: UInt8) -> UInt8 {
        switch character {
        case 0x62: 0x08
        case 0x66: 0x0c
        case 0x6e: 0x0a
        case 0x72: 0x0d
        case 0x74: 0x09
        case 0x76: 0x0b
        default: character
        }
    }
}
