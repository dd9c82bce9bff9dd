import TravertineJSON
import TravertineStore

/// Bytes as JSON text and back: strings where that is safe, base64 elsewhere.
enum DumpText {
    /// Whether a JSON string gives these bytes back: they are UTF-8 without control characters that
    /// an editor, or a careless parser, may change.
    static func isPlain(_ bytes: UnsafeRawBufferPointer) -> Bool {
        for byte in bytes where byte < 0x20 || byte == 0x7f {
            if byte != 0x09, byte != 0x0a, byte != 0x0d { return false }
        }
        return UTF8Text.isValid(bytes)
    }

    /// Appends `,"name":"text"`, or `,"name64":"base64"` for bytes that are not plain text.
    static func append(
        member name: String, _ bytes: UnsafeRawBufferPointer, to target: inout [UInt8]
    ) {
        target.append(contentsOf: ",\"".utf8)
        target.append(contentsOf: name.utf8)
        if isPlain(bytes) {
            target.append(contentsOf: "\":".utf8)
            JSONText.append(utf8: bytes, to: &target)
        } else {
            target.append(contentsOf: DumpFormat.Member.base64Suffix.utf8)
            target.append(contentsOf: "\":\"".utf8)
            appendBase64(bytes, to: &target)
            target.append(UInt8(ascii: "\""))
        }
    }

    // MARK: Base64 (RFC 4648, section 4)

    private static let digits = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 0xff, count: 256)
        for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
        return values
    }()

    private static let padding = UInt8(ascii: "=")

    private static func appendBase64(_ bytes: UnsafeRawBufferPointer, to target: inout [UInt8]) {
        target.reserveCapacity(target.count + (bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let count = min(3, bytes.count - start)
            var group = UInt32(bytes[start]) << 16
            if count > 1 { group |= UInt32(bytes[start + 1]) << 8 }
            if count > 2 { group |= UInt32(bytes[start + 2]) }
            target.append(digits[Int(group >> 18)])
            target.append(digits[Int(group >> 12 & 63)])
            target.append(count > 1 ? digits[Int(group >> 6 & 63)] : padding)
            target.append(count > 2 ? digits[Int(group & 63)] : padding)
        }
    }

    /// The bytes that base64 stands for; nil unless it is what `appendBase64` writes for them.
    static func decodeBase64(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        guard text.count % 4 == 0 else { return nil }
        let paddingCount = text.reversed().prefix(2).prefix { $0 == padding }.count
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3)
        let end = text.endIndex - paddingCount
        var group: UInt32 = 0
        var count = 0
        for digit in text[..<end] {
            let value = values[Int(digit)]
            if value == 0xff { return nil }
            group = group << 6 | UInt32(value)
            count += 1
            if count < 4 { continue }
            bytes.append(UInt8(truncatingIfNeeded: group >> 16))
            bytes.append(UInt8(truncatingIfNeeded: group >> 8))
            bytes.append(UInt8(truncatingIfNeeded: group))
            (group, count) = (0, 0)
        }
        switch count {
        case 0 where paddingCount == 0: return bytes
        case 2 where group & 0xf == 0:
            bytes.append(UInt8(truncatingIfNeeded: group >> 4))
        case 3 where group & 0x3 == 0:
            bytes.append(UInt8(truncatingIfNeeded: group >> 10))
            bytes.append(UInt8(truncatingIfNeeded: group >> 2))
        default: return nil
        }
        return bytes
    }

    /// Eight lower-case hexadecimal digits.
    static func hexadecimal(_ number: UInt32) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 8 - digits.utf8.count) + digits
    }
}
