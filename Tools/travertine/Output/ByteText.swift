import ArgumentParser

/// Bytes as text: how keys and values are written on the command line and shown.
///
/// Shown as they are if they are UTF-8 without control characters; otherwise `\n`, `\t`, `\r`,
/// `\\` and `\xNN` stand for what can't be shown. With `--hex` everything is pairs of hexadecimal
/// digits, both ways.
enum ByteText {
    /// The bytes that an argument means: its UTF-8, or with `isHex` its hexadecimal digits.
    static func bytes(of argument: String, isHex: Bool) throws -> [UInt8] {
        guard isHex else { return Array(argument.utf8) }
        let digits = argument.utf8.map { hexDigitValue($0) }
        guard digits.count % 2 == 0, !digits.contains(nil) else {
            throw ValidationError(
                "“\(argument)” is not hexadecimal: with --hex, write an even number of the "
                    + "digits 0-9 and a-f.")
        }
        let values = digits.compactMap(\.self)
        return stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
    }

    /// The bytes as text for a terminal.
    static func shown(_ bytes: [UInt8], isHex: Bool) -> String {
        if isHex { return hex(bytes) }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            return escapedBytes(bytes)
        }
        if !bytes.contains(where: mayNeedEscape) { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case "\\": result += "\\\\"
            case "\u{20}"..<"\u{7f}": result.unicodeScalars.append(scalar)
            default:
                if scalar.properties.generalCategory == .control {
                    result += escapedBytes(Array(String(scalar).utf8))
                } else {
                    result.unicodeScalars.append(scalar)
                }
            }
        }
        return result
    }

    /// Two hexadecimal digits for each byte.
    static func hex(_ bytes: [UInt8]) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count * 2)
        for byte in bytes {
            result.append(hexDigits[Int(byte >> 4)])
            result.append(hexDigits[Int(byte & 15)])
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// The value of a hexadecimal digit, or nil.
    static func hexDigitValue(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// Whether a byte of UTF-8 may belong to a character that is shown in another way: an ASCII
    /// control character, a backslash, or the first byte of U+0080 and its neighbours.
    private static func mayNeedEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == 0x7f || byte == UInt8(ascii: "\\") || byte == 0xc2
    }

    private static let hexDigits = Array("0123456789abcdef".utf8)

    private static func escapedBytes(_ bytes: [UInt8]) -> String {
        var result = ""
        for byte in bytes {
            if byte == UInt8(ascii: "\\") {
                result += "\\\\"
            } else if (0x20..<0x7f).contains(byte) {
                result.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                result += "\\x" + hex([byte])
            }
        }
        return result
    }
}
