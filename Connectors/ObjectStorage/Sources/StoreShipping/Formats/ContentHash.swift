import Crypto

/// The SHA-256 of an object's content.
struct ContentHash: Hashable, Sendable {
    static let byteCount = 32

    /// 64 hexadecimal digits, in lower case.
    let text: String

    /// The hash of some bytes.
    init(of bytes: [UInt8]) {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(2 * Self.byteCount)
        for byte in SHA256.hash(data: bytes) {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        self.text = String(decoding: text, as: UTF8.self)
    }

    /// The hash of this text; nil if it is none.
    init?(_ text: String) {
        let isHash =
            text.utf8.count == 2 * Self.byteCount
            && text.utf8.allSatisfy { byte in
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
            }
        guard isHash else { return nil }
        self.text = text
    }
}

extension ContentHash: Codable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let hash = ContentHash(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "not 64 hexadecimal digits")
        }
        self = hash
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
