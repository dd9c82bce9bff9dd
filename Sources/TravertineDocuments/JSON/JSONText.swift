/// Writes the words of JSON.
enum JSONText {
    /// Adds a text in quotes, with quotes, backslashes and control characters escaped.
    static func append(_ text: String, to bytes: inout [UInt8]) {
        var text = text
        text.withUTF8 { append(utf8: UnsafeRawBufferPointer($0), to: &bytes) }
    }

    /// Adds a text in UTF-8 in quotes, escaped likewise.
    static func append(utf8 source: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        var start = 0
        var offset = 0
        while offset < source.count {
            if offset + 8 <= source.count,
                !JSONBytes.hasSpecial(
                    source.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            {
                offset += 8
                continue
            }
            let byte = source[offset]
            if isEscaped(byte) {
                bytes.append(contentsOf: source[start..<offset])
                appendEscaped(byte, to: &bytes)
                start = offset + 1
            }
            offset += 1
        }
        bytes.append(contentsOf: source[start...])
        bytes.append(UInt8(ascii: "\""))
    }

    @inline(__always)
    private static func isEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private static func appendEscaped(_ byte: UInt8, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(byte)
        case 0x08: bytes.append(UInt8(ascii: "b"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0C: bytes.append(UInt8(ascii: "f"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        default:
            bytes.append(contentsOf: "u00".utf8)
            bytes.append(hexadecimal(byte >> 4))
            bytes.append(hexadecimal(byte & 15))
        }
    }

    static func hexadecimal(_ digit: UInt8) -> UInt8 {
        digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
    }
}

/// Looks at eight bytes of a text at once.
enum JSONBytes {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let tops: UInt64 = 0x8080_8080_8080_8080

    /// Whether a quote, a backslash or a control character is among eight bytes.
    ///
    /// A byte above 127 may count as one behind a real one only, never hide one.
    @inline(__always)
    static func hasSpecial(_ word: UInt64) -> Bool {
        let quotes = word ^ (ones &* 0x22)
        let backslashes = word ^ (ones &* 0x5C)
        let found =
            ((quotes &- ones) & ~quotes) | ((backslashes &- ones) & ~backslashes)
            | ((word &- ones &* 0x20) & ~word)
        return found & tops != 0
    }
}
