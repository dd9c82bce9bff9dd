/// Writes the words of JSON.
public enum JSONText {
    /// Adds a text in quotes, with quotes, backslashes and control characters escaped.
    public static func append(_ text: String, to target: inout [UInt8]) {
        var text = text
        text.withUTF8 { append(utf8: UnsafeRawBufferPointer($0), to: &target) }
    }

    /// Adds a text in UTF-8 in quotes, escaped likewise.
    public static func append(utf8 source: UnsafeRawBufferPointer, to target: inout [UInt8]) {
        target.append(UInt8(ascii: "\""))
        var start = 0
        while true {
            let end = JSONBytes.firstSpecial(in: source, from: start)
            target.append(contentsOf: source[start..<end])
            if end == source.count { break }
            appendEscape(source[end], to: &target)
            start = end + 1
        }
        target.append(UInt8(ascii: "\""))
    }

    /// Adds a text in UTF-8 in quotes, escaped likewise.
    public static func append(utf8 source: [UInt8], to target: inout [UInt8]) {
        source.withUnsafeBytes { append(utf8: $0, to: &target) }
    }

    /// Adds a name in quotes and a colon.
    public static func append(name: String, to target: inout [UInt8]) {
        append(name, to: &target)
        target.append(UInt8(ascii: ":"))
    }

    private static func appendEscape(_ byte: UInt8, to target: inout [UInt8]) {
        target.append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): target.append(byte)
        case 0x08: target.append(UInt8(ascii: "b"))
        case 0x09: target.append(UInt8(ascii: "t"))
        case 0x0A: target.append(UInt8(ascii: "n"))
        case 0x0C: target.append(UInt8(ascii: "f"))
        case 0x0D: target.append(UInt8(ascii: "r"))
        default:
            target.append(contentsOf: "u00".utf8)
            target.append(hexadecimal(byte >> 4))
            target.append(hexadecimal(byte & 15))
        }
    }

    /// The lower-case digit of a number below 16.
    public static func hexadecimal(_ digit: UInt8) -> UInt8 {
        digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
    }
}
