import Foundation

/// JSON as the command prints it.
enum JSONText {
    /// A value with stable order of its members, over several lines.
    static func pretty(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    /// A string literal: the bytes are UTF-8.
    static func append(string bytes: some Sequence<UInt8>, to target: inout [UInt8]) {
        target.append(UInt8(ascii: "\""))
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                target.append(UInt8(ascii: "\\"))
                target.append(byte)
            case UInt8(ascii: "\n"): target.append(contentsOf: "\\n".utf8)
            case UInt8(ascii: "\r"): target.append(contentsOf: "\\r".utf8)
            case UInt8(ascii: "\t"): target.append(contentsOf: "\\t".utf8)
            case 0..<0x20: target.append(contentsOf: ("\\u00" + ByteText.hex([byte])).utf8)
            default: target.append(byte)
            }
        }
        target.append(UInt8(ascii: "\""))
    }

    /// A member `"name": text`, or `"nameHex": digits` if the bytes are not UTF-8.
    static func append(member name: String, _ bytes: [UInt8], isHex: Bool, to target: inout [UInt8])
    {
        if isHex || String(validating: bytes, as: UTF8.self) == nil {
            append(string: (name + "Hex").utf8, to: &target)
            target.append(UInt8(ascii: ":"))
            append(string: ByteText.hex(bytes).utf8, to: &target)
        } else {
            append(string: name.utf8, to: &target)
            target.append(UInt8(ascii: ":"))
            append(string: bytes, to: &target)
        }
    }
}
