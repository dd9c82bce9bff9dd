/// Pieces of JSON, appended to bytes.
enum JSONBytes {
    /// Appends a string in quotes.
    static func append(string text: some Sequence<UInt8>, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case ..<0x20:
                bytes.append(contentsOf: "\\u00".utf8)
                bytes.append(UInt8(ascii: "0") + byte >> 4)
                bytes.append(Hexadecimal.digits.utf8Start[Int(byte & 15)])
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Appends bytes in Base64, in quotes.
    static func append(base64 data: [UInt8], to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for start in stride(from: 0, to: data.count, by: 3) {
            let group = data[start..<min(start + 3, data.count)]
            var bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            bits <<= UInt32(8 * (3 - group.count))
            for place in 0..<4 {
                let digit = Int(bits >> UInt32(18 - 6 * place)) & 63
                bytes.append(place <= group.count ? base64.utf8Start[digit] : UInt8(ascii: "="))
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static let base64: StaticString =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
}
